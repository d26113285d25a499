"""A recording that keeps no payload: of each message but the greeting and the shutdown only its type, size and digest.

In the file stands, in the place of such a line, one of our own of type `cgp-tui:digest`, and its header says
`"payload":"digests"`. Who was asked, when, and under which receipt is in the notes as ever; of what a provider wrote to
stderr, which may repeat what it was asked, only the size is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import Final

import msgspec

from cgp_tui.errors import os_reason
from cgp_tui.protocol.messages import TYPES
from cgp_tui.transcript.record import decode_record, encode_header, encode_line, encode_note
from cgp_tui.transcript.writer import Unrecorded, Writer
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import LedgerMark, Stderr
from cgp_tui.wire.peek import peek

_WHOLE: Final = frozenset({"handshake", "shutdown"})
"""What a host sends without a payload. Of a provider its first line is kept: what comes later may repeat what it was
asked, whatever it calls itself."""


class Digest(msgspec.Struct, frozen=True, tag="cgp-tui:digest"):
    """What stands for a line: `of` is its type, empty where that is none of the protocol's; `bytes` its size, `sha256` the
    digest of its bytes in hex."""

    of: str
    bytes: int
    sha256: str


_LONGEST: Final = 256

_DECODE: Final = msgspec.json.Decoder(Digest).decode


def digest_of(raw: bytes) -> Digest | None:
    """What a line of such a recording stands for; None for a line that is there itself."""
    if len(raw) > _LONGEST:
        return None
    try:
        return _DECODE(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def digested(raw: bytes) -> bytes:
    """The line that is kept in the place of another."""
    kind = peek(raw).type or ""
    return msgspec.json.encode(Digest(kind if kind in TYPES else "", len(raw), hashlib.sha256(raw).hexdigest()))


class DigestWriter(Writer):
    """Writes everything to `fd`, which may be a file without a name to be looked at meanwhile, and to `kept`, a new file,
    what stays. Closes both. Raises OurError unrecordable where the headers cannot be written."""

    def __init__(self, fd: int, kept: int, recorder: str, *, ledger: LedgerMark | None = None) -> None:
        self._kept: int | None = None
        self._whole = 0
        self._heard: set[int] = set()
        super().__init__(fd, recorder, ledger=ledger)
        self._kept = kept
        self._keep(encode_header(msgspec.structs.replace(self.header, payload="digests")), ())

    def close(self) -> None:
        kept, self._kept = self._kept, None
        try:
            super().close()
        finally:
            try:
                if kept is not None:
                    os.close(kept)
            except OSError as error:
                raise Unrecorded(os_reason(error), ()) from None

    def _append(self, data: bytes, lines: tuple[Line, ...]) -> None:
        super()._append(data, lines)
        if self._kept is not None:
            self._keep(b"".join(map(self._kept_line, lines)) if lines else _kept_note(data), lines)

    def _kept_line(self, line: Line) -> bytes:
        if line.sender == "host":
            whole = peek(line.raw).type in _WHOLE
        else:
            whole = line.connection not in self._heard
            self._heard.add(line.connection)
        return encode_line(line if whole else msgspec.structs.replace(line, raw=digested(line.raw)))

    def _keep(self, data: bytes, lines: tuple[Line, ...]) -> None:
        """Whole records or none, as of the file that is looked at."""
        assert self._kept is not None  # noqa: S101 -- asked before, for mypy
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._kept, rest) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._kept, self._whole)
                os.lseek(self._kept, self._whole, os.SEEK_SET)
            raise Unrecorded(os_reason(error), lines) from None
        self._whole += len(data)


def _kept_note(data: bytes) -> bytes:
    note = decode_record(data[:-1])
    if isinstance(note, Stderr):
        return encode_note(msgspec.structs.replace(note, text=f"({len(note.text.encode())} bytes, not kept)"))
    return data
