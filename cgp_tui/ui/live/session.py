"""The session behind a live inspector: its life, and what the keys do."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from cgp_tui.consent.ledger import Ledger
from cgp_tui.errors import Error
from cgp_tui.host.connection import Connection
from cgp_tui.host.deadlines import Deadlines
from cgp_tui.host.errors import ConsentRequired, HostError
from cgp_tui.host.host import Host
from cgp_tui.host.protect import Terminal
from cgp_tui.present.consent import payload_of
from cgp_tui.present.form import Form, form_of
from cgp_tui.present.subject import Subject
from cgp_tui.protocol.envelope import Frames, Query, Verify
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.queries import Queries
from cgp_tui.target import stdio_target
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.ui.desk import Addressee, Said
from cgp_tui.ui.live.condition import HANG_SECONDS, Condition
from cgp_tui.ui.live.deciding import Deciding
from cgp_tui.ui.live.memory import Memory
from cgp_tui.ui.live.peer import Peer, Plan
from cgp_tui.wire.encode import encode

if TYPE_CHECKING:
    from cgp_tui.transcript.writer import Writer
    from cgp_tui.ui.app import CgpApp

_TOUR_PAUSE: Final = 0.4
"""Seconds between the questions of a plan, so that they can be watched."""


class Live(Condition):
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
        memory = Memory() if memory is None else memory
        deadlines = Deadlines() if deadlines is None else deadlines
        peers = {plan.id: Peer(plan) for plan in plans}
        host = Host(ledger=ledger, record=writer, limits=deadlines, terminal=terminal, seen=memory.seen)
        deciding = Deciding(host.gate, peers, ledger_words, self._let_go, memory=memory, recording=path)
        super().__init__(
            path,
            writer,
            peers=peers,
            host=host,
            deciding=deciding,
            deadlines=deadlines,
            terminal=terminal,
            whose=whose,
            hint=hint,
        )
        self.form = Form()
        self._memory = memory
        self.queries = memory.queries or Queries()
        self._asked: list[ContextQuery] = list(self.queries.history)
        self._tasks: set[asyncio.Task[None]] = set()
        self._given_up: set[int] = set()
        """Numbers of the exchanges that the person did not want to wait for."""

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
        try:
            self._writer.close()
        finally:
            if self._terminal is not None:
                self._terminal.close()

    def _go(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in the background. A named failure is reported; a defect of our own ends the app like any other."""
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
            self._given_up.add(exchange.number)
            self._host.connections[peer.id].give_up(exchange.number)

    async def _restart(self, app: CgpApp, subject: Subject | None) -> None:
        peer = self._in_trouble(subject) or self._peer_of(subject)
        if peer is not None:
            self._go(self._start_anew(peer))

    def _in_trouble(self, subject: Subject | None) -> Peer | None:
        """The provider that a restart is about: one that ended or lets a request wait, that of the selected line first."""
        ended = [peer for peer in self._peers.values() if not peer.running]
        hanging = [peer for elapsed, peer, _ in self._waits() if elapsed >= HANG_SECONDS]
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
                why = peer.problem or own("Its handshake is not finished yet.")
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
            number = error.outcome.exchange
            if number is None:
                raise
            # No line shows a reply that never comes; a line, or the bar of a provider that ended, tells every other failure.
            if error.code in ("timeout", "stalled") and number not in self._given_up:
                self.said = compose("{who}: {what}", who=show(peer.id), what=show(str(error)))
        await self._weigh(peer)
