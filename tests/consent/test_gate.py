"""The gate in use: what it answers when, how long a permit lives, and that it misses no change."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from cgp_tui.consent import gate as gate_module
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.types import Binding, Denial, Need, Permit, Unready
from cgp_tui.errors import OurError
from cgp_tui.store import locks, presence
from cgp_tui.target import default_id, stdio_target
from tests.consent.people import BOOLEAN, SCOPE, START, Books, binding, draft, scoped, target
from tests.consent.test_ledger import SHUT

NEEDS = scoped()


@pytest.fixture
def gate(books: Books) -> Gate:
    return Gate(books.ledger)


def alive(permit: Permit) -> bool:
    return permit.alive


def stale(gate: Gate) -> bool:
    return gate.stale


def reasons(gate: Gate, needs: tuple[Need, ...] = NEEDS, who: Binding | None = None) -> list[str]:
    """The reasons of a denial, empty for a permit."""
    answer = gate.peek(who or binding(), needs)
    return [reason.reason for reason in answer.reasons] if isinstance(answer, Denial) else []


# -- what it answers


def test_a_no_that_reaches_no_disk_shuts_the_gate_of_this_process(
    gate: Gate, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.ledger.grant([draft()])
    assert reasons(gate) == []

    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "unlink", read_only)
        broken.setattr(Ledger, "_write", read_only)
        assert books.ledger.revoke([draft("revoke", provider_id="other")]).outcome == "not_recorded"
    answer = gate.peek(binding(), NEEDS)
    assert isinstance(answer, Denial)
    assert [one.reason for one in answer.reasons] == ["unrecordable"]
    assert "Read-only file system" in answer.detail and "revoke again" in answer.fix
    assert reasons(gate, ()) == ["unrecordable"], "it may have been about one that needs none"
    assert books.ledger.revoke([draft("revoke", provider_id="other")]).outcome == "confirmed"
    assert reasons(gate) == [] and reasons(gate, ()) == [], "what was withdrawn is on record now, and nothing else was"


def test_nothing_leaves_before_a_receipt_stands(gate: Gate, books: Books) -> None:
    answer = gate.peek(binding(), NEEDS)
    assert isinstance(answer, Denial)
    assert [(one.need, one.reason) for one in answer.reasons] == [(NEEDS[0], "no_receipt")]
    assert (answer.state, answer.head, answer.code, answer.allowed) == ("fresh", None, "consent_required", False)
    assert not books.path.parent.exists(), "asking makes nothing"
    (receipt,) = books.open().grant([draft()])
    permit = gate.peek(binding(), NEEDS)
    assert isinstance(permit, Permit)
    assert (permit.needs, permit.receipts, permit.allowed) == (NEEDS, (receipt,), True)
    assert permit.head is not None
    assert permit.head.seq == 1
    (note,) = permit.notes()
    assert (note.basis, note.scope, note.reason, note.receipt_id) == ("scope", SCOPE, "", receipt.receipt_id)


def test_what_needs_no_consent_needs_no_ledger(gate: Gate, books: Books) -> None:
    with gate.ask(binding(), ()) as answer:
        assert isinstance(answer, Permit)
        assert alive(answer)
        assert (answer.needs, answer.receipts, answer.head, answer.notes()) == ((), (), None, ())
    assert not alive(answer)
    assert not books.path.parent.exists()


@pytest.mark.parametrize("state", SHUT)
def test_damage_undoes_no_refusal_of_one_that_declares_nothing_any_more(state: str, gate: Gate, books: Books) -> None:
    """The refusal may be on record where nothing can be read; and whoever was never decided on looks the same."""
    books.ledger.grant([draft(), draft(scope="a:b")])
    stranger = binding(provider_id="local", target=target(digest="cc" * 32))
    assert reasons(gate, (), stranger) == []
    SHUT[state](books)
    answer = gate.peek(stranger, ())
    assert isinstance(answer, Denial)
    assert [(one.need, one.reason) for one in answer.reasons] == [(Need("local", "boolean"), state)]
    assert (answer.code, answer.fix) == (state, books.open().open().command)


def test_one_that_declares_nothing_passes_where_all_that_was_acknowledged_is_there(gate: Gate, books: Books) -> None:
    books.ledger.grant([draft()])
    with books.path.open("ab") as file:
        file.write(b"\n[[rec")
    (books.path.parent / "quarantine").write_text("in the way")
    stranger = binding(provider_id="local", target=target(digest="cc" * 32))
    with gate.ask(stranger, ()) as answer:
        assert isinstance(answer, Permit)
        assert alive(answer)
    assert reasons(gate, ()) == ["torn"], "what is on record is asked of the ledger"


def test_an_emergency_stop_is_for_everybody(gate: Gate, books: Books) -> None:
    """What could not be recorded may have been a no to one that declares nothing and was never decided on."""
    books.ledger.grant([draft(expires_at="never")])
    stranger = binding(provider_id="local", target=target(digest="cc" * 32))
    assert reasons(gate, (), stranger) == []
    books.head.unlink()
    answer = gate.peek(stranger, ())
    assert isinstance(answer, Denial)
    assert [(one.need, one.reason) for one in answer.reasons] == [(Need("local", "boolean"), "head_missing")]
    assert (answer.code, answer.fix) == ("head_missing", books.ledger.command("recover"))


@pytest.mark.parametrize("state", SHUT)
def test_each_state_shuts_the_gate_and_names_its_way_out(state: str, gate: Gate, books: Books) -> None:
    books.ledger.grant([draft(), draft(scope="a:b")])
    assert reasons(gate) == []
    SHUT[state](books)
    needs = scoped(SCOPE, "org-tenant")
    answer = gate.peek(binding(), needs)
    assert isinstance(answer, Denial)
    assert {one.reason for one in answer.reasons} == {state}
    assert [one.need for one in answer.reasons][:2] == list(needs)
    assert (answer.state, answer.code) == (state, state)
    assert answer.detail
    assert answer.fix == books.open().open().command
    assert [note.reason for note in answer.notes()][:2] == [state, state]


def test_a_mended_store_answers_again(gate: Gate, books: Books) -> None:
    """The folder's mode is no mark of the ledger: a shut gate reads anew at each question."""
    books.ledger.grant([draft()])
    books.path.parent.chmod(0o777)
    answer = gate.peek(binding(), NEEDS)
    assert isinstance(answer, Denial)
    assert answer.fix == f"chmod go-w {books.path.parent}"
    books.path.parent.chmod(0o700)
    assert reasons(gate) == []
    books.path.parent.chmod(0o777)
    assert reasons(gate) == ["store_unsafe"], "and an open gate looks at the folder of its locks each time"


def test_a_torn_tail_is_set_aside_at_the_first_question(gate: Gate, books: Books) -> None:
    books.ledger.grant([draft()])
    with books.path.open("ab") as file:
        file.write(b"\n[[rec")
    assert reasons(gate) == []
    assert books.open().open().receipts[-1].kind == "recover"


def test_where_nothing_can_be_set_aside_the_state_denies(gate: Gate, books: Books) -> None:
    books.ledger.grant([draft()])
    with books.path.open("ab") as file:
        file.write(b"\n[[rec")
    (books.path.parent / "quarantine").write_text("in the way")
    answer = gate.peek(binding(), NEEDS)
    assert isinstance(answer, Denial)
    assert ({one.reason for one in answer.reasons}, answer.fix) == ({"torn"}, books.ledger.command("recover"))


def test_a_clock_that_stands_far_behind_denies(gate: Gate, books: Books) -> None:
    books.ledger.grant([draft(expires_at="never")])
    books.clock.now = START - 301
    answer = gate.peek(binding(), NEEDS)
    assert isinstance(answer, Denial)
    assert ([one.reason for one in answer.reasons], answer.state) == (["clock_behind"], "ok")
    assert "2023-11-14T22:13:20Z" in answer.detail
    books.clock.now = START - 300
    assert reasons(gate) == []


def test_the_first_refusal_for_expiry_is_written_down_and_outlives_the_clock(gate: Gate, books: Books) -> None:
    (grant,) = books.ledger.grant([draft()])
    books.clock.now = START + 86_400
    assert reasons(gate) == ["expired"]
    assert reasons(gate) == ["expired"]
    receipts = books.open().open().receipts
    assert [receipt.kind for receipt in receipts] == ["grant", "expire"]
    assert (receipts[1].acts_on, receipts[1].grantor.kind) == (grant.receipt_id, "host")
    books.clock.now = START + 86_399
    other = Ledger(books.path, books.head, books.clock)
    assert reasons(Gate(other)) == ["expired"]
    books.clock.now = START + 10
    assert reasons(Gate(other)) == ["clock_behind"]


def test_an_end_is_written_down_for_one_that_declares_less_now_too(gate: Gate, books: Books) -> None:
    (grant,) = books.ledger.grant([draft()])
    books.clock.now = START + 86_400
    assert reasons(gate, ()) == ["posture_narrowed"]
    receipts = books.open().open().receipts
    assert [(one.kind, one.acts_on) for one in receipts[1:]] == [("expire", grant.receipt_id)]


def test_within_one_process_time_does_not_go_back(gate: Gate, books: Books) -> None:
    books.ledger.grant([draft()])
    books.clock.now = START + 86_400
    books.ledger.now(None)
    books.clock.now = START
    assert reasons(Gate(books.open())) == ["expired"]


@pytest.mark.parametrize(
    ("needs", "options"),
    [
        (NEEDS, f"--scope {SCOPE}"),
        (BOOLEAN, "--boolean"),
        (scoped(SCOPE, "a b"), f"--scope {SCOPE} --scope 'a b'"),
        (scoped("v:\u202ex"), r"--scope $'v:\xe2\x80\xaex'"),
    ],
)
def test_a_refusal_names_the_command_that_grants(
    needs: tuple[Need, ...], options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(tmp_path / "receipts.toml")
    here = stdio_target([sys.executable, "x y.py", "--fast"])
    answer = Gate(ledger).peek(Binding("docs", "example", "1", here), needs)
    assert isinstance(answer, Denial)
    line = f"cgp-tui consent grant {options} --id docs --ledger {ledger.path} -- {sys.executable} 'x y.py' --fast"
    assert answer.fix == line
    secret = stdio_target([sys.executable, "--token", "hunter2"], env=["NAME"])
    answer = Gate(ledger).peek(Binding("docs", "example", "1", secret), needs)
    assert isinstance(answer, Denial)
    assert answer.fix.endswith("--env NAME --ledger " + str(ledger.path) + " -- CMD...")
    assert "hunter2" not in answer.fix
    answer = Gate(ledger).peek(Binding("docs", "example", "1", msgspec.structs.replace(here, named=True)), needs)
    assert isinstance(answer, Denial)
    assert answer.fix == f"cgp-tui consent grant {options} --id docs --ledger {ledger.path}", "an entry is named by its id"


def test_what_no_consent_can_name_has_no_such_command(gate: Gate) -> None:
    answer = gate.peek(binding(), scoped("vendor:"))
    assert isinstance(answer, Denial)
    assert [one.reason for one in answer.reasons] == ["scope_malformed"]
    assert "author" in answer.fix


# -- how long a permit lives


def test_a_permit_is_alive_only_inside(gate: Gate, books: Books) -> None:
    books.ledger.grant([draft()])
    with gate.ask(binding(), NEEDS) as answer:
        assert isinstance(answer, Permit)
        assert alive(answer)
        assert locks.attempt(books.ledger.send_lock, shared=False) is None
        append = locks.attempt(books.ledger.append_lock, shared=False)
        assert append is not None, "the append lock is given back at once"
        append.release()
    assert not alive(answer)
    with pytest.raises(ZeroDivisionError), gate.ask(binding(), NEEDS) as answer:
        raise ZeroDivisionError
    assert isinstance(answer, Permit)
    assert not alive(answer)
    barrier = locks.attempt(books.ledger.send_lock, shared=False)
    assert barrier is not None
    barrier.release()
    peeked = gate.peek(binding(), NEEDS)
    assert isinstance(peeked, Permit)
    assert not alive(peeked)


def test_a_revocation_waits_for_the_write_and_lets_no_other_begin(gate: Gate, books: Books) -> None:
    books.ledger.grant([draft()])
    order: list[str] = []
    with gate.ask(binding(), NEEDS) as answer:
        assert isinstance(answer, Permit)
        revoking = threading.Thread(target=lambda: order.append(books.open().revoke([draft("revoke")], 60).outcome))
        revoking.start()
        time.sleep(0.2)
        order.append("written")
        with gate.try_ask(binding(), NEEDS) as second:
            assert isinstance(second, Unready | Denial), "nobody enters behind a waiting revocation"
    revoking.join()
    assert order == ["written", "confirmed"]
    assert reasons(gate) == ["revoked"]


def test_the_permit_of_a_provider_without_needs_is_waited_for_too(gate: Gate, books: Books) -> None:
    books.ledger.grant([draft()])
    stranger = binding(provider_id="local", target=target(digest="cc" * 32))
    with gate.ask(stranger, ()) as answer:
        assert isinstance(answer, Permit)
        assert (
            books.open().revoke([draft("revoke", provider_id="local", basis="all", scope="")], 0.1).outcome
            == "not_confirmed"
        )
    assert reasons(gate, (), stranger) == ["posture_narrowed"]


# -- that it misses nothing


def test_never_waits_nor_reads_unless_asked_to(gate: Gate, books: Books) -> None:
    with gate.try_ask(binding(), NEEDS) as answer:
        assert answer == Unready("changed")
    gate.refresh()
    stale = [gate.stale]
    with gate.try_ask(binding(), NEEDS) as answer:
        assert isinstance(answer, Denial)
    books.open().grant([draft()])
    stale.append(gate.stale)
    assert stale == [False, True]
    with gate.try_ask(binding(), NEEDS) as answer:
        assert answer == Unready("changed")
    gate.refresh()
    with locks.take(books.ledger.append_lock, shared=False, patience=1), gate.try_ask(binding(), NEEDS) as answer:
        assert answer == Unready("busy")
    with locks.take(books.ledger.send_lock, shared=False, patience=1), gate.try_ask(binding(), NEEDS) as answer:
        assert answer == Unready("busy")


def test_a_change_between_the_look_and_the_lock_is_noticed(
    gate: Gate, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.ledger.grant([draft()])
    assert reasons(gate) == []
    really = locks.attempt
    done: list[str] = []

    def revoking(path: Path, *, shared: bool, sheltered: bool = False) -> locks.Held | None:
        if not done and path == books.ledger.append_lock:
            done.append("")
            done.append(books.open().revoke([draft("revoke")]).outcome)
        return really(path, shared=shared, sheltered=sheltered)

    monkeypatch.setattr(locks, "attempt", revoking)
    with gate.try_ask(binding(), NEEDS) as answer:
        assert answer == Unready("changed")
    assert done[1] == "confirmed"
    assert reasons(gate) == ["revoked"]


def test_the_send_lock_is_taken_while_the_append_lock_is_held(
    gate: Gate, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a sender could slip in between a revocation's record and its wait for the last write."""
    books.ledger.grant([draft()])
    assert reasons(gate) == []
    really = locks.attempt
    free: list[bool] = []

    def watched(path: Path, *, shared: bool, sheltered: bool = False) -> locks.Held | None:
        if path == books.ledger.send_lock:
            writer = really(books.ledger.append_lock, shared=False)
            free.append(writer is not None)
            if writer is not None:
                writer.release()
        return really(path, shared=shared, sheltered=sheltered)

    monkeypatch.setattr(locks, "attempt", watched)
    assert reasons(gate) == []
    assert free == [False]


def test_another_process_revokes_between_two_writes(gate: Gate, books: Books) -> None:
    books.ledger.grant([draft()])
    assert reasons(gate) == []
    code = (
        "import sys; from pathlib import Path\n"
        "from cgp_tui.consent.ledger import Ledger; from tests.consent.people import draft\n"
        "print(Ledger(Path(sys.argv[1]), Path(sys.argv[2])).revoke([draft('revoke')]).outcome)\n"
    )
    root = Path(__file__).resolve().parent.parent.parent
    command = [sys.executable, "-c", code, str(books.path), str(books.head)]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert ran.stdout == "confirmed\n"
    with gate.try_ask(binding(), NEEDS) as answer:
        assert answer == Unready("changed")
    books.clock.now = time.time()
    assert reasons(gate) == ["revoked"]


def test_a_ledger_that_stays_locked_denies_after_the_wait(gate: Gate, books: Books, pauses: list[float]) -> None:
    books.ledger.grant([draft()])
    assert reasons(gate) == []
    with locks.take(books.ledger.append_lock, shared=False, patience=1):
        pauses.clear()
        for needs in (NEEDS, ()):
            with gate.ask(binding(), needs, patience=0.1) as answer:
                assert isinstance(answer, Denial)
                assert ([one.reason for one in answer.reasons], answer.code) == (["lock_timeout"], "lock_timeout")
        with Gate(books.open()).ask(binding(), NEEDS, patience=0.1) as answer:
            assert isinstance(answer, Denial)
            assert answer.code == "lock_timeout"
        assert 0 < sum(pauses) < 3


def test_without_a_lock_nothing_that_needs_consent_passes(gate: Gate, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    books.ledger.grant([draft()])
    assert reasons(gate) == []
    monkeypatch.setattr(locks, "fcntl", None)
    answer = gate.peek(binding(), NEEDS)
    assert isinstance(answer, Denial)
    assert answer.code == "lock_timeout"
    assert "no gate" in answer.detail
    stranger = binding(provider_id="local", target=target(digest="cc" * 32))
    assert reasons(gate, (), stranger) == []


def test_a_read_only_folder_denies_with_what_to_do(gate: Gate, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    books.ledger.grant([draft()])
    books.ledger.send_lock.unlink(missing_ok=True)
    real = os.open

    def read_only(path: str, flags: int, *mode: int, **more: int) -> int:
        if flags & os.O_CREAT and not os.path.exists(path):  # noqa: PTH110
            raise OSError(errno.EROFS, "Read-only file system")
        return real(path, flags, *mode, **more)

    monkeypatch.setattr(os, "open", read_only)
    answer = gate.peek(binding(), NEEDS)
    assert isinstance(answer, Denial)
    assert answer.reasons[0].reason == "lock_timeout"
    assert "local disk" in answer.fix


def test_many_threads_ask_one_gate(gate: Gate, books: Books) -> None:
    """Revocations and grants alternate; while one that is confirmed stands, no permit is alive in any thread."""
    books.ledger.grant([draft(expires_at="never")])
    revoked, over = threading.Event(), threading.Event()
    sent: list[bool] = []

    def send() -> None:
        while not over.is_set():
            with gate.ask(binding(), NEEDS, patience=60) as answer:
                if isinstance(answer, Permit):
                    time.sleep(0.0005)
                    sent.append(revoked.is_set())

    threads = [threading.Thread(target=send) for _ in range(3)]
    for thread in threads:
        thread.start()
    other = books.open()
    outcomes = []
    for _ in range(15):
        outcomes.append(other.revoke([draft("revoke")], patience=60).outcome)
        revoked.set()
        time.sleep(0.002)
        revoked.clear()
        other.grant([draft(expires_at="never")], patience=60)
        time.sleep(0.005)
    over.set()
    for thread in threads:
        thread.join()
    assert outcomes == ["confirmed"] * 15
    assert sent
    assert not any(sent)


def test_a_glance_takes_no_lock_and_permits_no_write(gate: Gate, books: Books) -> None:
    assert gate.glance(binding(), NEEDS) == Unready("changed")
    books.ledger.grant([draft()])
    gate.refresh()
    with locks.take(books.ledger.append_lock, shared=False, patience=1):
        answer = gate.glance(binding(), NEEDS)
    assert isinstance(answer, Permit)
    assert not answer.alive
    books.open().revoke([draft("revoke")])
    assert gate.glance(binding(), NEEDS) == Unready("changed")
    gate.refresh()
    assert isinstance(gate.glance(binding(), NEEDS), Denial)
    books.head.unlink()
    assert gate.glance(binding(), NEEDS) == Unready("changed"), "an emergency stop"


def test_a_refusal_from_a_ledger_that_changed_is_none(gate: Gate, books: Books) -> None:
    assert reasons(gate) == ["no_receipt"]
    books.open().grant([draft()])
    with gate.try_ask(binding(), NEEDS) as answer:
        assert answer == Unready("changed")


def test_what_needs_no_consent_is_waited_for_before_there_is_a_ledger(gate: Gate, books: Books) -> None:
    """Whether there is a folder for a lock or not: the first no of all must not say more than it knows."""
    for there in (False, True):
        if there:
            shutil.rmtree(books.path.parent)
            books.head.unlink()
            books.path.parent.mkdir(mode=0o700)
            gate.refresh()
        with gate.ask(binding(), ()) as answer:
            assert isinstance(answer, Permit)
            done = books.open().deny([draft("deny", basis="all", scope="", provider_id="docs")], 0.05)
            assert (done.outcome, done.pids) == ("not_confirmed", (os.getpid(),))
        assert books.open().deny([draft("deny")]).outcome == "confirmed"
        assert reasons(gate, ()) == ["posture_narrowed"]


def test_a_no_between_the_look_and_the_sign_is_noticed(gate: Gate, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    gate.refresh()
    really = presence.show

    def late(path: Path) -> presence.Sign | None:
        assert books.open().deny([draft("deny", basis="all", scope="")]).outcome == "confirmed"
        return really(path)

    monkeypatch.setattr(presence, "show", late)
    with gate.try_ask(binding(), ()) as answer:
        assert answer == Unready("changed")
    presence.wait(books.path, 0)


@pytest.mark.parametrize("needs", [(), NEEDS])
def test_a_process_without_a_descriptor_left_sends_nothing(
    needs: tuple[Need, ...], gate: Gate, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No revocation could see that it is writing; and its ledger is not what has to be mended."""
    books.ledger.grant([draft()])
    who = binding() if needs else binding(provider_id="local", target=target(digest="cc" * 32))
    assert reasons(gate, needs, who) == []

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(locks, "attempt", full)
    monkeypatch.setattr(presence, "show", full)
    answer = gate.peek(who, needs)
    assert isinstance(answer, Denial)
    assert [(one.need, one.reason) for one in answer.reasons] == [
        ((needs or (Need("local", "boolean"),))[0], "lock_timeout")
    ]
    assert (answer.detail, answer.fix) == ("No lock could be taken: Too many open files.", "Close something and ask again.")


def test_without_needs_and_without_a_lock_a_changed_ledger_is_read_first(
    gate: Gate, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.ledger.grant([draft()])
    stranger = binding(provider_id="local", target=target(digest="cc" * 32))
    assert reasons(gate, (), stranger) == []
    books.open().revoke([draft("revoke", provider_id="local", basis="all", scope="")])
    monkeypatch.setattr(locks, "fcntl", None)
    with gate.try_ask(stranger, ()) as answer:
        assert answer == Unready("changed")


# -- grants for one use


def test_the_use_of_a_one_time_grant_is_written_down_and_is_the_payloads_own(gate: Gate, books: Books) -> None:
    (grant, _) = books.ledger.grant([draft(uses="once"), draft(scope="a:b")])
    needs = scoped(SCOPE, "a:b")
    first = gate.peek(binding(), needs)
    assert isinstance(first, Permit)
    assert first.unspent == (grant,), "and of the grants without a limit none"
    spends = gate.spend(first.unspent)
    spent = books.open().open().receipts[-1]
    assert (spent.kind, spent.acts_on, spends) == ("spend", grant.receipt_id, frozenset({spent.receipt_id}))
    assert (spent.provider_id, spent.target, spent.code, spent.scope) == ("docs", "aa" * 32, "bb" * 32, SCOPE)
    assert spent.grantor.kind == "host"
    with gate.ask(binding(), needs, spends=spends) as own:
        assert isinstance(own, Permit)
        assert own.unspent == (), "what was spent is not spent again"
    assert reasons(gate, needs) == ["spent"]


@pytest.mark.parametrize("read", [True, False])
@pytest.mark.parametrize(("code", "reason"), [("lock_timeout", "lock_timeout"), ("later_code", "unrecordable")])
def test_a_use_that_cannot_be_written_down_is_a_no(code: str, reason: str, read: bool, gate: Gate, books: Books) -> None:
    books.ledger.grant([draft(uses="once")])
    if read:
        gate.refresh()
    denial = gate.unspendable(NEEDS, OurError(code, "No.", "Mend it."))
    assert [(one.need, one.reason) for one in denial.reasons] == [(NEEDS[0], reason)]
    assert (denial.detail, denial.fix) == ("No.", "Mend it.")


# -- what it keeps


def test_its_ledger_is_the_one_it_was_made_for(gate: Gate, books: Books) -> None:
    assert gate.ledger is books.ledger


def test_files_that_cannot_be_looked_at_are_changed_ones(gate: Gate, books: Books) -> None:
    books.ledger.grant([draft()])
    assert reasons(gate) == []
    assert not stale(gate)
    books.path.parent.rename(books.path.parent.with_name("moved"))
    books.path.parent.write_text("no folder")
    assert stale(gate)
    with gate.try_ask(binding(), NEEDS) as answer:
        assert isinstance(answer, Unready)


def test_of_many_who_ask_few_plans_are_kept(gate: Gate, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_module, "_PLANS", 3)
    books.ledger.grant([draft()])
    for number in range(20):
        assert "no_receipt" in reasons(gate, scoped("x:y"), who=binding(provider_id=f"p{number}"))
        assert reasons(gate) == []
    reading = gate._read
    assert reading is not None
    assert len(reading._plans) <= 3


def test_an_id_that_the_command_makes_anyway_is_not_repeated(tmp_path: Path) -> None:
    here = stdio_target([sys.executable, "x.py"])
    answer = Gate(Ledger(tmp_path / "receipts.toml")).peek(Binding(default_id(here), "example", "1", here), BOOLEAN)
    assert isinstance(answer, Denial)
    assert "--id" not in answer.fix
