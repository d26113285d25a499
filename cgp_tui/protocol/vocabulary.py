"""The open vocabularies: relations, error codes, egress scopes. Anyone may add a word of their own (U2, U3)."""

from __future__ import annotations

from collections.abc import Container
from typing import Final, Literal

from cgp_tui.protocol.capability import LOCAL_ONLY, OFF_MACHINE_SCOPES
from cgp_tui.protocol.error import REACTIONS

RELS: Final = ("code.calls", "code.imports", "code.defines", "code.references", "doc.documents", "episode.follows")
"""The published relations (SPEC 8.1)."""

SCOPES: Final = (LOCAL_ONLY, *OFF_MACHINE_SCOPES)
"""The base scopes (SPEC 4.1)."""

CODES: Final = tuple(REACTIONS)
"""The base error codes (SPEC 10)."""

_SHARED_SPACES: Final = frozenset(rel.partition(".")[0] for rel in RELS)

Word = Literal["base", "vendor", "unprefixed", "malformed"]
"""unprefixed: reserved to the protocol, which does not define it (yet). malformed: a side of its first colon is empty."""


def word(text: str, base: Container[str]) -> Word:
    """What kind of word `text` is in a vocabulary whose own words are `base`."""
    if text in base:
        return "base"
    vendor, colon, name = text.partition(":")
    if not colon:
        return "unprefixed"
    return "vendor" if vendor and name else "malformed"


def rel_word(text: str) -> Word:
    """The same for a relation, where SPEC 8.1 also allows a dot: `myindex.owns` has a private namespace."""
    kind = word(text, RELS)
    if kind != "unprefixed":
        return kind
    space, dot, name = text.partition(".")
    return "vendor" if dot and space and name and space not in _SHARED_SPACES else kind
