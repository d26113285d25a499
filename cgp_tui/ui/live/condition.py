"""The condition of a session, from memory alone: what waits, what hangs, what is lost, and what a person must know."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from cgp_tui.host.deadlines import Deadlines
from cgp_tui.host.host import Host
from cgp_tui.host.protect import GROUP_ONLY, Terminal
from cgp_tui.present import session as words
from cgp_tui.present.key_sentences import NO_KEYS, Keys, keyed
from cgp_tui.present.refusal import ledger_span
from cgp_tui.session.exchange import Exchange
from cgp_tui.text import Shown, compose, join, own, show
from cgp_tui.ui.actor import ActorState
from cgp_tui.ui.live.deciding import Deciding
from cgp_tui.ui.live.peer import Peer, pulse

if TYPE_CHECKING:
    from cgp_tui.transcript.writer import Writer
    from cgp_tui.ui.app import CgpApp

HANG_SECONDS: Final = 2.0
"""A request that waits longer than this is reported in full."""


class Condition:
    """What the bars say about a session; asked for several times a second. `said` is why the last act came to nothing."""

    def __init__(
        self,
        path: Path,
        writer: Writer,
        *,
        peers: Mapping[str, Peer],
        host: Host,
        deciding: Deciding,
        deadlines: Deadlines,
        terminal: Terminal | None,
        whose: Shown | None,
        hint: Shown | None,
    ) -> None:
        self.path = path
        self.deciding = deciding
        self.said: Shown | None = None
        self._writer = writer
        self._peers = peers
        self._host = host
        self._deadlines = deadlines
        self._terminal = terminal
        self._whose = whose
        self._hint = hint
        self._app: CgpApp | None = None
        self._keys: Keys = NO_KEYS
        self._ended: asyncio.Task[None] | None = None

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
        """Everything in flight, with the seconds since it was sent, longest wait first."""
        now = self._writer.now()
        sent = [(now - one.request.line.t, peer, one) for peer, one in self._pending() if one.request is not None]
        return sorted(sent, key=lambda one: -one[0])

    def _allowed(self, exchange: Exchange) -> float:
        return self._deadlines.handshake if exchange.kind == "handshake" else self._deadlines.exchange

    def _hang(self, waits: list[tuple[float, Peer, Exchange]]) -> Shown | None:
        """What is known about the provider of the request that has waited longest, once that is long."""
        if not waits or waits[0][0] < HANG_SECONDS:
            return None
        elapsed, peer, exchange = waits[0]
        signs = pulse(self._host.connections[peer.id])
        return words.hang_words(exchange, elapsed, self._allowed(exchange), signs, self._keys)

    def _size(self) -> int | None:
        """Bytes recorded so far, None once something could not be, and where nothing is kept."""
        with contextlib.suppress(OSError):
            state = self.path.stat()
            return None if self._host.journal.failed or not state.st_nlink else state.st_size
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
