"""A provider gets what it should and nothing else, and nothing of it outlives us, however we end."""

from __future__ import annotations

import ast
import asyncio
import errno
import os
import py_compile
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from cgp_tui.errors import InputError, OurError
from cgp_tui.host import guard
from cgp_tui.host import process as process_module
from cgp_tui.host.errors import Spawn
from cgp_tui.host.process import Exited, Process, _guard_file, child_environment, spawn
from tests.host.bench import PATIENCE

CHILDREN = str(Path(__file__).with_name("children.py"))
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux catches what leaves the process group")


def alive(pid: int) -> bool:
    """Whether `pid` runs; a dead process that nobody reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


async def until(what: Callable[[], object], seconds: float = PATIENCE) -> bool:
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if what():
            return True
        await asyncio.sleep(0.01)
    return bool(what())


def pids(path: Path) -> list[int]:
    return [int(word) for word in path.read_text().split()] if path.exists() else []


async def start(*arguments: str) -> Process:
    return await spawn(sys.executable, [sys.executable, "-I", "-S", CHILDREN, *arguments], child_environment())


async def stop(process: Process) -> None:
    await process.end()
    process.close()


async def said(process: Process) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        await asyncio.sleep(0.005)
        try:
            data += os.read(process.stdout, 65536)
        except BlockingIOError:
            continue
    return data


def test_the_environment_is_a_short_list_and_what_was_named(tmp_path: Path) -> None:
    source = {
        "PATH": f"/usr/bin::relative:{tmp_path}",
        "HOME": "/home/u",
        "LANG": "C",
        "LC_TIME": "de",
        "TZ": "UTC",
        "TMPDIR": "/tmp",
        "AWS_SECRET_ACCESS_KEY": "canary",
        "PYTHONPATH": "/evil",
        "API_KEY": "named",
    }
    tmp_path.chmod(0o777)
    assert child_environment(["API_KEY"], source) == {
        "PATH": "/usr/bin",
        "HOME": "/home/u",
        "LANG": "C",
        "LC_TIME": "de",
        "TZ": "UTC",
        "TMPDIR": "/tmp",
        "API_KEY": "named",
    }
    assert child_environment((), {"PATH": "/usr/bin"}) == {"PATH": "/usr/bin"}
    assert child_environment(["PATH", "HOME"], source) == child_environment((), source), "not as it was, either"


def test_a_named_variable_that_is_not_set_is_a_usage_error() -> None:
    with pytest.raises(InputError) as caught:
        child_environment(["API_KEY"], {})
    assert caught.value.code == "usage"
    assert "export API_KEY" in caught.value.fix


@linux
async def test_a_provider_gets_three_pipes_its_own_session_and_no_more(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary")
    leak = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(leak, True)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    process = await spawn(
        sys.executable,
        [sys.executable, "-I", "-S", CHILDREN, "facts", "a b", ""],
        child_environment(),
        cwd=tmp_path,
    )
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
    os.close(leak)
    facts = ast.literal_eval((await said(process)).decode())
    assert facts["argv"][1:] == ["facts", "a b", ""]
    assert facts["environment"] == child_environment()
    assert facts["descriptors"] == [0, 1, 2, 3]  # 3 is the listing itself
    assert facts["leads"]
    assert facts["core"] == (0, 0)
    assert facts["ignored"] in ([], [int(signal.SIGPIPE), int(signal.SIGXFSZ)])  # Python itself ignores these two
    assert facts["blocked"] == []
    assert facts["cwd"] == str(tmp_path)
    assert not os.get_blocking(process.stdin)
    assert process.whole_tree
    await stop(process)


@linux
async def test_a_broken_pipe_ends_a_provider_as_anywhere_else() -> None:
    process = await spawn("/usr/bin/yes", ["/usr/bin/yes"], {})
    os.close(process.stdout)
    process.stdout = -1
    assert await asyncio.wait_for(process.exited, PATIENCE) == Exited(None, signal.SIGPIPE)
    await stop(process)


@pytest.mark.parametrize(
    ("mode", "number", "end"),
    [
        ("end", "0", Exited(0, None)),
        ("end", "3", Exited(3, None)),
        ("kill", "15", Exited(None, 15)),
        ("kill", "11", Exited(None, 11)),
    ],
)
async def test_how_it_ended_is_passed_on(mode: str, number: str, end: Exited) -> None:
    process = await start(mode, number)
    assert await asyncio.wait_for(process.exited, PATIENCE) == end
    await stop(process)


@linux
@pytest.mark.parametrize("mode", ["escape", "hop", "deep"])
async def test_ending_it_ends_everything_it_started(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "pids"
    process = await start(mode, str(path))
    assert await until(lambda: process.pid in pids(path) and len(pids(path)) >= {"escape": 2, "hop": 1, "deep": 101}[mode])
    guard = process._guard.pid
    await stop(process)
    assert process.left_behind == 0
    assert [pid for pid in pids(path) if alive(pid)] == []
    assert not alive(guard)
    # Whoever hopped on since the listing would hang below the guard or be adopted by init: nothing runs our script.
    assert [pid for pid in _running(CHILDREN) if str(path) in _command(pid)] == []


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _running(script: str) -> list[int]:
    return [int(e.name) for e in Path("/proc").iterdir() if e.name.isdigit() and script in _command(int(e.name))]


@linux
async def test_a_provider_that_leaves_somebody_with_its_pipes_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "pids"
    process = await start("escape and end", str(path))
    assert await asyncio.wait_for(process.exited, PATIENCE) == Exited(7, None)
    await until(lambda: pids(path))
    assert all(map(alive, pids(path)))  # still there, with stdout open
    await stop(process)
    assert not any(map(alive, pids(path)))


@linux
async def test_the_guard_buries_what_it_adopts() -> None:
    process = await start("litter")
    await said(process)
    guard = process._guard.pid
    assert await until(lambda: len(_children(guard)) == 1)
    await stop(process)


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@linux
async def test_killing_the_guard_kills_the_provider(tmp_path: Path) -> None:
    path = tmp_path / "pids"
    process = await start("deep", str(path))
    assert await until(lambda: len(pids(path)) == 101)
    os.kill(process._guard.pid, signal.SIGKILL)
    assert await asyncio.wait_for(process.exited, PATIENCE) == Exited(None, None)
    assert await until(lambda: not any(map(alive, pids(path))))
    await stop(process)


@linux
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
async def test_a_guard_that_is_told_to_stop_takes_everything_with_it(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "pids"
    process = await start("escape", str(path))
    assert await until(lambda: len(pids(path)) == 2)
    os.kill(process._guard.pid, number)
    assert await asyncio.wait_for(process.exited, PATIENCE) == Exited(None, signal.SIGKILL)
    assert await until(lambda: not any(map(alive, pids(path))))
    await stop(process)


OWNER = """
import asyncio, os, sys
from cgp_tui.host.process import child_environment, spawn
async def main():
    argv = [sys.executable, "-I", "-S", sys.argv[1], "escape", sys.argv[2]]
    await spawn(sys.executable, argv, child_environment())
    print("up", flush=True)
    if sys.argv[3] == "raise":
        await asyncio.to_thread(sys.stdin.readline)
        raise RuntimeError
    if sys.argv[3] == "exit":
        await asyncio.to_thread(sys.stdin.readline)
        os._exit(0)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@linux
@pytest.mark.parametrize("how", ["exit", "raise", signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV])
async def test_however_the_program_ends_the_tree_ends(how: str | int, tmp_path: Path) -> None:
    path = tmp_path / "pids"
    word = how if isinstance(how, str) else "wait"
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, CHILDREN, str(path), word],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert owner.stdin is not None
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"up\n"
    assert await until(lambda: len(pids(path)) == 2)
    assert all(map(alive, pids(path)))
    if isinstance(how, int):
        owner.send_signal(how)
    owner.stdin.close()
    owner.wait(PATIENCE)
    owner.stdout.close()
    assert await until(lambda: not any(map(alive, pids(path))))


async def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("hello")
    lost = tmp_path / "lost"
    lost.write_text("#!/nowhere/interpreter\n")
    lost.chmod(0o755)
    cases: list[tuple[Callable[[], Awaitable[Process]], str]] = [
        (lambda: spawn(str(tmp_path / "none"), ["none"], {}), "does not exist"),
        (lambda: spawn(str(lost), ["lost"], {}), "interpreter"),
        (lambda: spawn(str(text), ["text"], {}), "execute"),
        (lambda: spawn("/bin/cat", ["cat", "x" * 10_000_000], {}), "too long"),
        (lambda: spawn("/bin/cat", ["cat"], {}, cwd=tmp_path / "none"), "working folder"),
    ]
    for attempt, words in cases:
        with pytest.raises(Spawn) as caught:
            await attempt()
        assert caught.value.code == "spawn_failed"
        assert words in caught.value.message
        assert caught.value.fix


async def test_a_python_of_ours_that_cannot_be_started_is_no_fault_of_the_provider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "venv" / "bin" / "python"
    monkeypatch.setattr(sys, "executable", str(gone))
    with pytest.raises(OurError) as caught:
        await spawn("/bin/cat", ["cat"], {}, cwd=tmp_path)
    assert (caught.value.code, str(gone) in caught.value.message) == ("spawn_failed", True)
    assert "/bin/cat" not in caught.value.message


async def test_a_folder_that_cannot_be_entered_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shut(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", tmp_path)

    monkeypatch.setattr(subprocess, "Popen", shut)
    with pytest.raises(Spawn, match="cannot be entered: Permission denied"):
        await spawn("/bin/cat", ["cat"], {}, cwd=tmp_path)


def _descriptors() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir()}


@linux
@pytest.mark.parametrize("script", ["exit 3", "exec sleep 60"])
async def test_a_guard_that_does_not_come_up_is_our_failure(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "python"
    broken.write_text(f"#!/bin/sh\n{script}\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    monkeypatch.setattr(process_module, "_GUARD_SECONDS", 0.3)
    before = _descriptors()
    began = time.monotonic()
    with pytest.raises(OurError) as caught:
        await spawn("/bin/cat", ["cat"], {})
    assert caught.value.code == "spawn_failed"
    assert time.monotonic() - began < PATIENCE
    assert _descriptors() == before
    assert _children(os.getpid()) == []


async def test_without_a_thread_the_guard_is_buried_all_the_same() -> None:
    process = await spawn("/bin/cat", ["cat"], {})
    await asyncio.get_running_loop().shutdown_default_executor()
    await process.end()
    process.close()
    assert _children(os.getpid()) == []


@linux
@pytest.mark.parametrize("room", range(10))
async def test_without_descriptors_nothing_is_started_and_nothing_lost(room: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = _descriptors()
    taken: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, before)) + 20, hard))
    try:
        with pytest.raises(OSError):
            while True:
                taken.append(os.open("/dev/null", os.O_RDONLY))
        for descriptor in taken[:room]:
            os.close(descriptor)
        with pytest.raises(OurError):
            await spawn("/bin/cat", ["cat"], {})
    finally:
        for descriptor in taken[room:]:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert _descriptors() == before
    assert _children(os.getpid()) == []


@linux
async def test_a_process_that_ended_or_never_started_leaves_no_descriptor_open() -> None:
    async def once() -> None:
        process = await start("end", "0")
        await process.exited
        await stop(process)
        with pytest.raises(Spawn):
            await spawn("/nowhere", ["x"], {})

    await once()
    before = _descriptors()
    for _ in range(5):
        await once()
    assert _descriptors() == before
    assert _children(os.getpid()) == []


def test_only_a_current_compiled_guard_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "guard.py"
    source.write_bytes(Path(guard.__file__).read_bytes())
    monkeypatch.setattr(guard, "__file__", str(source))
    assert _guard_file() == str(source)
    compiled = py_compile.compile(str(source), doraise=True)
    assert _guard_file() == compiled
    state = source.stat()
    os.utime(source, (state.st_atime, state.st_mtime + 10))
    assert _guard_file() == str(source)
