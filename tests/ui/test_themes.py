"""Colours and alphabets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from textual.app import App
from textual.color import Color
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES
from textual.widgets import Button

from cgp_tui.present.spans import TOKENS
from cgp_tui.present.symbols import ASCII, UNICODE
from cgp_tui.text import own
from cgp_tui.ui import themes
from cgp_tui.ui.base_app import BaseApp
from cgp_tui.ui.content import COMPONENTS, PREFIX
from cgp_tui.ui.screens.confirm import ConfirmScreen
from tests.ui.pilots import app_over, inspector_of, opened, screen_text, settled, until, write_bare


@pytest.mark.parametrize("name", sorted([*BUILTIN_THEMES, themes.OWN.name]))
def test_every_token_can_be_read_in_every_theme(name: str) -> None:
    app: App[None] = App()
    app.register_theme(themes.OWN)
    app.theme = name
    given = app.get_css_variables()
    named = themes.token_variables(given)
    if "ansi" in given["foreground"]:
        assert named == {f"cgp-{token}": colour for token, colour in themes.ANSI_COLOURS[name == "ansi-dark"].items()}
        return
    ground = Color.parse(given["background"])
    weak = {token: round(_contrast(Color.parse(colour), ground), 1) for token, colour in named.items()}
    assert {token: ratio for token, ratio in weak.items() if ratio < 3} == {}


PALETTES: dict[str, tuple[bool, str, str, str]] = {
    # dark or light, its ground, colours 0 to 7, colours 8 to 15
    "xterm": (
        True,
        "#000000",
        "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5",
        "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    ),
    "console": (
        True,
        "#000000",
        "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa",
        "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    ),
    "solarized dark": (
        True,
        "#002b36",
        "073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5",
        "002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3",
    ),
    "solarized light": (
        False,
        "#fdf6e3",
        "073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5",
        "002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3",
    ),
    "xterm on white": (
        False,
        "#ffffff",
        "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5",
        "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    ),
    "gnome on white": (
        False,
        "#ffffff",
        "171421 c01c28 26a269 a2734c 12488b a347ba 2aa1b3 d0cfcc",
        "5e5c64 f66151 33da7a e9ad0c 2a7bde c061cb 33c7de ffffff",
    ),
}
NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]


@pytest.mark.parametrize("palette", PALETTES)
def test_every_token_can_be_read_in_the_terminals_own_colours(palette: str) -> None:
    dark, ground, low, high = PALETTES[palette]
    known = {f"ansi_{name}": f"#{colour}" for name, colour in zip(NAMES, low.split(), strict=True)}
    known |= {f"ansi_bright_{name}": f"#{colour}" for name, colour in zip(NAMES, high.split(), strict=True)}
    drawn = {token: known[colour] for token, colour in themes.ANSI_COLOURS[dark].items() if colour != "ansi_default"}
    weak = {token: round(_contrast(Color.parse(colour), Color.parse(ground)), 1) for token, colour in drawn.items()}
    assert {token: ratio for token, ratio in weak.items() if ratio < 3} == {}
    assert drawn["bad"] != drawn["doubt"]


def _contrast(one: Color, other: Color) -> float:
    """The ratio of WCAG 2."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    parts = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour.normalized]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def test_every_token_has_its_component() -> None:
    assert {f"{PREFIX}{token}" for token in TOKENS} <= COMPONENTS


@pytest.mark.parametrize(
    ("environ", "encoding", "ascii_only"),
    [
        ({}, "utf-8", False),
        ({}, "UTF-8", False),
        ({}, "utf8", False),
        ({}, "ANSI_X3.4-1968", True),
        ({}, "latin-1", True),
        ({"TERM": "linux"}, "utf-8", True),
        ({"TERM": "xterm-256color"}, "utf-8", False),
    ],
)
def test_ascii_takes_over_where_signs_would_not_be_drawn(environ: dict[str, str], encoding: str, ascii_only: bool) -> None:
    assert themes.symbols(environ, encoding) is (ASCII if ascii_only else UNICODE)


LOCALES: list[tuple[dict[str, str], str]] = [
    ({"LANG": "C"}, "ASCII"),
    ({"LC_ALL": "C"}, "ASCII"),
    ({"LC_ALL": "POSIX", "LANG": "C.UTF-8"}, "ASCII"),
    ({"LC_CTYPE": "C", "LANG": "C.UTF-8"}, "ASCII"),
    ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, "UNICODE"),
    ({"LANG": "C.UTF-8"}, "UNICODE"),
    ({"LANG": "C", "LC_ALL": "C.UTF-8"}, "UNICODE"),
    ({}, "UNICODE"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere C.UTF-8 may be no locale")
@pytest.mark.parametrize(("given", "alphabet"), LOCALES, ids=str)
def test_the_locale_is_the_one_that_the_person_set(given: dict[str, str], alphabet: str) -> None:
    """A process of its own: Python takes the locale before any of our code runs, and writes it over."""
    code = f"from cgp_tui.ui import themes; assert themes.symbols() is themes.{alphabet}, themes.symbols()"
    subprocess.run([sys.executable, "-c", code], env={"PATH": os.environ["PATH"], **given}, check=True)


@pytest.mark.parametrize("theme", ["cgp", "textual-light", "ansi-dark", "ansi-light"])
async def test_the_cursor_is_a_sign_as_well_as_a_colour(tmp_path: Path, theme: str) -> None:
    path = write_bare(tmp_path / "s.ndjson")
    async with opened(app_over(path, theme=theme)) as pilot:
        assert pilot.app.theme == theme
        traffic = inspector_of(pilot).traffic
        here, there = traffic.render_line(0), traffic.render_line(1)
        assert here.text.startswith(">")
        assert there.text.startswith(" ")
        assert {segment.style for segment in here} != {segment.style for segment in there}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_whole_screen_is_ascii_where_it_must_be(tmp_path: Path, size: tuple[int, int]) -> None:
    path = write_bare(tmp_path / "s.ndjson")
    async with opened(app_over(path, symbols=ASCII), size) as pilot:
        await pilot.press("e", "enter")
        await settled(pilot)
        await pilot.press("j")
        assert screen_text(pilot).isascii(), screen_text(pilot)
        for key in ("question_mark", "colon", "semicolon", "y", "C"):
            await pilot.press(key)
            await until(pilot, lambda: pilot.app.screen is not inspector_of(pilot))
            await pilot.pause()
            assert screen_text(pilot).isascii(), screen_text(pilot)
            await pilot.press("escape")
            await until(pilot, lambda: pilot.app.screen is inspector_of(pilot))


@pytest.mark.parametrize("theme", ["cgp", "textual-light", "ansi-dark", "ansi-light"])
async def test_a_button_says_its_word_in_every_theme_and_state(theme: str) -> None:
    question = ConfirmScreen(own("Sure?"), (), "Take it", "Leave it", UNICODE)
    app = BaseApp(Screen(), UNICODE, theme)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(question)
        for state in ("focused", "beside", "disabled"):
            if state == "beside":
                await pilot.press("tab")
            question.query_one("#yes", Button).disabled = state == "disabled"
            await until(pilot, lambda: "Leave it" in screen_text(pilot))
            lines = [line for line in screen_text(pilot).splitlines() if "Take it" in line]
            assert [line.strip("│ ").split() for line in lines] == [["Take", "it", "Leave", "it"]], state


@pytest.mark.parametrize(
    ("environ", "theme"),
    [
        ({"TEXTUAL_THEME": "nord", "TERM": "xterm-256color"}, "nord"),
        ({"TEXTUAL_THEME": "no-such-theme", "TERM": "xterm-256color"}, "cgp"),
        ({"TEXTUAL_THEME": "", "TERM": "linux"}, "ansi-dark"),
    ],
)
def test_a_theme_can_be_asked_for_and_a_wrong_name_is_no_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], theme: str
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    app = app_over(write_bare(tmp_path / "s.ndjson"), theme=None)
    assert app.theme == theme
    app.inspector.source.transcript.close()
