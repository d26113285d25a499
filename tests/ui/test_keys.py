"""The key table: one meaning a key, and an action behind each row."""

from __future__ import annotations

from collections import Counter

import pytest
from textual.binding import Binding
from textual.screen import Screen

from cgp_tui.present.layout import fold
from cgp_tui.present.symbols import ASCII, UNICODE, Look, Symbols
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.entrance import Entrance
from cgp_tui.ui.keys import EATEN, HINTS, KEYS, NO_KEY, TOGETHER, Key, Where, bindings, by_id, hints, key_name, within
from cgp_tui.ui.screens.columns import ColumnScreen
from cgp_tui.ui.screens.composer import Composer
from cgp_tui.ui.screens.consent import ConsentScreen
from cgp_tui.ui.screens.copying import CopyScreen
from cgp_tui.ui.screens.entries import EntriesScreen
from cgp_tui.ui.screens.help import help_rows
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.screens.jumping import JumpScreen
from cgp_tui.ui.screens.presets import FilterScreen, PresetScreen
from cgp_tui.ui.screens.prompt import Prompt
from cgp_tui.ui.screens.why import Why
from cgp_tui.ui.widgets.findbar import FindBar
from cgp_tui.ui.widgets.findings import FindingsList
from cgp_tui.ui.widgets.oneof import OneOf
from cgp_tui.ui.widgets.rows import RowsView
from cgp_tui.ui.widgets.tick import Tick
from cgp_tui.ui.widgets.traffic import TrafficList

LIVE: tuple[Where, ...] = ("list", "screen", "live", "app")
REPLAY: tuple[Where, ...] = ("list", "screen", "replay", "app")


OWNERS: dict[Where, tuple[type, ...]] = {
    "list": (TrafficList, RowsView, FindingsList),
    "group": (FindingsList,),
    "screen": (InspectorScreen,),
    "live": (InspectorScreen,),
    "replay": (InspectorScreen,),
    "find": (FindBar,),
    "jump": (JumpScreen,),
    "copy": (CopyScreen,),
    "ask": (Composer,),
    "preset": (PresetScreen, FilterScreen),
    "consent": (ConsentScreen,),
    "why": (Why,),
    "prompt": (Prompt,),
    "tick": (Tick, ColumnScreen),
    "choice": (OneOf,),
    "app": (CgpApp, Entrance),
}


def test_ids_are_unique_and_name_an_area_and_a_verb() -> None:
    assert [name for name, count in Counter(row.id for row in KEYS).items() if count > 1] == []
    assert all(row.id.count(".") == 1 for row in KEYS)


@pytest.mark.parametrize("here", TOGETHER, ids=lambda here: here[0])
def test_a_key_means_one_thing_on_a_screen(here: tuple[str, ...]) -> None:
    keys = Counter(key for row in KEYS if row.where in here or row.id in here for key in row.keys)
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_row_is_on_a_screen() -> None:
    assert {row.where for row in KEYS} <= {name for here in TOGETHER for name in here}


def test_no_key_is_one_that_terminals_eat_or_that_needs_alt() -> None:
    keys = {key for row in KEYS for key in row.keys}
    assert keys & EATEN == set()
    assert [key for key in keys if "alt" in key] == []


def test_ctrl_keys_are_second_names() -> None:
    """But for half a page, which other keys reach by rows and pages."""
    first = [row.id for row in KEYS if row.keys and row.keys[0].startswith("ctrl+")]
    assert first == ["nav.half", "nav.half-back"]


def ours(owner: type) -> list[type]:
    """A class and what it inherits from, as far as it is ours."""
    return [kind for kind in owner.__mro__ if kind.__module__.startswith("cgp_tui.")]


@pytest.mark.parametrize("row", KEYS, ids=lambda row: row.id)
def test_every_row_has_an_action_where_it_answers(row: Key) -> None:
    name = f"action_{row.action.partition('(')[0]}"
    assert [owner for owner in OWNERS[row.where] if not any(name in vars(kind) for kind in ours(owner))] == []


@pytest.mark.parametrize("row", KEYS, ids=lambda row: row.id)
def test_every_key_of_a_row_is_bound_under_its_id(row: Key) -> None:
    bound = {(binding.key, binding.action) for binding in bindings(row.where) if binding.id == row.id}
    assert bound == {(key, row.action) for key in row.keys or (f"{NO_KEY}{row.id}",)}


@pytest.mark.parametrize("here", [LIVE, REPLAY])
def test_the_key_line_holds_no_more_than_eight_and_ends_with_commands_and_help(here: tuple[Where, ...]) -> None:
    shown = hints(here)
    assert len(shown) <= HINTS
    assert [row.id for row in shown[-2:]] == ["app.palette", "app.help"]
    assert all(row.where in here for row in shown)


@pytest.mark.parametrize("here", [LIVE, REPLAY])
def test_help_has_every_row_with_its_sentence(here: tuple[Where, ...]) -> None:
    lines = ["".join(span.text for span in line) for row in help_rows(frozenset(here), Look()) for line in fold(row, 200)]
    for row in KEYS:
        names = " ".join(key_name(key) for key in row.keys) or "by name"
        assert any(line.startswith(f"  {names} ") and row.sentence in line for line in lines), row.id


def test_help_says_what_is_for_elsewhere() -> None:
    lines = [str(row.text) for row in help_rows(frozenset(REPLAY), Look())]
    elsewhere = lines[lines.index("Elsewhere") :]
    assert any(by_id("query.compose").sentence in line and "In a live session." in line for line in elsewhere)
    assert not any(by_id("session.run").sentence in line for line in elsewhere)


@pytest.mark.parametrize("symbols", [UNICODE, ASCII])
def test_help_says_once_what_each_sign_means(symbols: Symbols) -> None:
    lines = [str(row.text) for row in help_rows(frozenset(REPLAY), Look(symbols))]
    told = [sign for line in lines[lines.index("Signs") + 1 :] for sign in line[:21].split()]
    drawn = {"rule", "heavy", "quote", "tee", "corner", "bar", "heights"}
    wanted = [getattr(symbols, name) for name in Symbols.__struct_fields__ if name not in drawn]
    assert sorted(told) == sorted([*wanted, symbols.heights[0], symbols.heights[-1]])


def test_help_of_the_consent_screen_begins_with_what_works_there() -> None:
    lines = [str(row.text) for row in help_rows(frozenset(ConsentScreen.answers), Look())]
    here, elsewhere = lines[: lines.index("Elsewhere")], lines[lines.index("Elsewhere") :]
    for name in ("consent.deny", "consent.revoke-all", "app.copy", "find.open", "nav.down"):
        assert any(by_id(name).sentence in line for line in here), name
    assert any(by_id("hop.finding").sentence in line and "In the inspector." in line for line in elsewhere)
    assert not any(by_id("session.restart").sentence in line for line in here)


@pytest.mark.parametrize("screen", [ConsentScreen, Composer, EntriesScreen])
def test_what_a_screen_says_it_answers_to_is_what_it_binds(screen: type[Screen[object]]) -> None:
    """But for what its lists and lines bind themselves, and the app."""
    bound = {binding.id for binding in screen.BINDINGS if isinstance(binding, Binding)}
    said = {row.id for row in KEYS if within(row, screen.answers)}  # type: ignore[attr-defined]
    apart = {row.id for row in KEYS if row.where in ("list", "tick", "app")}
    assert bound - apart == said - apart


def test_keys_are_written_as_a_person_would() -> None:
    assert [key_name(key) for key in ("question_mark", "right_square_bracket", "j")] == ["?", "]", "j"]
    assert by_id("app.back").shown == "esc"
    assert by_id("session.verify").shown == ""


def test_no_sentence_could_be_read_as_markup() -> None:
    assert [row.id for row in KEYS if "[" in row.sentence + row.label] == []
