"""What a file is, by its content: a transcript, bare envelopes one a line, or something else, which is then named."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from cgp_tui.errors import InputError
from cgp_tui.protocol.messages import TYPES
from cgp_tui.text import show
from cgp_tui.transcript.record import FORMAT, Header, decode_header, decode_record
from cgp_tui.wire.line import Line
from cgp_tui.wire.peek import Peek, peek, prefix

LOOK: Final = 256 * 1024
"""How many bytes of a file's beginning are looked at."""

GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
MAGICS: Final = (GZIP, ZSTD)
"""How a packed file begins."""
MAGIC_BYTES: Final = max(map(len, MAGICS))

Name = Literal["cgp-transcript/1", "bare"]

_FIX: Final = (
    "Give a recording (cgp-transcript/1) or a file of CGP envelopes, one per line, plain or compressed (.gz, .zst)."
)
_FIXES: Final = (
    ("compressed", "Unpack it first."),
    ("archive", "Unpack it first."),
    ("newer format", "Read it with the cgp-tui that wrote it, or a newer one."),
)
"""The next step for files of a recognisable kind."""

_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (GZIP, "gzip-compressed data"),
    (ZSTD, "zstd-compressed data"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)


class Recognised(msgspec.Struct, frozen=True):
    """A file that can be read. `header` is None in a bare file and where a transcript's own is damaged; `start` is the
    offset of the first record."""

    format: Name
    header: Header | None
    start: int


class _Loose(msgspec.Struct):
    """The members by which other kinds of JSON lines are told apart."""

    jsonrpc: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    format: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    event: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_LOOSE: Final = msgspec.json.Decoder(_Loose).decode


def recognise(path: str, head: bytes, whole: bool) -> Recognised:
    """What the file at `path` is; `head` are its first `LOOK` bytes, `whole` says whether that is all of it.

    Raises InputError not_a_transcript, naming the file and what it looks like.
    """
    lines = head.split(b"\n")
    if not whole and len(lines) > 1:
        lines.pop()
    header = decode_header(lines[0])
    if header is not None:
        return Recognised(FORMAT, header, min(len(lines[0]) + 1, len(head)))
    if not head.lstrip().startswith(b"["):
        last = None if whole or len(lines) > 1 else lines[0]
        for line in lines:
            if line.startswith((b'{"n":', b'{"note":')) and (line is last or isinstance(decode_record(line), Line)):
                return Recognised(FORMAT, None, 0)
            if (prefix(line) if line is last else _message(line)).type in TYPES:
                return Recognised("bare", None, 0)
    looks = _looks_like(head, lines)
    fix = next((fix for word, fix in _FIXES if word in looks), _FIX)
    raise InputError("not_a_transcript", f"{show(path)} is not a transcript: {looks}.", fix)


def _message(line: bytes) -> Peek:
    """The type of a complete line of JSON; a line that merely begins like a message proves nothing."""
    return peek(line) if _is_object(line) else Peek(None, None)


def _is_object(line: bytes) -> bool:
    try:
        _LOOSE(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _looks_like(head: bytes, lines: list[bytes]) -> str:
    if not head.strip():
        return "it is empty"
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return f"it looks like {name}"
    try:
        head[: len(head) - 4].decode()
    except UnicodeDecodeError:
        return "it looks like binary data"
    if b"\x00" in head:
        return "it looks like binary data"
    return _text_like(head, lines)


def _text_like(head: bytes, lines: list[bytes]) -> str:
    none = "its first lines hold no CGP envelope"
    first = next((line for line in lines if line.strip()), b"")
    if first.lstrip().startswith(b"["):
        return f"it looks like one JSON array, and {none}"
    if not _is_object(first):
        several = first.lstrip().startswith(b"{")
        return f"it looks like {'one JSON document over several lines' if several else 'plain text'}, and {none}"
    found = _LOOSE(first)
    if not isinstance(found.format, msgspec.UnsetType) and bytes(found.format).startswith(b'"cgp-transcript/'):
        return f"it is in a newer format ({show(bytes(found.format)[1:-1].decode(), 40)})"
    if not isinstance(found.jsonrpc, msgspec.UnsetType):
        return f"it looks like JSON-RPC messages, and {none}"
    if not isinstance(found.event, msgspec.UnsetType):
        return f"it looks like an event log, and {none}"
    return f"it looks like JSON lines, but {none}"
