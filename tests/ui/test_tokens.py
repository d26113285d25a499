"""The tokens' styles follow the theme, and no widget looks them up by itself."""

from __future__ import annotations

from textual.app import ComposeResult

from cgp_tui.present.spans import TOKENS, span
from cgp_tui.present.symbols import UNICODE
from cgp_tui.ui.content import COMPONENTS
from cgp_tui.ui.tokens import TokenApp, tokens
from cgp_tui.ui.widgets.bars import Bar, Line
from cgp_tui.ui.widgets.painted import Painted


class LineApp(TokenApp):
    def compose(self) -> ComposeResult:
        line = Line(UNICODE)
        line.say((span("bad", "bad"),))
        yield line


def test_the_components_of_the_tokens_are_declared_by_the_app_alone() -> None:
    assert COMPONENTS == TokenApp.COMPONENT_CLASSES
    for widget in (Bar, Painted):
        assert COMPONENTS.isdisjoint(widget.COMPONENT_CLASSES)


async def test_another_theme_gives_other_styles_and_is_drawn() -> None:
    app = LineApp()
    async with app.run_test() as pilot:
        line = app.query_one(Line)
        seen = []
        for theme in ("textual-dark", "textual-light", "ansi-dark"):
            app.theme = theme
            await pilot.pause()
            found = tokens(line)
            assert set(found) == {*TOKENS, "cursor", "unfocused", "after"}
            drawn = next(iter(line.render_line(0)))
            assert drawn.style is not None
            assert drawn.style.color == found["bad"].color
            seen.append(found["bad"].color)
        assert len(set(seen)) == 3


async def test_within_one_theme_a_token_is_looked_up_once() -> None:
    async with LineApp().run_test() as pilot:
        line = pilot.app.query_one(Line)
        assert tokens(line) is tokens(line)
