"""Writers that compete, die or run out of disk: what was acknowledged is there, and nothing counts that was not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.consent.archive import present, set_aside
from cgp_tui.consent.ledger import Ledger
from cgp_tui.store import chain, files, locks
from tests.consent.people import SCOPE, Books, draft

WRITER = """
import sys, time
from pathlib import Path
from cgp_tui.consent.ledger import Ledger
from tests.consent.people import draft
ledger = Ledger(Path(sys.argv[1]), Path(sys.argv[2]))
for number in range(int(sys.argv[3])):
    (receipt,) = ledger.grant([draft(note=f"{sys.argv[4]} {number}", expires_at="never")], patience=60)
    print(receipt.receipt_id, receipt.seq, flush=True)
"""
ROOT = Path(__file__).resolve().parent.parent.parent


def writer(books: Books, count: int, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(books.path), str(books.head), str(count), name]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_two_processes_grant_at_once(books: Books) -> None:
    both = [writer(books, 15, name) for name in "ab"]
    printed = [process.communicate()[0].split() for process in both]
    acknowledged = {words[at]: int(words[at + 1]) for words in printed for at in range(0, len(words), 2)}
    opened = books.open().open()
    assert opened.state == "ok"
    assert {receipt.receipt_id: receipt.seq for receipt in opened.receipts} == acknowledged
    assert len(acknowledged) == 30


def test_killed_writers_lose_nothing_that_was_acknowledged(books: Books) -> None:
    """Kill -9 at uneven moments; what a writer was told is written is there, in order, and never more than it asked for."""
    acknowledged: list[str] = []
    for turn in range(6):
        process = writer(books, 10_000, str(turn))
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3 + turn)]
        time.sleep(0.003 * turn)
        process.send_signal(signal.SIGKILL)
        rest = process.communicate()[0]
        acknowledged += [line.split()[0] for line in (*lines, *rest.splitlines(keepends=True)) if line.endswith("\n")]
    state = books.open().open().state
    assert state in ("ok", "torn", "adopt")
    opened = books.open().settle()
    assert opened.state == "ok"
    ids = [receipt.receipt_id for receipt in opened.receipts if receipt.kind == "grant"]
    assert [one for one in ids if one in set(acknowledged)] == acknowledged
    assert len(ids) - len(acknowledged) <= 6, "at most the record each one was writing"
    assert {receipt.scope for receipt in opened.receipts if receipt.kind == "grant"} == {SCOPE}


@pytest.mark.parametrize("size", range(500, 3000, 250))
def test_a_disk_that_fills_up_grants_nothing(size: int, books: Books) -> None:
    """Files may not grow beyond `size` bytes, so that writes are cut short: a grant is there whole or not at all."""
    books.ledger.grant([draft(expires_at="never")])
    before = books.path.read_bytes()
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from cgp_tui.consent.ledger import Ledger; from cgp_tui.errors import OurError\n"
        "from tests.consent.people import draft\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)\n"
        "try: Ledger(Path(sys.argv[1]), Path(sys.argv[2])).grant([draft(expires_at='never')])\n"
        "except OurError as error: print(error.code)\n"
        "else: print('granted')\n"
    )
    command = [sys.executable, "-B", "-c", code, str(books.path), str(books.head), str(size)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    opened = books.open().open()
    if ran.stdout == "granted\n":
        assert len(opened.receipts) == 2
    else:
        assert ran.stdout == "unrecordable\n"
        assert books.path.read_bytes() == before
    assert opened.state == "ok"


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user takes root")
def test_a_folder_that_cannot_be_written_grants_nothing(books: Books) -> None:
    books.ledger.grant([draft()])
    code = (
        "import os, sys; from pathlib import Path\n"
        "from cgp_tui.consent.ledger import Ledger; from cgp_tui.errors import OurError\n"
        "from tests.consent.people import draft\n"
        "os.setuid(65534)\n"
        "try: Ledger(Path(sys.argv[1]), Path(sys.argv[2])).grant([draft()])\n"
        "except OurError as error: print(error.code)\n"
    )
    command = [sys.executable, "-c", code, str(books.path), str(books.head)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "unrecordable\n"
    assert books.open().open().state == "ok"


EXHAUSTED = """
import os, resource, sys
from pathlib import Path
from cgp_tui.consent.ledger import Ledger
from tests.consent.people import draft
ledger = Ledger(Path(sys.argv[1]))
known = ledger.open()
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
try:
    while True:
        os.dup(0)
except OSError:
    done = ledger.revoke([draft("revoke")], known=known)
    print(done.outcome, done.detail, sep="\\n")
"""


def test_a_no_of_a_process_without_a_descriptor_left_stops_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its ledger cannot be read any more, and yet the head that it saw is removed."""
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    ledger = Ledger(tmp_path / "data" / "receipts.toml")
    ledger.grant([draft(expires_at="never")])
    command = [sys.executable, "-c", EXHAUSTED, str(ledger.path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    outcome, detail = done.stdout.splitlines()
    assert (outcome, done.stderr) == ("emergency_stop", "")
    assert "the disk did not confirm it (Too many open files): after a power failure it may be there again" in detail
    assert ledger.open().state == "head_missing"


def test_who_writes_while_it_is_started_over_loses_nothing(books: Books) -> None:
    """Each record is in the ledger in force or in one that was set aside, and each of these vouches for the one before."""
    books.ledger.recover()
    both = [writer(books, 12, name) for name in "ab"]
    started_over = 1
    while any(process.poll() is None for process in both):
        time.sleep(0.03)
        books.open().recover(60)
        started_over += 1
    acknowledged = {line.split()[0] for process in both for line in process.communicate()[0].splitlines()}
    opened, aside = books.open().open(), set_aside(books.open())
    kept = [receipt.receipt_id for volume in (present(opened), *aside) for receipt in volume.receipts]
    assert (opened.state, len(aside)) == ("ok", started_over - 1)
    assert (len(acknowledged), sorted(kept)) == (24, sorted(acknowledged))


STARVED = """
import os, resource, sys
from pathlib import Path
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.errors import Error
from tests.consent.people import binding, draft, scoped
ledger = Ledger(Path(sys.argv[1]), Path(sys.argv[2]))
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
held = []
try:
    while True:
        held.append(os.dup(0))
except OSError:
    pass
said = [(one.code, one.fix) for one in (Gate(ledger).peek(binding(), needs) for needs in (scoped(), ()))]
for act in (lambda: ledger.grant([draft()]), lambda: ledger.spend([draft("spend")]), ledger.recover):
    try:
        act()
    except Error as error:
        said.append((error.code, error.fix))
for one in held:
    os.close(one)
for code, fix in said:
    print(code, fix, sep="|")
print(Gate(ledger).peek(binding(), scoped()).allowed)
"""


def test_a_process_without_a_descriptor_left_is_told_so_and_changes_nothing(books: Books) -> None:
    books.ledger.grant([draft(expires_at="never")])
    before = books.path.read_bytes(), books.head.read_bytes()
    command = [sys.executable, "-B", "-c", STARVED, str(books.path), str(books.head)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    *said, then = done.stdout.splitlines()
    assert [line.split("|")[0] for line in said] == [*["store_unsafe"] * 2, *["unrecordable"] * 3]
    assert all("|Close something" in line for line in said), said
    assert then == "True", "and all is as it was once there are some"
    assert (books.path.read_bytes(), books.head.read_bytes()) == before


# -- who reads keeps nobody waiting


def reads(ledger: Ledger) -> None:
    ledger.open()


def grants(ledger: Ledger) -> None:
    ledger.grant([draft(scope="a:b")])


def settles(ledger: Ledger) -> None:
    ledger.settle()


@pytest.mark.parametrize(("act", "who"), [(reads, "writers"), (grants, "readers"), (settles, "readers")])
def test_no_lock_is_held_while_a_ledger_is_read_and_checked(
    act: Callable[[Ledger], None], who: str, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock knows no queue: with many readers that hold it for long, a revocation would never find it free."""
    books.ledger.grant([draft()])
    free: dict[str, list[bool]] = {"read_whole": [], "read": []}

    def watched(name: str, really: Callable[..., Any]) -> Callable[..., Any]:
        def looking(*asked: Any) -> Any:
            held = locks.attempt(books.ledger.append_lock, shared=who == "readers")
            free[name].append(held is not None)
            if held is not None:
                held.release()
            return really(*asked)

        return looking

    monkeypatch.setattr(files, "read_whole", watched("read_whole", files.read_whole))
    monkeypatch.setattr(chain, "read", watched("read", chain.read))
    act(books.open())
    assert all(found and all(found) for found in free.values()), free


def test_what_is_written_while_a_ledger_is_read_is_read_too(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    books.ledger.grant([draft()])
    really, other = locks.take, books.open()

    def late(path: Path, *, shared: bool, patience: float) -> locks.Held:
        monkeypatch.setattr(locks, "take", really)
        other.revoke([draft("revoke")])
        return really(path, shared=shared, patience=patience)

    kinds = ["grant"]
    for act, added in ((reads, ["revoke"]), (grants, ["revoke", "grant"]), (settles, ["revoke"])):
        ledger = books.open()
        monkeypatch.setattr(locks, "take", late)
        act(ledger)
        kinds += added
        opened = ledger.open()
        assert (opened.state, [one.kind for one in opened.receipts]) == ("ok", kinds)
