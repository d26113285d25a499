"""The link to a provider that runs as our child: three pipes, read in large pieces and written without any buffer.

stdin is written with os.write on a non-blocking descriptor and nothing else, so that what has been written is known at
every moment: a message that the gate stops half-way has sent exactly the bytes that were counted.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from cgp_tui import limits
from cgp_tui.host.link import Listener, Signs
from cgp_tui.host.process import Exited, Process
from cgp_tui.host.protect import Terminal
from cgp_tui.wire.framer import Framer, LineTooLong

if TYPE_CHECKING:
    from cgp_tui.consent.types import Permit

_READ_BYTES: Final = 256 * 1024
_NARRATION_PIECE: Final = 4096
"""A line of stderr longer than this is handed on in pieces."""
_LAST_READS: Final = 8
"""How often each stream is read once more at the end: a full pipe, and no more from somebody who goes on writing."""


class StdioLink:
    """A `Link` over the pipes of one `Process`. `terminal` is held for it already, and released when it is closed."""

    def __init__(self, process: Process, terminal: Terminal | None = None) -> None:
        self._process = process
        self._terminal = terminal
        self._loop = asyncio.get_running_loop()
        self._framer = Framer()
        self._tail = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._unsaid = ""
        self._open = {process.stdout, process.stderr}
        self._listener: Listener | None = None
        self._heard_at: float | None = None
        self._finished = False
        self._killed = False
        self._clock: asyncio.TimerHandle | None = None
        self._waiting: asyncio.Future[None] | None = None

    @property
    def whole_tree(self) -> bool:
        return self._process.whole_tree

    @property
    def stderr_tail(self) -> bytes:
        return bytes(self._tail)

    @property
    def signs(self) -> Signs:
        return Signs(self._process.pid, self._heard_at, self._framer.pending)

    def start(self, listener: Listener) -> None:
        self._listener = listener
        self._loop.add_reader(self._process.stdout, self._read, self._process.stdout, self._take_lines)
        self._loop.add_reader(self._process.stderr, self._read, self._process.stderr, self._take_narration)
        self._process.exited.add_done_callback(lambda _: self._run_out())

    # -- in

    def _read(self, descriptor: int, take: Callable[[bytes], None]) -> None:
        try:
            data = os.read(descriptor, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            take(data)
        else:
            self._shut(descriptor)

    def _take_lines(self, data: bytes) -> None:
        self._heard_at = time.monotonic()
        try:
            self._hand_on(self._framer.feed(data))
        except LineTooLong as error:
            self._hand_on(error.lines)
            self._stop_reading(self._process.stdout)
            if self._listener is not None:
                self._listener.broken(error)

    def _hand_on(self, lines: list[bytes]) -> None:
        for line in lines:
            if self._listener is None or self._process.stdout not in self._open:
                return
            self._listener.line(line)

    def _take_narration(self, data: bytes) -> None:
        self._tail += data
        del self._tail[: -limits.STDERR_KEPT_BYTES]
        text = self._unsaid + self._decoder.decode(data)
        cut = text.rfind("\n") + 1
        if len(text) - cut > _NARRATION_PIECE:
            cut = len(text)
        self._unsaid = text[cut:]
        self._narrate(text[:cut])

    def _narrate(self, text: str) -> None:
        if text and self._listener is not None:
            self._listener.narration(text)

    def _stop_reading(self, descriptor: int) -> None:
        self._open.discard(descriptor)
        self._loop.remove_reader(descriptor)

    def _shut(self, descriptor: int) -> None:
        """One of the two streams came to its end. Without stdout there is nothing more to come from this provider."""
        self._stop_reading(descriptor)
        if not self._open and self._process.exited.done():
            self._finish()
        elif descriptor == self._process.stdout:
            self._run_out()

    def _run_out(self) -> None:
        """The provider ended, or closed its stdout: what it wrote is still read, for a moment and no longer. Somebody it
        started may hold the pipes for ever."""
        if not self._open and self._process.exited.done():
            self._finish()
        elif self._clock is None and not self._finished:
            self._clock = self._loop.call_later(limits.EXIT_DRAIN_SECONDS, self._drained)

    def _drained(self) -> None:
        # A provider that closed stdout by ending is reported with its exit code. The guard brings that news, late on a busy
        # machine, and then this runs again.
        self._clock = None
        if self._process.exited.done() or not self._process.over:
            self._finish()

    def _finish(self) -> None:
        if self._finished:
            return
        self._finished = True
        if self._clock is not None:
            self._clock.cancel()
        for descriptor, take in ((self._process.stdout, self._take_lines), (self._process.stderr, self._take_narration)):
            for _ in range(_LAST_READS):
                if descriptor in self._open:
                    self._read(descriptor, take)
        self.stop_reading()
        listener = self._listener
        if listener is None:
            return
        rest = self._framer.finish()
        if rest is not None:
            listener.line(rest)
        text = self._unsaid + self._decoder.decode(b"", final=True)
        self._narrate(text)
        exited = self._process.exited
        end = exited.result() if exited.done() else Exited(None, None, ours=True)
        listener.ended(Exited(None, end.signal, ours=True) if self._killed and end.signal is not None else end)

    # -- out

    async def writable(self) -> None:
        descriptor = self._process.stdin
        if descriptor < 0:
            raise BrokenPipeError
        self._waiting = self._loop.create_future()
        self._loop.add_writer(descriptor, self._may_write)
        try:
            await self._waiting
        finally:
            self._loop.remove_writer(descriptor)
            self._waiting = None

    def _may_write(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def send_payload(self, raw: memoryview, permit: Permit) -> int:
        if not permit.alive:
            raise RuntimeError("a payload needs a permit that is alive")
        return self._write(raw[: limits.PAYLOAD_WRITE_BYTES])

    def send_control(self, raw: memoryview) -> int:
        return self._write(raw)

    def _write(self, raw: memoryview) -> int:
        if self._process.stdin < 0:
            raise BrokenPipeError
        try:
            return os.write(self._process.stdin, raw)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise BrokenPipeError(error.errno, error.strerror) from error

    # -- end

    def stop_reading(self) -> None:
        # What it says on stderr may be why. Once closed there is no descriptor left to stop.
        if self._process.stdout in self._open:
            self._stop_reading(self._process.stdout)

    async def close(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(BrokenPipeError())
        self._killed = self._killed or not self._process.exited.done()
        await self._process.end()
        self._finish()
        self._process.close()
        terminal, self._terminal = self._terminal, None
        if terminal is not None:
            terminal.release()
