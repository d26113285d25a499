"""Modules that the first paint does not need but keys soon will: loaded in the background once the screen stands."""

from __future__ import annotations

from importlib import import_module
from typing import Final

MODULES: Final = (
    "cgp_tui.present.detail",
    "cgp_tui.present.answer",
    "cgp_tui.present.message",
    "cgp_tui.present.frame",
    "cgp_tui.analysis.background",
    "cgp_tui.ui.records",
    "cgp_tui.analysis.filtering",
    "cgp_tui.ui.widgets.findings_pane",
    "cgp_tui.ui.widgets.provider",
    "cgp_tui.ui.screens.marking",
    "cgp_tui.ui.screens.help",
    "cgp_tui.ui.palette",
)
"""In the order in which they are likely to be needed. Each is still imported where it is used."""


def load() -> None:
    """Import all of them; may be called from any thread."""
    for name in MODULES:
        import_module(name)
