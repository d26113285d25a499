"""A person's own keys: taken where they take nothing away, named where they would."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import cgp_tui
from cgp_tui.store.settings import Complaint, Settings, parse
from cgp_tui.ui.keymap import Keymap, resolve
from cgp_tui.ui.keys import EATEN, KEYS, by_id
from cgp_tui.ui.palette import Commands, KeyCommands
from tests.ui.pilots import app_over, chosen, inspector_of, opened, screen_text, settled, until, write_bare


@pytest.mark.parametrize(
    ("name", "written", "keys"),
    [
        ("nav.down", "j,down", ("j", "down")),
        ("nav.down", " ctrl+n , f2", ("ctrl+n", "f2")),
        ("pane.zoom", "?", None),
        ("pane.zoom", "*", ("asterisk",)),
        ("pane.zoom", ",", None),
        ("pane.zoom", "f5,f5", ("f5",)),
        ("app.back", "esc", ("escape",)),
        ("session.verify", "V", ("V",)),
        ("find.complete", "ctrl+n", ("ctrl+n",)),
    ],
)
def test_keys_are_taken_as_people_write_them(name: str, written: str, keys: tuple[str, ...] | None) -> None:
    assert resolve({name: written}).changed == ({} if keys is None else {name: keys})


@pytest.mark.parametrize(
    ("name", "written", "why", "fix"),
    [
        ("nav.dwn", "j", "no such id", "? shows"),
        ("nav.down", "", "A key is missing", '"nav.down" = "j"'),
        ("nav.down", "j,", "A key is missing", "j,down"),
        ("nav.down", "alt+j", "does not reach", "j,down"),
        ("nav.down", "hyper", "no key hyper", "pagedown"),
        ("nav.down", "ctrl+nothing", "no key ctrl+nothing", "pagedown"),
        ("find.complete", "x", "typed as text", "f2"),
        ("find.complete", "space", "typed as text", "f2"),
        ("nav.down", "k", "k is already nav.up", "Give nav.up another key"),
        ("consent.deny", "X", "X is already consent.revoke-all", "another key"),
        ("pane.zoom", "q", "q is already app.leave", "another key"),
    ],
)
def test_a_wish_that_cannot_be_is_named_and_nothing_changes(name: str, written: str, why: str, fix: str) -> None:
    made = resolve({name: written})
    (complaint,) = made.complaints
    assert made.changed == {}
    assert complaint.name == f'keys."{name}"' and why in complaint.why and fix in complaint.fix


@pytest.mark.parametrize("key", sorted(EATEN))
def test_what_terminals_eat_is_not_taken(key: str) -> None:
    assert "does not reach programs" in resolve({"nav.down": key}).complaints[0].why


def test_keys_may_change_places() -> None:
    made = resolve({"nav.down": "k", "nav.up": "j"})
    assert made == Keymap({"nav.down": ("k",), "nav.up": ("j",)})
    assert made.overrides == {"nav.down": "k", "nav.up": "j"}
    assert made.shown(by_id("nav.down")) == "k" and made.shown(by_id("nav.page")) == "pgdn"


def test_of_two_wishes_for_one_key_the_later_one_is_named() -> None:
    made = resolve({"nav.down": "f5", "nav.up": "f5"})
    assert made.changed == {"nav.down": ("f5",)}
    assert [one.name for one in made.complaints] == ['keys."nav.up"']


def test_what_stood_on_a_refused_wish_is_refused_as_well() -> None:
    made = resolve({"nav.down": "k", "nav.up": "z", "pane.zoom": "q"})
    assert made.changed == {}
    assert len(made.complaints) == 3


def test_a_key_may_mean_two_things_on_two_screens() -> None:
    assert resolve({"consent.deny": "e"}).changed == {"consent.deny": ("e",)}


async def test_own_keys_work_and_are_shown_everywhere(tmp_path: Path) -> None:
    settings = parse({"keys": {"nav.down": "f5", "find.open": "f", "traffic.follow": "slash", "nav.up": "X"}})
    app = app_over(write_bare(tmp_path / "s.ndjson"), settings=settings)
    async with opened(app) as pilot:
        inspector = inspector_of(pilot)
        await pilot.press("f5")
        assert inspector.traffic.cursor == 1
        await pilot.press("j", "down")
        assert inspector.traffic.cursor == 1
        await pilot.press("slash")
        assert inspector.traffic.following and not inspector.find.shown
        assert "f Filter" in screen_text(pilot)
        await pilot.press("f")
        assert inspector.find.field.has_focus
        await pilot.press("escape", "escape", "question_mark")
        await until(pilot, lambda: "Ignored in settings.toml" in screen_text(pilot))
        seen = screen_text(pilot)
        assert 'keys."nav.up": X is already consent.revoke-all.' in seen
        assert "  f5 " in seen and "nav.down" in seen


async def test_what_has_no_key_gets_one(tmp_path: Path) -> None:
    settings = parse({"keys": {"session.verify": "V"}})
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"), settings=settings)) as pilot:
        await pilot.press("V")
        await settled(pilot)
        assert "Nothing can be sent here" in screen_text(pilot)


async def test_an_unknown_theme_is_named_and_a_known_one_holds(tmp_path: Path) -> None:
    path = write_bare(tmp_path / "s.ndjson")
    async with opened(app_over(path, theme=None, settings=Settings(theme="ansi-light"))) as pilot:
        assert pilot.app.theme == "ansi-light"
    app = app_over(path, theme=None, settings=Settings(theme="nine", complaints=(Complaint("a", "b.", "c."),)))
    async with opened(app) as pilot:
        assert pilot.app.theme == "cgp"
        assert [one.name for one in app.complaints] == ["a", "theme"]
        assert "ansi-dark" in app.complaints[1].fix
        seen = screen_text(pilot)
        assert "Ignored in settings.toml: a and 1 more. ? says why." in seen


def test_sentences_name_the_keys_that_work() -> None:
    sentence = "{app.leave} leaves, {find.suspend} shows all"
    assert Keymap().say(sentence) == "q leaves, \\ shows all"
    assert resolve({"find.suspend": "f5"}).say(sentence) == "q leaves, f5 shows all"


async def test_sentences_of_the_views_name_the_persons_own_keys(tmp_path: Path) -> None:
    settings = parse({"keys": {"hop.pair": "P", "session.run": "f9"}})
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"), at=4, settings=settings)) as pilot:
        seen = screen_text(pilot)
        assert "reply to 3 (P)" in seen and "f9 plays" in seen


def test_every_key_that_a_sentence_names_is_in_the_table() -> None:
    trees = (ast.parse(path.read_text("utf-8")) for path in Path(cgp_tui.__file__).parent.rglob("*.py"))
    texts = (one.value for tree in trees for one in ast.walk(tree) if isinstance(one, ast.Constant))
    named = {name for text in texts if isinstance(text, str) for name in re.findall(r"\{([a-z]+\.[a-z-]+)\}", text)}
    assert {"hop.pair", "consent.open", "session.restart", "app.back"} <= named
    assert named - {row.id for row in KEYS} == set()


async def test_every_action_of_the_screen_is_in_the_command_list(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        inspector = inspector_of(pilot)
        provider = KeyCommands(inspector)
        listed = {str(hit.text) async for hit in provider.discover()}
        here = [row for row in KEYS if row.where in inspector.answers]
        assert len(listed) == len(here) and all(any(row.id in text for text in listed) for row in here)
        await pilot.press("colon", *"nav.bottom".replace(".", " ").split()[1])
        await chosen(pilot, "nav.bottom")
        await pilot.press("enter")
        await until(pilot, lambda: inspector.traffic.cursor == 10)


async def test_what_can_be_done_comes_first_then_saved_filters_then_themes(tmp_path: Path) -> None:
    app = app_over(write_bare(tmp_path / "s.ndjson"))
    app.inspector.list_filter.saved.save("answers", "type:frames & text~/[bold]/")
    app.inspector.list_filter.saved.save("asked", "type:query")
    async with opened(app) as pilot:
        titles = [str(hit.prompt) async for hit in Commands(inspector_of(pilot)).discover()]
        kinds = ["theme" if one.startswith("theme: ") else "filter" if one.startswith("filter: ") else "" for one in titles]
        assert kinds == sorted(kinds, key=["", "filter", "theme"].index)
        assert titles[kinds.index("filter")] == "filter: @answers  type:frames & text~/[bold]/"
        await pilot.press("colon", *"@asked")
        await chosen(pilot, "filter: @asked")
        await pilot.press("enter")
        await until(pilot, lambda: inspector_of(pilot).list_filter.text == "@asked" and "3 of 11" in screen_text(pilot))


async def test_the_mouse_over_a_key_says_what_it_does(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        line = inspector_of(pilot).foot.keys
        await pilot.hover(offset=(3, line.region.y))
        assert str(line.tooltip) == by_id("nav.open").sentence
        await pilot.hover(offset=(119, line.region.y))
        assert line.tooltip is None


async def test_what_is_written_in_the_settings_reaches_the_screen_in_its_visible_form(tmp_path: Path) -> None:
    payload = "\x1b]52;c;aGk=\x07[bold]"
    settings = parse({payload: 1, "theme": payload, "keys": {payload: payload}})
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"), theme=None, settings=settings)) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: screen_text(pilot).count("␛]52;c;aGk=") >= 3)
        seen = screen_text(pilot)
        assert "\x1b" not in seen and "\x07" not in seen
        assert "[bold]" in seen
