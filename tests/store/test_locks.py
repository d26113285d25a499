"""Locks between processes and threads: who may hold what at once, and the four ways in which that goes wrong elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cgp_tui.consent.ledger import Ledger
from cgp_tui.errors import InputError, OurError
from cgp_tui.store import locks
from cgp_tui.store.files import UnsafeStoreError
from cgp_tui.store.locks import BusyError

HOLD = """
import sys
from pathlib import Path
from cgp_tui.store import locks
with locks.take(Path(sys.argv[1]), shared=sys.argv[2] == "shared", patience=5):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def elsewhere(path: Path, kind: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until the block ends."""
    command = [sys.executable, "-c", HOLD, str(path), kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "ledger.lock"


@pytest.mark.parametrize(
    ("theirs", "ours", "free"),
    [("shared", True, True), ("shared", False, False), ("exclusive", True, False), ("exclusive", False, False)],
)
def test_between_processes(theirs: str, ours: bool, free: bool, lock: Path) -> None:
    with elsewhere(lock, theirs) as process:
        held = locks.attempt(lock, shared=ours)
        assert (held is not None) == free
        if held:
            held.release()
        else:
            with pytest.raises(BusyError) as caught:
                locks.take(lock, shared=ours, patience=0.05)
            assert caught.value.code == "lock_timeout"
            if sys.platform == "linux":
                assert caught.value.pids == (process.pid,)
                assert str(process.pid) in caught.value.message
    with locks.take(lock, shared=False, patience=1):
        pass


@pytest.mark.parametrize(("first", "second", "free"), [(True, True, True), (True, False, False), (False, True, False)])
def test_between_holders_of_one_process(first: bool, second: bool, free: bool, lock: Path) -> None:
    """The trap: one open file would let the second turn the first one's lock into its own."""
    with locks.take(lock, shared=first, patience=1):
        other = locks.attempt(lock, shared=second)
        assert (other is not None) == free
        if other:
            other.release()


def test_writers_of_one_process_line_up(lock: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def write() -> None:
        for _ in range(20):
            with locks.take(lock, shared=False, patience=10):
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.0005)
                inside.pop()

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 80
    assert max(most) == 1
    with locks.take(lock, shared=False, patience=1), pytest.raises(BusyError) as caught:
        locks.take(lock, shared=False, patience=0.05)
    assert caught.value.pids == (os.getpid(),)


def test_taken_within_the_wait(lock: Path) -> None:
    held = locks.take(lock, shared=False, patience=1)
    threading.Timer(0.1, held.release).start()
    began = time.monotonic()
    locks.take(lock, shared=True, patience=120).release()
    assert 0.05 < time.monotonic() - began < 60


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_does_not_keep_the_lock(lock: Path) -> None:
    held = locks.take(lock, shared=False, patience=1)
    reader, writer = os.pipe()
    ready, born = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        os.write(born, b"x")
        os.read(reader, 1)
        held.release()
        os._exit(0)
    os.close(reader)
    os.read(ready, 1)
    held.release()
    locks.take(lock, shared=False, patience=0).release()
    for fd in (writer, ready, born):
        os.close(fd)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_that_lets_go_takes_nothing_from_its_parent(lock: Path) -> None:
    """Its copy is of the parent's open file: to unlock it would be to unlock the parent's."""
    held = locks.take(lock, shared=False, patience=1)
    child = os.fork()
    if child == 0:
        try:
            held.release()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert locks.attempt(lock, shared=True) is None
    held.release()


def test_a_started_program_does_not_keep_the_lock(lock: Path) -> None:
    held = locks.take(lock, shared=False, patience=1)
    command = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False) as child:
        assert child.stdout is not None
        child.stdout.readline()
        held.release()
        locks.take(lock, shared=False, patience=0).release()
        child.communicate(b"\n")


def test_a_lock_file_that_was_replaced_is_opened_anew(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between opening and locking the file goes away: the lock got on the lost one would exclude nobody."""
    import fcntl

    lock.parent.mkdir()
    really = fcntl.flock
    calls: list[int] = []

    def losing(fd: int, operation: int) -> None:
        really(fd, operation)
        calls.append(fd)
        if len(calls) == 1:
            lock.unlink()

    monkeypatch.setattr(fcntl, "flock", losing)
    held = locks.attempt(lock, shared=False)
    assert held is not None
    assert len(calls) == 2
    monkeypatch.undo()
    assert locks.attempt(lock, shared=True) is None
    held.release()


def test_released_once(lock: Path) -> None:
    held = locks.take(lock, shared=False, patience=1)
    held.release()
    again = locks.take(lock, shared=False, patience=1)
    held.release()
    assert locks.attempt(lock, shared=True) is None, "a second release must not give up another's lock"
    again.release()


def test_private_and_never_removed(lock: Path) -> None:
    locks.take(lock, shared=True, patience=1).release()
    assert lock.stat().st_mode & 0o777 == 0o600
    inode = lock.stat().st_ino
    locks.take(lock, shared=False, patience=1).release()
    assert lock.stat().st_ino == inode


def test_a_lock_file_others_can_write_is_refused(lock: Path) -> None:
    locks.take(lock, shared=True, patience=1).release()
    lock.chmod(0o666)
    with pytest.raises(UnsafeStoreError, match="0666"):
        locks.attempt(lock, shared=True)
    lock.unlink()
    lock.symlink_to(lock.with_name("elsewhere"))
    with pytest.raises(UnsafeStoreError, match="a symbolic link") as raised:
        locks.attempt(lock, shared=True)
    assert raised.value.fix == f"Move it aside: mv {lock} {lock}.aside"
    assert not lock.with_name("elsewhere").exists()
    lock.unlink()
    lock.mkdir()
    with pytest.raises(UnsafeStoreError, match="not a regular file"):
        locks.attempt(lock, shared=True)


def test_no_descriptor_is_lost(lock: Path) -> None:
    lock.parent.mkdir()
    before = set(Path("/dev/fd").iterdir())
    for _ in range(20):
        with locks.take(lock, shared=False, patience=1):
            assert locks.attempt(lock, shared=True) is None
    lock.chmod(0o666)
    with pytest.raises(UnsafeStoreError):
        locks.attempt(lock, shared=True)
    assert set(Path("/dev/fd").iterdir()) == before


def test_a_system_without_locks_says_that_it_has_no_gate(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "fcntl", None)
    with pytest.raises(OurError, match="no gate"):
        locks.attempt(lock, shared=True)


def test_imports_where_there_is_no_fcntl() -> None:
    code = (
        "import sys; sys.modules['fcntl'] = None; sys.modules['termios'] = None; sys.modules['pwd'] = None\n"
        "from cgp_tui.store import locks, log, files; from cgp_tui.consent import gate, ledger\n"
        "print(locks.AVAILABLE)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


def test_who_is_barred_from_a_lock_and_who_only_waits(lock: Path) -> None:
    other = lock.with_name("other")
    assert locks.barred(lock.parent / "no" / "folder") == "lock_timeout"
    locks.take(lock, shared=True, patience=1).release()
    assert locks.barred(lock, other) == ""
    with locks.take(lock, shared=False, patience=1):
        assert locks.barred(lock, other) == "", "it is busy"
    other.chmod(0o666)
    assert locks.barred(lock, other) == "store_unsafe"
    assert locks.attempt(lock, shared=False) is not None, "nothing is kept"


def test_of_a_lock_that_is_not_there_nobody_is_the_holder(lock: Path) -> None:
    assert locks.holders(lock) == ()
    with locks.take(lock, shared=True, patience=1), elsewhere(lock, "shared") as process:
        if sys.platform == "linux":
            assert locks.holders(lock) == tuple(sorted((os.getpid(), process.pid)))
    assert locks.holders(lock) == ()


def test_a_lock_is_let_go_whatever_descriptor_it_got(lock: Path) -> None:
    """With stdin closed the first one opened is 0."""
    code = (
        "import os, sys; from pathlib import Path; from cgp_tui.store import locks\n"
        "os.close(0); path = Path(sys.argv[1]); held = locks.take(path, shared=False, patience=1)\n"
        "held.release(); print(locks.attempt(path, shared=False) is not None)"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(lock)], capture_output=True, text=True, check=True)
    assert ran.stdout == "True\n"


def open_files() -> set[Path]:
    return set(Path("/dev/fd").iterdir())


def test_the_next_holder_uses_the_open_file(lock: Path) -> None:
    locks.take(lock, shared=False, patience=1).release()
    before = open_files()
    for _ in range(5):
        with locks.take(lock, shared=True, patience=1):
            assert open_files() == before, "no other is opened"
        assert open_files() == before


def test_an_open_file_whose_lock_somebody_has_is_given_up(lock: Path) -> None:
    locks.take(lock, shared=False, patience=1).release()
    with elsewhere(lock, "exclusive"):
        before = open_files()
        assert locks.attempt(lock, shared=True) is None
        assert len(open_files()) < len(before)
    with locks.take(lock, shared=True, patience=1):
        assert locks.attempt(lock, shared=False) is None


@pytest.mark.parametrize("there", [True, False])
def test_an_open_file_is_no_longer_used_when_another_stands_in_its_place(there: bool, lock: Path) -> None:
    locks.take(lock, shared=False, patience=1).release()
    lock.rename(lock.with_name("lost"))
    if there:
        lock.touch(0o600)
    with elsewhere(lock, "exclusive"):
        assert locks.attempt(lock, shared=True) is None, "the lock on the lost file would exclude nobody"


def test_few_files_are_kept_open(lock: Path) -> None:
    lock.parent.mkdir()
    before = len(open_files())
    for number in range(100):
        locks.take(lock.with_name(f"{number}"), shared=False, patience=1).release()
    assert len(open_files()) <= before + 16


def test_a_kept_file_that_cannot_be_closed_spoils_no_other_lock(lock: Path) -> None:
    lock.parent.mkdir()
    locks.take(lock, shared=False, patience=1).release()
    os.close(locks._spare[os.fspath(lock)].fd)
    for number in range(100):
        locks.take(lock.with_name(f"{number}"), shared=False, patience=1).release()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_locks_through_a_file_of_its_own(lock: Path) -> None:
    """The open file that the parent kept is the parent's: a lock got through the copy would be the parent's lock, too."""
    locks.take(lock, shared=False, patience=1).release()
    reader, writer = os.pipe()
    done, finish = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            locks.take(lock, shared=False, patience=60)
            os.write(writer, b"x")
            os.read(done, 1)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writer)
    os.read(reader, 1)
    held = locks.attempt(lock, shared=True)
    os.write(finish, b"x")
    assert os.waitpid(child, 0)[1] == 0
    assert held is None
    locks.take(lock, shared=True, patience=1).release()
    for fd in (reader, done, finish):
        os.close(fd)


def test_the_folder_is_looked_at_for_each_lock_but_one_that_another_there_shelters(lock: Path) -> None:
    beside = lock.with_name("beside")
    for path in (lock, beside):
        locks.take(path, shared=True, patience=1).release()
    with locks.take(lock, shared=True, patience=1):
        lock.parent.chmod(0o777)
        sheltered = locks.attempt(beside, shared=True, sheltered=True)
        assert sheltered is not None
        sheltered.release()
        with pytest.raises(UnsafeStoreError, match="0777"):
            locks.attempt(beside, shared=True)
    with pytest.raises(UnsafeStoreError, match="0777"):
        locks.attempt(lock, shared=True)


def test_an_interrupted_attempt_loses_no_descriptor(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locks.take(lock, shared=False, patience=1).release()
    before = len(open_files())

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(locks, "unsafe", interrupted)
        with pytest.raises(KeyboardInterrupt):
            locks.attempt(lock, shared=True)
        assert len(open_files()) == before - 1, "the file that was kept open is closed"
        with pytest.raises(KeyboardInterrupt):
            locks.attempt(lock, shared=True)
        assert len(open_files()) == before - 1
    with locks.take(lock, shared=False, patience=1):
        pass


def test_only_holders_of_this_very_file_are_named(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock.parent.mkdir()
    lock.touch(0o600)
    status = lock.stat()
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
    other = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev) + 1:02x}"
    table = (
        f"1: FLOCK  ADVISORY  WRITE 20 {device}:{status.st_ino} 0 EOF\n"
        f"2: FLOCK  ADVISORY  READ 9 {device}:{status.st_ino} 0 EOF\n"
        f"2: -> FLOCK  ADVISORY  WRITE 11 {device}:{status.st_ino} 0 EOF\n"
        f"3: POSIX  ADVISORY  WRITE 12 {device}:{status.st_ino} 0 EOF\n"
        f"4: FLOCK  ADVISORY  WRITE 13 {other}:{status.st_ino} 0 EOF\n"
        f"5: FLOCK  ADVISORY  WRITE 14 {device}:{status.st_ino}1 0 EOF\n"
        f"6: FLOCK  ADVISORY  WRITE -1 {device}:{status.st_ino} 0 EOF\n"
        "7: FLOCK  ADVISORY\n"
    )
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: table)
    assert locks.holders(lock) == (9, 20)


def test_a_lock_file_that_cannot_be_opened_is_the_systems_fault_and_said_as_such(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock.parent.write_bytes(b"no folder")
    with pytest.raises(NotADirectoryError):
        locks.attempt(lock, shared=True)
    lock.parent.unlink()
    locks.take(lock, shared=True, patience=1).release()
    before = len(open_files())

    def exhausted(*_: object) -> int:
        raise OSError(24, "Too many open files")

    with locks.take(lock, shared=True, patience=1), monkeypatch.context() as patch:
        patch.setattr(os, "open", exhausted)
        with pytest.raises(OSError, match="Too many open files"):
            locks.attempt(lock, shared=True)
    assert len(open_files()) == before


@pytest.mark.parametrize("name", ["mine.toml.append.lock", "mine.toml.send.lock", "MINE.TOML.SEND.LOCK"])
def test_what_is_named_like_a_lock_takes_no_place_of_one(name: str, tmp_path: Path) -> None:
    """Whatever is done to a ledger or a head there would put another file in the place of a lock that somebody holds."""
    with pytest.raises(InputError, match="is named like the lock of a ledger") as caught:
        Ledger(tmp_path / name)
    assert caught.value.code == "usage"
    with pytest.raises(InputError, match="is named like the lock of a ledger"):
        Ledger(tmp_path / "other.toml", tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    assert locks.of_ledger(tmp_path / "lock") == (tmp_path / "lock.append.lock", tmp_path / "lock.send.lock")
