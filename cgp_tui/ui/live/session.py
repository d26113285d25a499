"""The session behind a live inspector: its life, its status line, and what the keys do."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import msgspec

from cgp_tui.consent.ledger import Ledger
from cgp_tui.errors import Error
from cgp_tui.host.connection import Connection
from cgp_tui.host.deadlines import Deadlines
from cgp_tui.host.errors import ConsentRequired, HostError
from cgp_tui.host.host import Host
from cgp_tui.host.protect import GROUP_ONLY, Terminal
from cgp_tui.present import session as words
from cgp_tui.present.consent import payload_of
from cgp_tui.present.form import Form, form_of
from cgp_tui.present.keyed import NO_KEYS, Keys, keyed
from cgp_tui.present.refusal import ledger_span
from cgp_tui.present.subject import Subject
from cgp_tui.protocol.envelope import Frames, Query, Verify
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.session.exchange import Exchange
from cgp_tui.store.queries import Queries
from cgp_tui.target import stdio_target
from cgp_tui.text import Shown, compose, join, own, show
from cgp_tui.ui.actor import ActorState
from cgp_tui.ui.desk import Addressee, Said
from cgp_tui.ui.live.deciding import Deciding
from cgp_tui.ui.live.memory import Memory
from cgp_tui.ui.live.peer import Peer, Plan, pulse
from cgp_tui.wire.encode import encode

if TYPE_CHECKING:
    from cgp_tui.transcript.writer import Writer
    from cgp_tui.ui.app import CgpApp

_TOUR_PAUSE: Final = 0.4
"""Seconds between the questions of a plan, so that they can be watched."""
_HANG_SECONDS: Final = 2.0
"""A request that waits longer than this is told of in full."""


class Live:
    """A session over one recording at `path`. `whose` names the ledger in a word or two and `ledger_words` in a sentence,
    where it is not the person's own; `hint` says what to press next. `memory` is what is kept between runs.
    `deadlines` say how long to wait for an answer."""

    def __init__(
        self,
        plans: Sequence[Plan],
        path: Path,
        writer: Writer,
        ledger: Ledger,
        *,
        terminal: Terminal | None = None,
        whose: Shown | None = None,
        ledger_words: Shown | None = None,
        hint: Shown | None = None,
        memory: Memory | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        self.path = path
        self.form = Form()
        self.said: Shown | None = None
        self._peers = {plan.id: Peer(plan) for plan in plans}
        self._writer = writer
        self._hint = hint
        self._whose = whose
        self._terminal = terminal
        self._deadlines = Deadlines() if deadlines is None else deadlines
        self._memory = Memory() if memory is None else memory
        self._host = Host(ledger=ledger, record=writer, limits=self._deadlines, terminal=terminal, seen=self._memory.seen)
        self.deciding = Deciding(
            self._host.gate, self._peers, ledger_words, self._let_go, memory=self._memory, recording=path
        )
        self.queries = self._memory.queries or Queries()
        self._asked: list[ContextQuery] = list(self.queries.history)
        self._tasks: set[asyncio.Task[None]] = set()
        self._app: CgpApp | None = None
        self._keys: Keys = NO_KEYS
        self._ended: asyncio.Task[None] | None = None

    # -- life

    async def begin(self, app: CgpApp) -> None:
        """Start every provider; called once the screen stands, on the app's loop."""
        self._app = app
        self._keys = app.keymap.names
        if self._terminal is not None:
            terminal = self._terminal
            app.app_suspend_signal.subscribe(app, lambda _: terminal.pause(), immediate=True)
            app.app_resume_signal.subscribe(app, lambda _: terminal.resume(), immediate=True)
        for peer in self._peers.values():
            self._go(self._connect(peer))
        self._go(self.deciding.watch())

    async def end(self) -> None:
        """Shut every provider down and close the recording. Once; later calls wait for the first."""
        if self._ended is None:
            self._ended = asyncio.create_task(self._end())
        await asyncio.shield(self._ended)

    async def _end(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._host.close()
        self.deciding.close()
        self._writer.close()
        if self._terminal is not None:
            self._terminal.close()

    def _go(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the screens. What fails by name is told; a defect of ours ends the app like any other."""
        task = asyncio.create_task(self._told(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _told(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Error as error:
            self.said = show(str(error))
        except Exception as error:
            if self._app is None:
                raise
            self._app.fail(error)

    async def _let_go(self, provider_id: str) -> None:
        if provider_id in self._host.connections:
            await self._host.disconnect(provider_id)

    async def _connect(self, peer: Peer, restart: Coroutine[Any, Any, Connection] | None = None) -> None:
        peer.start()
        try:
            peer.connection = await (restart or self._host.connect(peer.target, peer.id, peer.plan.sandbox))
            peer.target = peer.connection.target
        except Error as error:
            peer.problem, peer.fault = show(str(error)), error.code
            return
        await self.deciding.weigh(peer)
        await self._show_around(peer)

    async def _show_around(self, peer: Peer) -> None:
        """Ask what the plan says, one after the other, slowly enough to be watched."""
        last: tuple[FrameId, ...] = ()
        for question in peer.plan.questions:
            peer.asked += 1
            self._asked.append(question)
            outcome = await self._host.query(peer.id, question)
            last = tuple(FrameId(peer.name, frame.id, frame.content_digest) for frame in outcome.frames) or last
            await asyncio.sleep(_TOUR_PAUSE)
        if peer.plan.verify and last:
            await self._host.verify(peer.id, last)

    # -- what the status line says

    def state(self) -> ActorState:
        """The session as it stands now, from memory alone."""
        peers, keys = list(self._peers.values()), self._keys
        running = any(peer.running for peer in peers) and self._ended is None
        bars = [bar for peer in peers if peer.answer and (bar := words.consent_words(peer.id, peer.answer, keys))]
        opened, waits = self.deciding.opened, self._waits()
        return ActorState(
            word="LIVE" if running else "ENDED",
            waiting=words.waiting_words(waits[0][2], waits[0][0], self._allowed(waits[0][2])) if waits else None,
            hang=self._hang(waits),
            recording=self._size(),
            gate=compose(
                "gate on, {whose}{ledger}",
                whose=own("") if self._whose is None else compose("{whose} ", whose=self._whose),
                ledger=ledger_span(opened.state, opened.head).text,
            ),
            consent=bars[0] if bars else None,
            hint=None if self._hint is None else keyed(self._hint, keys),
            empty=self._silence(),
            warning=self._warning(),
            running=running,
        )

    def _trouble(self, peer: Peer) -> Shown | None:
        return peer.trouble(self._host.connections.get(peer.id))

    def _pending(self) -> Iterator[tuple[Peer, Exchange]]:
        for peer in self._peers.values():
            connection = self._host.connections.get(peer.id)
            for exchange in connection.pending if connection is not None else ():
                yield peer, exchange

    def _waits(self) -> list[tuple[float, Peer, Exchange]]:
        """Everything in flight and the seconds since it was sent, what waits for longest first."""
        now = self._writer.now()
        sent = [(now - one.request.line.t, peer, one) for peer, one in self._pending() if one.request is not None]
        return sorted(sent, key=lambda one: -one[0])

    def _allowed(self, exchange: Exchange) -> float:
        return self._deadlines.handshake if exchange.kind == "handshake" else self._deadlines.exchange

    def _hang(self, waits: list[tuple[float, Peer, Exchange]]) -> Shown | None:
        """What is known of the provider behind the request that waits for longest, once that is long."""
        if not waits or waits[0][0] < _HANG_SECONDS:
            return None
        elapsed, peer, exchange = waits[0]
        signs = pulse(self._host.connections[peer.id])
        return words.hang_words(exchange, elapsed, self._allowed(exchange), signs, self._keys)

    def _size(self) -> int | None:
        """Bytes recorded so far, None once something could not be."""
        with contextlib.suppress(OSError):
            return None if self._host.journal.failed else self.path.stat().st_size
        return None

    def _silence(self) -> Shown | None:
        for peer in self._peers.values():
            if peer.connection is None and peer.problem is None:
                attempt = self._host.connections.get(peer.id)
                signs = None if attempt is None else pulse(attempt)
                return words.silence_words(peer.id, monotonic() - peer.began, self._deadlines.handshake, signs)
        return None

    def _warning(self) -> Shown | None:
        """What a person must know: an act that came to nothing, lines that are lost, a terminal that is not protected."""
        said = [] if self.said is None else [self.said]
        for peer in self._peers.values() if self._ended is None else ():
            trouble, attempt = self._trouble(peer), self._host.connections.get(peer.id)
            if trouble is not None:
                last = b"" if attempt is None else attempt.stderr_tail
                said.append(words.trouble_words(trouble, peer.problem, last, self._keys))
        journal = self._host.journal
        if journal.failed is not None:
            why = show(journal.failed.message)
            said.append(compose("{lost} lines not recorded, nothing is sent: {why}", lost=journal.lost, why=why))
        if self._terminal is not None and self._terminal.gap:
            said.append(self._terminal.gap)
        if sys.platform not in ("linux", "win32"):
            said.append(GROUP_ONLY)
        return join(" ", said) or None

    # -- what the keys do

    async def act(self, action: str, subject: Subject | None) -> None:
        """Do what a `live` row of the key table names, on what is selected."""
        deeds = {
            "query.compose": self._compose,
            "query.again": self._again,
            "session.verify": self._verify_these,
            "item.withdraw": self._give_up,
            "session.restart": self._restart,
            "consent.open": self._open_consent,
            "view.consent": self._open_consent,
            "consent.revoke-all": self._revoke_all,
        }
        if action in deeds and self._app is not None and self._ended is None:
            self.said = None
            await deeds[action](self._app, subject)

    async def _compose(self, app: CgpApp, subject: Subject | None) -> None:
        from cgp_tui.ui.screens.composer import Composer

        if not self.form.goal and subject is not None and subject.asked is not None:
            self.form = form_of(subject.asked)
        await app.push_screen(Composer(self, app.inspector.symbols), app.inspector.follow_if)

    async def _open_consent(self, app: CgpApp, subject: Subject | None) -> None:
        from cgp_tui.ui.screens.consent import ConsentScreen

        await app.push_screen(ConsentScreen(self.deciding, app.inspector.symbols))

    async def _revoke_all(self, app: CgpApp, subject: Subject | None) -> None:
        from cgp_tui.ui.screens.withdrawal import ask_revoke_all

        await self.deciding.look_again()
        ask_revoke_all(app, self.deciding, app.inspector.symbols, self._tell)

    def _tell(self, said: Said) -> None:
        self.said = said.text

    def _peer_of(self, subject: Subject | None) -> Peer | None:
        """The provider that the selected line went to or came from, else the first one."""
        peers = [peer for peer in self._peers.values() if peer.connection is not None]
        if subject is not None:
            number = subject.line.connection
            peers = [peer for peer in peers if peer.connection and peer.connection.number == number] or peers
        return peers[0] if peers else None

    async def _again(self, app: CgpApp, subject: Subject | None) -> None:
        peer = self._peer_of(subject)
        envelope = None if subject is None else subject.decoded.envelope
        if peer is not None and isinstance(envelope, Verify):
            self._go(self._verify(peer, envelope.request.frames))
        elif peer is not None and subject is not None and subject.asked is not None:
            self.send(subject.asked, [peer.id])
        else:
            self.said = own("Only a query or a verify can be sent again; select one, or its answer.")

    async def _verify_these(self, app: CgpApp, subject: Subject | None) -> None:
        peer = self._peer_of(subject)
        envelope = None if subject is None else subject.decoded.envelope
        if peer is None or not isinstance(envelope, Frames):
            self.said = own("Select an answer first: verify asks whether its frames still hold.")
            return
        frames = [FrameId(peer.name, one.id, one.content_digest) for one in envelope.result.frames]
        self._go(self._verify(peer, frames))

    async def _verify(self, peer: Peer, frames: Sequence[FrameId]) -> None:
        with contextlib.suppress(ConsentRequired):  # the recording shows it, and so does the bar
            await self._host.verify(peer.id, frames)
        await self._weigh(peer)

    async def _weigh(self, peer: Peer) -> None:
        """See what consent says now, of the connection that the host may have made in place of the last one."""
        present = self._host.connections.get(peer.id)
        if present is not None and present.alive:
            peer.connection = present
        await self.deciding.weigh(peer)

    async def _give_up(self, app: CgpApp, subject: Subject | None) -> None:
        waiting = list(self._pending())
        selected = None if subject is None else subject.line.n
        chosen = [pair for pair in waiting if pair[1].request and pair[1].request.line.n == selected] or waiting
        if not chosen:
            self.said = own("Nothing is in flight.")
            return
        peer, exchange = chosen[0]
        if exchange.number is not None:
            self._host.connections[peer.id].give_up(exchange.number)

    async def _restart(self, app: CgpApp, subject: Subject | None) -> None:
        peer = self._in_trouble(subject) or self._peer_of(subject)
        if peer is not None:
            self._go(self._start_anew(peer))

    def _in_trouble(self, subject: Subject | None) -> Peer | None:
        """The provider that a restart is about: one that ended or lets a request wait, that of the selected line first."""
        ended = [peer for peer in self._peers.values() if not peer.running]
        hanging = [peer for elapsed, peer, _ in self._waits() if elapsed >= _HANG_SECONDS]
        troubled = [*ended, *hanging]
        selected = self._peer_of(subject)
        return selected if selected in troubled else next(iter(troubled), None)

    async def _start_anew(self, peer: Peer) -> None:
        peer.start()
        peer.plan = msgspec.structs.replace(peer.plan, questions=(), verify=False)
        if peer.id in self._host.connections:
            await self._connect(peer, self._host.restart(peer.id))
            return
        # Its files may have changed: what is started now is what consent is asked about.
        argv, env, cwd = peer.target.argv, peer.target.env_names, peer.target.cwd
        peer.target = await asyncio.to_thread(stdio_target, argv, env=env, cwd=cwd)
        await self._connect(peer)

    # -- asking

    def addressees(self) -> tuple[Addressee, ...]:
        return tuple(peer.addressee(self._trouble(peer), self._keys) for peer in self._peers.values())

    def size(self, query: ContextQuery, provider_id: str) -> int:
        peer = self._peers[provider_id]
        return len(encode(Query(query, f"q{peer.asked + 1}" if peer.correlated else None)))

    def asked(self) -> Sequence[ContextQuery]:
        return self._asked

    def command(self, query: ContextQuery, provider_id: str) -> str:
        return self._peers[provider_id].command(query)

    def send(self, query: ContextQuery, provider_ids: Sequence[str]) -> None:
        if query not in self._asked[-1:]:
            self._asked.append(query)
        self.queries.asked(query)
        for provider_id in provider_ids:
            peer = self._peers[provider_id]
            if peer.connection is None:
                why = peer.problem or own("It has not shaken hands yet.")
                self.said = compose("Not sent to {who}. {why}", who=show(peer.id), why=why)
            else:
                self._go(self._query(peer, query))

    async def _query(self, peer: Peer, query: ContextQuery) -> None:
        payload = payload_of(query, self.size(query, peer.id))
        peer.asked += 1
        try:
            await self._host.query(peer.id, query)
        except ConsentRequired:
            peer.refused = payload
        except HostError as error:
            if error.outcome.exchange is None:
                raise
        await self._weigh(peer)
