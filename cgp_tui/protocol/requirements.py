"""Every requirement of the SPEC once: whom it binds, how hard, what it means, how to mend it, where it is checked."""

from __future__ import annotations

from typing import Literal

import msgspec

Level = Literal["violation", "advice", "note"]
"""violation: breaks a bold MUST on the transcript's own evidence. advice: SHOULD, suspicion. note: uncheckable, missing."""

Party = Literal["host", "provider"]

Where = Literal["wire", "host", "conformance", "unobservable"]


class Requirement(msgspec.Struct, frozen=True):
    """One anchor. `reference` says what the reference implementation does where it differs, else empty."""

    anchor: str
    binds: Party | None
    level: Level
    meaning: str
    fix: str
    where: Where
    reference: str = ""


class Finding(msgspec.Struct, frozen=True):
    """A broken or doubtful requirement on one line. `path` is a JSON Pointer into the envelope, `""` the whole of it.

    `line` is the wire line's number, `exchange` the number of its request, both from 1; `frame_id` the frame at fault.
    `expected` and `found` are short texts of our own words and the peer's values: foreign text, to be shown as such.
    """

    anchor: str
    level: Level
    party: Party | None
    line: int
    exchange: int | None
    frame_id: str | None
    path: str
    message: str
    expected: str
    found: str
    fix: str
    reference: str = ""
