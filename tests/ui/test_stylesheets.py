"""Where the style sheets are."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.dom import DOMNode
from textual.screen import Screen

from cgp_tui.errors import OurError
from cgp_tui.ui.stylesheets import stylesheet
from tests.conftest import ROOT
from tests.ui.pilots import app_over, inspector_of, settled, write_bare

NAMES = sorted(path.stem for path in (ROOT / "styles").glob("*.tcss"))


@pytest.mark.parametrize("name", NAMES)
def test_every_sheet_is_found(name: str) -> None:
    assert stylesheet(name) == (ROOT / "styles" / f"{name}.tcss").read_text()


def test_a_missing_sheet_is_our_error() -> None:
    with pytest.raises(OurError) as caught:
        stylesheet("nothing")
    assert caught.value.code == "styles_missing"


async def test_what_no_first_screen_draws_is_read_once_it_stands(tmp_path: Path) -> None:
    app = app_over(write_bare(tmp_path / "s.ndjson"))
    place = ("more.tcss", "")
    read: list[bool] = []
    before = app._display

    def display(screen: Screen[object], renderable: object) -> None:
        read.append(app.stylesheet.has_source(*place))
        before(screen, renderable)  # type: ignore[arg-type]

    app._display = display  # type: ignore[method-assign]
    async with app.run_test() as pilot:
        await settled(pilot)
        assert read[0] is False, "the first paint waited for it"
        assert app.stylesheet.has_source(*place)
        await pilot.press("slash")
        await settled(pilot)
        assert inspector_of(pilot).find.size.height == 1


async def test_a_line_to_type_in_that_opens_before_the_first_paint_is_dressed(tmp_path: Path) -> None:
    app = app_over(write_bare(tmp_path / "s.ndjson"))
    assert not app.stylesheet.has_source("more.tcss", "")
    app.dress()
    app.dress()
    assert app.stylesheet.has_source("more.tcss", "")


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (80, 8)])
async def test_the_first_paint_is_as_if_everything_had_been_styled_once_more(tmp_path: Path, size: tuple[int, int]) -> None:
    app = app_over(write_bare(tmp_path / "s.ndjson"))
    anew: list[DOMNode] = []
    before, display = app.update_styles, app._display
    seen: list[tuple[list[DOMNode], dict[DOMNode, object]]] = []

    def noted(node: DOMNode, animate: bool = True) -> None:
        anew.append(node)
        before(node, animate)

    def looked(screen: Screen[object], renderable: object) -> None:
        seen.append((list(anew), {node: node.styles.base.get_rules() for node in screen.walk_children(with_self=True)}))
        display(screen, renderable)  # type: ignore[arg-type]

    app.update_styles = noted  # type: ignore[method-assign]
    app._display = looked  # type: ignore[method-assign]
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        screen = inspector_of(pilot)
        styled, rules = seen[0]
        assert screen not in styled
        now = {node: node.styles.base.get_rules() for node in rules}
        screen.update_node_styles(animate=False)
        again = {node: node.styles.base.get_rules() for node in rules}
        assert now == again
