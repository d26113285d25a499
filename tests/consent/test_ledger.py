"""The ledger in use: first record, every state refused with its way out, time, failures, and writers that die or compete."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.types import Denial
from cgp_tui.errors import Error, InputError, OurError, RefusedError
from cgp_tui.store import head, locks, paths
from cgp_tui.store.head import Head
from cgp_tui.store.place import NotWrittenError
from tests.consent.people import SCOPE, START, Books, Clock, binding, draft, scoped
from tests.store import ledgers, plain
from tests.store.disk import Disk


def test_the_first_record_makes_ledger_and_head(books: Books) -> None:
    assert books.ledger.open().state == "fresh"
    assert not books.path.parent.exists(), "asking makes nothing"
    (receipt,) = books.ledger.grant([draft()])
    opened = books.open().open()
    assert (opened.state, opened.receipts, opened.acknowledged) == ("ok", (receipt,), 1)
    assert (receipt.seq, receipt.granted_at) == (1, "2023-11-14T22:13:20Z")
    assert opened.head is not None
    assert (opened.head.id, opened.head.seq) == (opened.ledger_id, 1)
    for path in (books.path, books.head, books.ledger.append_lock):
        assert path.stat().st_mode & 0o777 == 0o600
    assert books.path.parent.stat().st_mode & 0o777 == 0o700


def test_the_head_lives_in_the_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.STATE_VARIABLE, str(tmp_path / "state"))
    monkeypatch.setenv(paths.LEDGER_VARIABLE, str(tmp_path / "data" / "mine.toml"))
    ledger = Ledger(paths.ledger_path())
    ledger.grant([draft()])
    opened = ledger.open()
    assert opened.head_path == tmp_path / "state" / "heads" / opened.ledger_id
    assert opened.head_path.is_file()
    assert ledger.command("recover") == "cgp-tui consent recover"
    other = Ledger(tmp_path / "my ledger.toml", tmp_path / "head")
    assert other.command("recover") == f"cgp-tui consent recover --ledger '{tmp_path}/my ledger.toml' --head {tmp_path}/head"


def test_several_records_at_once_are_chained(books: Books) -> None:
    first, second = books.ledger.grant([draft(), draft(scope="a:b")])
    third = books.ledger.grant([draft()])[0]
    assert [first.seq, second.seq, third.seq] == [1, 2, 3]
    assert books.ledger.open().receipts == (first, second, third)


def test_of_several_records_none_is_written_where_one_cannot_be(books: Books) -> None:
    books.ledger.grant([draft()])
    before = books.path.read_bytes()
    with pytest.raises(RefusedError) as caught:
        books.ledger.grant([draft(scope="a:b"), draft(scope="x" * 257)])
    assert caught.value.code == "identity_unrepresentable"
    assert books.path.read_bytes() == before


@pytest.mark.parametrize("changes", [{"declared": ("x" * 70_000,)}, {"target_shown": ("\U0001f600" * 512,) * 64}])
def test_what_is_longer_than_a_record_leaves_the_ledger_as_it_is(changes: dict[str, Any], books: Books) -> None:
    books.ledger.grant([draft()])
    for before in ([], [draft(scope="a:b")]):
        with pytest.raises(RefusedError) as caught:
            books.ledger.grant([*before, draft(**changes)])
        assert caught.value.code == "identity_unrepresentable"
    denial = {name: value for name, value in changes.items() if name != "declared"}
    if denial:
        with pytest.raises(RefusedError):
            books.ledger.deny([draft("deny", **denial)])
    opened = books.open().open()
    assert (opened.state, len(opened.receipts)) == ("ok", 1)


def test_a_disk_that_fails_between_two_records_leaves_the_first_and_says_so(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.ledger.grant([draft()])
    with monkeypatch.context() as patch, pytest.raises(NotWrittenError) as caught:
        # Each record takes four calls: block, sync, head, sync.
        Disk(patch, 5, lasting=False)
        books.ledger.grant([draft(scope="a:b"), draft(scope="c:d")])
    assert "#2 of the same act was written before, and remains" in caught.value.message
    assert [one.scope for one in books.open().open().receipts] == [SCOPE, "a:b"]
    with monkeypatch.context() as patch, pytest.raises(NotWrittenError) as caught:
        Disk(patch, 1, lasting=False)
        books.ledger.grant([draft(scope="c:d"), draft(scope="e:f")])
    assert "of the same act" not in caught.value.message


@pytest.mark.parametrize(
    "name",
    ['acme"\nscope = "local-only"\n\n[[receipt]]\n', 'a"\nhash = "' + "0" * 64 + '"\n# end 1\n', "\x00\r\n# end 1", "\\"],
)
def test_a_name_that_looks_like_the_file_is_one_string_of_one_record(name: str, books: Books) -> None:
    books.ledger.grant([draft(provider_name=name, expires_at="never")])
    (told,) = tomllib.loads(books.path.read_text("ascii"))["receipt"]
    assert (told["provider_name"], told["scope"]) == (name, SCOPE)
    assert [one.provider_name for one in books.open().open().receipts] == [name]
    second = plain.read(books.path.read_bytes(), books.head.read_bytes())
    assert second.states == {"ok"}
    assert [one["provider_name"] for one in second.records] == [name]


def append_stranger(books: Books) -> None:
    end = books.ledger.log.view().end
    assert end is not None
    block, _ = ledgers.forged(end.seq + 1, end.hash, lambda text: text.replace("uses = ", "weight = 1\nuses = "))
    with books.path.open("ab") as file:
        file.write(block)


SHUT: dict[str, Callable[[Books], object]] = {
    "head_missing": lambda books: books.head.unlink(),
    "head_damaged": lambda books: books.head.write_bytes(b"#" * 1024),
    "shortened": lambda books: books.path.write_bytes(books.path.read_bytes().rpartition(b"\n[[receipt]]")[0]),
    "damaged": lambda books: books.path.write_bytes(books.path.read_bytes()[:-9]),
    "tampered": lambda books: books.path.write_bytes(books.path.read_bytes().replace(b"docs", b"dock")),
    "forked": lambda books: head.create(books.head, Head("f" * 32, 2, 9, "0" * 64)),
    "newer_format": append_stranger,
    "store_unsafe": lambda books: books.path.chmod(0o666),
}


@pytest.mark.parametrize("state", SHUT)
def test_each_state_refuses_and_names_its_way_out(state: str, books: Books) -> None:
    books.ledger.grant([draft(), draft(scope="a:b")])
    SHUT[state](books)
    opened = books.open().open()
    assert opened.state == state
    assert opened.detail
    out = {"newer_format": "python -m pip install --upgrade cgp-tui", "store_unsafe": f"chmod 600 {books.path}"}
    assert opened.command == out.get(state, books.ledger.command("recover"))
    before = books.path.read_bytes()
    with pytest.raises(Error) as caught:
        books.ledger.grant([draft()])
    assert caught.value.code == state
    assert caught.value.fix == opened.command
    assert books.path.read_bytes() == before


@pytest.mark.parametrize("state", [*SHUT, "ok", "torn", "adopt"])
def test_a_revocation_stops_everything_where_it_cannot_be_recorded(state: str, books: Books) -> None:
    books.ledger.grant([draft(), draft(scope="a:b")])
    if state == "torn":
        with books.path.open("ab") as file:
            file.write(b"\n[[receipt]]\nform")
    elif state == "adopt":
        records = books.head.read_bytes()
        books.ledger.grant([draft(scope="c:d")])
        books.head.write_bytes(records)
    elif state != "ok":
        SHUT[state](books)
    done = books.ledger.revoke([draft("revoke")])
    if state in ("ok", "torn", "adopt"):
        assert (done.outcome, done.receipts[0].kind) == ("confirmed", "revoke")
        assert books.open().open().receipts[-1] == done.receipts[0]
    else:
        assert (done.outcome, done.receipts) == ("emergency_stop", ())
        assert done.detail
        assert not books.head.exists()
        if state == "store_unsafe":
            books.path.chmod(0o600)
        if state not in ("damaged", "tampered", "forked"):
            assert books.open().open().state == "head_missing"


def test_nothing_recorded_and_nothing_stopped_is_said_loudly(books: Books) -> None:
    unknown = Ledger(books.path, None, books.clock)
    books.path.parent.mkdir(mode=0o700, parents=True)
    books.path.write_bytes(b"no ledger")
    done = unknown.revoke([draft("revoke")])
    assert done.outcome == "not_recorded"
    assert "id cannot be read" in done.detail


@pytest.mark.skipif(sys.platform != "linux", reason="an unwritable folder is made with a process of another user here")
def test_a_head_that_cannot_be_removed_is_said_loudly(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    books.ledger.grant([draft()])
    books.path.write_bytes(b"x" + books.path.read_bytes())

    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", read_only)
    done = books.ledger.revoke([draft("revoke")])
    assert done.outcome == "not_recorded"
    assert "Read-only file system" in done.detail


def test_a_file_that_is_no_head_is_not_removed_as_one(books: Books) -> None:
    books.ledger.grant([draft()])
    mine = books.path.with_name("notes.txt")
    mine.write_bytes(b"# what I wrote\n")
    done = Ledger(books.path, mine, books.clock).revoke([draft("revoke")])
    assert (done.outcome, done.receipts) == ("not_recorded", ())
    assert f"{mine} is not a ledger's head" in done.detail
    assert mine.read_bytes() == b"# what I wrote\n"
    assert books.open().open().state == "ok"


@pytest.mark.parametrize("spoilt", [b"", b"#" * 1024, b"cgp-tui-head/1 cut", b"\0" * 1024])
def test_a_spoilt_head_is_removed_as_one(spoilt: bytes, books: Books) -> None:
    books.ledger.grant([draft()])
    books.head.write_bytes(spoilt)
    assert books.ledger.revoke([draft("revoke")]).outcome == "emergency_stop"
    assert not books.head.exists()


@pytest.mark.parametrize(
    "name", ["receipts.toml", "receipts.toml.append.lock", "receipts.toml.send.lock", "link/receipts.toml"]
)
def test_a_head_is_not_kept_where_the_ledger_is(name: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(InputError, match="The head cannot be kept"):
        Ledger(tmp_path / "receipts.toml", tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link"]


def test_a_mistaken_revocation_stops_nothing(books: Books) -> None:
    books.ledger.grant([draft()])
    with pytest.raises(RefusedError):
        books.ledger.revoke([draft("revoke", provider_id="no such/id")])
    assert books.open().open().state == "ok"


def test_a_denial_is_as_sure_as_a_revocation(books: Books) -> None:
    done = books.ledger.deny([draft("deny")])
    assert (done.outcome, done.receipts[0].kind) == ("confirmed", "deny")


def test_a_torn_tail_is_set_aside_by_the_next_writer(books: Books) -> None:
    books.ledger.grant([draft()])
    good = books.path.read_bytes()
    with books.path.open("ab") as file:
        file.write(b"\n[[receipt]]\nformat = 1\nse")
    assert books.open().open().state == "torn"
    books.ledger.grant([draft(scope="a:b")])
    opened = books.open().open()
    assert opened.state == "ok"
    assert [receipt.kind for receipt in opened.receipts] == ["grant", "recover", "grant"]
    note = opened.receipts[1].note
    assert note.startswith("cut 26 bytes, sha256 ")
    (kept,) = (books.path.parent / "quarantine").iterdir()
    assert kept.read_bytes() == b"\n[[receipt]]\nformat = 1\nse"
    assert books.path.read_bytes().startswith(good)


def test_whole_records_without_a_head_of_their_own_are_adopted(books: Books) -> None:
    books.ledger.grant([draft()])
    before = books.head.read_bytes()
    books.ledger.grant([draft(scope="a:b")])
    books.head.write_bytes(before)
    assert books.open().open().state == "adopt"
    opened = books.open().settle()
    assert (opened.state, opened.acknowledged, opened.detail) == ("ok", 2, "")
    books.ledger.grant([draft(scope="c:d"), draft(scope="e:f")])
    books.head.write_bytes(before)
    opened = books.open().settle()
    assert (opened.state, opened.acknowledged) == ("ok", 4)
    assert opened.detail.startswith("3 records that its head did not cover")


@pytest.mark.parametrize("act", ["grant", "revoke", "spend", "ask"])
def test_whoever_adopts_more_than_one_record_warns(act: str, books: Books) -> None:
    books.ledger.grant([draft()])
    before = books.head.read_bytes()
    books.ledger.grant([draft(scope="a:b")])
    acts: dict[str, Callable[[Ledger], object]] = {
        "grant": lambda ledger: ledger.grant([draft(scope="c:d")]),
        "revoke": lambda ledger: ledger.revoke([draft("revoke", scope="c:d")]),
        "spend": lambda ledger: ledger.spend([draft("spend")]),
        "ask": lambda ledger: Gate(ledger).peek(binding(), scoped()),
    }
    for more, warned in ((0, False), (1, True)):
        for _ in range(more):
            books.ledger.grant([draft(scope="e:f"), draft(scope="g:h")])
        books.head.write_bytes(before)
        ledger = books.open()
        acts[act](ledger)
        assert ledger.warning.endswith("look at the history.") == warned
        before = books.head.read_bytes()


def test_settling_changes_nothing_else(books: Books) -> None:
    books.ledger.grant([draft()])
    before = books.path.read_bytes(), books.head.read_bytes()
    assert books.ledger.settle().state == "ok"
    books.head.unlink()
    assert books.ledger.settle().state == "head_missing"
    assert books.path.read_bytes() == before[0]


# -- time


def test_records_never_step_back_in_time(books: Books) -> None:
    books.ledger.grant([draft()])
    books.clock.now = START - 200
    (second,) = books.ledger.grant([draft()])
    assert second.granted_at == "2023-11-14T22:13:20Z"
    books.clock.now = START + 10.9
    assert books.ledger.grant([draft()])[0].granted_at == "2023-11-14T22:13:30Z"


def test_a_clock_far_behind_grants_nothing_but_revokes(books: Books) -> None:
    books.ledger.grant([draft()])
    books.clock.now = START - 300
    books.ledger.grant([draft()])
    books.clock.now = START - 300.5
    with pytest.raises(RefusedError) as caught:
        books.ledger.grant([draft()])
    assert caught.value.code == "clock_behind"
    assert books.ledger.command("recover") in caught.value.fix, "the clock may be right, and the record wrong"
    assert books.ledger.revoke([draft("revoke")]).outcome == "confirmed"
    books.ledger.recover()
    assert b'reason = "clock_behind"' in books.path.read_bytes()
    assert books.ledger.grant([draft()])


@pytest.mark.parametrize(
    ("now", "dated"),
    [(1e18, "9999-12-31T23:59:59Z"), (253_402_300_800, "9999-12-31T23:59:59Z"), (-1e12, "1970-01-01T00:00:00Z")],
)
def test_a_clock_that_stands_where_nothing_can_be_dated_keeps_no_record_from_being_written(
    now: float, dated: str, books: Books
) -> None:
    books.clock.now = now
    (receipt,) = books.ledger.grant([draft(expires_at="never")])
    assert receipt.granted_at == dated
    done = books.ledger.revoke([draft("revoke")])
    assert (done.outcome, books.open().open().state) == ("confirmed", "ok")
    assert books.ledger.recover().exists()
    assert books.open().open().state == "ok"


def test_the_time_to_judge_by_never_goes_back(books: Books) -> None:
    newest = START + 50
    assert books.ledger.now(None) == START
    assert books.ledger.now(newest) == newest
    books.clock.now = START + 100.5
    assert books.ledger.now(newest) == START + 100.5
    books.clock.now = START
    assert books.ledger.now(newest) == START + 100.5
    assert Ledger(books.path, books.head, Clock(0)).now(None) == START + 100.5, "nor for another reader of this process"


# -- locks


def test_a_busy_ledger_is_not_read_nor_written(books: Books, pauses: list[float]) -> None:
    books.ledger.grant([draft()])
    with books.ledger.append_lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        opened = books.open().open(patience=0.05)
        assert opened.state == "lock_timeout"
        assert opened.receipts == ()
        with pytest.raises(OurError) as caught:
            books.ledger.grant([draft()], patience=0.05)
        assert caught.value.code == "lock_timeout"
        pauses.clear()
        done = books.ledger.revoke([draft("revoke")], patience=0.1)
        assert 0 < sum(pauses) < 1
    assert done.outcome == "emergency_stop"
    assert books.open().open().state == "head_missing"


def test_nothing_is_made_beside_what_is_no_ledger(books: Books) -> None:
    """Somebody who mistypes a path may name a device."""
    books.path.mkdir(parents=True)
    opened = books.ledger.open()
    assert (opened.state, opened.command.startswith("Move it aside")) == ("store_unsafe", True)
    assert list(books.path.parent.iterdir()) == [books.path]


def test_readers_do_not_keep_each_other_out(books: Books) -> None:
    books.ledger.grant([draft()])
    with locks.take(books.ledger.append_lock, shared=True, patience=1):
        assert books.open().open(patience=0).state == "ok"


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EIO])
def test_where_no_lock_can_be_had_nothing_is_granted_and_a_revocation_stops_everything(
    code: int, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network share may give no locks at all."""
    books.ledger.grant([draft(expires_at="never")])
    before = books.path.read_bytes()

    def refused(fd: int, operation: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", refused)
    ledger = books.ledger
    for act in (
        lambda: ledger.grant([draft(scope="a:b")]),
        lambda: ledger.spend([draft("spend")]),
        ledger.settle,
        ledger.recover,
    ):
        with pytest.raises(OurError) as caught:
            act()
        assert (caught.value.code, os.strerror(code) in caught.value.message) == ("unrecordable", True)
    answer = Gate(books.ledger).peek(binding(), scoped())
    assert isinstance(answer, Denial)
    assert answer.code == "lock_timeout"
    done = books.ledger.revoke([draft("revoke")])
    assert (done.outcome, os.strerror(code) in done.detail) == ("emergency_stop", True)
    assert books.path.read_bytes() == before
    monkeypatch.undo()
    assert books.open().open().state == "head_missing"


def test_an_unsafe_lock_file_shuts_the_ledger(books: Books) -> None:
    books.ledger.grant([draft()])
    books.ledger.append_lock.chmod(0o666)
    opened = books.open().open()
    assert (opened.state, opened.command) == ("store_unsafe", f"chmod 600 {books.ledger.append_lock}")
    with pytest.raises(OurError) as caught:
        books.ledger.grant([draft()])
    assert caught.value.code == "store_unsafe"
    assert books.ledger.revoke([draft("revoke")]).outcome == "emergency_stop"


def test_a_sender_that_does_not_finish_is_named(books: Books) -> None:
    books.ledger.grant([draft()])
    code = (
        "import sys; from pathlib import Path; from cgp_tui.store import locks\n"
        "with locks.take(Path(sys.argv[1]), shared=True, patience=5): print(flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(books.ledger.send_lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as sender:
        assert sender.stdout is not None
        sender.stdout.readline()
        sender.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        done = books.ledger.revoke([draft("revoke")])
        assert 1.9 < time.monotonic() - began < 60
        assert done.outcome == "not_confirmed"
        assert done.receipts[0].kind == "revoke"
        if sys.platform == "linux":
            assert done.pids == (sender.pid,)
        sender.send_signal(signal.SIGCONT)
        sender.communicate()
    assert books.open().open().receipts[-1] == done.receipts[0], "recorded all the same"
    assert books.ledger.revoke([draft("revoke")]).outcome == "confirmed"


# -- recovery


@pytest.mark.parametrize("state", ["tampered", "shortened", "forked", "head_missing", "head_damaged", "damaged"])
def test_recovery_starts_over_with_nothing_granted(state: str, books: Books) -> None:
    books.ledger.grant([draft(), draft(scope="a:b")])
    old = books.ledger.open()
    SHUT[state](books)
    broken = books.path.read_bytes()
    last = books.ledger.log.view().end
    kept = books.ledger.recover()
    assert kept.read_bytes() == broken
    opened = books.open().open()
    assert (opened.state, opened.receipts) == ("ok", ())
    assert opened.ledger_id != old.ledger_id
    header = books.ledger.log.view().header
    assert header is not None
    assert (header.previous, header.reason) == (last.hash if last else "", state)
    assert books.ledger.grant([draft()])[0].seq == 1


def test_a_ledger_put_back_after_recovery_grants_nothing(
    books: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(paths.STATE_VARIABLE, str(tmp_path / "state"))
    ledger = Ledger(books.path, None, books.clock)
    ledger.grant([draft()])
    whole = books.path.read_bytes()
    books.path.write_bytes(whole.replace(b"docs", b"dock"))
    ledger.recover()
    books.path.write_bytes(whole)
    assert ledger.open().state == "head_missing"


def test_a_spend_looks_at_the_end_alone_and_a_grant_at_everything(books: Books) -> None:
    (granted,) = books.ledger.grant([draft(uses="once")])
    books.ledger.grant([draft(scope="org-tenant")])
    changed = books.path.read_bytes().replace(b"example", b"exemple", 1)
    books.path.write_bytes(changed)
    (spent,) = books.ledger.spend([draft("spend", acts_on=granted.receipt_id)])
    assert (spent.seq, spent.acts_on) == (3, granted.receipt_id)
    assert books.open().open().state == "tampered", "which the gate still finds"
    assert books.ledger.revoke([draft("revoke")]).outcome == "confirmed", "a no takes no longer either"
    with pytest.raises(RefusedError) as caught:
        books.ledger.grant([draft()])
    assert caught.value.code == "tampered"


def test_a_spend_in_a_ledger_that_is_shut_is_refused(books: Books) -> None:
    (granted,) = books.ledger.grant([draft(uses="once")])
    books.head.unlink()
    with pytest.raises(RefusedError) as caught:
        books.ledger.spend([draft("spend", acts_on=granted.receipt_id)])
    assert caught.value.code == "head_missing"


def test_a_checkpoint_is_refused_where_a_grant_is(books: Books) -> None:
    books.ledger.grant([draft()])
    books.clock.now = START - 1000
    with pytest.raises(RefusedError) as caught:
        books.ledger.checkpoint(lambda previous: previous, draft().grantor)
    assert caught.value.code == "clock_behind"


def test_a_checkpoint_is_noted_from_the_hash_before_it(books: Books) -> None:
    books.ledger.grant([draft()])
    made = books.ledger.checkpoint(lambda previous: f"over {previous}", draft().grantor)
    assert (made.kind, made.provider_id, made.note) == ("checkpoint", "*", f"over {made.prev}")
    assert books.open().open().receipts[-1] == made


def test_a_ledger_that_is_known_not_to_hold_takes_no_withdrawal(books: Books) -> None:
    books.ledger.grant([draft(), draft(scope="a:b")])
    whole = books.path.read_bytes()
    known = books.open().open()
    changed = whole.replace(b"example", b"exemple", 1)
    books.path.write_bytes(changed)
    assert books.ledger.revoke([draft("revoke")], known=known).outcome == "confirmed", "the end alone is looked at"
    books.path.write_bytes(changed)
    head_then = books.head.read_bytes()
    read = books.open().open()
    done = books.ledger.deny([draft("deny")], known=read)
    assert (read.state in done.detail, done.outcome, done.receipts) == (True, "emergency_stop", ())
    assert books.path.read_bytes() == changed
    assert head_then and not books.head.exists()


def test_a_tail_that_is_known_to_be_torn_is_mended_by_the_withdrawal(books: Books) -> None:
    books.ledger.grant([draft()])
    books.path.write_bytes(books.path.read_bytes() + b"half a record")
    known = books.open().open()
    assert known.state == "torn"
    assert books.ledger.revoke([draft("revoke")], known=known).outcome == "confirmed"


def test_senders_that_cannot_be_waited_for_leave_it_unconfirmed(books: Books) -> None:
    books.ledger.grant([draft()])
    books.ledger.send_lock.unlink(missing_ok=True)
    books.ledger.send_lock.mkdir()
    done = books.ledger.revoke([draft("revoke")])
    assert (done.outcome, [one.kind for one in done.receipts], done.pids) == ("not_confirmed", ["revoke"], ())
    assert str(books.ledger.send_lock) in done.detail
    assert books.open().open().receipts[-1] == done.receipts[0]


def test_a_lock_that_the_system_does_not_give_leaves_it_unconfirmed_in_words(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.ledger.grant([draft()])
    attempt = locks.attempt

    def no_send_lock(path: Path, *, shared: bool) -> locks.Held | None:
        if path == books.ledger.send_lock:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        return attempt(path, shared=shared)

    monkeypatch.setattr(locks, "attempt", no_send_lock)
    done = books.ledger.revoke([draft("revoke")])
    assert (done.outcome, [one.kind for one in done.receipts], done.pids) == ("not_confirmed", ["revoke"], ())
    assert "[Errno" not in done.detail
    assert f"{books.ledger.send_lock}: {os.strerror(errno.ENOLCK)}." in done.detail


def test_a_fault_at_the_close_takes_nothing_back_that_is_on_the_disk(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    books.ledger.grant([draft()])
    close, flock, told = os.close, fcntl.flock, []

    def faulty(descriptor: int) -> None:
        status, flags = os.fstat(descriptor), fcntl.fcntl(descriptor, fcntl.F_GETFL)
        close(descriptor)
        for path in (books.path, books.ledger.append_lock, books.ledger.send_lock):
            if flags & os.O_ACCMODE == os.O_RDWR and path.exists() and status.st_ino == path.stat().st_ino:
                told.append(path)
                raise OSError(errno.EIO, os.strerror(errno.EIO))

    def lasting(descriptor: int, operation: int) -> None:
        """A file whose lock cannot be given back is closed; another is kept open."""
        if operation == fcntl.LOCK_UN:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        flock(descriptor, operation)

    monkeypatch.setattr(os, "close", faulty)
    monkeypatch.setattr(fcntl, "flock", lasting)
    granted = books.ledger.grant([draft(scope="acme:store")])
    done = books.ledger.revoke([draft("revoke")])
    monkeypatch.undo()
    assert set(told) == {books.path, books.ledger.append_lock, books.ledger.send_lock}
    assert done.outcome == "confirmed"
    opened = books.open().open()
    assert (opened.state, opened.receipts[1:]) == ("ok", (*granted, *done.receipts))


def test_a_disk_that_fails_the_undoing_too_has_stopped_everything_already(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.ledger.grant([draft()])
    with monkeypatch.context() as patch:
        Disk(patch, 2, lasting=False)
        patch.setattr(os, "ftruncate", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
        done = books.ledger.revoke([draft("revoke")])
    assert (done.outcome, done.receipts) == ("emergency_stop", ())
    assert "Input/output error" in done.detail
    assert books.open().open().state == "head_missing"


def test_a_stop_that_the_disk_does_not_confirm_says_what_stands(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head is gone, so every gate is shut; only whether it stays away is not known. No sync is tried again."""
    books.ledger.grant([draft()])
    fsync, synced = os.fsync, list[Path]()

    def failing(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            synced.append(books.head.parent)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        fsync(descriptor)

    with monkeypatch.context() as patch:
        Disk(patch, 2, lasting=False)
        patch.setattr(os, "ftruncate", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
        patch.setattr(os, "fsync", failing)
        done = books.ledger.revoke([draft("revoke")])
    assert (done.outcome, len(synced), books.head.exists()) == ("emergency_stop", 1, False)
    assert done.detail.endswith(
        "the disk did not confirm it (Input/output error): after a power failure it may be there again."
    )
    assert books.open().open().state == "head_missing"


def test_the_head_of_a_ledger_that_is_gone_is_kept(books: Books) -> None:
    """Without it, too, the ledger would be one that never was, and a provider without needs would pass."""
    books.ledger.grant([draft()])
    books.path.unlink()
    done = books.ledger.revoke([draft("revoke")])
    assert (done.outcome, done.receipts) == ("emergency_stop", ())
    assert books.head.exists()
    assert not books.open().open().answers


def test_a_ledger_whose_first_writer_died_before_it_was_remembered_is_gone_on_with(books: Books) -> None:
    books.ledger.recover()
    empty = books.path.read_bytes()
    books.head.unlink()
    assert books.open().open().state == "fresh"
    (made,) = books.ledger.grant([draft()])
    assert made.seq == 1
    assert books.path.read_bytes().startswith(empty), "it is the same ledger"
    assert books.open().open().state == "ok"
