"""The ledger: reading it, and adding to it. Every act is one record, on the disk and remembered before it counts."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from cgp_tui.consent import decision, receipt
from cgp_tui.consent.receipt import ANY, HOST, Draft, Form, Grantor, Receipt
from cgp_tui.errors import Error, OurError, RefusedError, os_reason
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.store import canon, head, locks, paths, presence
from cgp_tui.store.files import ABSENT, Mark, UnsafeStoreError, mark_or_absent
from cgp_tui.store.heads import Heads, must_be_apart
from cgp_tui.store.locks import BusyError
from cgp_tui.store.log import Log, Taken, View
from cgp_tui.store.place import NotWrittenError, Place, StoppedError
from cgp_tui.store.states import MENDABLE, NotWhole, in_words
from cgp_tui.text import quoted
from cgp_tui.wire.note import LedgerMark

CLOCK_SLACK: Final = 300
"""Seconds that the newest record may be ahead of the clock."""

READ_PATIENCE: Final = 5.0
WRITE_PATIENCE: Final = 5.0
REVOKE_PATIENCE: Final = 2.0
"""Seconds to wait for a lock: to read, to write a grant, and in each of the two steps of a revocation."""

_BROKEN: Final = frozenset(get_args(NotWhole)) - MENDABLE - {"fresh"}
"""States of a ledger that takes no record."""

_NO_HEAD: Final = "There was no head to remove; a program that keeps its head elsewhere, with --head, goes on."

_UPDATE: Final = "python -m pip install --upgrade cgp-tui"

_latest: dict[Path, float] = {}
"""The latest time by which this process has judged each ledger: it never goes back, whatever the clock does."""


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """The ledger as it was read. `state` is `ok` or names what shuts the gate (a state of the log, or `lock_timeout`),
    `detail` is what is wrong and where, `command` the step that leads out. `head` is the acknowledged end, `end` the last
    whole record in the file. `receipts` are all whole records, oldest first; those beyond number `acknowledged` are not
    covered by the head."""

    path: Path
    state: str
    detail: str = ""
    command: str = ""
    ledger_id: str = ""
    head: LedgerMark | None = None
    end: LedgerMark | None = None
    receipts: tuple[Receipt, ...] = ()
    acknowledged: int = 0
    head_path: Path | None = None
    marks: tuple[Mark, Mark] = (ABSENT, ABSENT)

    @property
    def answers(self) -> bool:
        """Whether it can say what may leave: it is whole, or nothing was ever written."""
        return self.state in ("ok", "fresh")

    @property
    def mendable(self) -> bool:
        """Whether the next writer mends it without losing anything acknowledged."""
        return self.state in MENDABLE

    @property
    def words(self) -> str:
        """The state it is in, and why, in words."""
        return f"The ledger {in_words(self.state)}. {self.detail}".rstrip()

    def refused(self) -> RefusedError:
        """The error that says why it cannot be used as it is, with the step that leads out."""
        return RefusedError(self.state, self.words, self.command)

    @property
    def newest(self) -> int | None:
        """Seconds since 1970 of the last record's time, None without a record."""
        return canon.seconds(self.receipts[-1].granted_at) if self.receipts else None


class Revoked(msgspec.Struct, frozen=True):
    """The outcome of a revocation. *confirmed*: recorded, and every sender has finished its last write. *not_confirmed*:
    recorded, but `pids` were still sending after the wait. *emergency_stop*: not recorded, but the head was removed, so
    nothing leaves until the ledger is recovered. *not_recorded*: not even that was possible. `detail` says why."""

    outcome: Literal["confirmed", "not_confirmed", "emergency_stop", "not_recorded"]
    receipts: tuple[Receipt, ...] = ()
    pids: tuple[int, ...] = ()
    detail: str = ""


class Ledger:
    """The ledger at `path`; its head is at `head`, by default in the state folder under the ledger's id. `clock` gives
    seconds since 1970. Nothing is made before it is needed. `warning` is what a person must know about how it was mended
    here, empty if nothing. Raises InputError for a `head` that is the ledger itself or one of its locks, and for either of
    them at the place of another ledger's lock."""

    def __init__(self, path: Path, head: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self.path = path.absolute()
        self._head = None if head is None else head.absolute()
        self._clock = clock
        self.warning = ""
        self.unrecorded = ""
        """Why the last withdrawal requested here could neither be recorded nor stop everybody; empty where it could. As long
        as it is set, this object permits nothing that needs consent."""
        heads = Heads(self._head, paths.head_path, lambda: paths.whose_path(self.path))
        self.log: Log[Receipt] = Log(self.path, receipt.parse, heads)
        self.append_lock, self.send_lock = locks.of_ledger(self.path)
        if self._head is not None:
            must_be_apart(self._head, (self.path, self.append_lock, self.send_lock))

    @property
    def options(self) -> tuple[str, ...]:
        """The command-line options that name this ledger; none for the person's own."""
        named = () if self.path == paths.ledger_path() else ("--ledger", str(self.path))
        return named if self._head is None else (*named, "--head", str(self._head))

    def command(self, *words: str) -> str:
        """A `cgp-tui consent` command line about this ledger, quoted for a shell."""
        return " ".join(map(quoted, ["cgp-tui", "consent", *words, *self.options]))

    @property
    def clock_fix(self) -> str:
        """What to do about a newest record that is ahead of the clock, as one of the two is wrong."""
        return f"Set this machine's clock; where that is right already, start a new ledger: {self.command('recover')}"

    def clock_behind(self, newest: int | None) -> bool:
        """Whether the clock is so far behind the newest record that no time can be judged."""
        return newest is not None and newest > self._clock() + CLOCK_SLACK

    def now(self, newest: int | None) -> float:
        """The time to judge by, in seconds since 1970: never before the newest record or an earlier answer."""
        moment = max(self._clock(), newest or 0, _latest.get(self.path, 0))
        _latest[self.path] = moment
        return moment

    def open(self, patience: float = READ_PATIENCE) -> Opened:
        """Read and verify everything, as it stands under the shared append lock: it is held for a look at both files, not
        while they are read and checked, or many readers would keep a revocation out. Never writes a record; every fault is
        a state."""
        taken = self.log.take()
        if isinstance(taken, Taken) and mark_or_absent(self.path) != ABSENT:
            try:
                with locks.take(self.append_lock, shared=True, patience=patience):
                    taken = self.log.take(taken)
            except BusyError as error:
                return Opened(path=self.path, state="lock_timeout", detail=error.message, command=error.fix)
            except UnsafeStoreError as error:
                return Opened(path=self.path, state="store_unsafe", detail=error.message, command=error.fix)
            except (OSError, OurError):
                # No lock can be had here, so nobody writes here either. A half-written record would read as torn: denied.
                taken = self.log.take()
        return self._opened(self.log.judged(taken))

    def _opened(self, view: View[Receipt]) -> Opened:
        return Opened(
            path=self.path,
            state=view.state,
            detail=view.detail,
            command=view.fix or self._leads_out(view.state),
            ledger_id=view.header.ledger_id if view.header else "",
            head=view.head.mark if view.head else None,
            end=view.end.mark if view.end else None,
            receipts=view.records,
            acknowledged=view.head.seq if view.head else 0,
            head_path=view.head_path,
            marks=view.marks,
        )

    def _leads_out(self, state: str) -> str:
        if state in ("ok", "fresh", "store_unsafe"):
            return ""
        return _UPDATE if state == "newer_format" else self.command("recover")

    def grant(
        self, drafts: Sequence[Draft], patience: float = WRITE_PATIENCE, seen: Sequence[Receipt] | None = None
    ) -> tuple[Receipt, ...]:
        """Append records that allow, or that take nothing away: grant, narrow, expire. The whole ledger is verified first.
        `seen` are the records that stood when the question was put: a no that has come since is not overruled by an answer
        that did not know of it.

        Raises RefusedError with the state that shuts it, `clock_behind`, `identity_unrepresentable`, or for such a no
        `revoked` or `denied`; OurError `lock_timeout`, `store_unsafe` or `unrecordable`, where nothing was written but what
        its message names, and after a stop `head_missing`."""

        def checked(view: View[Receipt]) -> Sequence[Draft]:
            if seen is not None:
                decision.must_not_be_overtaken(view.records, seen, drafts)
            return drafts

        return self._verified(checked, patience)

    def checkpoint(self, note: Callable[[str], str], grantor: Grantor, patience: float = WRITE_PATIENCE) -> Receipt:
        """Append a checkpoint; `note` makes its note from the hash (hex) of the block before it. Raises as `grant` does."""

        def draft(view: View[Receipt]) -> Sequence[Draft]:
            assert view.end is not None  # noqa: S101 -- a settled ledger has one
            return [Draft(kind="checkpoint", provider_id=ANY, grantor=grantor, note=note(view.end.hash))]

        return self._verified(draft, patience)[0]

    def _verified(self, make: Callable[[View[Receipt]], Sequence[Draft]], patience: float) -> tuple[Receipt, ...]:
        """Append the records that `make` gives for the ledger as it stands, after the whole of it was verified."""
        self.log.foresee()
        try:
            with locks.take(self.append_lock, shared=False, patience=patience):
                view = self._settled()
                if self.clock_behind(self._newest(view)):
                    raise RefusedError("clock_behind", clock_words(self._newest(view)), self.clock_fix)
                drafts = make(view)
                with self.log.place(view) as place:
                    return self._write(place, [Form(draft) for draft in drafts])
        except OSError as error:
            raise NotWrittenError(error) from error

    def spend(self, drafts: Sequence[Draft], patience: float = WRITE_PATIENCE) -> tuple[Receipt, ...]:
        """Append the use of one-time grants, in a time that does not depend on the ledger's size. Raises as `grant` does.

        Two may spend the same grant; the gate sees who was first.
        """
        try:
            forms = [Form(draft) for draft in drafts]
            with locks.take(self.append_lock, shared=False, patience=patience), self._end() as place:
                return self._write(place, forms)
        except OSError as error:
            raise NotWrittenError(error) from error

    def revoke(self, drafts: Sequence[Draft], patience: float = REVOKE_PATIENCE, known: Opened | None = None) -> Revoked:
        """Record revocations and wait for the last write of every sender; each step takes at most `patience` seconds.
        Only the end of the ledger is looked at; where `known`, what was just read of all of it, says that it does not hold,
        it takes no record.

        Where it cannot be recorded, everything is stopped instead. Raises RefusedError `identity_unrepresentable` for a
        draft that no ledger could hold, before anything is done.
        """
        forms = _anywhere(drafts)
        broken = None if known is None or known.state not in _BROKEN else known.refused()
        done = self._revoke(forms, patience) if broken is None else self._stop(broken)
        self.unrecorded = done.detail if done.outcome == "not_recorded" else ""
        return done

    def _revoke(self, forms: Sequence[Form], patience: float) -> Revoked:
        try:
            with locks.take(self.append_lock, shared=False, patience=patience):
                with self._end() as place:
                    receipts = self._write(place, forms)
                try:
                    # No new sender gets in while we hold the append lock, so this wait ends with the last one.
                    locks.take(self.send_lock, shared=False, patience=patience).release()
                    presence.wait(self.path, patience)
                except BusyError as busy:
                    return Revoked("not_confirmed", receipts, busy.pids, busy.message)
                except OSError as error:
                    why = f"Other processes could not be waited for: no lock on {self.send_lock}: {os_reason(error)}."
                    return Revoked("not_confirmed", receipts, (), why)
                except Error as error:
                    return Revoked("not_confirmed", receipts, (), str(error))
                return Revoked("confirmed", receipts)
        except (OSError, Error) as error:
            return self._stop(error)

    def deny(self, drafts: Sequence[Draft], patience: float = REVOKE_PATIENCE, known: Opened | None = None) -> Revoked:
        """Record denials, with the same certainty as a revocation, since a denial may end an earlier grant."""
        return self.revoke(drafts, patience, known)

    def _stop(self, cause: OSError | Error) -> Revoked:
        """Remove the head, so that every gate is shut: a withdrawal that cannot be recorded must still have its effect."""
        detail = NotWrittenError(cause).message if isinstance(cause, OSError) else cause.message
        at = self.log.head_to_stop()
        if at is None:
            return Revoked("not_recorded", detail=f"{detail} The ledger's id cannot be read, so its head cannot be removed.")
        stopped = isinstance(cause, StoppedError)
        if not stopped and mark_or_absent(self.path) == ABSENT and mark_or_absent(at) != ABSENT:
            # If the ledger itself is gone, only its head shuts the gate: without both it would look as if it never was.
            return Revoked("emergency_stop", detail=detail)
        spared = self.log.spared(at)
        if spared:
            return Revoked("not_recorded", detail=f"{detail} {spared}")
        # Programs that were started without --head go by another head than one that is named here.
        heads = [one for one in (at, self.log.usual_head()) if one is not None and mark_or_absent(one) != ABSENT]
        try:
            doubt = " ".join(filter(None, map(head.stop, heads))) if heads or stopped else _NO_HEAD
        except OSError as error:
            return Revoked("not_recorded", detail=f"{detail} Its head cannot be removed: {os_reason(error)}.")
        return Revoked("emergency_stop", detail=f"{detail} {doubt}".rstrip())

    def settle(self, patience: float = WRITE_PATIENCE) -> Opened:
        """Adopt whole records that the head does not cover yet, and set a torn tail aside, as every writer does first.

        More than one adopted record is more than one writer leaves behind when it dies: `detail` and `warning` say so then.
        Raises OurError `lock_timeout`, `store_unsafe` or `unrecordable`.
        """
        self.log.foresee()
        try:
            with locks.take(self.append_lock, shared=False, patience=patience):
                view = self.log.view()
                if view.state not in MENDABLE:
                    return self._opened(view)
                opened = self._opened(self._mended(view))
                return msgspec.structs.replace(opened, detail=opened.detail or self.warning)
        except OSError as error:
            raise NotWrittenError(error) from error

    def recover(self, patience: float = WRITE_PATIENCE) -> Path:
        """Set aside, unchanged, a ledger that gives no answers, and start a new one that names its last good hash.

        No grant carries over. Returns where the old file went, if there was one. Raises OurError.
        """
        try:
            with locks.take(self.append_lock, shared=False, patience=patience):
                view = self.log.view()
                behind = view.state == "ok" and self.clock_behind(self._newest(view))
                return self.log.succeed(view, canon.time_text(self._clock()), "clock_behind" if behind else view.state)
        except OSError as error:
            raise NotWrittenError(error) from error

    def _settled(self) -> View[Receipt]:
        """The ledger, ready for a record. Raises OSError, and RefusedError with the state where it is not ready."""
        view = self.log.view()
        if view.state == "fresh":
            if view.end is None:
                self.log.create(canon.time_text(self._clock()))
            else:
                self.log.remember(view.end)
            view = self.log.view()
        if view.state in MENDABLE:
            view = self._mended(view)
        if view.state != "ok":
            raise self._opened(view).refused()
        return view

    def _mended(self, view: View[Receipt]) -> View[Receipt]:
        assert view.end is not None and view.head is not None  # noqa: S101 -- both are there in these two states
        adopted = view.end.seq - view.head.seq
        if adopted > 0:
            self.log.adopt(view)
        if adopted > 1:
            self.warning = f"{adopted} records that its head did not cover were adopted: look at the history."
        if view.state == "torn":
            tail = self.log.cut(view)
            note = f"cut {tail.size} bytes, sha256 {tail.sha256}"
            with self.log.place(view) as place:
                self._write(place, [Form(Draft(kind="recover", provider_id=ANY, grantor=HOST, note=note))])
        return self.log.view()

    def _end(self) -> Place[Receipt]:
        """Where the next record belongs, from the end of the ledger only if that is enough. Raises as `_settled` does."""
        return self.log.tip() or self.log.place(self._settled())

    @staticmethod
    def _newest(view: View[Receipt]) -> int | None:
        return canon.seconds(view.records[-1].granted_at) if view.records else None

    def _write(self, place: Place[Receipt], forms: Sequence[Form]) -> tuple[Receipt, ...]:
        newest = 0 if place.last is None else canon.seconds(place.last.granted_at) or 0
        granted_at = canon.time_text(max(self._clock(), newest))
        written = list[Receipt]()
        if len(forms) > 1:
            for form in forms:
                form.must_fit_anywhere()
        for form in forms:
            end = place.end
            record, body = form.at(seq=end.seq + 1, receipt_id=secrets.token_hex(16), granted_at=granted_at, prev=end.hash)
            try:
                place.append(body, record)
            except NotWrittenError as error:
                if written:
                    # What is acknowledged counts, and whoever hears of the failure must know that.
                    error.message += f" {_numbers(written)} of the same act was written before, and remains."
                raise
            self.log.keep(place)
            written.append(record)
        return tuple(written)


def _anywhere(drafts: Sequence[Draft]) -> tuple[Form, ...]:
    """Raises RefusedError `identity_unrepresentable` for a draft that no ledger could hold, before any is written."""
    forms = tuple(map(Form, drafts))
    for form in forms:
        form.must_fit_anywhere()
    return forms


def _numbers(receipts: Sequence[Receipt]) -> str:
    first, last = receipts[0].seq, receipts[-1].seq
    return f"#{first}" if first == last else f"What is #{first} to #{last}"


def clock_words(newest: int | None) -> str:
    """What is wrong with a clock that is behind the newest record."""
    return f"This machine's clock is before the newest record, of {utc_text(newest or 0)}."
