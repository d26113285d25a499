"""Ledgers that failed elsewhere: a full disk whose record came back, a network share whose locks kept nobody out, and a
clock that was turned back."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.errors import Error
from tests.conftest import ROOT
from tests.consent.people import Books, binding, draft, scoped
from tests.field.conftest import Runner
from tests.reliability.calls import Counted, Fails, met


@pytest.fixture
def books(tmp_path: Path) -> Books:
    made = Books(tmp_path)
    made.ledger = Ledger(made.path, made.head)
    made.ledger.deny([draft("deny")])
    return made


def allowed(books: Books) -> bool:
    """What a process that starts now would answer."""
    with Gate(Ledger(books.path, books.head)).ask(binding(), scoped()) as answer:
        return answer.allowed


GRANT = draft(expires_at="never")


# -- a write that failed


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, 0], ids=["full", "broken", "short"])
def test_a_grant_that_was_told_as_failed_never_counts(code: int, lasting: bool, books: Books) -> None:
    before = books.path.read_bytes(), books.head.read_bytes()
    counted = Counted()
    with met(counted):
        books.ledger.grant([GRANT])
    failed = 0
    for at, name in enumerate(counted.names):
        if not code and name != "write":
            continue
        for path, data in zip((books.path, books.head), before, strict=True):
            path.write_bytes(data)
            path.chmod(0o600)
        try:
            with met(Fails(at, code, lasting=lasting)):
                books.ledger.grant([GRANT])
        except Error as error:
            failed += 1
            lost = "Neither the record nor the head could be removed" in error.message
            assert lost or not allowed(books), f"{name} {at}: {error}"
            if lost:
                assert "Stop every provider" in error.fix
                continue
        later = Ledger(books.path, books.head)
        if later.open().state == "head_missing":
            later.recover()
            assert not allowed(books)
        later.grant([GRANT])
        assert allowed(books)
    assert failed > 1


# -- locks that keep nobody out

Order = tuple[int, int]


def unlocked(books: Books, number: int, heads: Order, told: Path) -> None:
    """One of two writers that each believe to be alone: both have looked before either writes, and `heads` is the order in
    which they remember what they wrote."""
    place = books.path.parent

    def until(*names: str) -> None:
        end = time.monotonic() + 120
        while not all((place / name).exists() for name in names):
            assert time.monotonic() < end, names
            time.sleep(0.001)

    def meet(name: str, call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        if name == "write" and b"[[receipt]]" in bytes(arguments[1]):
            (place / f"looked{number}").touch()
            until("looked0", "looked1", *(["wrote0"] if number else []))
            taken = call(*arguments)
            (place / f"wrote{number}").touch()
            until("wrote0", "wrote1")
            return taken
        if name == "write" and bytes(arguments[1]).startswith(b"cgp-tui-head/1"):
            if heads.index(number):
                until(f"remembered{heads[0]}")
            taken = call(*arguments)
            (place / f"remembered{number}").touch()
            return taken
        return call(*arguments)

    fcntl.flock = lambda fd, operation: None
    with met(meet):
        Ledger(books.path, books.head).grant([draft(expires_at="never", note=f"writer {number}")])
    told.touch()


@pytest.mark.parametrize("heads", [(0, 1), (1, 0)])
def test_two_writers_that_no_lock_kept_apart_are_a_fork_that_is_named(
    heads: Order, books: Books, run: Runner, tmp_path: Path
) -> None:
    told = [tmp_path / "told0", tmp_path / "told1"]
    code = "import sys; from tests.field.test_ledger import main; main(sys.argv[1:])"
    words = [str(tmp_path), *map(str, heads)]
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(number), str(told[number]), *words], cwd=ROOT) for number in (0, 1)
    ]
    assert [writer.wait(60) for writer in both] == [0, 0]
    assert all(path.exists() for path in told), "both were told that their record is written"
    assert not allowed(books)
    opened = Ledger(books.path, books.head).open()
    assert opened.state == "forked"
    assert "ecord 2" in opened.detail
    ran = run("consent", "list", "--json", "--ledger", books.path, "--head", books.head)
    assert ran.code == 3
    assert ran.document["error"]["code"] == "forked"
    assert "consent recover" in ran.document["error"]["fix"]


def main(words: list[str]) -> None:
    number, told, place, first, second = words
    unlocked(Books(Path(place)), int(number), (int(first), int(second)), Path(told))


def test_without_any_lock_there_is_no_grant(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    """The share says that it cannot lock at all."""

    def refused(fd: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refused)
    with pytest.raises(Error) as caught:
        books.ledger.grant([GRANT])
    assert (caught.value.code, "No locks available" in caught.value.message) == ("unrecordable", True)
    assert not allowed(books)
    monkeypatch.undo()
    assert not allowed(books)


# -- a clock that was turned back

ANSWER = """
import sys; from pathlib import Path
from cgp_tui.consent.gate import Gate; from cgp_tui.consent.ledger import Ledger
from tests.consent.people import binding, scoped
ledger = Ledger(Path(sys.argv[1]), Path(sys.argv[2]), lambda: float(sys.argv[3]))
with Gate(ledger).ask(binding(), scoped()) as answer:
    print("allowed" if answer.allowed else answer.reasons[0].reason)
"""


def at(books: Books, moment: float) -> str:
    """What a process of its own answers whose clock shows `moment`."""
    line = [sys.executable, "-c", ANSWER, str(books.path), str(books.head), str(moment)]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def test_turning_the_clock_back_prolongs_nothing(tmp_path: Path) -> None:
    books = Books(tmp_path)
    begin = books.clock.now
    books.ledger.grant([draft()])
    assert at(books, begin + 86_000) == "allowed"
    assert at(books, begin + 86_400) == "expired"
    # The refusal is on record: no clock brings the grant back, and none before it lets anything pass.
    assert at(books, begin + 86_200) == "expired"
    assert at(books, begin) == "clock_behind"
    assert at(books, begin + 90_000) == "expired"


def test_a_record_of_a_far_day_kills_nothing_for_good(tmp_path: Path) -> None:
    books = Books(tmp_path)
    begin = books.clock.now
    books.ledger.grant([GRANT])
    books.clock.now = begin + 10**9
    books.ledger.grant([draft(scope="a:b")])
    assert at(books, begin) == "clock_behind"
    later = Ledger(books.path, books.head, lambda: begin)
    assert later.revoke([draft("revoke", scope="a:b")]).outcome == "confirmed"
    later.recover()
    assert at(books, begin) == "no_receipt"
    later.grant([GRANT])
    assert at(books, begin) == "allowed"
