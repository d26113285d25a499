"""Where the style sheets are: in the installed package, else in the checkout's `styles/` folder."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from cgp_tui.errors import OurError


def stylesheet(name: str) -> str:
    """The text of `NAME.tcss`. Raises OurError styles_missing where neither place has it."""
    packed = files("cgp_tui").joinpath("styles", f"{name}.tcss")
    if packed.is_file():
        return packed.read_text("utf-8")
    beside = Path(__file__).resolve().parent.parent.parent / "styles" / f"{name}.tcss"
    try:
        return beside.read_text("utf-8")
    except OSError:
        raise OurError(
            "styles_missing", f"The style sheet {name}.tcss is not installed.", "Install cgp-tui again."
        ) from None
