"""A line of which one thing is chosen."""

from __future__ import annotations

from cgp_tui.present.choices import Choice
from cgp_tui.present.symbols import UNICODE
from cgp_tui.text import own
from cgp_tui.ui.widgets.oneof import OneOf


def test_what_is_chosen_is_in_view_however_little_room_there_is() -> None:
    options = (("exact", own("exactly 2.4.1")), ("minor", own("2.4 and later 2.x")), ("any", own("any")))
    line = OneOf(UNICODE, Choice("version", own("Version"), options))

    def words(width: int, at: int) -> str:
        line.set_reactive(OneOf.at, at)
        return "".join(part.text for part in line.line(width))

    assert words(80, 0) == " Version (o) exactly 2.4.1  ( ) 2.4 and later 2.x  ( ) any"
    assert words(80, 2) == " Version ( ) exactly 2.4.1  ( ) 2.4 and later 2.x  (o) any"
    assert words(40, 0) == " Version (o) exactly 2.4.1  ( ) 2.4 and…"
    assert words(40, 1) == " Version … (o) 2.4 and later 2.x  ( ) a…"
    assert words(40, 2).endswith("(o) any")
    assert words(20, 2) == " Version … (o) any"
