"""Bytes into lines: a line is what stands between two LF; nothing else splits (SPEC 2)."""

from __future__ import annotations

from cgp_tui import limits
from cgp_tui.errors import PeerError


class LineTooLong(PeerError):
    """A line over the cap. `lines` are the complete lines that came before it in the same piece of input."""

    def __init__(self, cap: int, lines: list[bytes]) -> None:
        super().__init__(
            "line_too_long",
            f"A line is longer than {cap:,} bytes.",
            "A peer must end each message with one newline; ask for less (max_frames, max_tokens) if the answer is honest.",
        )
        self.lines = lines


class Framer:
    """Cuts a byte stream at LF and keeps every other byte: a CR before the LF stays, as JSON whitespace.

    A line longer than `cap` bytes, not counting its LF, poisons the framer for good: a peer could shape the rest of such a
    line to look like a message of its own. Memory stays within `cap` plus one piece of input.
    """

    def __init__(self, cap: int = limits.LINE_BYTES) -> None:
        self._cap = cap
        self._rest = bytearray()
        self._poisoned = False

    @property
    def pending(self) -> int:
        """The number of bytes held of an unfinished line."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes, in order. Raises PeerError line_too_long, and again on every later call."""
        if self._poisoned:
            raise LineTooLong(self._cap, [])
        lines = data.split(b"\n")
        last = lines.pop()
        if lines and self._rest:
            if len(self._rest) + len(lines[0]) > self._cap:
                raise self._poison([])
            lines[0] = bytes(self._rest) + lines[0]
            self._rest.clear()
        if len(data) > self._cap:
            for at, line in enumerate(lines):
                if len(line) > self._cap:
                    raise self._poison(lines[:at])
        if len(self._rest) + len(last) > self._cap:
            raise self._poison(lines)
        self._rest += last
        return lines

    def finish(self) -> bytes | None:
        """The last line, if the stream ended without its LF; None where nothing is left."""
        rest = bytes(self._rest)
        self._rest.clear()
        return rest or None

    def _poison(self, lines: list[bytes]) -> LineTooLong:
        self._poisoned = True
        self._rest.clear()
        return LineTooLong(self._cap, lines)
