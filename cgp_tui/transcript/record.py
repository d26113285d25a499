"""The format `cgp-transcript/1`: a header, then one record a line, a wire line or a note."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from functools import cache
from io import BytesIO
from typing import Any, Final, Literal

import msgspec

from cgp_tui import limits
from cgp_tui.protocol.anchors import Party
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import AnyNote, KnownNote, LedgerMark, UnknownNote

FORMAT: Final = "cgp-transcript/1"


class Header(msgspec.Struct, frozen=True):
    """The first line. `started_at` is an F4 timestamp that the seconds of all records count from, `payload` says whether
    lines are kept whole or as digests, `ledger` is the consent ledger's head at the start."""

    started_at: str
    recorder: str
    payload: Literal["whole", "digests"] = "whole"
    redactions: tuple[Any, ...] = ()
    ledger: LedgerMark | None = None
    format: str = FORMAT


class Damaged(msgspec.Struct, frozen=True):
    """A record that cannot be read: its bytes, and why. A reader shows it and goes on."""

    raw: bytes
    why: str


Record = Line | AnyNote | Damaged


class _WireRecord(msgspec.Struct, rename={"sender": "from"}):
    n: int
    t: float
    connection: int
    sender: Party | None = None
    line: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    text: str | msgspec.UnsetType = msgspec.UNSET
    base64: str | msgspec.UnsetType = msgspec.UNSET


class _AnyNote(msgspec.Struct, rename={"kind": "note"}):
    kind: str
    t: float = 0.0
    connection: int = 0


PREFIX: Final = re.compile(
    rb'\{"n":(?P<n>[0-9]{1,18}),"t":(?P<t>[0-9]{1,15}(?:\.[0-9]{1,18})?),"connection":(?P<connection>[0-9]{1,18}),'
    rb'(?:"from":"(?P<sender>host|provider)",)?"(?P<key>line|text|base64)":'
)
"""How this program writes a wire line's record, up to the line itself."""

NOTE_PREFIX: Final = re.compile(
    rb'\{"note":"(?P<kind>[a-z_]{1,64})","t":(?P<t>[0-9]{1,15}(?:\.[0-9]{1,18})?),"connection":(?P<connection>[0-9]{1,18})'
)
"""How it writes the beginning of a note."""

_PORTION: Final = 1024 * 1024
"""How much base64 is read at once; a multiple of four."""

_HEADER: Final = msgspec.json.Decoder(Header).decode
_WIRE: Final = msgspec.json.Decoder(_WireRecord).decode
_ANY: Final = msgspec.json.Decoder(msgspec.Raw).decode
_ENCODE: Final = msgspec.json.Encoder().encode

_KINDS: Final = frozenset(kind.__struct_config__.tag for kind in KnownNote.__args__)


@cache
def _note_decoders() -> tuple[Callable[[bytes], KnownNote], Callable[[bytes], _AnyNote]]:
    """Made when the first note is read, because decoders for so many kinds take a while to make."""
    return msgspec.json.Decoder(KnownNote).decode, msgspec.json.Decoder(_AnyNote).decode


def encode_header(header: Header) -> bytes:
    """The first line of a transcript, with its LF."""
    members = {"format": header.format, **msgspec.to_builtins(header)}
    return _ENCODE(members) + b"\n"


def decode_header(raw: bytes) -> Header | None:
    """The header in a line, None where it is not a header of this format."""
    try:
        header = _HEADER(raw)
    except (msgspec.DecodeError, RecursionError):
        return None
    return header if header.format == FORMAT else None


def encode_line(line: Line) -> bytes:
    """A wire line's record, with its LF: at most 200 bytes more than the line where it is one JSON object."""
    key, value = _embedded(line.raw)
    sender = "" if line.sender is None else f'"from":"{line.sender}",'
    head = f'{{"n":{line.n},"t":{line.t:.6f},"connection":{line.connection},{sender}"{key}":'
    return b"".join((head.encode("ascii"), value, b"}\n"))


def encode_note(note: KnownNote) -> bytes:
    """A note's record, with its LF."""
    return _ENCODE(note) + b"\n"


def decode_record(raw: bytes) -> Record:
    """A record without its LF; never raises. Unknown members are ignored, unknown notes kept as they are."""
    if len(raw) > limits.SHELL_AT_ONCE_BYTES:
        long = _long(raw)
        if long is not None:
            return long
    try:
        found = _WIRE(raw)
    except msgspec.DecodeError:
        return _note(raw)
    except RecursionError:
        return _deep(raw)
    line = _line_bytes(found)
    if line is None:
        return Damaged(raw, "the record holds no line")
    return Line(found.n, found.connection, found.sender, found.t, line)


def party_of(found: re.Match[bytes]) -> Party | None:
    """The sender that a match of PREFIX names."""
    sender = found["sender"]
    return None if sender is None else "host" if sender == b"host" else "provider"


def _deep(raw: bytes) -> Record:
    """A record whose line nests deeper than the decoder's stack: if we wrote it, its prefix tells where the line is."""
    found = PREFIX.match(raw)
    if found is None or found["key"] != b"line" or not raw.endswith(b"}"):
        return Damaged(raw, "the record is nested too deeply")
    return _spelled(found, raw[found.end() : -1])


def _long(raw: bytes) -> Line | None:
    """A long record as we write it, read in portions; None where it is not proved to be one."""
    from cgp_tui.wire import portions  # not needed for the first paint

    found = PREFIX.match(raw)
    if found is None or not raw.endswith(b"}"):
        return None
    value = raw[found.end() : -1]
    if found["key"] == b"line":
        return _spelled(found, value) if portions.is_value(value) else None
    line = portions.utf8(value)
    if line is not None and found["key"] == b"base64":
        line = _unpacked(line)
    return None if line is None else _spelled(found, line)


def _unpacked(text: bytes) -> bytes | None:
    """The bytes of base64 text, decoded a portion at a time; None where it is not proved to be base64."""
    held = BytesIO()  # returns its content without another copy
    for at in range(0, len(text), _PORTION):
        part = text[at : at + _PORTION]
        if part.endswith(b"=") and at + len(part) < len(text):
            return None
        try:
            held.write(base64.b64decode(part, validate=True))
        except (binascii.Error, ValueError):
            return None
    return held.getvalue()


def _spelled(found: re.Match[bytes], line: bytes) -> Line:
    return Line(int(found["n"]), int(found["connection"]), party_of(found), float(found["t"]), line)


def _note(raw: bytes) -> Record:
    known, any_note = _note_decoders()
    try:
        some = any_note(raw)
        if some.kind in _KINDS:
            return known(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        return Damaged(raw, str(error).partition(" - at ")[0].removeprefix("JSON is malformed: "))
    return UnknownNote(some.kind, some.t, some.connection, raw)


def _line_bytes(found: _WireRecord) -> bytes | None:
    if not isinstance(found.line, msgspec.UnsetType):
        return bytes(found.line)
    if not isinstance(found.text, msgspec.UnsetType):
        return found.text.encode()
    if not isinstance(found.base64, msgspec.UnsetType):
        try:
            return base64.b64decode(found.base64, validate=True)
        except (binascii.Error, ValueError):
            return None
    return None


def _embedded(raw: bytes) -> tuple[str, bytes]:
    """The member for the bytes of a line in its record, as name and value."""
    if not raw.isascii():
        try:
            raw.decode()
        except UnicodeDecodeError:
            return "base64", b'"' + base64.b64encode(raw) + b'"'
    if raw.startswith(b"{") and raw.endswith(b"}") and b"\n" not in raw:
        try:
            _ANY(raw)
        except (msgspec.DecodeError, RecursionError):
            pass
        else:
            return "line", raw
    return "text", _ENCODE(raw.decode())
