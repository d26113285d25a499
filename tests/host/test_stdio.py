"""The pipes to a provider: whole lines in, counted bytes out, and an end that nobody else can put off."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.consent.types import Permit
from cgp_tui.errors import PeerError
from cgp_tui.host.process import Exited, spawn
from cgp_tui.host.stdio import StdioLink
from cgp_tui.wire.framer import Framer
from tests.host.bench import PATIENCE
from tests.host.test_process import CHILDREN, alive, linux, pids, until


class ConnectionRecords:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self._said: list[str] = []
        self.error: PeerError | None = None
        self.end: asyncio.Future[Exited] = asyncio.get_running_loop().create_future()

    def line(self, raw: bytes) -> None:
        assert not self.end.done()
        self.lines.append(raw)

    def narration(self, text: str) -> None:
        assert text
        self._said.append(text)

    @property
    def text(self) -> str:
        return "".join(self._said)

    def broken(self, error: PeerError) -> None:
        self.error = error

    def ended(self, exited: Exited) -> None:
        self.end.set_result(exited)


async def link(code: str, *arguments: str) -> tuple[StdioLink, ConnectionRecords]:
    argv = [sys.executable, "-I", "-S", "-c", code, *arguments]
    made = StdioLink(await spawn(sys.executable, argv, {}))
    heard = ConnectionRecords()
    made.start(heard)
    return made, heard


def permit(alive: bool = True) -> Permit:
    made = Permit((), (), None)
    if alive:
        made.revive()
    return made


async def test_lines_end_at_lf_only_and_the_last_needs_none() -> None:
    made, heard = await link(r"import sys; sys.stdout.buffer.write(b'a\rb\x0b\xe2\x80\xa8c\r\n\n\xff\nlast'); sys.exit(5)")
    assert await asyncio.wait_for(heard.end, 5) == Exited(5, None)
    assert heard.lines == [b"a\rb\x0b\xe2\x80\xa8c\r", b"", b"\xff", b"last"]
    await made.close()
    assert heard.error is None


async def test_a_line_over_the_cap_ends_the_reading() -> None:
    code = f"import sys; w = sys.stdout.buffer.write; w(b'first\\n'); w(b'x' * {limits.LINE_BYTES + 1}); w(b'\\ntail\\n')"
    made, heard = await link(code)
    assert await until(lambda: heard.error)
    assert heard.error is not None
    assert heard.error.code == "line_too_long"
    assert heard.lines == [b"first"]
    await made.close()
    assert heard.lines == [b"first"]


async def test_lines_before_the_long_one_are_heard() -> None:
    made, heard = await link("import os; os.read(0, 1); os.write(1, b'one\\ntwo\\n' + b'x' * 20 + b'\\nthree\\n')")
    made._framer = Framer(10)
    made.send_control(memoryview(b"go"))
    assert await until(lambda: heard.error)
    assert heard.lines == [b"one", b"two"]
    await made.close()


async def test_a_line_of_exactly_the_cap_is_a_line() -> None:
    made, heard = await link(f"import sys; sys.stdout.buffer.write(b'x' * {limits.LINE_BYTES} + b'\\nnext\\n')")
    await asyncio.wait_for(heard.end, 5)
    assert [len(line) for line in heard.lines] == [limits.LINE_BYTES, 4]
    await made.close()


async def test_the_end_is_the_exit_and_not_the_last_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pids"
    argv = [sys.executable, "-I", "-S", CHILDREN, "escape and end", str(path)]
    made, heard = StdioLink(await spawn(sys.executable, argv, {})), ConnectionRecords()
    made.start(heard)
    began = time.monotonic()
    assert await asyncio.wait_for(heard.end, 5) == Exited(7, None)
    assert limits.EXIT_DRAIN_SECONDS <= time.monotonic() - began < 4 * limits.EXIT_DRAIN_SECONDS
    assert any(map(alive, pids(path)))
    await made.close()
    assert not any(map(alive, pids(path)))


async def test_a_plain_end_is_known_at_once() -> None:
    made, heard = await link("print('x')")
    process_gone = await asyncio.wait_for(asyncio.shield(heard.end), PATIENCE)
    assert process_gone == Exited(0, None)
    began = time.monotonic()
    await made.close()
    assert time.monotonic() - began < limits.EXIT_DRAIN_SECONDS


LATE = """
import os
if os.fork() == 0:
    os.close(1)
    os.read(0, 1)
    os.write(2, b"late")
    os._exit(0)
os._exit(5)
"""


@linux
async def test_an_end_is_not_waited_for_once_the_last_pipe_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the provider started may still say something, and then nobody is left who could."""
    monkeypatch.setattr(limits, "EXIT_DRAIN_SECONDS", PATIENCE)
    made, heard = await link(LATE)
    assert await until(lambda: made._process.exited.done() and made._process.stdout not in made._open)
    made.send_control(memoryview(b"g"))
    assert await asyncio.wait_for(asyncio.shield(heard.end), PATIENCE / 2) == Exited(5, None)
    assert heard.text == "late"
    await made.close()


async def test_an_exit_after_both_pipes_were_closed_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EXIT_DRAIN_SECONDS", PATIENCE)
    made, heard = await link("import os; os.close(1); os.close(2); os.read(0, 1); os._exit(5)")
    assert await until(lambda: not made._open)
    loop = asyncio.get_running_loop()
    assert not loop.remove_reader(made._process.stdout) and not loop.remove_reader(made._process.stderr), "nobody spins"
    made.send_control(memoryview(b"g"))
    assert await asyncio.wait_for(asyncio.shield(heard.end), PATIENCE / 2) == Exited(5, None)
    await made.close()


async def test_a_provider_that_closed_its_stderr_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EXIT_DRAIN_SECONDS", 0.01)
    made, heard = await link("import os; os.close(2); os.read(0, 1); os.write(1, b'x\\n'); os.read(0, 1)")
    assert await until(lambda: made._process.stderr not in made._open)
    await asyncio.sleep(10 * limits.EXIT_DRAIN_SECONDS)
    made.send_control(memoryview(b"g"))
    assert await until(lambda: heard.lines or heard.end.done())
    assert (heard.lines, heard.end.done()) == ([b"x"], False)
    await made.close()


async def test_a_provider_without_stdout_is_gone() -> None:
    made, heard = await link("import os, time; os.write(1, b'x\\n'); os.close(1); time.sleep(60)")
    assert await asyncio.wait_for(heard.end, 5) == Exited(None, None, ours=True)
    assert heard.lines == [b"x"]
    await made.close()


@linux
async def test_an_end_whose_news_are_late_is_still_told_as_it_was() -> None:
    """On a busy machine the guard may say how a provider ended long after its stdout did; it was not we who ended it."""
    made, heard = await link("import os; os.write(1, b'x\\n'); os.read(0, 1); os._exit(5)")
    assert await until(lambda: heard.lines)
    guard = made._process._guard.pid
    os.kill(guard, signal.SIGSTOP)
    made.send_control(memoryview(b"g"))
    assert await until(lambda: made._process.stdout not in made._open)
    await asyncio.sleep(1.2 * limits.EXIT_DRAIN_SECONDS)
    os.kill(guard, signal.SIGCONT)
    assert await asyncio.wait_for(asyncio.shield(heard.end), PATIENCE) == Exited(5, None)
    await made.close()


async def test_closing_still_hears_what_was_written() -> None:
    made, heard = await link("import os, time; os.write(2, b'why'); os.write(1, b'one\\n'); time.sleep(60)")
    assert await until(lambda: heard.lines)
    await made.close()
    assert heard.lines == [b"one"]
    assert heard.text == "why"
    assert await heard.end == Exited(None, signal.SIGKILL, ours=True)
    await made.close()


async def test_stopping_to_read_keeps_the_rest_out() -> None:
    made, heard = await link(
        "import os, threading, time\n"
        "def why():\n"
        "    while True: os.write(2, b'why\\n'); time.sleep(0.01)\n"
        "threading.Thread(target=why).start()\n"
        "while True: os.write(1, b'spam' * 10 + b'\\n')"
    )
    await until(lambda: len(heard.lines) > 10)
    made.stop_reading()
    before, said = len(heard.lines), len(heard.text)
    assert await until(lambda: len(heard.text) > said)
    await made.close()
    assert len(heard.lines) == before


async def test_what_is_closed_already_can_be_stopped_once_more() -> None:
    """As by a message that is refused while the lookout has ended its connection."""
    made, heard = await link("import sys; sys.stdin.read()")
    await made.close()
    made.stop_reading()
    assert heard.end.done()


async def test_stderr_is_drained_kept_and_told_in_whole_lines() -> None:
    code = r"""
import os
os.write(2, b"\x1b]52;c;aGk=\x07 caf\xc3")
os.write(2, b"\xa9 \xff\n")
for _ in range(200):
    os.write(2, b"y" * 99_999 + b"\n")
os.write(2, b"z" * 50_000)
os.write(2, b"end")
"""
    made, heard = await link(code)
    await asyncio.wait_for(heard.end, PATIENCE)
    assert heard.text.startswith("\x1b]52;c;aGk=\x07 café \\xff\n")
    assert len(heard.text) == 20_000_000 + 50_003 + len("\x1b]52;c;aGk=\x07 café \\xff\n")
    assert heard.text.endswith("zend")
    assert made.stderr_tail == (b"y" * 15_532 + b"\n" + b"z" * 50_000 + b"end")
    assert len(made.stderr_tail) == limits.STDERR_KEPT_BYTES
    await made.close()


async def test_a_long_line_on_stderr_is_not_waited_for() -> None:
    made, heard = await link("import os, time; os.write(2, b'short'); os.write(2, b'z' * 10_000); time.sleep(60)")
    assert await until(lambda: heard.text)
    assert len(heard.text) > 4096
    await made.close()


@linux
async def test_a_payload_needs_a_permit_that_is_alive_and_goes_in_pieces() -> None:
    made, heard = await link("import os\ndata = os.read(0, 200_000)\nprint(len(data), flush=True)\nos.read(0, 1)")
    payload = memoryview(b"p" * (limits.PAYLOAD_WRITE_BYTES + 1))
    with pytest.raises(RuntimeError):
        made.send_payload(payload, permit(alive=False))
    ended = permit()
    ended.end()
    with pytest.raises(RuntimeError):
        made.send_payload(payload, ended)
    fcntl.fcntl(made._process.stdin, fcntl.F_SETPIPE_SZ, 1 << 20)  # room for more than may go at once
    await made.writable()
    assert made.send_payload(payload, permit()) == limits.PAYLOAD_WRITE_BYTES
    assert await until(lambda: heard.lines)
    assert heard.lines == [b"%d" % limits.PAYLOAD_WRITE_BYTES]
    await made.close()


async def test_a_provider_that_does_not_read_leaves_us_waiting_not_blocked() -> None:
    made, _ = await link("import time; time.sleep(60)")
    sent = 0
    while (count := made.send_control(memoryview(b"x" * 100_000))) > 0:
        sent += count
    assert sent > 0
    waiting = asyncio.ensure_future(made.writable())
    await asyncio.sleep(0.1)
    assert not waiting.done()
    await made.close()
    with pytest.raises(BrokenPipeError):
        await waiting
    with pytest.raises(BrokenPipeError):
        await made.writable()


async def test_writing_to_a_provider_that_is_gone_is_a_broken_pipe() -> None:
    made, heard = await link("pass")
    await asyncio.wait_for(asyncio.shield(heard.end), PATIENCE)
    await made.writable()
    with pytest.raises(BrokenPipeError):
        made.send_control(memoryview(b"x"))
    await made.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")  # noqa: PTH110
async def test_whatever_the_system_says_to_a_write_it_is_a_broken_pipe() -> None:
    made, _ = await link("pass")
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, made._process.stdin)
    os.close(full)
    with pytest.raises(BrokenPipeError):
        made.send_control(memoryview(b"x"))
    await made.close()


async def test_a_cancelled_wait_leaves_nothing_behind() -> None:
    made, heard = await link(
        "import os, time; time.sleep(0.3); os.read(0, 1000000); os.write(1, b'read\\n'); time.sleep(60)"
    )
    while made.send_control(memoryview(b"x" * 100_000)):
        pass
    waiting = asyncio.ensure_future(made.writable())
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.wait_for(made.writable(), PATIENCE)
    assert not asyncio.get_running_loop().remove_writer(made._process.stdin)
    assert await until(lambda: heard.lines)
    await made.close()


@pytest.mark.parametrize(
    ("code", "ours"), [("import time; time.sleep(60)", True), ("import os; os.kill(os.getpid(), 9)", False)]
)
async def test_a_signal_of_our_own_is_told_apart(code: str, ours: bool) -> None:
    made, heard = await link(code)
    if not ours:
        await asyncio.wait_for(asyncio.shield(heard.end), PATIENCE)
    await made.close()
    assert (await heard.end) == Exited(None, signal.SIGKILL, ours=ours)


async def test_signs_of_life_are_the_process_the_last_byte_and_what_has_begun() -> None:
    made, heard = await link("import os; os.read(0, 1); os.write(1, b'one\\n{\"typ'); os.write(2, b'x'); os.read(0, 9)")
    pid, at, unfinished = made.signs
    assert pid is not None and pid > 0
    assert (at, unfinished) == (None, 0)
    before = time.monotonic()
    made.send_control(memoryview(b"g"))
    assert await until(lambda: heard.lines)
    pid, at, unfinished = made.signs
    assert at is not None and before <= at <= time.monotonic()
    assert unfinished == len('{"typ')
    await made.close()
