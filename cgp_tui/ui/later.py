"""What the first paint does without and keys soon ask for: loaded beside the screen once it stands."""

from __future__ import annotations

from importlib import import_module
from typing import Final

MODULES: Final = (
    "cgp_tui.present.detail",
    "cgp_tui.present.answer",
    "cgp_tui.present.message",
    "cgp_tui.present.frame",
    "cgp_tui.analysis.around",
    "cgp_tui.analysis.sift",
    "cgp_tui.ui.widgets.findings",
    "cgp_tui.ui.widgets.provider",
    "cgp_tui.ui.screens.marking",
    "cgp_tui.ui.screens.help",
    "cgp_tui.ui.palette",
)
"""In the order in which they are likely to be wanted. Whoever uses one imports it where it is used."""


def load() -> None:
    """Load them, from any thread."""
    for name in MODULES:
        import_module(name)
