"""The gate: asked for every query and verify, at the moment of each write.

The answer comes from the ledger as it is on the disk at that moment. Reading all of it for each write would be slow, so what
was read is kept for as long as inode, size and both times of the ledger and of its head are unchanged, checked under the
lock. A permit is alive while the shared send lock is held and a sign is shown, which is what a revocation waits for. Where
there is no folder for a lock, nothing was ever recorded, and what needs no consent passes under the sign alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Final, Literal, get_args

from cgp_tui.consent.decision import Book, Word
from cgp_tui.consent.ledger import Ledger, Opened, clock_words
from cgp_tui.consent.receipt import HOST, Draft, Receipt
from cgp_tui.consent.types import Answer, Binding, Denial, Need, Permit, Reason, ReasonCode, Unready
from cgp_tui.errors import SCARCE, Error, os_reason
from cgp_tui.secret import mask_argv
from cgp_tui.store import locks, presence
from cgp_tui.store.locks import BusyError, Held
from cgp_tui.store.presence import Sign
from cgp_tui.target import default_id
from cgp_tui.text import quoted

PATIENCE: Final = 5.0
"""Seconds that one question may spend on waiting for locks and reading a changed ledger."""

_NOTE_PATIENCE: Final = 1.0
"""Seconds that a refusal may be delayed by writing down that a grant has ended."""

_REVOKE_AGAIN: Final = (
    "Fix the disk or its permissions, then revoke again: until that is on record, nothing is sent from here."
)

_CHANGED: Final = Unready("changed")
_BUSY: Final = Unready("busy")
_PAUSE: Final = 0.001
_PLANS: Final = 256
_REASONS: Final[dict[str, ReasonCode]] = {reason: reason for reason in get_args(ReasonCode)}


class Gate:
    """The gate of one ledger. One instance serves any number of connections, from any thread."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._read: _Reading | None = None

    @property
    def ledger(self) -> Ledger:
        return self._ledger

    @contextmanager
    def ask(
        self,
        binding: Binding,
        needs: Sequence[Need],
        patience: float = PATIENCE,
        spends: frozenset[str] = frozenset(),
    ) -> Iterator[Answer]:
        """May a payload go to `binding` now? `needs` are those of its declaration (see `needs.needs`), `spends` is what
        `spend` returned for this payload, so that one-time grants used by it still count for it.

        Waits up to `patience` seconds for locks and reads a changed ledger first, so it belongs in a worker thread. The
        permit is alive until the `with` block ends. The first refusal for an expired grant writes down that it has ended.
        """
        deadline = time.monotonic() + patience
        while True:
            with self.try_ask(binding, needs, spends) as answer:
                if not isinstance(answer, Unready):
                    if isinstance(answer, Denial):
                        self._note_expiry(answer)
                    yield answer
                    return
            left = deadline - time.monotonic()
            if left <= 0:
                yield self._timed_out(binding, needs)
                return
            if answer.why == "changed":
                self.refresh(left)
            else:
                time.sleep(min(_PAUSE, left))

    def try_ask(self, binding: Binding, needs: Sequence[Need], spends: frozenset[str] = frozenset()) -> _Trial:
        """Like `ask`, but never waits, reads or writes: `Unready` where that is needed first (`refresh`, in a worker).

        The `with` block must hold nothing but the caller's one write.
        """
        return _Trial(self, binding, needs, spends)

    def glance(self, binding: Binding, needs: Sequence[Need], spends: frozenset[str] = frozenset()) -> Answer | Unready:
        """Like `try_ask`, but without a lock and with a permit that is never alive: for replies handed on in this process.

        Any recorded revocation, confirmed or not, has changed the ledger; so while that is unchanged nothing was withdrawn.
        """
        reading = self._read
        if reading is None or not reading.usable():
            return Unready("changed")
        return reading.answer(binding, needs, spends)

    def tried(
        self, binding: Binding, needs: Sequence[Need], spends: frozenset[str]
    ) -> tuple[Held | Sign | None, Answer | Unready]:
        """The answer at this moment and, where it is yes, what a revocation waits for: the send lock and a sign or, where
        there is no folder for the lock, the sign alone. Callers use `try_ask`."""
        reading = self._read
        if reading is None or (not reading.good and not reading.usable()):
            return None, _CHANGED
        answer = reading.answer(binding, needs, spends)
        if isinstance(answer, Permit):
            return self._entered(reading, binding, answer)
        return None, answer if reading.holds() else _CHANGED

    def _entered(self, reading: _Reading, binding: Binding, permit: Permit) -> tuple[Held | Sign | None, Answer | Unready]:
        """What a revocation waits for and the permit, if the ledger is still the same under it; else why not."""
        held: Held | Sign | None = None
        instead: Answer = permit
        try:
            try:
                lock = self._enter()
                if lock is None:
                    return None, _BUSY
                held = presence.over(lock, self._ledger.path)
            except (OSError, Error):
                if permit.needs:
                    raise
                # No file can be locked, and none is made for a provider that needs no consent.
                held = presence.show(self._ledger.path)
        except (OSError, Error) as error:
            instead = reading.shut(_asked(binding, permit.needs), *_no_lock(error))
        if reading.holds():
            return held, instead
        if held is not None:
            held.release()
        return None, _CHANGED

    def peek(self, binding: Binding, needs: Sequence[Need]) -> Answer:
        """What the gate would answer now, for screens and before a request is recorded. The permit is not alive.

        It may read the ledger and set a torn tail aside, so it belongs in a worker thread.
        """
        with self.ask(binding, needs) as answer:
            return answer

    def spend(self, grants: Sequence[Receipt]) -> frozenset[str]:
        """Write down that one payload uses these one-time grants. Returns the receipt_ids of the records, to pass to `ask`.

        Belongs in a worker thread. Raises what `Ledger.spend` raises.
        """
        drafts = [_acting_on(receipt, "spend") for receipt in grants]
        return frozenset(receipt.receipt_id for receipt in self._ledger.spend(drafts))

    def unspendable(self, needs: Sequence[Need], error: Error) -> Denial:
        """The denial where the use of a one-time grant could not be written down."""
        reading = self._read or _Reading(self._ledger, Opened(path=self._ledger.path, state="lock_timeout"))
        return reading.shut(tuple(needs), _REASONS.get(error.code, "unrecordable"), error.message, error.fix)

    def refresh(self, patience: float = PATIENCE) -> Opened:
        """Read the ledger anew, after mending what a dead writer left behind. Waits for locks and the disk."""
        opened = self._ledger.open(patience)
        if opened.mendable:
            # Where we may not write, the state stays as it is, and denies.
            with suppress(Error):
                opened = self._ledger.settle()
        self._read = _Reading(self._ledger, opened)
        return opened

    @property
    def stale(self) -> bool:
        """Whether the ledger or its head changed since it was last read; two `stat` calls."""
        return self._read is None or not self._read.current()

    def _enter(self) -> Held | None:
        """The shared send lock, taken under the append lock so that it never overtakes a waiting revocation."""
        append = locks.attempt(self._ledger.append_lock, shared=True)
        if append is None:
            return None
        with append:
            return locks.attempt(self._ledger.send_lock, shared=True, sheltered=True)

    def _timed_out(self, binding: Binding, needs: Sequence[Need]) -> Answer:
        error = BusyError(self._ledger.append_lock, locks.holders(self._ledger.append_lock))
        reading = self._read or _Reading(self._ledger, Opened(path=self._ledger.path, state="lock_timeout"))
        return reading.shut(_asked(binding, needs), "lock_timeout", error.message, error.fix)

    def _note_expiry(self, denial: Denial) -> None:
        """Write down that a grant has ended, so that setting the clock back cannot revive it."""
        reading = self._read
        assert reading is not None  # noqa: S101 -- a denial is what was read
        ended = {reason.receipt_id for reason in denial.reasons if "expired" in (reason.reason, reason.old)}
        drafts = [
            _acting_on(receipt, "expire")
            for receipt in reading.opened.receipts
            if receipt.receipt_id in ended and not reading.book.is_expired_on_record(receipt.receipt_id)
        ]
        if drafts and not self.stale:
            # Even unwritten the answer stays no: the time is judged anew at each question.
            with suppress(Error):
                self._ledger.grant(drafts, patience=_NOTE_PATIENCE)


def _acting_on(grant: Receipt, kind: Literal["spend", "expire"]) -> Draft:
    """The host's own record about a grant."""
    return Draft(
        kind=kind,
        acts_on=grant.receipt_id,
        provider_id=grant.provider_id,
        target_kind=grant.target_kind,
        target=grant.target,
        code=grant.code,
        basis=grant.basis,
        scope=grant.scope,
        grantor=HOST,
    )


class _Trial:
    """One question without waiting, asked when the `with` block begins; its permit is alive until the block ends."""

    __slots__ = ("_answer", "_asked", "_gate", "_held")

    def __init__(self, gate: Gate, *asked: Any) -> None:
        self._gate = gate
        self._asked = asked
        self._held: Held | Sign | None = None
        self._answer: Answer | Unready = _CHANGED

    def __enter__(self) -> Answer | Unready:
        self._held, self._answer = self._gate.tried(*self._asked)
        if isinstance(self._answer, Permit):
            self._answer.revive()
        return self._answer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(self._answer, Permit):
            self._answer.end()
        if self._held is not None:
            self._held.release()


class _Reading:
    """A ledger as it was read, and the answers drawn from it."""

    def __init__(self, ledger: Ledger, opened: Opened) -> None:
        self._ledger = ledger
        self.opened = opened
        # A ledger that is shut still tells what was refused, but nothing that it grants counts.
        self.book = Book(opened.receipts, opened.acknowledged)
        self._plans: dict[tuple[Binding, tuple[Need, ...], frozenset[str]], tuple[Word, ...]] = {}
        self._last: tuple[Binding, Sequence[Need], frozenset[str], tuple[Word, ...]] | None = None
        self._newest = opened.newest
        self._unused = True
        self.good: Final = opened.answers
        """Whether unchanged marks mean that it still holds. What shuts a ledger may end without a change to the files."""

    def usable(self) -> bool:
        """Whether to answer from this reading: once if the ledger is shut, otherwise while the files are unchanged."""
        if self.good:
            return self.current()
        unused, self._unused = self._unused, False
        return unused

    def holds(self) -> bool:
        """Whether an answer from this reading still holds, as far as the files tell."""
        return not self.good or self.current()

    def current(self) -> bool:
        """Whether the ledger and its head are still the ones that were read."""
        try:
            return self._ledger.log.is_marked(self.opened.head_path, self.opened.marks)
        except OSError:
            return False

    def shut(self, needs: tuple[Need, ...], reason: ReasonCode, detail: str, fix: str) -> Denial:
        """A denial of all needs for one cause that lies with the ledger."""
        return Denial(tuple(Reason(need, reason) for need in needs), self.opened.state, self.opened.head, detail, fix)

    def _plan(self, binding: Binding, needs: tuple[Need, ...], spends: frozenset[str]) -> tuple[Word, ...]:
        last = self._last
        # A connection always asks with the same objects; comparing those costs far less than hashing them.
        if last is not None and last[0] is binding and last[1] is needs and last[2] == spends:
            return last[3]
        key = (binding, needs, spends)
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= _PLANS:
                self._plans.clear()
            plan = self._plans[key] = self.book.plan(binding, needs, spends)
        self._last = (binding, needs, spends, plan)
        return plan

    def answer(self, binding: Binding, declared: Sequence[Need], spends: frozenset[str] = frozenset()) -> Answer:
        """Yes or no, at this moment."""
        opened = self.opened
        plan = self._plan(binding, tuple(declared), spends)
        needs = tuple([word.need for word in plan])
        unrecorded = self._ledger.unrecorded
        if not needs:
            if (self.good or opened.mendable) and not unrecorded:
                return Permit((), (), None)
            # What could not be written down, or cannot be read, may be a no to this provider: one that was refused would
            # only have to declare less.
            needs = _asked(binding, ())
        if unrecorded:
            return self.shut(needs, "unrecordable", unrecorded, _REVOKE_AGAIN)
        if not self.good:
            return self.shut(needs, _REASONS[opened.state], opened.detail, opened.command)
        if self._ledger.clock_behind(self._newest):
            words = clock_words(self._newest)
            return self.shut(needs, "clock_behind", words, self._ledger.clock_fix)
        t = self._ledger.now(self._newest)
        reasons, receipts, once = list[Reason](), list[Receipt](), list[Receipt]()
        for word in plan:
            answer = word.at(t)
            if isinstance(answer, Reason):
                reasons.append(answer)
            else:
                receipts.append(answer)
                if answer.uses == "once" and not self.book.is_spent(answer.receipt_id):
                    once.append(answer)
        if reasons:
            fix = grant_command(self._ledger, binding, reasons)
            # That nothing was ever written down says no more than the reasons do.
            detail = "" if opened.state == "fresh" else opened.detail
            return Denial(tuple(reasons), opened.state, opened.head, detail, fix)
        return Permit(needs, tuple(receipts), opened.head, tuple(once))


def grant_command(ledger: Ledger, binding: Binding, reasons: Sequence[Reason]) -> str:
    """The command that grants what was refused, quoted for a shell. A command line with masked parts is not repeated."""
    malformed = [reason for reason in reasons if reason.reason in ("scope_malformed", "identity_unrepresentable")]
    if malformed:
        return "The provider's author must correct what it declares; no consent can name it."
    words: list[str] = []
    for reason in reasons:
        words += ["--boolean"] if reason.need.basis == "boolean" else ["--scope", reason.need.scope]
    target = binding.target
    if target.named or binding.provider_id != default_id(target):
        words += ["--id", binding.provider_id]
    for name in target.env_names:
        words += ["--env", name]
    line = ledger.command("grant", *words)
    if target.named:
        return line
    shown = " ".join(map(quoted, target.argv)) if mask_argv(target.argv) == target.argv else "CMD..."
    return f"{line} -- {shown}"


def _asked(binding: Binding, needs: Sequence[Need]) -> tuple[Need, ...]:
    """The needs that a refusal names. A provider that declares nothing may still have needs on record, which could not be
    read: that is doubt too."""
    return tuple(needs) or (Need(binding.provider_id, "boolean"),)


def _no_lock(error: OSError | Error) -> tuple[ReasonCode, str, str]:
    """Why no lock could be had: reason, detail, fix."""
    if isinstance(error, Error):
        return _REASONS.get(error.code, "lock_timeout"), error.message, error.fix
    if error.errno in SCARCE:
        return "lock_timeout", f"No lock could be taken: {error.strerror}.", "Close something and ask again."
    detail = f"This file system gives no lock: {os_reason(error)}."
    return "lock_timeout", detail, "Keep the ledger on a local disk, writable for you: --ledger FILE."
