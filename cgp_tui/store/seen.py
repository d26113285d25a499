"""Who was last met here under each of our ids: the name, version, command and code of the newest handshake.

It is kept so that a list can say, without starting anything, whether a grant still fits. It never permits anything: the gate
goes by whoever is connected.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal

import msgspec

from cgp_tui import limits
from cgp_tui.store import canon
from cgp_tui.store.shelf import Shelf, Stock
from cgp_tui.target import SHOWN_ITEM_CHARS, SHOWN_ITEMS

_DIGEST: Final = re.compile("[0-9a-f]{64}")


class Sighting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One provider as of its last handshake: our id, what it declared, what was started, and when, as the ledger spells a
    time. `target` and `code` are hex digests, `code` empty where nothing was pinned. The rest is foreign text."""

    provider_id: str
    provider_name: str
    provider_version: str
    target_kind: Literal["stdio", "http"]
    target: str
    code: str
    target_shown: tuple[str, ...]
    at: str


class Sightings:
    """What is kept in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._shelf = Shelf(folder, Sighting, _fault)

    def remember(self, one: Sighting) -> None:
        """Keep `one` in place of what was known of this provider. Texts are cut to what a receipt can hold, so that a longer
        name is seen to differ. Never raises."""
        self._shelf.put(
            msgspec.structs.replace(
                one,
                provider_name=_text(one.provider_name, limits.PROVIDER_NAME_CHARS + 1),
                provider_version=_text(one.provider_version, limits.PROVIDER_VERSION_CHARS + 1),
                target_shown=tuple(_text(item, SHOWN_ITEM_CHARS) for item in one.target_shown[:SHOWN_ITEMS]),
            )
        )

    @property
    def mark(self) -> int:
        """A number that changes whenever a provider was met."""
        return self._shelf.mark

    def read(self) -> Stock[Sighting]:
        """All that is known. Never raises."""
        return self._shelf.read()


def _text(text: str, most: int) -> str:
    """At most `most` characters, without those that no file can hold."""
    return text[:most].encode("utf-8", "backslashreplace").decode()


def _fault(one: Sighting) -> str:
    if not _DIGEST.fullmatch(one.target) or (one.code and not _DIGEST.fullmatch(one.code)):
        return "it holds no digest"
    return "" if canon.seconds(one.at) is not None else "it says no time"
