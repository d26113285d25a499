"""The person's settings for all runs (`settings.toml`): a table of settings, and their own keys by binding id.

They permit nothing. So an entry that cannot be used is named, with what to write instead, and everything else works.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from cgp_tui.errors import OurError
from cgp_tui.store.files import open_safely, read_whole

BYTES: Final = 64 * 1024
"""A larger file is not read."""

_NAME_CHARS: Final = 64

KEYS: Final = "keys"
"""The table of the person's own keys."""

Alphabet = Literal["auto", "ascii", "unicode"]
TimeMode = Literal["clock", "start", "delta"]
Turn = Literal["auto", "beside", "stacked"]
Column = Literal["number", "time", "delta", "direction", "type", "id", "size", "state", "findings", "mark"]
"""A column of the traffic list that can be left out; the summary of a line is always there."""

SHARE_LEAST: Final = 20
SHARE_MOST: Final = 80
"""The most room, in percent of both panes, that the traffic list may take."""


class Complaint(msgspec.Struct, frozen=True):
    """An entry that is not used: which, why, and what to write instead. It may repeat the person's own text."""

    name: str
    why: str
    fix: str


class Settings(msgspec.Struct, frozen=True):
    """The values in force, one field for each `Setting`. `keys` are key names by binding id, as written."""

    theme: str = ""
    symbols: Alphabet = "auto"
    time: TimeMode = "clock"
    panes: Turn = "auto"
    beside: int = 50
    stacked: int = 40
    hidden_columns: tuple[Column, ...] = ()
    keys: Mapping[str, str] = {}
    complaints: tuple[Complaint, ...] = ()


Check = Callable[[Any], str]
"""Tests a value: what it has to be, in words, or an empty text where it is right."""


def _one_of(words: tuple[str, ...]) -> Check:
    said = " or ".join(f'"{word}"' for word in words)
    return lambda value: "" if isinstance(value, str) and value in words else said


def _name(value: Any) -> str:
    return "" if isinstance(value, str) and 0 < len(value) <= _NAME_CHARS else 'a name, as "cgp" or "ansi-dark"'


def _share(value: Any) -> str:
    fits = isinstance(value, int) and SHARE_LEAST <= value <= SHARE_MOST
    return "" if fits else f"a number from {SHARE_LEAST} to {SHARE_MOST}"


def _columns(value: Any) -> str:
    known = get_args(Column)
    fits = isinstance(value, list) and all(isinstance(name, str) and name in known for name in value)
    return "" if fits else f'a list of columns, as ["size", "delta"], out of {", ".join(known)}'


class Setting(msgspec.Struct, frozen=True):
    """One line of the file: its name, what it does, its default, and the test of its value."""

    id: str
    sentence: str
    default: str | int | tuple[str, ...]
    check: Check


SETTINGS: Final = (
    Setting(
        "theme",
        "The theme, by name; `:` lists them. `ansi-dark` and `ansi-light` use the terminal's own colours.",
        "",
        _name,
    ),
    Setting(
        "symbols",
        "Status symbols: as the locale supports them, or always one of the two sets.",
        "auto",
        _one_of(get_args(Alphabet)),
    ),
    Setting(
        "time",
        "Time shown in the traffic at first: time of day, since the start, or since the previous record.",
        "clock",
        _one_of(get_args(TimeMode)),
    ),
    Setting(
        "panes",
        "Traffic and detail side by side or stacked; `auto` puts them side by side from 110 columns.",
        "auto",
        _one_of(get_args(Turn)),
    ),
    Setting("beside", "Width of the traffic when beside the detail, in percent.", 50, _share),
    Setting("stacked", "Height of the traffic when above the detail, in percent.", 40, _share),
    Setting(
        "hidden_columns",
        "Columns hidden in the traffic at first, as a list; `C` shows their names, and what is ticked there wins.",
        (),
        _columns,
    ),
)

_BY_ID: Final = {one.id: one for one in SETTINGS}


def read(path: Path) -> Settings:
    """What the file says; the defaults where there is none. Never raises: what is wrong is among the complaints."""
    try:
        fd = open_safely(path, os.O_RDONLY)
    except FileNotFoundError:
        return Settings()
    except OurError as error:
        return _none(path, error.message, error.fix)
    except OSError as error:
        return _none(path, str(error), "Make it readable, or remove it.")
    try:
        data = read_whole(fd, BYTES + 1)
    except OSError as error:
        return _none(path, str(error), "Make it readable, or remove it.")
    finally:
        os.close(fd)
    if len(data) > BYTES:
        return _none(path, f"It is larger than {BYTES:,} bytes.", "Remove what is not needed.")
    # Imported only for the few who have such a file, so that nobody else's first paint waits for it.
    from cgp_tui.store import handwritten

    try:
        return parse(handwritten.parse(data, "Remove the nesting."))
    except handwritten.NoTomlError as error:
        return _none(path, f"{error.why[0].upper()}{error.why[1:]}.", f"{error.fix} Until then nothing in it is used.")


def _none(path: Path, why: str, fix: str) -> Settings:
    return Settings(complaints=(Complaint(path.name, why, fix),))


def parse(values: Mapping[str, Any]) -> Settings:
    """The settings of a parsed file."""
    taken: dict[str, Any] = {}
    complaints: list[Complaint] = []
    for name, value in values.items():
        if name == KEYS:
            continue
        setting = _BY_ID.get(name)
        if setting is None:
            complaints.append(Complaint(name, "There is no such setting.", f"There are: {', '.join(_BY_ID)}, [{KEYS}]."))
        elif wanted := setting.check(value):
            complaints.append(Complaint(name, f"{value!r} is not a valid value.", f"Write {wanted}."))
        else:
            taken[name] = tuple(dict.fromkeys(value)) if isinstance(value, list) else value
    keys, wrong = _keys(values.get(KEYS, {}))
    return Settings(**taken, keys=keys, complaints=(*complaints, *wrong))


def _keys(value: Any) -> tuple[dict[str, str], list[Complaint]]:
    """The keys by binding id. Whether those ids and keys exist is checked where the bindings are known."""
    if not isinstance(value, dict):
        return {}, [Complaint(KEYS, "It is not a table.", f'Write [{KEYS}] and under it lines as "nav.down" = "j,down".')]
    keys: dict[str, str] = {}
    complaints: list[Complaint] = []
    for name, written in value.items():
        if isinstance(written, str):
            keys[name] = written
        elif isinstance(written, dict):
            # `nav.down = "j"` with an unquoted key is a table `nav` in TOML.
            inner = next(iter(written), "verb")
            complaints.append(Complaint(f"{KEYS}.{name}", "An id needs quotes.", f'Write "{name}.{inner}" = "j".'))
        else:
            complaints.append(Complaint(f"{KEYS}.{name}", "Its keys are not text.", f'Write "{name}" = "j" or "j,down".'))
    return keys, complaints
