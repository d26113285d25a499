"""The host: it starts providers and asks them, one recording, one gate and one set of deadlines for all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Self

from cgp_tui.checks.types import Outcome, Problem
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.sighting import sighting
from cgp_tui.errors import Error, InputError
from cgp_tui.host.connection import Connection
from cgp_tui.host.deadlines import Deadlines
from cgp_tui.host.errors import HostError, UnknownProvider
from cgp_tui.host.journal import Journal
from cgp_tui.host.problems import CLOSED, unusable
from cgp_tui.host.process import child_environment, spawn
from cgp_tui.host.protect import Terminal
from cgp_tui.host.restarts import Restarts
from cgp_tui.host.reuse import Reuse, Verification, reuse, verification
from cgp_tui.host.sandbox import NONE, launcher
from cgp_tui.host.stdio import StdioLink
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.verify import VerifyRequest
from cgp_tui.store import paths
from cgp_tui.store.seen import Sightings
from cgp_tui.target import ID_FORM, Target, default_id, provider_id_fits
from cgp_tui.wire.note import Connect, SendFailed, ShownTarget, Spawn

if TYPE_CHECKING:
    from cgp_tui.transcript.writer import Writer


class Host:
    """An embedded CGP host over stdio; use it as `async with Host() as host`.

    `ledger` is the consent ledger, its path, or None for the person's own. `record` is the Writer of a transcript; without
    one nothing is recorded. `terminal` is held for exclusive use while providers run. `seen` is where whoever shakes hands
    is remembered; without it nobody is. `keys` are those the person trusts: they name the signers of answers. Leaving the
    block ends every provider with all it started, and so does the end of this process, however it comes about.
    """

    def __init__(
        self,
        ledger: Ledger | Path | None = None,
        record: Writer | None = None,
        limits: Deadlines | None = None,
        terminal: Terminal | None = None,
        seen: Sightings | None = None,
        *,
        keys: Sequence[TrustedKey] = (),
    ) -> None:
        if not isinstance(ledger, Ledger):
            ledger = Ledger(paths.ledger_path() if ledger is None else ledger)
        self.gate = Gate(ledger)
        self.journal = Journal(record)
        self._deadlines = Deadlines() if limits is None else limits
        self._terminal = terminal
        self._seen = seen
        self._keys = tuple(keys)
        self._connections: dict[str, Connection] = {}
        self._starting: set[str] = set()
        self._closed = False
        self._restarts = Restarts(self._connected, self._start_anew)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def connections(self) -> Mapping[str, Connection]:
        """The connections by provider id, those that have failed included."""
        return MappingProxyType(self._connections)

    async def connect(self, target: Target, id: str | None = None, sandbox: str = NONE) -> Connection:
        """Start a provider and shake hands with it. `id` is our name for it, by default made from the target; `sandbox` is
        one of `sandbox.KINDS`, and holds for its restarts too.

        Raises InputError usage for an id that is in use or malformed, Spawn where the program does not run, OurError
        sandbox_unavailable where the system has no such sandbox, ProviderCrashed where the host is closed, and the
        HostErrors of `Connection.shake_hands`. The ledger is not asked: a handshake carries no payload.
        """
        name = default_id(target) if id is None else id
        if not provider_id_fits(name):
            raise InputError("usage", f"{name!r} cannot be a provider's id.", ID_FORM)
        present = self._connections.get(name)
        if name in self._starting or (present is not None and present.alive):
            raise InputError("usage", f"A provider is already connected as {name!r}.", "Give this one another id.")
        environment = child_environment(target.env_names)
        self._must_be_open(name)
        number = self.journal.connection()
        shown = ShownTarget(target.kind, target.shown, target.digest, target.code)
        self.journal.note(Connect(**self.journal.at(number), provider_id=name, target=shown))
        self._starting.add(name)
        try:
            connection = await self._start(target, environment, number, name, sandbox)
        finally:
            self._starting.discard(name)
        self._connections[name] = connection
        if self._closed:
            await connection.close()
        self._must_be_open(name)
        await connection.shake_hands()
        if self._seen is not None:
            await asyncio.to_thread(self._seen.remember, sighting(connection.binding, time.time()))
        return connection

    def _must_be_open(self, name: str) -> None:
        if self._closed:
            raise unusable(CLOSED, name)

    async def _start_anew(self, old: Connection, target: Target) -> Connection:
        return await self.connect(target, old.provider_id, old.sandbox)

    async def _start(
        self, target: Target, environment: Mapping[str, str], number: int, name: str, sandbox: str
    ) -> Connection:
        terminal = self._terminal
        if terminal is not None:
            terminal.hold()
        try:
            argv = (*await launcher(sandbox), target.start, *target.argv[1:])
            process = await spawn(
                argv[0],
                argv,
                environment,
                cwd=target.cwd,
                terminal=-1 if terminal is None else terminal.descriptor,
            )
        except BaseException as error:
            if terminal is not None:
                terminal.release()
            if isinstance(error, HostError):
                error.id = name
            if isinstance(error, Error):
                self.journal.note(SendFailed(**self.journal.at(number), reason=error.code))
            raise
        self.journal.note(Spawn(**self.journal.at(number), pid=process.pid, sandbox=sandbox))
        return Connection(
            StdioLink(process, terminal),
            number=number,
            provider_id=name,
            target=target,
            journal=self.journal,
            gate=self.gate,
            deadlines=self._deadlines,
            sandbox=sandbox,
            keys=self._keys,
        )

    async def query(self, id: str, query: ContextQuery, reference_parity: bool = False) -> Outcome:
        """Ask one question of one provider; frames only where the outcome's kind is `frames`.

        A provider whose last request timed out in lock-step is started anew first. Raises UnknownProvider, KeepsFailing,
        what `restart` and what `Connection.query` raise; a HostError's `outcome` says the same as a value.
        """
        connection = await self._restarts.ready(id)
        return await connection.query(query, reference_parity)

    async def verify(self, id: str, frames: Sequence[FrameId]) -> Verification:
        """Ask one provider whether held frames still hold (SPEC 9); identities under its declared name, never bodies.

        Starts it anew as `query` does, and raises the same. Asks nothing about no frames.
        """
        if not frames:
            self._connected(id)
            return Verification(None, ())
        connection = await self._restarts.ready(id)
        return verification(frames, await connection.verify(VerifyRequest(tuple(frames))))

    async def verify_frames(self, frames: Mapping[str, Sequence[FrameId]]) -> Reuse:
        """Find out which held frames may be used again (D3, D4, V1 to V4): frames by our id of the provider they came from.

        Every frame comes back once, retained or dropped with a reason; a provider that fails is such a reason, no error.
        Nothing is sent to a provider that does not declare verify, without consent, or about frames without a digest.
        """
        return await reuse(frames, self._restarts.ready)

    def _connected(self, id: str) -> Connection:
        connection = self._connections.get(id)
        if connection is None:
            known = ", ".join(self._connections) or "none"
            problem = Problem("usage", f"No provider is connected as {id!r}.", f"Connected: {known}.")
            raise UnknownProvider(problem, id)
        return connection

    async def restart(self, id: str) -> Connection:
        """Shut a provider down, whatever state it is in, and start it anew: another connection, of which everything is
        judged afresh. Calls that still wait on the old one fail at once.

        Raises UnknownProvider, Spawn where its program is gone, and what `connect` raises.
        """
        return await self._restarts.on_request(id)

    async def disconnect(self, id: str) -> None:
        """Shut one provider down and forget its connection. Raises UnknownProvider."""
        await self._connected(id).close()
        self._connections.pop(id, None)
        self._restarts.forget(id)

    async def close(self) -> None:
        """Shut every provider down, all at the same time; none is started any more, nor kept that is just starting."""
        self._closed = True
        self._restarts.stop()
        await asyncio.gather(*(connection.close() for connection in self._connections.values()))
