"""The one-line widgets."""

from __future__ import annotations

import pytest

from cgp_tui.present.layout import cell_width
from cgp_tui.present.spans import span
from cgp_tui.present.symbols import ASCII, UNICODE
from cgp_tui.text import own
from cgp_tui.ui.keys import hints
from cgp_tui.ui.widgets.bars import KeyLine, Line, PaneTitle, TabStrip


def words(bar: PaneTitle | TabStrip | Line | KeyLine, width: int) -> str:
    return "".join(part.text for part in bar.line(width))


@pytest.mark.parametrize("width", [20, 40, 80])
@pytest.mark.parametrize("active", [False, True])
def test_a_title_is_a_rule_across_its_pane(width: int, active: bool) -> None:
    title = PaneTitle(UNICODE, "Traffic")
    title.aside = own("held, 3 new (f)")
    title.active = active
    assert cell_width(words(title, width)) == width


def test_the_pane_with_the_focus_has_a_heavy_rule_and_brackets() -> None:
    title = PaneTitle(UNICODE, "Traffic")
    assert words(title, 20) == "─ Traffic ──────────"
    title.active = True
    assert words(title, 20) == "━[Traffic]━━━━━━━━━━"
    plain = PaneTitle(ASCII, "Traffic")
    plain.active = True
    assert words(plain, 20) == "=[Traffic]=========="


def test_an_aside_without_room_is_left_out() -> None:
    title = PaneTitle(UNICODE, "4 frames q1")
    title.aside = own("2,255 bytes, reply to 3 (p)")
    assert "bytes" in words(title, 60)
    assert words(title, 24).startswith("─ 4 frames q1 ─")
    assert "2,2" not in words(title, 24)


def test_the_open_tab_is_in_brackets() -> None:
    tabs = TabStrip(UNICODE)
    tabs.names, tabs.open = (own("Answer"), own("JSON"), own("Raw")), 1
    assert words(tabs, 40) == "  Answer [JSON] Raw "


def test_a_line_is_cut_where_its_width_ends() -> None:
    line = Line(UNICODE)
    line.spans, line.right = (span("one two "), span("three")), (span(" end"),)
    assert words(line, 20) == "one two three    end"
    assert words(line, 14) == "one two t… end"


def test_keys_that_have_no_room_go_but_commands_and_help_stay() -> None:
    keys = KeyLine(UNICODE)
    keys.keys = tuple(hints(("list", "screen", "live", "app")))
    wide, narrow = words(keys, 120), words(keys, 44)
    assert wide.startswith(" enter Open  e Finding  / Filter  a Query  c Consent")
    for text in (wide, narrow):
        assert text.rstrip().endswith(": Commands  ? Help")
    assert cell_width(narrow.rstrip()) <= 44
