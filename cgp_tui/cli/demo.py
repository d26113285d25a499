"""`cgp-tui demo` as the parser sees it; what it does is in `tour`."""

from __future__ import annotations

from cgp_tui.cli import options


def demo(record: options.RecordFile = None) -> int:
    """Tour of the inspector on two bundled providers. Nothing leaves this machine, and nothing needs to be set up."""
    from cgp_tui.cli.tour import tour

    return tour(record)
