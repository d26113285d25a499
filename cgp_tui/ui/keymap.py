"""A person's own keys: which of them apply, and which would take a key from something else.

The toolkit replaces all keys of an id, and silently takes a key from whatever had it. So a setting is passed on to it only
if it takes nothing away on any screen; every other one is named, and its id keeps its keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

import msgspec
from textual.keys import Keys as Known
from textual.widget import Widget

from cgp_tui.present.key_sentences import Keys, keyed
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.store.settings import Complaint
from cgp_tui.text import Shown
from cgp_tui.ui.keys import EATEN, KEYS, SIGNS, TOGETHER, TYPED, Key, key_name, long_name

_KNOWN: Final = frozenset(key.value for key in Known)
_MODIFIED: Final = r"((?:ctrl|shift)\+)+(.+)"


class Keymap(msgspec.Struct, frozen=True, dict=True):
    """The keys of ids that differ from the table, and the settings that could not be applied."""

    changed: Mapping[str, tuple[str, ...]] = {}
    complaints: tuple[Complaint, ...] = ()

    def keys(self, row: Key) -> tuple[str, ...]:
        """The keys that do what a row says, as the toolkit names them."""
        return self.changed.get(row.id, row.keys)

    def shown(self, row: Key) -> str:
        """The first of those keys as a person would write it."""
        keys = self.keys(row)
        return key_name(keys[0]) if keys else ""

    @cached_property
    def names(self) -> Keys:
        """The first key of every id that has one, as a person would write it."""
        return {row.id: self.shown(row) for row in KEYS}

    def say(self, template: str, **values: Shown | int | float) -> Shown:
        """A sentence of ours that names keys; see `keyed`."""
        return keyed(template, self.names, **values)

    @property
    def overrides(self) -> dict[str, str]:
        """The same for the toolkit."""
        return {name: ",".join(keys) for name, keys in self.changed.items()}


_TABLE: Final = Keymap()


def keymap_of(widget: Widget) -> Keymap:
    """The keymap of a widget's app; that of the table where the app is not ours."""
    keymap: Keymap = getattr(widget.app, "keymap", _TABLE)
    return keymap


def spoken(widget: Widget, template: str, **values: Shown | int | float) -> Shown:
    """A sentence with the keys of a widget's app; see `Keymap.say`."""
    return keymap_of(widget).say(template, **values)


def look_of(widget: Widget, symbols: Symbols, width: int = Look().width) -> Look:
    """How to draw in a widget: `width` cells wide, with the keys of its app."""
    return Look(symbols, width, keymap_of(widget).names)


def resolve(wishes: Mapping[str, str]) -> Keymap:
    """Apply as many of the settings as possible: keys by binding id, each a comma-separated list."""
    rows = {row.id: row for row in KEYS}
    changed: dict[str, tuple[str, ...]] = {}
    complaints: list[Complaint] = []
    for name, written in wishes.items():
        row = rows.get(name)
        keys = tuple(dict.fromkeys(map(long_name, _split(written))))
        fault = ("There is no such id.", "? shows the ids there are.") if row is None else _fault(row, keys)
        if fault is None:
            changed[name] = keys
        else:
            complaints.append(_complaint(name, *fault))
    while (clash := _clash(changed)) is not None:
        name, key, other = clash
        del changed[name]
        said = key_name(key)
        complaints.append(
            _complaint(name, f"{said} is already {other}.", f'Give {other} another key, or "{name}" one that is free.')
        )
    return Keymap(changed, tuple(complaints))


def _complaint(name: str, why: str, fix: str) -> Complaint:
    return Complaint(f'keys."{name}"', why, fix)


def _split(written: str) -> Iterable[str]:
    """The keys of a comma-separated list; a comma by itself is the comma key."""
    return ["comma"] if written.strip() == "," else [part.strip() for part in written.split(",")]


def _fault(row: Key, keys: tuple[str, ...]) -> tuple[str, str] | None:
    """What is wrong with keys for a row, apart from clashes, and what to write instead."""
    example = f'Write it as "{row.id}" = "j" or "j,down"; names are such as pagedown, f2, ctrl+n, full_stop.'
    for key in keys:
        if not key:
            return "A key is missing.", example
        if key in EATEN or "alt+" in key or "meta+" in key:
            return f"{key_name(key)} does not reach programs in many terminals.", example
        if not _is_key(key):
            return f"There is no key {key}.", example
        if row.where in TYPED and _writes(key):
            return (
                f"{key_name(key)} is typed as text there.",
                f"Use a key that types nothing, such as f2 or ctrl+n, for {row.id}.",
            )
    return None


def _is_key(key: str) -> bool:
    modified = re.fullmatch(_MODIFIED, key)
    return key in _KNOWN or (_writes(key) if modified is None else _is_key(modified[2]))


def _writes(key: str) -> bool:
    """Whether a key writes a character."""
    return key == "space" or key in SIGNS or (len(key) == 1 and key.isprintable())


def _clash(changed: Mapping[str, tuple[str, ...]]) -> tuple[str, str, str] | None:
    """The last setting that takes a key from another row of the same screen: its id, the key and the other's id."""
    order = {name: place for place, name in enumerate(changed)}
    found: list[tuple[str, str, str]] = []
    for here in TOGETHER:
        owners: dict[str, str] = {}
        for row in KEYS:
            for key in changed.get(row.id, row.keys) if row.where in here or row.id in here else ():
                before = owners.setdefault(key, row.id)
                if before != row.id:
                    mine, other = (row.id, before) if order.get(row.id, -1) >= order.get(before, -1) else (before, row.id)
                    found.append((mine, key, other))
    return max(found, key=lambda one: order.get(one[0], -1), default=None)
