"""The parent of one provider: it starts it, passes on how it ended, and kills everything it left behind.

Run as a script by `process.spawn`, in an interpreter without `site`; it never touches the provider's three pipes once the
provider runs. Its only line to the program is one socket. The program sends what to start, and later one byte to end it.
If the socket closes without that byte, the program is gone (killed, crashed): the guard then also gives the terminal back.

On Linux it is a subreaper, so a process that forks, leaves its session and loses its parent still ends up here and dies
with the rest. Elsewhere only the provider's process group is caught; the first report says which.

Every millisecond here is added to each provider's start. Hence the C modules below instead of `os`, `signal`, `ctypes`:
together those would double the time this interpreter needs to come up.
"""
# ruff: noqa: SIM105 - contextlib is one of the imports that cost too much here.

from __future__ import annotations

import _signal  # type: ignore[import-not-found,unused-ignore]
import posix
import select
import sys
import time

_SIGHUP, _SIGINT, _SIGKILL, _SIGPIPE, _SIGTERM = 1, 2, 9, 13, 15
_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_PATIENCE = 5.0
"""Seconds after which a process that does not die of SIGKILL (another user's, stuck in the kernel) is left behind."""


def prctl(option: int, value: int) -> bool:
    """One Linux prctl(2) call with one argument. False where the system has no such call or refuses it."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        import _ctypes

        call = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type,attr-defined,unused-ignore]
        return bool(_ctypes.call_function(call, (option, value, 0, 0, 0)) == 0)  # type: ignore[attr-defined,unused-ignore]
    except (ImportError, AttributeError):
        import ctypes

        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def be_private() -> bool:
    """Make this process non-dumpable: same-user processes cannot open its descriptors, memory or environment."""
    return prctl(_PR_SET_DUMPABLE, 0)


def children(pid: int) -> list[int]:
    """The direct children of `pid`, dead but unreaped ones included, on Linux."""
    found: list[int] = []
    try:
        for task in posix.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found.extend(map(int, file.read().split()))
    except FileNotFoundError:
        return found or _children_by_scan(pid)
    except (ProcessLookupError, PermissionError):
        pass
    return found


def _children_by_scan(pid: int) -> list[int]:
    """The same on a kernel without `children` files: the parent stands second after the name's closing bracket."""
    found = []
    for entry in posix.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as file:
                    if int(file.read().rpartition(b")")[2].split()[1]) == pid:
                        found.append(int(entry))
            except OSError:
                continue
    return found


def _kill(pid: int, parent: int) -> None:
    """Kill `pid` if it still is a child of `parent`; the handle comes first, so no stranger with a reused number dies."""
    try:
        handle = posix.pidfd_open(pid)
    except AttributeError:
        posix.kill(pid, _SIGKILL)
        return
    except OSError:
        return
    try:
        if pid in children(parent):
            _signal.pidfd_send_signal(handle, _SIGKILL)
    except OSError:
        pass
    finally:
        posix.close(handle)


def _kill_descendants() -> None:
    """One pass over the tree below this process, from the top."""
    stack = [posix.getpid()]
    while stack:
        parent = stack.pop()
        for child in children(parent):
            stack.append(child)
            _kill(child, parent)


def _kill_group(leader: int) -> None:
    try:
        posix.killpg(leader, _SIGKILL)
    except OSError:
        pass


def _receive(control: int) -> list[bytes]:
    """What to start: path, number of arguments, the arguments, then NAME=VALUE pairs, after a length of eight bytes."""
    data = b""
    size = 8
    while len(data) < size:
        piece = posix.read(control, 1 << 16)
        if not piece:
            posix._exit(0)
        data += piece
        if len(data) >= 8:
            size = 8 + int.from_bytes(data[:8], "big")
    return data[8:].split(b"\0")


def _start(spec: list[bytes]) -> int:
    path, count, *rest = spec
    arguments, pairs = rest[: int(count)], rest[int(count) :]
    environment = {name: value for name, _, value in (pair.partition(b"=") for pair in pairs)}
    # An interpreter ignores SIGPIPE, and an ignored signal would be inherited.
    defaults = [_SIGPIPE, *([_signal.SIGXFSZ] if hasattr(_signal, "SIGXFSZ") else [])]
    try:
        return posix.posix_spawn(path, arguments, environment, setsid=True, setsigdef=defaults, setsigmask=())
    except NotImplementedError:
        return posix.posix_spawn(path, arguments, environment, setpgroup=0, setsigdef=defaults, setsigmask=())


def _say(control: int, text: str) -> None:
    try:
        posix.write(control, text.encode() + b"\n")
    except OSError:
        pass


def _give_terminal_back(terminal: int) -> None:
    import fcntl
    import termios

    try:
        fcntl.ioctl(terminal, termios.TIOCNXCL)
    except OSError:
        pass


class _Guard:
    """The life of one provider as its parent sees it."""

    def __init__(self, control: int, terminal: int, provider: int, whole_tree: bool, wake: int) -> None:
        self.control, self.terminal, self.wake = control, terminal, wake
        self.provider, self.whole_tree = provider, whole_tree
        self.code: int | None = None

    def reap(self) -> bool:
        """Collect every dead child; report the provider's end once. False when no child is left."""
        while True:
            try:
                pid, status = posix.waitpid(-1, posix.WNOHANG)
            except OSError:
                return False
            if pid == 0:
                return True
            if pid == self.provider:
                signal = posix.WTERMSIG(status) if posix.WIFSIGNALED(status) else 0
                code = posix.WEXITSTATUS(status) if posix.WIFEXITED(status) else 0
                self.code = 128 + signal if signal else code
                if not self.whole_tree:
                    _kill_group(pid)
                _say(self.control, f"exited {code} {signal}")

    def watch(self) -> None:
        """Wait until the program says end, or is gone, or somebody tells this process to stop."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(self.wake, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == self.control:
                    try:
                        said = posix.read(self.control, 64)
                    except OSError:
                        said = b""
                    if not said and self.terminal >= 0:
                        _give_terminal_back(self.terminal)
                    return
                if not {_SIGHUP, _SIGINT, _SIGTERM}.isdisjoint(posix.read(self.wake, 512)):
                    return
                self.reap()

    def end(self) -> None:
        """Kill until nothing is left. Killing wins against forking because a child is found the moment it is adopted."""
        poll = select.poll()
        poll.register(self.wake, select.POLLIN)
        last = time.monotonic() + _PATIENCE
        if self.code is None:
            _kill_group(self.provider)
        while self.reap():
            if self.whole_tree:
                _kill_descendants()
            if time.monotonic() > last:
                _say(self.control, f"left {len(children(posix.getpid()))}")
                return
            if poll.poll(1):
                posix.read(self.wake, 512)


def main(control: int, terminal: int) -> None:
    """Guard one provider; `control` is the socket to the program, `terminal` its terminal or -1."""
    for descriptor in (control, terminal):
        if descriptor >= 0:
            posix.set_inheritable(descriptor, False)
    be_private()
    whole_tree = prctl(_PR_SET_CHILD_SUBREAPER, 1)
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    wake, waker = posix.pipe()
    posix.set_blocking(waker, False)
    _signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    for number in (_SIGHUP, _SIGINT, _SIGTERM, _signal.SIGCHLD):
        _signal.signal(number, lambda *_: None)
    try:
        provider = _start(_receive(control))
    except OSError as error:
        _say(control, f"failed {error.errno}")
        return
    # Our copies would keep the provider's pipes open after its end.
    null = posix.open("/dev/null", posix.O_RDWR)
    for descriptor in (0, 1, 2):
        posix.dup2(null, descriptor)
    _say(control, f"started {provider} {int(whole_tree)}")
    guard = _Guard(control, terminal, provider, whole_tree, wake)
    guard.watch()
    guard.end()
    posix._exit(guard.code if guard.code is not None else 137)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
