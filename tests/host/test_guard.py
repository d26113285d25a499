"""The guard where it cannot be a subreaper, and what it does not keep for itself."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cgp_tui.host import guard
from tests.host.bench import PATIENCE
from tests.host.test_process import CHILDREN, alive, pids, start, stop, until

WITHOUT_SUBREAPER = """
import sys
sys.path.insert(0, sys.argv[1])
import guard
guard.prctl = lambda option, value: False
if sys.argv[3:]:
    guard._kill_group = lambda leader: None
    guard._PATIENCE = 0.0
guard.main(int(sys.argv[2]), -1)
"""


def _spec(*argv: str) -> bytes:
    body = b"\0".join(word.encode() for word in (argv[0], str(len(argv)), *argv))
    return len(body).to_bytes(8, "big") + body


def _plain_guard(*words: str) -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, theirs = socket.socketpair()
    with theirs:
        place = str(Path(guard.__file__).parent)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", WITHOUT_SUBREAPER, place, str(theirs.fileno()), *words],
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            stdin=subprocess.DEVNULL,
        )
    return process, ours


@pytest.mark.parametrize("word", [b"k", b""])
async def test_without_a_subreaper_the_process_group_still_ends(word: bytes, tmp_path: Path) -> None:
    path = tmp_path / "pids"
    process, ours = _plain_guard()
    with ours:
        ours.sendall(_spec(sys.executable, "-I", "-S", CHILDREN, "deep", str(path)))
        first, number, whole = (await asyncio.to_thread(ours.recv, 100)).split()
        assert (first, whole) == (b"started", b"0")
        assert await until(lambda: len(pids(path)) == 101)
        assert pids(path)[0] == int(number)
        if word:
            ours.sendall(word)
            assert await asyncio.to_thread(ours.recv, 100) == b"exited 0 9\n"
    assert process.wait(5) == 137
    assert await until(lambda: not any(map(alive, pids(path))))


async def test_without_a_subreaper_the_group_ends_with_its_leader(tmp_path: Path) -> None:
    path = tmp_path / "pids"
    process, ours = _plain_guard()
    with ours:
        ours.sendall(_spec(sys.executable, "-I", "-S", CHILDREN, "companion", str(path)))
        words = b""
        while not words.endswith(b"exited 0 0\n"):
            words += await asyncio.to_thread(ours.recv, 100)
        assert await until(lambda: not any(map(alive, pids(path))))
    assert process.wait(5) == 0


async def test_what_does_not_die_in_time_is_left_behind_and_counted(tmp_path: Path) -> None:
    """A process that the kernel does not end is not waited for; and how the provider ended is not known then."""
    path = tmp_path / "pids"
    process, ours = _plain_guard("kill nobody")
    with ours:
        ours.sendall(_spec(sys.executable, "-I", "-S", CHILDREN, "deep", str(path)))
        assert (await asyncio.to_thread(ours.recv, 100)).startswith(b"started ")
        assert await until(lambda: len(pids(path)) == 101)
        ours.sendall(b"k")
        assert await asyncio.to_thread(ours.recv, 100) == b"left 1\n"
    assert process.wait(PATIENCE) == 137
    os.killpg(pids(path)[0], signal.SIGKILL)


async def test_the_guard_keeps_none_of_the_provider_s_pipes_open() -> None:
    process = await start("end", "0")
    await process.exited
    for descriptor in (process.stdout, process.stderr):
        assert os.read(descriptor, 1) == b""
    with pytest.raises(BrokenPipeError):
        os.write(process.stdin, b"x")
    await stop(process)


def test_children_are_found_with_and_without_the_kernel_s_list() -> None:
    child = subprocess.Popen(["/bin/sleep", "60"])
    try:
        assert child.pid in guard.children(os.getpid())
        assert child.pid in guard._children_by_scan(os.getpid())
        assert guard.children(child.pid) == guard._children_by_scan(child.pid) == []
    finally:
        child.kill()
        child.wait()
    assert guard.children(child.pid) == []


def test_a_stranger_with_a_reused_number_is_left_alone() -> None:
    child = subprocess.Popen(["/bin/sleep", "60"])
    guard._kill(child.pid, parent=1)
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.2)
    guard._kill(child.pid, parent=os.getpid())
    assert child.wait(5) == -9
    guard._kill(child.pid, parent=os.getpid())
