"""The keys that providers published when they were first met, kept between runs: a key id that comes back with other bytes
is an alarm.

The first key stays remembered until the person trusts another one for that id, so an alarm that was overlooked is raised
again. Nothing here says that a key is good. A provider cannot make us forget its own first keys nor, by itself, those of
others.
"""

from __future__ import annotations

import os
import shlex
from collections import OrderedDict
from pathlib import Path
from typing import Final

import msgspec

from cgp_tui import limits
from cgp_tui.errors import Error, OurError, os_reason
from cgp_tui.store.files import make_folder, open_safely, read_whole, write_whole

_FORMAT: Final = "cgp-seen-keys/1"
_PATIENCE: Final = 2.0
_BYTES: Final = 64 * 1024 * 1024


class SeenKey(msgspec.Struct, frozen=True):
    """The first key seen under an id of one target: the key as spelled, at most 256 characters of it, and when."""

    target: str
    key_id: str
    public_key: str
    at: str


class _File(msgspec.Struct, frozen=True):
    format: str
    keys: tuple[SeenKey, ...] = ()


class SeenKeys:
    """What is remembered at `path`, read when first needed, and what this run adds to it. `target` is a target's digest or
    another name for where a provider was met. `damage` says why nothing could be read."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.damage: OurError | None = None
        self._known: OrderedDict[str, dict[str, SeenKey]] | None = None
        self._fresh: dict[tuple[str, str], SeenKey] = {}
        self._renewed: set[tuple[str, str]] = set()

    def first(self, target: str, key_id: str) -> SeenKey | None:
        """The key that is remembered under this id."""
        fresh = self._fresh.get((target, key_id))
        return fresh or self._all().get(target, {}).get(key_id)

    def add(self, target: str, key_id: str, public_key: str, at: str, *, anew: bool = False) -> None:
        """Remember a key if the id has none or, with `anew`, in place of the one it has. `save` writes it down."""
        if len(key_id) > limits.KEY_ID_CHARS or len(public_key) > limits.KEY_ID_CHARS or len(target) > limits.KEY_ID_CHARS:
            return
        known = self.first(target, key_id)
        if known is not None and (not anew or known.public_key == public_key):
            return
        mine = sum(1 for where, _ in self._fresh if where == target) + len(self._all().get(target, {}))
        if known is None and (mine >= limits.KEYS_KEPT or len(self._fresh) >= limits.KEY_TARGETS):
            return
        self._fresh[target, key_id] = SeenKey(target, key_id, public_key, at)
        if anew:
            self._renewed.add((target, key_id))

    def save(self) -> None:
        """Write down what this run added. A key that another process remembered in the meantime stays.

        Raises OurError `unrecordable` or `store_unsafe`; nothing was changed then.
        """
        if not self._fresh:
            return
        from cgp_tui.store import locks

        try:
            make_folder(self.path.parent)
            with locks.take(self.path.with_name(self.path.name + ".lock"), shared=False, patience=_PATIENCE):
                known = self._read()
                for name, key in self._fresh.items():
                    of_target = known.setdefault(key.target, {})
                    if name in self._renewed or key.key_id not in of_target:
                        of_target[key.key_id] = key
                    known.move_to_end(key.target)
                while len(known) > limits.KEY_TARGETS:
                    known.popitem(last=False)
                keys = tuple(key for of_target in known.values() for key in of_target.values())
                write_whole(self.path, msgspec.json.format(msgspec.json.encode(_File(_FORMAT, keys)), indent=1))
        except OSError as error:
            reason = os_reason(error)
            raise OurError("unrecordable", f"{self.path} could not be written: {reason}.", "Fix that first.") from None
        self._known, self._fresh, self._renewed = known, {}, set()

    def _all(self) -> OrderedDict[str, dict[str, SeenKey]]:
        if self._known is None:
            try:
                self._known = self._read()
            except (OSError, Error) as error:
                self.damage = error if isinstance(error, OurError) else self._unreadable(str(error))
                self._known = OrderedDict()
        return self._known

    def _read(self) -> OrderedDict[str, dict[str, SeenKey]]:
        """What the file holds. Raises OSError, and OurError for a file that is not ours or no longer as it was written."""
        try:
            fd = open_safely(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return OrderedDict()
        try:
            data = read_whole(fd) if os.fstat(fd).st_size <= _BYTES else b""
        finally:
            os.close(fd)
        try:
            file = msgspec.json.decode(data, type=_File)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._unreadable(str(error)) from None
        if file.format != _FORMAT:
            raise self._unreadable(f"its format is {file.format!r}, known is {_FORMAT!r}")
        known: OrderedDict[str, dict[str, SeenKey]] = OrderedDict()
        for key in file.keys:
            known.setdefault(key.target, {}).setdefault(key.key_id, key)
        return known

    def _unreadable(self, why: str) -> OurError:
        path = shlex.quote(str(self.path))
        message = f"{self.path} cannot be used: {why}. A key that changed since an earlier run goes unnoticed."
        return OurError("unreadable", message, f"Set it aside: mv {path} {path}.damaged")
