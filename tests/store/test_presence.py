"""A sign without a file: other processes see it while it is shown, and nobody else's counts."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cgp_tui.store import locks, presence
from cgp_tui.store.locks import BusyError
from cgp_tui.store.presence import Sign, show, wait

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the table of locks is Linux's")

SHOW = """
import os, sys
from pathlib import Path
from cgp_tui.store import locks, presence
if len(sys.argv) > 2:
    os.setuid(int(sys.argv[2]))
sign = presence.show(Path(sys.argv[1]))
print("shown", flush=True)
sys.stdin.read()
"""


def shown(path: Path) -> Sign:
    sign = show(path)
    assert sign is not None
    return sign


def seen(path: Path, patience: float = 0.0) -> tuple[int, ...]:
    try:
        wait(path, patience)
    except BusyError as busy:
        assert busy.code == "lock_timeout" and str(busy.pids[0]) in busy.message
        return busy.pids
    return ()


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def elsewhere(path: Path, *user: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SHOW, str(path), *user]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "shown\n"
    return process


def test_it_is_seen_from_elsewhere_until_it_ends_and_only_at_its_path(tmp_path: Path) -> None:
    path = tmp_path / "no-folder" / "ledger"
    with elsewhere(path) as process:
        assert seen(path) == (process.pid,)
        assert seen(path.with_name("other")) == ()
        (tmp_path / "link").symlink_to(tmp_path)
        assert seen(tmp_path / "link" / "no-folder" / "ledger") == (process.pid,), "it is one place by any name"
        process.kill()
    assert seen(path) == ()
    assert list(tmp_path.iterdir()) == [tmp_path / "link"], "and nothing is made for it"


def test_it_is_seen_though_a_link_to_another_folder_took_the_place_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "data" / "ledger"
    path.parent.mkdir()
    with elsewhere(path) as process:
        path.parent.rename(tmp_path / "moved")
        (tmp_path / "copy").mkdir()
        path.parent.symlink_to("copy")
        assert seen(path) == (process.pid,)
        process.kill()


def test_two_at_once_are_two(tmp_path: Path) -> None:
    first, second = shown(tmp_path), shown(tmp_path)
    first.release()
    assert seen(tmp_path) == (os.getpid(),), "the end of one is not the end of the other"
    second.release()
    assert seen(tmp_path) == ()
    before = open_files()
    shown(tmp_path).release()
    assert open_files() == before, "its file is used again"


def test_it_is_waited_for(tmp_path: Path) -> None:
    sign = shown(tmp_path)
    ending = threading.Timer(0.1, sign.release)
    ending.start()
    assert seen(tmp_path, 60.0) == ()
    ending.join()


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user takes root")
def test_that_of_another_user_holds_nobody_up(tmp_path: Path) -> None:
    with elsewhere(tmp_path, "65534") as process:
        assert str(process.pid) in Path("/proc/locks").read_text()
        assert seen(tmp_path) == ()
        process.kill()


def test_that_of_a_process_that_is_gone_holds_nobody_up() -> None:
    """It was in the table a moment ago."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert not presence._ours(process.pid)
    assert presence._ours(os.getpid())


def test_a_forked_child_shows_nothing_and_ends_nothing(tmp_path: Path) -> None:
    shown(tmp_path).release()
    sign = shown(tmp_path / "shown")
    pid = os.fork()
    if pid == 0:
        made = presence.show(tmp_path)
        os._exit(0 if made is not None and not presence._spare else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert seen(tmp_path / "shown") == (os.getpid(),)
    sign.release()


def test_where_the_system_has_none_nobody_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sign = shown(tmp_path)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(presence, "_TABLE", tmp_path / "no-table")
        assert seen(tmp_path) == ()
        elsewhere.setattr(presence, "_AVAILABLE", False)
        assert show(tmp_path) is None
    assert seen(tmp_path) == (os.getpid(),)
    sign.release()


def test_a_long_table_is_looked_at_more_than_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes in pieces, and a line can slip through between them while others leave."""
    at = presence._place(str(tmp_path))
    line = b"2: POSIX  ADVISORY  WRITE %d 00:01:3 %d %d\n" % (os.getpid(), at, at)
    other = b"1: FLOCK  ADVISORY  WRITE 1 fe:00:10592261 0 EOF\n"

    class Table:
        def __init__(self, *texts: bytes) -> None:
            self.texts = iter(texts)

        def read_bytes(self) -> bytes:
            return next(self.texts)

    for size, found in ((1, ()), (200, (os.getpid(),))):
        monkeypatch.setattr(presence, "_TABLE", Table(other * size, other * size + line, other * size))
        assert presence._shown({at}) == found


def test_no_file_is_left_open_where_no_lock_is_to_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    before = open_files() - len(presence._spare)
    monkeypatch.setattr(fcntl, "lockf", refused)
    with pytest.raises(OSError, match="No locks"):
        show(tmp_path)
    assert open_files() - len(presence._spare) == before


def test_with_a_lock_the_sign_ends_first_and_the_lock_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "lock"

    def both() -> tuple[bool, bool]:
        free = locks.attempt(lock, shared=False)
        if free is not None:
            free.release()
        return free is None, bool(seen(tmp_path))

    held = presence.over(locks.take(lock, shared=True, patience=0), tmp_path)
    assert both() == (True, True)
    held.release()
    assert both() == (False, False)

    def exhausted(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    presence._forget()
    monkeypatch.setattr(os, "memfd_create", exhausted)
    held = presence.over(locks.take(lock, shared=True, patience=0), tmp_path)
    assert both() == (True, False), "the lock alone still holds"
    held.release()
    monkeypatch.setattr(presence, "_AVAILABLE", False)
    held = presence.over(locks.take(lock, shared=True, patience=0), tmp_path)
    assert both() == (True, False)
    held.release()
