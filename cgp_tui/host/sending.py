"""One message on its way out, and the gate asked again before every piece of it (C2, C6).

Waiting for the pipe happens with no lock held; between the gate's yes and the write stands nothing else. So a revocation
that takes the send lock knows that the last write is over, and a provider that does not read holds nobody up.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Final, TypeVar

from cgp_tui.consent.gate import PATIENCE, Gate
from cgp_tui.consent.receipt import Receipt
from cgp_tui.consent.types import Answer, Binding, Denial, Need, Permit, Unready
from cgp_tui.errors import Error, RefusedError
from cgp_tui.host.link import Link

_PAUSE: Final = 0.001
_Result = TypeVar("_Result")


class Question:
    """May a payload go to this provider? The same question for the whole connection, answered anew each time."""

    def __init__(self, gate: Gate, binding: Binding, needs: Sequence[Need]) -> None:
        self._gate = gate
        self.binding = binding
        self.needs = tuple(needs)

    async def answer(self, spends: frozenset[str] = frozenset()) -> Answer:
        """What the gate says at this moment, to the message that has made these spend records; a permit is no longer alive
        when it arrives here."""
        return await self.with_permit(lambda permit: permit, spends)

    async def glance(self, spends: frozenset[str] = frozenset()) -> Answer:
        """As `answer`, for what is handed on here and not sent: without a lock where the ledger is unchanged."""
        answer = self._gate.glance(self.binding, self.needs, spends)
        return answer if isinstance(answer, Permit) else await self.answer(spends)

    def try_permit(self) -> AbstractContextManager[Answer | Unready]:
        """The answer without waiting; a permit is alive until the `with` block ends, as in `Gate.try_ask`."""
        return self._gate.try_ask(self.binding, self.needs)

    async def with_permit(self, act: Callable[[Permit], _Result], spends: frozenset[str] = frozenset()) -> _Result | Denial:
        """`act` under the permit, or the denial. `act` must not wait for anything. The permit is alive, unless it names
        one-time grants that are to be spent first."""
        patience = time.monotonic() + PATIENCE
        while True:
            with self._gate.try_ask(self.binding, self.needs, spends) as answer:
                if isinstance(answer, Permit):
                    return act(answer)
            if isinstance(answer, Denial):
                return await self._denied(answer)
            left = patience - time.monotonic()
            if left <= 0:
                last = await asyncio.to_thread(self._ask_once, spends)
                if isinstance(last, Denial):
                    return last
                patience = time.monotonic() + PATIENCE
            elif answer.why == "changed":
                await asyncio.to_thread(self._gate.refresh, left)
            else:
                await asyncio.sleep(_PAUSE)

    async def spend(self, grants: Sequence[Receipt]) -> frozenset[str] | Denial:
        """The spend records of one-time grants, acknowledged; the denial where they cannot be written."""
        try:
            return await asyncio.to_thread(self._gate.spend, grants)
        except Error as error:
            return self._gate.unspendable(self.needs, error)

    def outrun(self) -> Denial:
        """No to a message whose one-time grants somebody else had used first, whatever was granted since: the recording says
        under which ones it was to go."""
        why = "Another process used the one-time grant first, and a new grant was given since."
        return self._gate.unspendable(self.needs, RefusedError("spent", why, "Ask again."))

    def _ask_once(self, spends: frozenset[str]) -> Answer:
        """The answer without waiting for anything: a lock that is busy is a denial."""
        with self._gate.ask(self.binding, self.needs, 0.0, spends) as answer:
            return answer

    async def _denied(self, denial: Denial) -> Denial:
        """A grant that ran out is written down as ended, so that no clock brings it back; that needs the disk."""
        if any("expired" in (reason.reason, reason.old) for reason in denial.reasons):
            await asyncio.to_thread(self._gate.peek, self.binding, self.needs)
        return denial


class Message:
    """The bytes of one message; `sent` is how many of them are gone, whatever stops the rest. `spends` are the records of
    the one-time grants that it has used, `spending` is whether one more is being written."""

    def __init__(self, raw: bytes) -> None:
        self._bytes = memoryview(raw + b"\n")
        self._began: float | None = None
        self.sent = 0
        self.spends: frozenset[str] = frozenset()
        self.spending = False
        self._used: frozenset[str] = frozenset()

    @property
    def complete(self) -> bool:
        """Whether all of it is out. After a part of it no other message may follow on its connection."""
        return self.sent == len(self._bytes)

    @property
    def age(self) -> float:
        """Seconds since its first byte went."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    def try_payload(self, link: Link, question: Question) -> bool:
        """Send all of it in one write, if nothing has to be waited for; whether that was so. What is left is for
        `send_payload`. Raises ConnectionError when the peer takes no more."""
        with question.try_permit() as answer:
            if isinstance(answer, Permit) and not answer.unspent:
                self._count(link.send_payload(self._bytes, answer))
        return self.complete

    async def send_payload(self, link: Link, question: Question) -> Denial | None:
        """Send a query or verify; None when all of it is out. Raises ConnectionError when the peer takes no more."""
        while not self.complete:
            took = await question.with_permit(lambda permit: self._piece(link, permit), self.spends)
            if isinstance(took, tuple):
                self.spending = True
                spent = await question.spend(took)
                if isinstance(spent, Denial):
                    return spent
                self.spends |= spent
                self.spending = False
                self._used |= {grant.receipt_id for grant in took}
            elif took is None:
                return question.outrun()
            elif isinstance(took, Denial):
                return took
            else:
                await self._gone(link, took)
        return None

    def _piece(self, link: Link, permit: Permit) -> int | tuple[Receipt, ...] | None:
        """How much the link took; the one-time grants that are to be spent first; None where what was spent for this message
        is not what permits its first byte."""
        if not self.sent and not self._used.issubset(receipt.receipt_id for receipt in permit.receipts):
            return None
        return permit.unspent or link.send_payload(self._bytes[self.sent :], permit)

    async def send_control(self, link: Link) -> None:
        """Send a `handshake` or `shutdown`. Raises ConnectionError when the peer takes no more."""
        while not self.complete:
            await self._gone(link, link.send_control(self._bytes[self.sent :]))

    async def _gone(self, link: Link, count: int) -> None:
        if count == 0:
            await link.writable()
        self._count(count)

    def _count(self, count: int) -> None:
        if count and self._began is None:
            self._began = time.monotonic()
        self.sent += count
