"""The line itself: its JSON laid out, and its bytes as they travelled."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from cgp_tui.present.layout import cell_width
from cgp_tui.present.numbers import exact_bytes
from cgp_tui.present.spans import Row, Rows, Span, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.text import Shown, own, show, show_bytes

DRAWN_BYTES: Final = 1_000_000
"""How many bytes of one line are laid out; the rest is counted, and the transcript keeps it."""

_PLAIN: Final = re.compile(rb"[ -~]*")
_INDENT: Final = re.compile(r" *")


class _Result(msgspec.Struct):
    frames: list[msgspec.Raw]


class _Answer(msgspec.Struct):
    result: _Result


def frame_bytes(raw: bytes, place: int) -> bytes | None:
    """The bytes of one frame inside an answer's line, unknown members included; None where they cannot be told apart."""
    try:
        frames = msgspec.json.decode(raw, type=_Answer).result.frames
    except msgspec.DecodeError:
        return None
    return bytes(frames[place]) if place < len(frames) else None


def json_rows(raw: bytes, look: Look) -> Rows:
    """The line as indented JSON, strings and numbers as spelled; a line that is not JSON is named so and shown as bytes."""
    try:
        text = msgspec.json.format(raw, indent=2).decode()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield row(span(f"{look.symbols.bad} ", "bad"), span("Not JSON: the bytes as they came."))
        yield from raw_rows(raw, look)
        return
    start = 0
    while start < min(len(text), DRAWN_BYTES):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start : min(end, DRAWN_BYTES)]
        indent = _INDENT.match(line)
        depth = min(indent.end() if indent else 0, 24)
        pad = Span(own(" " * depth))
        yield Row((Span(show(line[depth:], DRAWN_BYTES)),), lead=pad, rest=Span(own(" " * (depth + 2))))
        start = end + 1
    if len(text) > DRAWN_BYTES:
        yield row(span(f"{len(text) - DRAWN_BYTES:,} more characters are in the transcript, not drawn here.", "doubt"))


def raw_rows(raw: bytes, look: Look) -> Rows:
    """The bytes in rows, each after the offset of its first byte; hidden and undecodable ones are made visible."""
    yield row(span(f"{exact_bytes(len(raw))} without the line feed", "muted"))
    digits = max(len(str(min(len(raw), DRAWN_BYTES))), 4)
    room = max(look.width - digits - 2, 8)
    offset = 0
    end = min(len(raw), DRAWN_BYTES)
    while offset < end:
        piece = raw[offset : min(offset + room, end)]
        if _PLAIN.fullmatch(piece):
            shown, taken = own(piece.decode("ascii")), len(piece)
        else:
            shown, taken = _visible(raw, offset, end, room)
        lead = span(f"{offset:>{digits}}  ", "muted")
        offset += taken
        yield Row((Span(shown),), lead=lead, on=offset < end)
    if len(raw) > DRAWN_BYTES:
        yield row(span(f"{len(raw) - DRAWN_BYTES:,} more bytes are in the transcript, not drawn here.", "doubt"))


def _visible(raw: bytes, offset: int, end: int, room: int) -> tuple[Shown, int]:
    """As many characters from `offset` on as fit into `room` cells, at least one, and their number of bytes."""
    parts: list[str] = []
    cells = taken = 0
    while offset + taken < end:
        length = _sequence(raw, offset + taken)
        shown = show_bytes(raw[offset + taken : offset + taken + length])
        width = cell_width(shown)
        if parts and cells + width > room:
            break
        parts.append(shown)
        cells += width
        taken += length
    return Shown("".join(parts)), taken


def _sequence(raw: bytes, at: int) -> int:
    """The length of the UTF-8 sequence that begins at `at`, 1 where none begins there."""
    first = raw[at]
    length = 1 if first < 0xC2 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    try:
        raw[at : at + length].decode()
    except UnicodeDecodeError:
        return 1
    return length
