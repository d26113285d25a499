"""What a finding is, short enough to stand in a table: anchor, level where it is no violation, path."""

from __future__ import annotations

from collections.abc import Iterable

from cgp_tui.protocol.requirements import Finding


def brief(findings: Iterable[Finding]) -> list[str]:
    """Each finding as `F1 /result/frames/0/score` or `6.3 advice /…`."""
    return [
        " ".join(filter(None, (found.anchor, "" if found.level == "violation" else found.level, found.path)))
        for found in findings
    ]
