"""Stores that somebody else could have a hand in: whatever of them is odd, nothing leaves, nobody waits, nothing is mended
in silence, and the way out is told."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.listing import listing
from cgp_tui.consent.types import Denial
from cgp_tui.errors import Error
from tests.consent.people import Books, binding, draft, scoped
from tests.store.test_files import fifo, folder, linked

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 60.0
"""More than any answer takes, less than a wait for somebody at the other end of a pipe."""

PARTS: dict[str, Callable[[Books], Path]] = {
    "the ledger": lambda books: books.path,
    "its head": lambda books: books.head,
    "the lock of the writers": lambda books: books.ledger.append_lock,
    "the lock of the senders": lambda books: books.ledger.send_lock,
}
ODD: dict[str, Callable[[Path], object]] = {
    "a symbolic link": linked,
    "a link to nowhere": lambda path: (path.unlink(), path.symlink_to("nowhere")),  # type: ignore[func-returns-value]
    "a pipe": fifo,
    "a folder": folder,
    "one of two links": lambda path: os.link(path, path.with_name("other")),
    "writable for all": lambda path: path.chmod(0o666),
    "in a folder of all": lambda path: path.parent.chmod(0o777),
}


def state_of(path: Path) -> tuple[int, int, bytes]:
    status = os.lstat(path)
    return status.st_mode, path.parent.stat().st_mode, path.read_bytes() if path.is_file() else b""


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("part", PARTS)
def test_an_odd_store_lets_nothing_leave_and_stays_as_it_is(part: str, odd: str, books: Books) -> None:
    books.ledger.grant([draft(expires_at="never")])
    gate = Gate(books.ledger)
    assert gate.peek(binding(), scoped()).allowed
    path = PARTS[part](books)
    ODD[odd](path)
    before = state_of(path)
    began = time.monotonic()
    # What was read before stands as long as neither file has changed, whoever might change them from now on.
    known = (part, odd) == ("its head", "in a folder of all")
    for asked in (*(() if known else (gate,)), Gate(Ledger(books.path, books.head, books.clock))):
        answer = asked.peek(binding(), scoped())
        assert isinstance(answer, Denial)
        assert answer.code == "store_unsafe"
        assert answer.detail
        assert answer.fix
        listed = listing(asked.ledger, asked.ledger.open())
        assert [one.reason for one in listed if one.status == "in_force"] == [], "the list says what the gate does"
    if part != "the lock of the senders":
        with pytest.raises(Error) as caught:
            books.ledger.grant([draft(scope="a:b")])
        assert caught.value.code in ("store_unsafe", "unrecordable")
        assert caught.value.fix
    assert state_of(path) == before
    done = books.ledger.revoke([draft("revoke")], patience=0.5)
    assert done.outcome != "confirmed"
    assert done.detail
    assert time.monotonic() - began < SECONDS


def test_the_files_of_another_user_are_no_store(books: Books) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    books.ledger.grant([draft(expires_at="never")])
    for path in (books.path, books.head, books.ledger.append_lock, books.path.parent):
        os.chown(path, 12345, -1)
        answer = Gate(Ledger(books.path, books.head, books.clock)).peek(binding(), scoped())
        assert isinstance(answer, Denial)
        assert answer.code == "store_unsafe"
        assert "sudo chown" in answer.fix
        os.chown(path, 0, -1)
    assert Gate(books.ledger).peek(binding(), scoped()).allowed


MOUNTED = """
import subprocess, sys
from pathlib import Path
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.errors import Error
from tests.consent.people import binding, draft, scoped
real, place, head = map(Path, sys.argv[1:])
ledger, known = Ledger(place, head), Ledger(place, head)
known.open()
subprocess.run(["mount", "--bind", real, place], check=True)
answer = Gate(ledger).peek(binding(), scoped())
print(answer.code, answer.detail, answer.fix, sep="\\n")
for one in (ledger, known):
    for act in (lambda: one.grant([draft()]), lambda: one.spend([draft("spend")])):
        try:
            act()
        except Error as error:
            print(error.code)
print(ledger.revoke([draft("revoke")]).outcome)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a file is a mount of its own on Linux only")
def test_a_ledger_that_is_a_mount_of_its_own_has_other_locks_than_what_it_shows(tmp_path: Path) -> None:
    """As in a container that is given this one file: who writes or sends there is not who is waited for here."""
    real, there = Books(tmp_path / "real"), tmp_path / "there" / "receipts.toml"
    real.ledger.grant([draft(expires_at="never")])
    there.parent.mkdir(mode=0o700)
    there.write_bytes(real.path.read_bytes())
    command = ["unshare", "-rm", sys.executable, "-c", MOUNTED, str(real.path), str(there), str(real.head)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if "unshare: " in done.stderr:
        pytest.skip("this system lets nobody mount")
    code, detail, fix, *acts = done.stdout.splitlines()
    assert (code, fix) == ("store_unsafe", f"Mount its whole folder, or use the ledger where it is: umount {there}")
    assert detail.startswith(f"{there} is a mount of its own")
    assert acts == ["store_unsafe"] * 4 + ["emergency_stop"]
