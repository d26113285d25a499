"""Consent, from the session's side: what the gate says of everyone, and the records that a person's decision writes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, Final

from cgp_tui.consent import drafts
from cgp_tui.consent.decision import Book
from cgp_tui.consent.drafts import Terms
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Opened, Revoked
from cgp_tui.consent.listing import Listed, listing
from cgp_tui.consent.offers import Offered, open_offer
from cgp_tui.consent.receipt import ANY, Draft, Receipt, unrepresentable
from cgp_tui.consent.types import Answer, Binding, Denial, Need, Permit
from cgp_tui.consent.usage import Usage, Used, payload
from cgp_tui.errors import Error
from cgp_tui.present.consent import Answered, Case, Payload
from cgp_tui.present.consent_lines import revoked_line
from cgp_tui.present.until import until_words
from cgp_tui.store import canon
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.ui.desk import LedgerView, Said
from cgp_tui.ui.live.memory import Memory
from cgp_tui.ui.live.peer import Peer
from cgp_tui.wire.line import Line

_WATCH_SECONDS: Final = 0.25
_ANEW_SECONDS: Final = 5.0
"""How often the ledger's files are looked at, and how often the gate is asked although they are the same: grants end."""


class Deciding:
    """The consent screens' way to the ledger. `own` says whose ledger it is where it is not the person's; `let_go` ends a
    provider's connection at once; `memory` is what is kept between runs, `recording` the session's own."""

    def __init__(
        self,
        gate: Gate,
        peers: Mapping[str, Peer],
        own: Shown | None,
        let_go: Callable[[str], Awaitable[None]],
        *,
        memory: Memory,
        recording: Path,
    ) -> None:
        self._gate = gate
        self._peers = peers
        self._own = own
        self._let_go = let_go
        self._memory = memory
        self.opened = Opened(path=gate.ledger.path, state="fresh")
        self._book = Book((), 0)
        self._offers: dict[str, Offered] = {}
        self._listed: tuple[Listed, ...] = ()
        self._known: tuple[tuple[int, int], bool] | None = None
        self._next_end = 0
        self._uses: tuple[Used, ...] = ()
        self._usage = Usage(memory.recordings, recording)
        self._reading = asyncio.Lock()

    async def watch(self) -> None:
        """See what other processes write to the ledger, and grants that end; runs until it is cancelled."""
        asked = 0.0
        while True:
            if self._changed or monotonic() - asked > _ANEW_SECONDS:
                asked = monotonic()
                await self.look_again()
            await asyncio.sleep(_WATCH_SECONDS)

    @property
    def _changed(self) -> bool:
        """Whether the files are others than those that were read here; the gate may have read them anew on its own."""
        try:
            return self._gate.ledger.log.marks(self.opened.head_path) != self.opened.marks
        except OSError:
            return True

    async def look_again(self) -> None:
        if self._changed or not self.opened.answers:
            self.opened = await asyncio.to_thread(self._gate.refresh)
            self._known = None
        known = (self._memory.marks, bool(self._next_end and self.now() >= self._next_end))
        if known != self._known:
            await asyncio.to_thread(self._arrange)
            self._known = (known[0], False)
        for peer in self._peers.values():
            await self.weigh(peer)

    def _arrange(self) -> None:
        """What is drawn from the ledger and from memory, made anew; it takes its time where the ledger is large."""
        opened, memory = self.opened, self._memory
        self._book = Book(opened.receipts, opened.acknowledged)
        self._offers = {} if memory.offers is None else memory.offers.read().by_id
        seen = {} if memory.seen is None else memory.seen.read().by_id
        self._listed = listing(self._gate.ledger, opened, seen=seen)
        ends = (canon.seconds(one.receipt.expires_at) for one in self._listed if one.status in ("in_force", "not_in_force"))
        self._next_end = min((end for end in ends if end is not None), default=0)

    async def weigh(self, peer: Peer) -> None:
        """Ask the gate what it would say now."""
        if peer.connection is not None:
            question = peer.connection.question
            peer.answer = await asyncio.to_thread(self._gate.peek, question.binding, question.needs)

    def cases(self) -> tuple[Case, ...]:
        connected = [peer for peer in self._peers.values() if peer.connection is not None and peer.answer is not None]
        bindings = [peer.connection.question.binding for peer in connected if peer.connection is not None]
        return tuple(
            Case(
                binding=binding,
                data_flow=peer.connection.ack.provider.data_flow,
                needs=self._answered(peer.answer, peer.connection.question.needs, binding),
                receipts=self.opened.receipts,
                sandbox=peer.connection.sandbox,
                changed_keys=self._memory.changed_keys(peer.connection.number),
                **self._offered(binding),
                others=tuple(other for other in bindings if other != binding),
            )
            for peer, binding in zip(connected, bindings, strict=True)
            if peer.connection is not None and peer.answer is not None
        )

    def _answered(self, answer: Answer, declared: Sequence[Need], binding: Binding) -> tuple[Answered, ...]:
        """Every need, the declared ones first, with what stands for or against it."""
        if isinstance(answer, Permit):
            pairs = zip(answer.needs, answer.receipts, strict=True)
            return tuple(Answered(need, receipt, declared=need in declared) for need, receipt in pairs)
        refused = {reason.need: reason for reason in answer.reasons}
        return tuple(
            Answered(need, None if need in refused else self._grant(binding, need), refused.get(need), need in declared)
            for need in dict.fromkeys((*declared, *self._book.on_record(binding), *refused))
        )

    def _offered(self, binding: Binding) -> dict[str, Any]:
        """What an import asks for this provider, as far as it still stands."""
        offered = self._offers.get(binding.provider_id)
        if offered is None:
            return {}
        receipts, now = self.opened.receipts, self.now()
        needs = [Need(binding.provider_id, "scope", scope) for offer in offered.offers for scope in offer.scopes]
        needs += [Need(binding.provider_id, "boolean") for offer in offered.offers if offer.boolean]
        found = [(need, open_offer(offered, need, receipts, now)) for need in dict.fromkeys(needs)]
        standing = tuple((need, offer) for need, offer in found if offer is not None)
        return {"offered": standing, "offered_by": offered.source} if standing else {}

    def _grant(self, binding: Binding, need: Need) -> Receipt | None:
        """The grant that stands for a need which the gate did not refuse."""
        wanted = (binding.provider_id, need.basis, need.scope, binding.target.digest)
        for receipt in reversed(self.opened.receipts):
            if receipt.kind == "grant" and wanted == _about(receipt):
                return receipt
        return None

    def ledger(self) -> LedgerView:
        opened = self.opened
        return LedgerView(
            state=opened.state,
            answers=opened.answers,
            path=show(str(opened.path)),
            detail=show(opened.detail),
            fix=show(opened.command),
            head=opened.head,
            receipts=opened.receipts,
            own=show(warning) if (warning := self._gate.ledger.warning) else self._own,
            ledger_id=opened.ledger_id,
            listed=self._listed,
            uses=self._uses,
            left_out=self._usage.left_out,
        )

    async def look_back(self, everywhere: bool) -> None:
        async with self._reading:
            self._uses = await asyncio.to_thread(self._used, everywhere)

    def _used(self, everywhere: bool) -> tuple[Used, ...]:
        if everywhere:
            self._usage.look_around()
        return self._usage.all()

    async def payload_of(self, used: Used) -> Line | None:
        try:
            return await asyncio.to_thread(payload, used)
        except (Error, OSError):
            return None

    def close(self) -> None:
        """Give back what was open; nothing is read any more."""
        self._usage.close()

    def now(self) -> float:
        return self._gate.ledger.now(self.opened.newest)

    def payload(self, provider_id: str) -> Payload | None:
        return self._peers[provider_id].refused

    def advice(self, provider_id: str) -> Shown:
        answer = self._peers[provider_id].answer
        return show(answer.fix, len(answer.fix)) if isinstance(answer, Denial) else own("")

    def drafts(self, case: Case, needs: Sequence[Need], expires_at: str, terms: Terms) -> tuple[Draft, ...]:
        payload = self.payload(case.binding.provider_id)
        gone = {answered.need for answered in case.needs if answered.set_aside}
        return tuple(
            drafts.narrow_draft(case.binding, need, drafts.human())
            if need in gone
            else drafts.grant_draft(
                case.binding,
                need,
                declared=case.data_flow.egress_scopes,
                payload=drafts.PAYLOAD if payload is None else payload.names,
                expires_at=expires_at,
                grantor=drafts.human(),
                terms=terms,
            )
            for need in needs
        )

    async def grant(self, case: Case, made: Sequence[Draft]) -> Said:
        try:
            receipts = await asyncio.to_thread(self._gate.ledger.grant, made, seen=case.receipts)
        except Error as error:
            await self.look_again()
            return Said(compose("Not granted. {why}", why=show(str(error))), False)
        await self.look_again()
        numbers = own(", ".join(f"#{receipt.seq}" for receipt in receipts))
        granted = next((receipt for receipt in receipts if receipt.kind == "grant"), None)
        if granted is None:
            return Said(compose("Set aside, on record as {numbers}.", numbers=numbers), True)
        until = until_words(granted.expires_at)
        return Said(compose("Granted {until}, on record as {numbers}.", until=until, numbers=numbers), True)

    async def deny(self, case: Case, needs: Sequence[Need]) -> Said:
        # What no record can name is refused in any case; it does not keep the rest from being denied.
        nameable = [need for need in needs if not unrepresentable("", "", (need.scope,))]
        made = [drafts.deny_draft(case.binding, need, drafts.human()) for need in nameable or needs]
        return await self._withdraw(self._gate.ledger.deny, made, own("Denied. "), case.binding.provider_id)

    async def revoke(self, provider_id: str, needs: Sequence[Need]) -> Said:
        whom = [Need(provider_id, need.basis, need.scope) for need in needs]
        made = drafts.revoke_drafts(self.opened.receipts, provider_id, whom, drafts.human())
        return await self._withdraw(self._gate.ledger.revoke, made, own("Revoked. "), provider_id)

    async def revoke_all(self) -> Said:
        made = [Draft(kind="revoke", provider_id=ANY, grantor=drafts.human())]
        return await self._withdraw(self._gate.ledger.revoke, made, own("Revoked, all of it. "), *self._peers)

    async def _withdraw(
        self, act: Callable[[Sequence[Draft]], Revoked], made: Sequence[Draft], what: Shown, *provider_ids: str
    ) -> Said:
        try:
            done = await asyncio.to_thread(act, made)
        except Error as error:
            # No record can name what a provider declares there; nothing of it is sent in any case.
            return Said(compose("Not recorded. {why}", why=show(str(error))), False)
        if done.outcome == "not_recorded":
            # What could not be written down holds at least here: this process lets go of the provider.
            for provider_id in provider_ids:
                await self._let_go(provider_id)
        await self.look_again()
        said = compose("{what}{line}", what=what if done.receipts else own(""), line=revoked_line(done))
        if done.detail and done.outcome != "confirmed":
            said = compose("{said} {detail}", said=said, detail=show(done.detail))
        return Said(said, done.outcome == "confirmed", done, show(self._gate.ledger.command("recover")))


def _about(receipt: Receipt) -> tuple[str, str, str, str]:
    return (receipt.provider_id, receipt.basis, receipt.scope, receipt.target)
