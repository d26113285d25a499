"""A provider over real pipes: input without an end, ends of every kind, and a stdout that carries replies alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from cgp_tui import limits

HANDSHAKE = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}\n'
QUERY = b'{"type":"query","id":"q1","query":{"goal":"g","max_frames":2,"max_tokens":500}}\n'
SHUTDOWN = b'{"type":"shutdown"}\n'

PROGRAM = """
import time
from cgp_tui.protocol.capability import Capabilities, DataFlow, ProviderInfo
from cgp_tui.protocol.envelope import ContextQueryResult
from cgp_tui.providers.kit import Provider
from cgp_tui.providers.stdio import run_stdio

class Talkative(Provider):
    info = ProviderInfo("talkative", "1", DataFlow())
    capabilities = Capabilities(correlation=True)

    def query(self, query):
        print("a stray line")
        if query.goal == "break":
            raise ValueError("bad \\x1b[31m thing")
        if query.goal == "slow":
            time.sleep(0.7)
        return ContextQueryResult((), False)

run_stdio(Talkative())
print("after")
"""


@contextmanager
def provider(**more: Any) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    argv = [sys.executable, "-c", PROGRAM]
    child = subprocess.Popen(argv, **{"stdin": pipe, "stdout": pipe, "stderr": pipe, **more})
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def sent(child: subprocess.Popen[bytes], data: bytes) -> tuple[list[Any], bytes]:
    """What `data` and the end of input bring: the replies and stderr."""
    out, err = child.communicate(data, timeout=120)
    return [json.loads(line) for line in out.splitlines()], err


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def ask(child: subprocess.Popen[bytes], line: bytes) -> Any:
    pipe(child.stdin).write(line)
    pipe(child.stdin).flush()
    return json.loads(pipe(child.stdout).readline())


def goal(text: str) -> bytes:
    return QUERY.replace(b'"goal":"g"', b'"goal":"%b"' % text.encode())


def test_a_last_line_without_its_newline_is_answered_and_the_end_of_input_is_good() -> None:
    with provider() as child:
        replies, _ = sent(child, HANDSHAKE + QUERY.rstrip(b"\n"))
        assert [reply["type"] for reply in replies] == ["handshake_ack", "frames"]
        assert replies[1]["id"] == "q1"
        assert child.returncode == 0


def test_nothing_but_replies_reaches_stdout() -> None:
    with provider() as child:
        replies, err = sent(child, HANDSHAKE + QUERY + SHUTDOWN)
        assert [reply["type"] for reply in replies[:2]] == ["handshake_ack", "frames"]
        assert b"a stray line" in err


def test_a_closed_stderr_is_no_matter(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    argv = ["sh", "-c", 'exec "$0" "$1" 2>&-', sys.executable, str(program)]
    ran = subprocess.run(argv, input=HANDSHAKE + goal("break") + QUERY, capture_output=True, timeout=120, check=False)
    replies = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [reply.get("code", reply["type"]) for reply in replies] == ["handshake_ack", "internal", "frames"]
    assert ran.returncode == 0


def redirected(tmp_path: Path, redirection: str) -> subprocess.CompletedProcess[bytes]:
    """The provider under a shell's redirections, with a handshake on its stdin unless they close it."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    argv = ["sh", "-c", f'exec "$0" "$1" {redirection}', sys.executable, str(program)]
    return subprocess.run(argv, input=HANDSHAKE, capture_output=True, timeout=120, check=False)


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "<&- >&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_a_pipe_closed_before_the_start_is_an_end_like_any_other(tmp_path: Path, redirection: str) -> None:
    ran = redirected(tmp_path, redirection)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert b"Traceback" not in ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_reply_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    ran = redirected(tmp_path, ">/dev/full")
    assert b"OurError: The reply could not be written: No space left on device." in ran.stderr


def test_shutdown_ends_it_while_the_pipe_stays_open() -> None:
    with provider(stdout=subprocess.DEVNULL) as child:
        pipe(child.stdin).write(HANDSHAKE + SHUTDOWN)
        pipe(child.stdin).flush()
        assert child.wait(timeout=120) == 0


def test_lines_in_pieces_are_put_together() -> None:
    with provider() as child:
        for piece in (HANDSHAKE[:10], HANDSHAKE[10:] + QUERY[:1]):
            pipe(child.stdin).write(piece)
            pipe(child.stdin).flush()
            time.sleep(0.05)
        replies, _ = sent(child, QUERY[1:])
        assert [reply["type"] for reply in replies] == ["handshake_ack", "frames"]


def test_a_fault_is_told_on_stderr_without_its_control_codes() -> None:
    with provider() as child:
        replies, err = sent(child, HANDSHAKE + goal("break"))
        assert replies[1]["code"] == "internal"
        assert b"Traceback" in err
        assert b"ValueError" in err
        assert b"\x1b" not in err


@pytest.mark.parametrize("extra", [1, 70_000, 1_000_000])
def test_a_line_beyond_the_limit_is_refused_and_the_next_one_is_read(extra: int) -> None:
    with provider() as child:
        long = b"x" * (limits.LINE_BYTES + extra)
        replies, _ = sent(child, HANDSHAKE + long + b"\n" + QUERY)
        assert [reply["type"] for reply in replies] == ["handshake_ack", "error", "frames"]
        assert replies[1]["code"] == "bad_request"
        assert child.returncode == 0


def test_a_line_beyond_the_limit_without_an_end_is_refused_once() -> None:
    with provider() as child:
        replies, _ = sent(child, HANDSHAKE + b"x" * (limits.LINE_BYTES + 300_000))
        assert [reply["type"] for reply in replies] == ["handshake_ack", "error"]
        assert child.returncode == 0


def test_a_host_that_goes_away_is_no_fault() -> None:
    with provider() as child:
        assert ask(child, HANDSHAKE)["type"] == "handshake_ack"
        pipe(child.stdout).close()
        pipe(child.stdin).write(QUERY * 3)
        pipe(child.stdin).flush()
        assert child.wait(timeout=120) == 0
        assert b"Traceback" not in pipe(child.stderr).read()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_idle_provider_at_once_and_quietly(number: int) -> None:
    with provider() as child:
        ask(child, HANDSHAKE)
        time.sleep(0.1)
        os.kill(child.pid, number)
        assert child.wait(timeout=120) == 0
        assert b"Traceback" not in pipe(child.stderr).read()


def test_a_signal_lets_the_reply_under_way_be_finished() -> None:
    with provider() as child:
        ask(child, HANDSHAKE)
        pipe(child.stdin).write(goal("slow") + QUERY)
        pipe(child.stdin).flush()
        assert pipe(child.stderr).readline() == b"a stray line\n"
        os.kill(child.pid, signal.SIGTERM)
        out = pipe(child.stdout).read()
        assert child.wait(timeout=120) == 0
        assert json.loads(out.splitlines()[0])["type"] == "frames"
        assert QUERY.count(b"q1") == 1
        assert len([line for line in out.splitlines() if line.startswith(b"{")]) == 1
