"""Safe spans on their way to the terminal, and the net behind them."""

from __future__ import annotations

import sys

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from cgp_tui.present.spans import span
from cgp_tui.text import show
from cgp_tui.ui.content import SecondNet, _harmless, _unsafe, plain, strip
from tests.present.test_hostile import HIDDEN, HOSTILE

NET = SecondNet()
BLACK = Color(0, 0, 0)

MARKUP = ["[/", "[b]x[/b]", "[@click=app.quit]go[/]", "[link=http://e]x", "x\\", "[$error]", "[/#888888]", '{"a": [true]}']


def through(text: str, style: Style | None = None) -> Segment:
    (segment,) = NET.apply([Segment(text, style)], BLACK)
    return segment


@pytest.mark.parametrize("text", MARKUP)
def test_markup_in_a_text_is_text(text: str) -> None:
    assert plain(show(text)).plain == text
    assert plain(show(text)).spans == []


def test_a_token_is_painted_in_its_style_over_the_rows_own() -> None:
    styles = {"bad": Style(color="red")}
    line = strip([span("a "), span("bad", "bad"), span(" b", "good")], styles, 8, Style(bold=True))
    drawn = [(segment.text, segment.style) for segment in line]
    assert drawn[:2] == [("a ", Style(bold=True)), ("bad", Style(bold=True, color="red"))]
    assert {style for _, style in drawn[2:]} == {Style(bold=True)}


def test_a_strip_is_exactly_as_wide_as_asked() -> None:
    base = Style()
    assert strip([span("日本語")], {}, 4, base).cell_length == 4
    assert strip([span("ab")], {}, 4, base).text == "ab  "
    assert strip([span("abcdef")], {}, 4, base).text == "abcd"


def test_the_net_leaves_nothing_hidden_and_keeps_the_width() -> None:
    caught = through(f"before {HOSTILE} after")
    assert HIDDEN.search(caught.text) is None
    assert cell_len(caught.text) == cell_len(f"before {HOSTILE} after")


def test_no_character_that_the_net_is_for_passes_for_harmless() -> None:
    unsafe = _unsafe().findall("".join(map(chr, range(sys.maxunicode + 1))))
    assert len(unsafe) > 2_000
    assert [char for char in unsafe if _harmless(char) or _harmless(f"\u65e5{char}")] == []


@pytest.mark.parametrize("text", ["plain", "naïve 日本", "│ ─ ✗", ""])
def test_the_net_leaves_clean_text_alone(text: str) -> None:
    assert through(text).text == text


def test_the_net_drops_links_and_click_actions_but_not_what_scrollbars_need() -> None:
    assert through("x", Style(link="file:///etc/passwd")).style == Style()
    clicked = through("x", Style.from_meta({"@click": "app.quit"})).style
    assert clicked is not None
    assert "@click" not in clicked.meta
    grabbed = through("x", Style.from_meta({"@mouse.down": "grab"})).style
    assert grabbed is not None
    assert grabbed.meta == {"@mouse.down": "grab"}


def test_our_own_control_segments_pass() -> None:
    control = Segment("\x1b[2J", None, [(1,)])  # type: ignore[list-item]
    assert NET.apply([control], BLACK) == [control]
