"""Start one provider under a guard, with nothing of ours but three pipes and a few named variables; end its whole tree."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib.util
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from cgp_tui.checks.types import Problem
from cgp_tui.errors import InputError, OurError
from cgp_tui.host.errors import Spawn
from cgp_tui.target import search_path

_PASSED: Final = ("HOME", "LANG", "TZ", "TMPDIR")
_LIBRARY_PATHS: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_GUARD_SECONDS: Final = 7.0
"""How long the guard may take to start a provider, or to kill a tree, before we do what we can ourselves; it gives up a
tree after five."""
_DENIED: Final = ("You may not execute the file or enter a folder of its path.", "Check its mode: chmod +x.")
_OURS: Final = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ECHILD, errno.ETIMEDOUT)
_WHY: Final = {
    errno.ENOENT: ("The file, or the interpreter its first line names, does not exist.", "Check the path and the #! line."),
    errno.ENOEXEC: (
        "The file is not a program that this system can run.",
        "A script needs a first line such as #!/usr/bin/env python3.",
    ),
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.ENOTDIR: ("A part of its path is not a folder.", "Check the path."),
    errno.E2BIG: ("Arguments and environment are too long for the system.", "Pass less, or pass a file name."),
}


class Exited(msgspec.Struct, frozen=True):
    """How a process ended: `code` for a normal end, `signal` for a killed one, both None when its guard died first. `ours`
    is whether we killed it; without a signal, whether we are about to, since it closed its stdout."""

    code: int | None
    signal: int | None
    ours: bool = False


def child_environment(names: Iterable[str] = (), source: Mapping[str, str] | None = None) -> dict[str, str]:
    """All a provider gets to see of `source` (default: our environment): the cleaned PATH, HOME, LANG, LC_*, TZ, TMPDIR and
    the variables the person named.

    Raises InputError usage where a named variable is not set: the provider would miss it silently.
    """
    source = os.environ if source is None else source
    wanted = [*_PASSED, *(name for name in source if name.startswith("LC_"))]
    made = {name: source[name] for name in wanted if name in source}
    made["PATH"] = search_path(source.get("PATH"))
    for name in names:
        if name not in source:
            raise InputError("usage", f"--env {name}: this variable is not set.", f"Set it first: export {name}=...")
        # Naming what is passed on anyway does not bring back the folders that everybody can fill.
        made.setdefault(name, source[name])
    return made


class Process:
    """A running provider. `stdin`, `stdout`, `stderr` are our non-blocking ends of its pipes; `pid` leads its session.

    `whole_tree` says whether a process that left the session would be caught as well (Linux), so that a screen can say
    where it would not. `exited` resolves when the provider itself ends, whoever still holds its pipes.
    """

    def __init__(self, guard: subprocess.Popen[bytes], control: socket.socket, pipes: tuple[int, int, int]) -> None:
        loop = asyncio.get_running_loop()
        self.stdin, self.stdout, self.stderr = pipes
        self.pid = 0
        self.whole_tree = False
        self.left_behind = 0
        self.exited: asyncio.Future[Exited] = loop.create_future()
        self._started: asyncio.Future[int] = loop.create_future()
        self._gone: asyncio.Future[None] = loop.create_future()
        self._guard = guard
        self._control = control
        self._handle = -1
        self._said = b""
        self._ended: asyncio.Task[None] | None = None
        loop.add_reader(control, self._listen)

    def _listen(self) -> None:
        try:
            data = self._control.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *lines, self._said = (self._said + data).split(b"\n")
        for line in lines:
            word, *numbers = line.decode().split()
            self._heard(word, [int(number) for number in numbers])
        if not data:
            self._guard_is_gone()

    def _heard(self, word: str, numbers: Sequence[int]) -> None:
        if word == "failed":
            self._started.set_result(numbers[0])
        elif word == "started":
            self.pid, self.whole_tree = numbers[0], bool(numbers[1])
            with contextlib.suppress(AttributeError, OSError):
                self._handle = os.pidfd_open(self.pid)
            self._started.set_result(0)
        elif word == "exited":
            code, number = numbers
            self.exited.set_result(Exited(None, number) if number else Exited(code, None))
        elif word == "left":
            self.left_behind = numbers[0]

    def _guard_is_gone(self) -> None:
        """The guard ends last; if it went before its provider, somebody killed it and what we can see dies by our hand."""
        asyncio.get_running_loop().remove_reader(self._control)
        if not self._started.done():
            self._started.set_result(errno.ECHILD)
        if not self.exited.done():
            self._kill_what_we_see()
            self.exited.set_result(Exited(None, None))
        if not self._gone.done():
            self._gone.set_result(None)

    def _kill_what_we_see(self) -> None:
        if not self.pid:
            return
        with contextlib.suppress(OSError):
            if self._handle >= 0:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            os.killpg(self.pid, signal.SIGKILL)

    @property
    def over(self) -> bool:
        """Whether the provider has ended, though its guard may not have said so yet; False where that cannot be known."""
        if self._handle < 0:
            return self.exited.done()
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        return self.exited.done() or bool(poll.poll(0))

    async def started(self) -> int:
        """0 when the provider runs, else the errno that kept it from running."""
        return await asyncio.shield(self._started)

    async def send_spec(self, path: str, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        pairs = [f"{name}={value}" for name, value in environment.items()]
        spec = b"\0".join(os.fsencode(item) for item in (path, str(len(argv)), *argv, *pairs))
        with contextlib.suppress(OSError):
            await asyncio.get_running_loop().sock_sendall(self._control, len(spec).to_bytes(8, "big") + spec)

    async def end(self) -> None:
        """Kill the provider and everything below it. Our ends stay open, with what is still in them, until `close`.
        Done once; later calls wait for the first."""
        if self._ended is None:
            self._ended = asyncio.create_task(self._end())
        await asyncio.shield(self._ended)

    def close(self) -> None:
        """Close our ends of the pipes. Nobody may be reading or writing them any more."""
        for descriptor in (self.stdin, self.stdout, self.stderr):
            if descriptor >= 0:
                os.close(descriptor)
        self.stdin = self.stdout = self.stderr = -1

    async def _end(self) -> None:
        with contextlib.suppress(OSError):
            self._control.send(b"k")
        try:
            await asyncio.wait_for(asyncio.shield(self._gone), _GUARD_SECONDS)
        except TimeoutError:
            self._guard.kill()
            self._guard_is_gone()
        try:
            await asyncio.to_thread(self._guard.wait)
        except RuntimeError:  # no thread is to be had; a guard that has closed its socket ends at once
            self._guard.wait()
        self._control.close()
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


async def spawn(
    path: str, argv: Sequence[str], environment: Mapping[str, str], *, cwd: Path | None = None, terminal: int = -1
) -> Process:
    """Start `path` (absolute, not its realpath) with `argv` (its own name included) under a guard.

    `terminal` is a descriptor of our terminal, on which the guard ends exclusive use if we are killed; -1 for none.
    Raises Spawn when the program cannot be run, OurError when we cannot start anything.
    """
    if os.name != "posix":
        raise OurError("spawn_failed", "Providers over stdio need Linux or macOS.", "Read recordings here instead.")
    try:
        guard, control, pipes = _launch_guard(cwd, terminal)
    except OSError as error:
        raise _cannot_start(path, cwd, error) from None
    process = Process(guard, control, pipes)
    try:
        async with asyncio.timeout(_GUARD_SECONDS):
            await process.send_spec(path, argv, environment)
            failure = await process.started()
    except TimeoutError:
        await process.end()
        process.close()
        raise _cannot_start(path, None, OSError(errno.ETIMEDOUT, "")) from None
    except BaseException:
        await process.end()
        process.close()
        raise
    if failure:
        await process.end()
        process.close()
        raise _cannot_start(path, None, OSError(failure, os.strerror(failure)))
    return process


def _launch_guard(cwd: Path | None, terminal: int) -> tuple[subprocess.Popen[bytes], socket.socket, tuple[int, int, int]]:
    """A guard that waits for its orders, our end of its socket, and our ends of the provider's three pipes."""
    ours, theirs = socket.socketpair()
    made: list[int] = []
    try:
        for _ in range(3):
            made.extend(os.pipe())
        child_in, our_in, our_out, child_out, our_err, child_err = made
        guard = subprocess.Popen(
            [sys.executable, "-I", "-S", _guard_file(), str(theirs.fileno()), str(terminal)],
            stdin=child_in,
            stdout=child_out,
            stderr=child_err,
            pass_fds=(theirs.fileno(), *((terminal,) if terminal >= 0 else ())),
            start_new_session=True,
            cwd=cwd,
            env={name: os.environ[name] for name in _LIBRARY_PATHS if name in os.environ},
        )
    except OSError:
        for descriptor in made:
            os.close(descriptor)
        ours.close()
        raise
    finally:
        theirs.close()
    for descriptor in (child_in, child_out, child_err):
        os.close(descriptor)
    for descriptor in (our_in, our_out, our_err):
        os.set_blocking(descriptor, False)
    ours.setblocking(False)
    return guard, ours, (our_in, our_out, our_err)


def _guard_file() -> str:
    """The guard's script, in its compiled form where that is current: compiling it again costs milliseconds."""
    from cgp_tui.host import guard  # imported, so that its compiled form is written where it may be

    source = Path(guard.__file__)
    compiled = Path(importlib.util.cache_from_source(guard.__file__))
    with contextlib.suppress(OSError), compiled.open("rb") as file:
        state = source.stat()
        words = (0, int(state.st_mtime), state.st_size)
        stamp = b"".join((word & 0xFFFF_FFFF).to_bytes(4, "little") for word in words)
        if file.read(16) == importlib.util.MAGIC_NUMBER + stamp:
            return str(compiled)
    return str(source)


def _cannot_start(path: str, cwd: Path | None, error: OSError) -> Spawn | OurError:
    if error.errno in _OURS:
        return OurError(
            "spawn_failed", f"No process could be started: {os.strerror(error.errno)}.", "Close something and retry."
        )
    if cwd is not None and not cwd.is_dir():
        return Spawn(Problem("spawn_failed", f"The working folder {cwd} does not exist.", "Check the folder."))
    if error.filename == sys.executable:
        # The guard comes before the provider, and is started by the Python that runs us.
        why = f"cgp-tui's own Python, {sys.executable}, cannot be started: {error.strerror}."
        return OurError("spawn_failed", why, "Fix that, or reinstall cgp-tui.")
    if cwd is not None and str(error.filename) == str(cwd):
        why = f"The working folder {cwd} cannot be entered: {error.strerror}."
        return Spawn(Problem("spawn_failed", why, "Check its mode."))
    reason, fix = _WHY.get(error.errno or 0, (f"{error.strerror}.", "Try to run it by hand."))
    return Spawn(Problem("spawn_failed", f"{path} cannot be started. {reason}", fix))
