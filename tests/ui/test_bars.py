"""The one-line widgets."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.present.detail import TAB_SENTENCES
from cgp_tui.present.layout import cell_width, tip_at
from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import ASCII, UNICODE
from cgp_tui.present.traffic import COLUMNS
from cgp_tui.text import own
from cgp_tui.ui.keys import by_id, hints
from cgp_tui.ui.status import TOLD
from cgp_tui.ui.widgets.bars import KeyLine, Line, PaneTitle, TabStrip
from tests.ui.pilots import app_over, inspector_of, opened, write_recording


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


def test_an_aside_is_in_the_first_wording_that_fits_and_the_last_is_cut() -> None:
    title = PaneTitle(UNICODE, "Consent")
    title.say(own("Consent"), own("ledger #42 ok, ledger head 9f1c02aa…77e0"), own("ledger #42 ok"))
    assert words(title, 60).endswith(" ledger #42 ok, ledger head 9f1c02aa…77e0 ─")
    assert words(title, 54).endswith("─ ledger #42 ok ─")
    assert words(title, 25).endswith(" ledger #4… ─")


def test_the_open_tab_is_in_brackets() -> None:
    tabs = TabStrip(UNICODE)
    tabs.names, tabs.open = (span("Answer"), span("JSON"), span("Raw")), 1
    assert words(tabs, 40) == "  Answer [JSON] Raw "


def test_a_line_is_cut_where_its_width_ends() -> None:
    line = Line(UNICODE)
    line.spans, line.right = (span("one two "), span("three")), (span(" end"),)
    assert words(line, 20) == "one two three    end"
    assert words(line, 14) == "one two t… end"


def test_a_line_tells_of_what_is_under_the_pointer() -> None:
    line = Line(UNICODE)
    line.spans = (Span(own("one two "), tip=own("numbers")), span("three"))
    assert [tip_at(line.line(20), x) for x in (0, 7, 8, 30, -1)] == ["numbers", "numbers", None, None, None]
    assert tip_at(line.line(5), 3) == "numbers"


async def test_bars_and_signs_are_told_of_under_the_pointer(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"), at=4)) as pilot:
        inspector = inspector_of(pilot)
        foot, detail = inspector.foot, inspector.detail
        told: dict[str, str] = {}
        for name, widget, x, y in (
            ("status", foot.status, 2, 0),
            ("views", inspector.strip, 14, 0),
            ("overview", inspector.overview, 0, 0),
            ("columns", inspector.traffic, 4, 3),
        ):
            await pilot.hover(widget, offset=(x, y))
            told[name] = str(widget.tooltip)
        assert told == {
            "status": TOLD["REPLAY"],
            "views": by_id("view.findings").sentence,
            "overview": "Record 1 of 17: connect; 214 bytes, nothing wrong; a click goes to it",
            "columns": COLUMNS["number"],
        }
        (tabs,) = detail.query(TabStrip)
        await pilot.hover(tabs, offset=(2, 0))
        assert str(tabs.tooltip) == TAB_SENTENCES["Answer"]
        rows = detail.view
        place = next(at for at, row in enumerate(rows.rows) if "standing" in row.text)
        y = next(y for y in range(rows.size.height) if "standing" in rows.render_line(y).text)
        assert place > 0
        await pilot.hover(rows, offset=(rows.render_line(y).text.index("?"), y))
        assert str(rows.tooltip) == "Algorithm, key or root unknown here. Says nothing either way."


def test_keys_that_have_no_room_go_but_commands_and_help_stay() -> None:
    keys = KeyLine(UNICODE)
    keys.keys = tuple(hints(("list", "screen", "live", "app")))
    wide, narrow = words(keys, 120), words(keys, 44)
    assert wide.startswith(" enter Open  e Finding  / Filter  a Query  c Consent")
    for text in (wide, narrow):
        assert text.rstrip().endswith(": Commands  ? Help")
    assert cell_width(narrow.rstrip()) <= 44
