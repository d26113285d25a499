"""All of stdout: data for the caller, as bytes, the same whatever the terminal, the locale or COLUMNS say."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final, TextIO

import msgspec

from cgp_tui.errors import OurError, os_reason
from cgp_tui.report.lazy import Items, Members
from cgp_tui.text import Page, Shown, page

CLOSED_PIPE: Final = 141
"""Our exit code when the reader of stdout is gone: the one that a shell reports for SIGPIPE."""

_PIECE: Final = 64 * 1024
"""About how many bytes of a document go out in one write."""

_AT_ONCE: Final = 256
"""How many items of an array are encoded at once."""

_LINES: Final = 1000
"""How many lines of text go out in one write."""

_PLAIN: Final = str.maketrans(
    {
        "…": "...",
        "→": "->",
        "←": "<-",
        "·": "-",
        "—": "-",
        "–": "-",
        "✓": "ok",
        "✗": "x",
        "│": "|",
        "─": "-",
        "└": "`",
        "├": "|",
    }
)


def encode(text: str, encoding: str | None) -> bytes:
    """`text` for a stream: unchanged if its encoding allows, else ASCII with `\\u` escapes for what has no plain form."""
    try:
        return text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text.translate(_PLAIN).encode("ascii", "backslashreplace")


def document(value: object) -> None:
    """One document. JSON: ASCII only, two-space indent, one final LF; bytes of another kind are written as they are.

    Takes builtins and msgspec Structs, and around them `Members` and `Items`, which are written as they are made. A lone
    surrogate, as in a file name, is written as U+FFFD, because strict readers reject it. Raises OurError unwritable, and
    whatever making the document raises, which leaves it incomplete.
    """
    if isinstance(value, bytes):
        _write(value)
        return
    held: list[bytes] = []
    size = 0
    for piece in _json(value, b"\n"):
        held.append(piece)
        size += len(piece)
        if size > _PIECE:
            _write(b"".join(held))
            held.clear()
            size = 0
    _write(b"".join((*held, b"\n")))


def _json(value: object, margin: bytes) -> Iterator[bytes]:
    """A value as pieces of JSON; `margin` is an LF and the indent of the lines after the first."""
    if isinstance(value, Members):
        yield from _members(value.members, margin)
    elif isinstance(value, Items):
        yield from _items(value.items, margin)
    else:
        yield _whole(value).replace(b"\n", margin)


def _items(items: Iterable[object], margin: bytes) -> Iterator[bytes]:
    """An array; plain items many at a time, because one by one they cost three times as much."""
    inner = margin + b"  "
    before = b"[" + inner
    rest = iter(items)
    while some := list(itertools.islice(rest, _AT_ONCE)):
        if any(isinstance(item, Members | Items) for item in some):
            for item in some:
                yield before
                yield from _json(item, inner)
                before = b"," + inner
        else:
            yield before + _whole(some)[4:-2].replace(b"\n", margin)
            before = b"," + inner
    yield b"[]" if before[:1] == b"[" else margin + b"]"


def _members(members: Iterable[tuple[str, object]], margin: bytes) -> Iterator[bytes]:
    """An object."""
    inner = margin + b"  "
    before = b"{" + inner
    for name, value in members:
        yield before + json.dumps(name).encode("ascii") + b": "
        yield from _json(value, inner)
        before = b"," + inner
    yield b"{}" if before[:1] == b"{" else margin + b"}"


def _whole(value: object) -> bytes:
    built = msgspec.to_builtins(value)
    try:
        return _pretty(built)
    except msgspec.DecodeError:
        return _pretty(_unicode(built))


def _pretty(built: Any) -> bytes:
    return msgspec.json.format(json.dumps(built, allow_nan=False).encode("ascii"), indent=2)


def _unicode(built: Any) -> Any:
    if isinstance(built, str):
        return built.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(built, dict):
        return {_unicode(name): _unicode(value) for name, value in built.items()}
    return [_unicode(value) for value in built] if isinstance(built, list) else built


def text(lines: Iterable[Shown]) -> None:
    """Lines for a person, each ended by LF, written as they come. Raises OurError unwritable."""
    rest = iter(lines)
    pages(map(page, iter(lambda: list(itertools.islice(rest, _LINES)), [])))


def pages(made: Iterable[Page]) -> None:
    """Pages of lines, written in pieces. Raises OurError unwritable."""
    encoding = sys.stdout.encoding if sys.stdout is not None else None
    held: list[Page] = []
    size = 0
    for one in made:
        held.append(one)
        size += len(one)
        if size > _PIECE:
            _write(encode("".join(held), encoding))
            held.clear()
            size = 0
    if held:
        _write(encode("".join(held), encoding))


def _write(data: bytes) -> None:
    stream: TextIO | None = sys.stdout
    if stream is None:
        return
    buffer: BinaryIO = stream.buffer
    try:
        _put(buffer, data)
    except BrokenPipeError:
        _silence(buffer)
        raise SystemExit(CLOSED_PIPE) from None
    except OSError as error:
        _silence(buffer)
        reason = os_reason(error)
        raise OurError(
            "unwritable", f"The output could not be written: {reason}.", "Free disk space or choose another place."
        ) from None


def _put(buffer: BinaryIO, data: bytes) -> None:
    """Write all of it. A stream without a buffer may take less than it is given, and one that another program has set not
    to wait takes nothing for a while: neither may pass for the end."""
    rest = memoryview(data)
    while rest:
        try:
            taken = buffer.write(rest) or 0
        except BlockingIOError as error:
            taken = error.characters_written
        rest = rest[taken:]
        if not taken:
            _wait(buffer)
    while True:
        try:
            buffer.flush()
            return
        except BlockingIOError:
            _wait(buffer)


def _wait(buffer: BinaryIO) -> None:
    """Wait until a stream takes something again."""
    import select

    select.select([], [buffer.fileno()], [])


def _silence(buffer: BinaryIO) -> None:
    """Discard what is still buffered, or the interpreter would report it again when it ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, buffer.fileno())
    os.close(null)
