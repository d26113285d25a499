"""The first line: every view keeps a name that can be recognised, at any width."""

from __future__ import annotations

import pytest
from textual.app import ComposeResult

from cgp_tui.present.layout import cell_width, spans_width
from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import UNICODE
from cgp_tui.ui.tokens import TokenApp
from cgp_tui.ui.widgets.viewtabs import Tab, ViewTabs

TABS = (Tab("view.traffic", open=True), Tab("view.findings", aside="12,345"), Tab("view.consent"), Tab("view.provider"))
NAME = "20261130T183456Z-acme-search-4711.ndjson"
RIGHT = (span(NAME), span("  "), span("1,902 lines", "muted"))


class TabsApp(TokenApp):
    def __init__(self) -> None:
        super().__init__()
        self.strip = ViewTabs(UNICODE)
        self.chosen: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.strip

    def on_view_tabs_chosen(self, event: ViewTabs.Chosen) -> None:
        self.chosen.append(event.key.id)


def text(spans: list[Span]) -> str:
    return "".join(one.text for one in spans)


@pytest.mark.parametrize(
    ("width", "wanted"),
    [
        (120, "[1 Traffic] 2 Findings 12,345  5 Consent  7 Provider "),
        (53, "[1 Traffic] 2 Findings 12,345  5 Consent  7 Provider "),
        (52, "[1 Traffic] 2 Finding 12,345  5 Consent  7 Provide "),
        (45, "[1 Traff] 2 Findi 12,345  5 Conse  7 Provi "),
        (35, "[1 Tra] 2 Fin 12,345  5 Con  7 Pro "),
        (20, "[1 Tra] 2 Fin 12,345  5 Con  7 Pro "),
    ],
)
async def test_names_are_shortened_evenly_where_they_do_not_fit(width: int, wanted: str) -> None:
    app = TabsApp()
    async with app.run_test(size=(width, 3)):
        app.strip.say(TABS, ())
        line = list(app.strip.line(width))
        assert text(line).rstrip() == wanted.rstrip()
        assert width < cell_width(wanted.rstrip()) or spans_width(line) <= width


@pytest.mark.parametrize(
    ("width", "wanted"),
    [
        (110, NAME + "  1,902 lines"),
        (80, "20261…ndjson  1,902 lines"),
        (70, "2026113….ndjson"),
        (64, ""),
    ],
)
async def test_the_name_of_the_transcript_gives_way_before_its_counts_and_those_before_what_is_left_of_it(
    width: int, wanted: str
) -> None:
    app = TabsApp()
    async with app.run_test(size=(width, 3)):
        app.strip.say(TABS, RIGHT)
        assert text(list(app.strip.line(width))).partition("Provider ")[2].strip() == wanted


async def test_a_click_on_a_shortened_name_opens_its_view() -> None:
    app = TabsApp()
    async with app.run_test(size=(45, 3)) as pilot:
        app.strip.say(TABS, RIGHT)
        await pilot.pause()
        assert text(list(app.strip.line(45)))[26:33] == "5 Conse"
        await pilot.click(ViewTabs, offset=(27, 0))
        await pilot.pause()
        assert app.chosen == ["view.consent"]


async def test_a_number_is_seen_to_belong_to_the_name_after_it() -> None:
    app = TabsApp()
    async with app.run_test(size=(80, 3)):
        app.strip.say(TABS, ())
        tokens = {str(one.text): one.token for one in app.strip.line(80)}
        assert tokens["5"] == "strong" and tokens[" Consent"] == "muted"
