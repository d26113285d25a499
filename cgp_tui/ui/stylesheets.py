"""Finds the style sheets: in the installed package, else in the checkout's `styles/` folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cgp_tui.errors import OurError

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_FOLDERS: Final = (_PACKAGE / "styles", _PACKAGE.parent / "styles")


def stylesheet(name: str) -> str:
    """The text of `NAME.tcss`. Raises OurError styles_missing where neither place has it."""
    for folder in _FOLDERS:
        # Not by importlib.resources, which loads the archive modules before the first paint; a wheel is always unpacked.
        try:
            return (folder / f"{name}.tcss").read_text("utf-8")
        except OSError:
            continue
    raise OurError("styles_missing", f"The style sheet {name}.tcss is not installed.", "Install cgp-tui again.")
