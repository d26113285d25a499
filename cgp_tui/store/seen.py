"""Who was last met here under each of our ids: the name, version, command and code of the newest handshake.

It is kept so that a list can say whether a grant still fits, with nothing started. It never permits anything: the gate
asks whoever is connected. So what cannot be read is named and left out, and what cannot be written is not missed.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Final, Literal

import msgspec

from cgp_tui.errors import OurError
from cgp_tui.store import canon
from cgp_tui.store.files import make_folder, open_safely, write_whole

KEPT: Final = 256
"""How many providers are remembered; the one that was met longest ago goes first."""

_BYTES: Final = 64 * 1024
_NAME_CHARS: Final = 256
_VERSION_CHARS: Final = 128
_ITEMS: Final = 64
_ITEM_CHARS: Final = 512
_SUFFIX: Final = ".json"
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_PROVIDER_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Sighting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One provider as it was when it last shook hands: our id, what it declared, what was started, and when, as the ledger
    spells a time. `target` and `code` are hex digests, `code` empty where nothing was pinned. The rest is foreign text."""

    provider_id: str
    provider_name: str
    provider_version: str
    target_kind: Literal["stdio", "http"]
    target: str
    code: str
    target_shown: tuple[str, ...]
    at: str


class Remembered(msgspec.Struct, frozen=True):
    """Every provider that was met, by our id, and the files that could not be read, each with the reason."""

    by_id: dict[str, Sighting] = {}
    unread: tuple[tuple[Path, str], ...] = ()


class Sightings:
    """What is kept in `folder`, one small private file a provider."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def remember(self, one: Sighting) -> None:
        """Keep `one` in place of what was known of this provider. Cut to what a receipt could hold, so that a longer name
        is seen to be another one. Never raises: nothing that matters depends on it."""
        bounded = msgspec.structs.replace(
            one,
            provider_name=_text(one.provider_name, _NAME_CHARS + 1),
            provider_version=_text(one.provider_version, _VERSION_CHARS + 1),
            target_shown=tuple(_text(item, _ITEM_CHARS) for item in one.target_shown[:_ITEMS]),
        )
        with contextlib.suppress(OSError, OurError):
            make_folder(self._folder)
            write_whole(self._folder / (one.provider_id + _SUFFIX), msgspec.json.encode(bounded))
            self._make_room()

    def _make_room(self) -> None:
        files = sorted(self._folder.glob("*" + _SUFFIX), key=lambda path: path.stat().st_mtime_ns)
        for path in files[:-KEPT]:
            path.unlink(missing_ok=True)

    def read(self) -> Remembered:
        """All that is known. Never raises."""
        known: dict[str, Sighting] = {}
        unread: list[tuple[Path, str]] = []
        try:
            files = sorted(self._folder.glob("*" + _SUFFIX))
        except OSError:
            return Remembered()
        for path in files:
            try:
                one = _read(path)
            except FileNotFoundError:
                continue
            except OurError as error:
                unread.append((path, error.message))
            except (OSError, ValueError) as error:
                unread.append((path, str(error)))
            else:
                known[one.provider_id] = one
        return Remembered(known, tuple(unread))


def _text(text: str, most: int) -> str:
    """At most `most` characters, without what no file can hold."""
    return text[:most].encode("utf-8", "backslashreplace").decode()


def _read(path: Path) -> Sighting:
    """The sighting in a file. Raises UnsafeStoreError, OSError, or ValueError for what nobody here has written."""
    fd = open_safely(path, os.O_RDONLY)
    try:
        data = os.read(fd, _BYTES + 1)
    finally:
        os.close(fd)
    if len(data) > _BYTES:
        raise ValueError("it is larger than what is written here")
    one = msgspec.json.decode(data, type=Sighting)
    if one.provider_id + _SUFFIX != path.name or not _PROVIDER_ID.fullmatch(one.provider_id):
        raise ValueError("it is about another provider")
    if not _DIGEST.fullmatch(one.target) or (one.code and not _DIGEST.fullmatch(one.code)):
        raise ValueError("it holds no digest")
    if canon.seconds(one.at) is None:
        raise ValueError("it says no time")
    return one
