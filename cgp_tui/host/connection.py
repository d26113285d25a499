"""One provider from its start to its end: the handshake, one request after another or many at once, the shutdown.

A request goes through one narrow way: its turn (lock-step, where no id tells replies apart), the pen (no message inside
another), the gate, the recording, the gated write, the wait, and the gate once more before the reply is handed out.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal

from cgp_tui.checks.judge import judge
from cgp_tui.checks.outcome import problem as problem_of
from cgp_tui.checks.types import Judged, Outcome
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.needs import needs
from cgp_tui.consent.types import Binding, Denial
from cgp_tui.host import problems
from cgp_tui.host.deadlines import Deadlines
from cgp_tui.host.errors import HostError
from cgp_tui.host.facts import Facts
from cgp_tui.host.inbox import Inbox
from cgp_tui.host.journal import Journal
from cgp_tui.host.link import Link
from cgp_tui.host.lookout import Lookout, Vigil
from cgp_tui.host.results import answered, failed, served
from cgp_tui.host.sending import Message, Question
from cgp_tui.protocol.admission import refusal
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.envelope import Handshake, HandshakeAck, Query, Shutdown, Verify
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.timestamp import parse, utc_text
from cgp_tui.protocol.verify import VerifyRequest
from cgp_tui.protocol.version import PROTOCOL_VERSION
from cgp_tui.session import Exchange
from cgp_tui.session.states import TIMEOUT
from cgp_tui.target import Target
from cgp_tui.wire.encode import encode
from cgp_tui.wire.note import AnsweredAfterRevoke, Cut, GateNote, GaveUp, Refused, SendFailed

_AWAY: Final = 0.25
"""A deadline found past by more seconds than this was slept through."""
_LAST_NEWS: Final = 1.0
"""Seconds in which a provider whose pipe is closed is heard to have ended."""


class Connection(Facts):
    """A provider that has been started. `number` counts the connections of the recording, `provider_id` is our own name
    for it, never the declared one; `sandbox` how it is confined. Made by `Host.connect`."""

    def __init__(
        self,
        link: Link,
        *,
        number: int,
        provider_id: str,
        target: Target,
        journal: Journal,
        gate: Gate,
        deadlines: Deadlines,
        sandbox: str = "none",
        keys: Sequence[TrustedKey] = (),
    ) -> None:
        super().__init__(link, Inbox(link, number, journal, self._start_closing))
        self.number = number
        self.provider_id = provider_id
        self.target = target
        self.sandbox = sandbox
        self._keys = keys
        self._journal = journal
        self._gate = gate
        self._deadlines = deadlines
        self._ids = 0
        self._turn = asyncio.Lock()
        self._pen = asyncio.Lock()
        self._closing: asyncio.Task[None] | None = None
        self._vigil: Vigil | None = None
        self._lookout: Lookout | None = None
        self.answered = False
        """Whether a query or verify was answered on it, an `error` included."""

    # Handshake

    async def shake_hands(self) -> HandshakeAck:
        """Open the connection (SPEC 3) and take the provider's word for who it is and what it does with data.

        Raises HostError, with the provider stopped: no ack in time, another major version (H3), scopes that contradict
        themselves (C5) or can never be consented to, a crash, or anything else in place of the ack.
        """
        self._link.start(self._inbox)
        try:
            ack = await self._greet()
        except BaseException:
            await self.close()
            raise
        binding = Binding(self.provider_id, ack.provider.name, ack.provider.version, self.target)
        self._question = Question(self._gate, binding, needs(self.provider_id, ack.provider.data_flow, self.target))
        self._lookout = Lookout(self._question)
        self._ack = ack
        if self.needs:
            self._keep_vigil()
        return ack

    def _keep_vigil(self) -> Vigil:
        if self._vigil is None:
            end = partial(self._inbox.end, problems.WITHDRAWN)
            self._vigil = Vigil(self.question, lambda: self._pen.locked() or bool(self.pending), end)
        return self._vigil

    async def _greet(self) -> HandshakeAck:
        raw = encode(Handshake(PROTOCOL_VERSION))
        number = _number(self._inbox.request(raw))
        try:
            async with self._pen:
                message = Message(raw)
                await self._send(number, message)
            exchange = await self._reply(number, message, self._deadlines.handshake)
        finally:
            self._inbox.forget(number)
        envelope = None if exchange.reply is None else exchange.reply.decoded.envelope
        code = refusal(PROTOCOL_VERSION, envelope) if isinstance(envelope, HandshakeAck) else None
        if code is not None and exchange.reply is not None:
            (exchange,) = self._inbox.note(Refused(**self._inbox.at, line=exchange.reply.line.n, fault=code))
        judged = judge(exchange)
        trouble = problem_of(judged)
        if trouble is not None:
            self._inbox.ended_by = self.ended_by or trouble.code
            raise failed(judged, trouble, self.provider_id)
        assert isinstance(envelope, HandshakeAck)  # noqa: S101 - nothing else answers a handshake without trouble
        return envelope

    # Requests

    async def query(self, query: ContextQuery, reference_parity: bool = False) -> Outcome:
        """Ask one question (SPEC 5); the outcome's kind is frames, budget_lie or frame_flood, its usage what it cost (UR1).

        Raises HostError: ConsentRequired with nothing sent, Provider for an `error` reply, Timeout, ProviderCrashed,
        Poisoned, Wire, UnexpectedEnvelope, CorrelationMismatch. InputError for a query that may not be sent at all.
        """
        return served(await self.ask(query), self.provider_id, reference_parity)

    async def ask(self, query: ContextQuery) -> Judged:
        """The same as an exchange with what is to be said of it, its lines included; one that failed is no exception.

        Raises ConsentRequired, Poisoned and ProviderCrashed where the question was not asked, and InputError as `query`.
        """
        self._must_be_open()
        problems.check_query(query, self.ack)
        exchange = await self._ask("query", lambda ident: Query(query, ident))
        return judge(exchange, self._keys, parse(utc_text(time.time())) if self._keys else None)

    async def verify(self, request: VerifyRequest) -> Judged:
        """Ask whether held frames still hold (SPEC 9): an exchange whose reply is a `verified`, as the provider sent it.

        Raises HostError as `query` does, InputError where the provider does not declare the capability.
        """
        self._must_be_open()
        problems.check_verify(self.ack)
        return answered(judge(await self._ask("verify", lambda _: Verify(request))), self.provider_id)

    async def _ask(self, asked: Literal["query", "verify"], make: Callable[[str | None], Query | Verify]) -> Exchange:
        # A verify never carries an id, so at most one may be in flight even where queries are correlated.
        if asked == "query" and self.ack.capabilities.correlation:
            return await self._ask_in_turn(asked, lambda: make(self._next_id()))
        async with self._turn:
            return await self._ask_in_turn(asked, lambda: make(None))

    async def _ask_in_turn(self, asked: Literal["query", "verify"], make: Callable[[], Query | Verify]) -> Exchange:
        number, message = 0, Message(b"")
        lookout, cut = self._lookout, list[HostError]()
        assert lookout is not None  # noqa: S101 - there since the handshake
        try:
            async with self._pen:
                raw = encode(make())
                number = await self._permitted(asked, raw)
                message = Message(raw)
                lookout.watch(message, lambda denial: cut.append(self._cut(number, message, denial)))
                denial = await self._send(number, message, self.question)
                if denial is not None:
                    raise cut[0] if cut else self._cut(number, message, denial)
            exchange = await self._reply(number, message, self._deadlines.exchange)
            if cut:
                raise cut[0]
            return await self._delivered(exchange, message)
        except asyncio.CancelledError:
            self._abandon(number, message)
            raise
        finally:
            lookout.leave(message)
            self._inbox.forget(number)

    def _next_id(self) -> str:
        self._ids += 1
        return f"q{self._ids}"

    def _must_be_open(self) -> None:
        # Where consent was taken back, the gate says more than that the connection has ended.
        if self.ended_by != problems.WITHDRAWN:
            self._must_be_usable()

    def _must_be_usable(self) -> None:
        if self.ended_by:
            raise problems.unusable(self.ended_by, self.provider_id)

    def _must_be_recorded(self) -> None:
        if self._journal.failed is not None:
            raise problems.unrecordable(self._journal.failed, self.provider_id)

    async def _permitted(self, asked: Literal["query", "verify"], raw: bytes) -> int:
        """Ask the gate and record its answer; if that is yes, record the request too: the number of its exchange."""
        answer = await self.question.glance()
        denied = isinstance(answer, Denial)
        self._must_be_open() if denied else self._must_be_usable()
        self._inbox.note(
            GateNote(
                **self._inbox.at,
                asked=asked,
                allowed=not denied,
                bytes=len(raw),
                exchange=None if denied else self._journal.numbers.upcoming,
                needs=answer.notes(),
                ledger=answer.head,
            )
        )
        if isinstance(answer, Denial):
            raise problems.refused(answer, self._ack, self.provider_id)
        if answer.needs:
            self._keep_vigil().allowed = True
        self._must_be_recorded()
        number = _number(self._inbox.request(raw))
        if self._journal.failed is not None:
            self._inbox.note(SendFailed(**self._inbox.at, exchange=number, reason="unrecordable"))
        self._must_be_recorded()
        return number

    async def _send(self, number: int, message: Message, question: Question | None = None) -> Denial | None:
        """Write one message, a payload if there is a question to ask first; if the provider does not take it, that is
        recorded and the exchange is over."""
        try:
            # Most payloads go in one write, and need no clock.
            if question is not None and message.try_payload(self._link, question):
                return None
            async with asyncio.timeout(self._deadlines.write):
                if question is not None:
                    return await message.send_payload(self._link, question)
                await message.send_control(self._link)
        except TimeoutError:
            self._unsent(number, "stalled")
        except ConnectionError:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._inbox.gone.wait(), _LAST_NEWS)
            if not self._inbox.settled(number):
                self._unsent(number, problems.CRASHED)
        return None

    def _unsent(self, number: int, code: str) -> None:
        """A provider that takes no more bytes is of no use: nothing may follow what may be half a message."""
        self._inbox.note(SendFailed(**self._inbox.at, exchange=number, reason=code))
        self._inbox.end(code)

    def _cut(self, number: int, message: Message, denial: Denial) -> HostError:
        """Consent ended while the message was under way; a provider that has some of it is stopped with all of its tree."""
        self._inbox.note(Cut(**self._inbox.at, exchange=number, bytes=message.sent))
        if message.sent:
            self._inbox.end(problems.WITHDRAWN)
        return problems.refused(denial, self._ack, self.provider_id, number)

    async def _reply(self, number: int, message: Message, seconds: float) -> Exchange:
        """The exchange when it is over: answered, failed, or given up after `seconds` from its first byte."""
        # A timer of our own costs a third of asyncio.wait_for, and every reply pays for it. Where reply and deadline come
        # together, whichever was first ends the exchange.
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle

        def over() -> None:
            # A late timer means that this program was stopped or had no processor: what arrived meanwhile, or could not
            # because the pipe was full, is read first.
            nonlocal timer
            late = loop.time() - timer.when()
            if late > _AWAY:
                timer = loop.call_later(min(late, seconds), self.give_up, number)
            else:
                self.give_up(number)

        timer = loop.call_later(max(0.0, seconds - message.age), over)
        try:
            return await self._inbox.reply(number)
        finally:
            timer.cancel()

    async def _delivered(self, exchange: Exchange, message: Message) -> Exchange:
        """The reply, if whoever asked may still have it."""
        if exchange.state == "answered" and exchange.reply is not None:
            self.answered = True
            answer = await self.question.glance(message.spends)
            if isinstance(answer, Denial):
                self._inbox.note(AnsweredAfterRevoke(**self._inbox.at, line=exchange.reply.line.n))
                raise problems.refused(answer, self._ack, self.provider_id, exchange.number)
        return exchange

    def give_up(self, number: int) -> None:
        """Wait no longer for this exchange, if it is not over yet. In lock-step no request can follow: its reply could be
        taken for another's."""
        exchange = next((exchange for exchange in self.pending if exchange.number == number), None)
        if exchange is None or exchange.request is None:
            return
        after = self._journal.now() - exchange.request.line.t
        self._inbox.note(GaveUp(**self._inbox.at, exchange=number, after_s=round(after, 3)))
        if exchange.request.decoded.id is None and not self.ended_by:
            self._inbox.poison(TIMEOUT)

    def _abandon(self, number: int, message: Message) -> None:
        """The caller has gone. A request that is out is given up; one that is not, or not wholly, has failed."""
        if self._inbox.settled(number):
            return
        if message.complete:
            self.give_up(number)
        else:
            self._inbox.note(SendFailed(**self._inbox.at, exchange=number, reason="stalled"))
            if message.sent:
                self._inbox.end("stalled")

    # The end

    def _start_closing(self) -> None:
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())

    async def close(self) -> None:
        """Shut the provider down: give up what is in flight, say `shutdown`, and after the grace kill its whole tree.
        Once; later calls wait for the first."""
        self._start_closing()
        assert self._closing is not None  # noqa: S101 - started one line above
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        if self._vigil is not None:
            self._vigil.stop()
        if self._lookout is not None:
            self._lookout.stop()
        for exchange in self.pending:
            self.give_up(_number(exchange))
        polite = self._question is not None and self.ended_by in ("", TIMEOUT) and not self._pen.locked()
        self._inbox.ended_by = self.ended_by or problems.CLOSED
        if polite:
            raw = encode(Shutdown())
            self._inbox.record(raw)
            with contextlib.suppress(TimeoutError, ConnectionError):
                async with asyncio.timeout(self._deadlines.shutdown):
                    await Message(raw).send_control(self._link)
                    await self._inbox.gone.wait()
        await self._link.close()


def _number(exchange: Exchange) -> int:
    """The number of a request's exchange; only replies without a request have none."""
    assert exchange.number is not None  # noqa: S101
    return exchange.number
