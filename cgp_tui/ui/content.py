"""Safe spans on their way to the terminal, and the safety net behind everything that is drawn.

`present` hands over `Shown`; here it becomes Textual Content or a strip, never markup. `SecondNet` checks every segment
again just before it is written, so that no control character, link or click action leaves, whichever widget or library put
it there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.content import Content
from textual.filter import LineFilter
from textual.strip import Strip

from cgp_tui.present.spans import TOKENS, Span
from cgp_tui.text import Shown

PREFIX: Final = "cgp--"
"""With a token after it this is the name of a component class, to which `styles/app.tcss` gives its colour."""

COMPONENTS: Final = frozenset({f"{PREFIX}{name}" for name in (*TOKENS, "cursor", "unfocused", "after")})

_UNSAFE: Final = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)

_FILLERS: Final = frozenset("\u115f\u1160\u3164")
"""Invisible characters that Python nevertheless calls printable."""


@cache
def _unsafe() -> re.Pattern[str]:
    """Compiled for the first text that may need it, as so large a character class takes a while."""
    return re.compile(_UNSAFE)


def _harmless(text: str) -> bool:
    return text.isprintable() and (text.isascii() or _FILLERS.isdisjoint(text))


def plain(text: Shown) -> Content:
    """One safe text as Content: a title, a button, a toast."""
    return Content(text)


def strip(spans: Iterable[Span], styles: Mapping[str, Style], width: int, base: Style) -> Strip:
    """Spans as one line of exactly `width` cells; `styles` maps tokens to styles laid over `base`."""
    segments = [
        Segment(span.text, base + styles[span.token] if span.token and span.token in styles else base)
        for span in spans
        if span.text
    ]
    line = Strip(segments)
    return line.adjust_cell_length(width, base)


def _stand_in(found: re.Match[str]) -> str:
    """What is drawn instead of an unsafe character. Not made by `text`, whose gaps this net exists to close."""
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


class SecondNet(LineFilter):
    """Makes every control, reordering or invisible character visible, and drops links and click actions."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments, each of the cell length it had."""
        return [self._caught(segment) for segment in segments]

    def _caught(self, segment: Segment) -> Segment:
        text, style, control = segment
        if control:
            return segment
        if not _harmless(text) and _unsafe().search(text):
            text = set_cell_size(_unsafe().sub(_stand_in, text), cell_len(text))
        if style is not None and (style.link or (style._meta and "@click" in style.meta)):
            style = style.clear_meta_and_links()
        return Segment(text, style)
