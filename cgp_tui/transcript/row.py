"""What a list shows about a record, from its first and last few hundred bytes."""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from cgp_tui.protocol.anchors import Party
from cgp_tui.transcript.record import NOTE_PREFIX, PREFIX, Damaged, decode_record, party_of
from cgp_tui.transcript.sender import sender_of
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import UnknownNote
from cgp_tui.wire.peek import Peek, peek, prefix

HEAD: Final = 640
"""How many bytes at a record's start a row looks at."""
TAIL: Final = 320
"""How many bytes at its end."""
WHOLE: Final = 64 * 1024
"""A record that another program wrote is read whole for its row up to this size."""


class Peeked(msgspec.Struct, frozen=True):
    """The columns of one record. `type` is a line's message type or a note's kind, `size` counts the line's own bytes
    (a note's: the record's), `head` is the beginning of the line. Never act on any of it."""

    kind: Literal["line", "note", "damaged"]
    n: int | None
    connection: int | None
    sender: Party | None
    t: float | None
    type: str | None
    id: str | None
    size: int
    head: bytes


def bare_row(n: int, connection: int, head: bytes, tail: bytes, size: int) -> Peeked:
    """The row of one line of a bare file. `head` is the whole line if it has `size` bytes."""
    seen = _peek(head, tail, size)
    return Peeked("line", n, connection, sender_of(seen.type), None, seen.type, seen.id, size, head)


def record_row(head: bytes, tail: bytes, size: int) -> Peeked | None:
    """The row of a record as we write it; None where the whole record must be read for it."""
    found = PREFIX.match(head)
    if found is None:
        note = NOTE_PREFIX.match(head)
        if note is None:
            return None
        connection, t = int(note["connection"]), float(note["t"])
        return Peeked("note", None, connection, None, t, note["kind"].decode("ascii"), None, size, head)
    if found["key"] != b"line":
        return _unlike(found, head, tail, size) if len(head) < size else None
    line, length = head[found.end() :], size - found.end() - 1
    seen = _peek(line[:-1], b"", length) if len(head) == size else _peek(line, tail[:-1], length)
    return _row(found, seen, length, line[:length])


def _unlike(found: re.Match[bytes], head: bytes, tail: bytes, size: int) -> Peeked:
    """The row of a long line kept as text or base64. The size of text includes its escapes: only reading all of it would
    tell the exact one."""
    length = size - found.end() - 3
    if found["key"] == b"base64":
        length = length * 3 // 4 - tail[:-2].count(b"=")
    return _row(found, Peek(None, None), length, head[found.end() + 1 :])


def _row(found: re.Match[bytes], seen: Peek, length: int, head: bytes) -> Peeked:
    n, connection, t = int(found["n"]), int(found["connection"]), float(found["t"])
    return Peeked("line", n, connection, party_of(found), t, seen.type, seen.id, length, head)


def whole_row(raw: bytes) -> Peeked:
    """The row of a record that was read whole."""
    record = decode_record(raw)
    if isinstance(record, Line):
        seen = peek(record.raw)
        head = record.raw[:HEAD]
        return Peeked(
            "line", record.n, record.connection, record.sender, record.t, seen.type, seen.id, len(record.raw), head
        )
    if isinstance(record, Damaged):
        return damaged_row(raw[:HEAD], len(raw))
    kind = record.kind if isinstance(record, UnknownNote) else str(type(record).__struct_config__.tag)
    return Peeked("note", None, record.connection, None, record.t, kind, None, len(raw), raw[:HEAD])


def damaged_row(head: bytes, size: int) -> Peeked:
    """The row of a record that nobody can read."""
    return Peeked("damaged", None, None, None, None, None, None, size, head)


def _peek(head: bytes, tail: bytes, size: int) -> Peek:
    return peek(head) if len(head) == size else prefix(head, tail)
