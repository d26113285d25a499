"""One question from its command line to its answer: the recording, the host, the signals that may end it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from cgp_tui.cli import diagnostics
from cgp_tui.cli.provider_end import with_end
from cgp_tui.cli.recording import Kept, recording
from cgp_tui.errors import Error, OurError

if TYPE_CHECKING:
    from cgp_tui.checks.types import Judged, Outcome
    from cgp_tui.cli.configured import Chosen
    from cgp_tui.cli.options import SandboxKind
    from cgp_tui.consent.ledger import Ledger
    from cgp_tui.host import Host
    from cgp_tui.protocol.envelope import HandshakeAck
    from cgp_tui.protocol.query import ContextQuery
    from cgp_tui.transcript.writer import Writer

_EXITS: Final = {
    "frames": diagnostics.GOOD,
    "budget_lie": diagnostics.FELL_SHORT,
    "frame_flood": diagnostics.FELL_SHORT,
    "consent_required": diagnostics.REFUSED,
    "failed": diagnostics.PROVIDER,
}
_ENDING: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))
_Result = TypeVar("_Result")


class Answer(msgspec.Struct, frozen=True):
    """What came of the question, and what of it is known."""

    outcome: Outcome
    exit_code: int
    provider_id: str
    ack: HandshakeAck | None = None
    judged: Judged | None = None
    transcript: Path | None = None


class _StoppedError(OurError):
    """A signal ended the wait for an answer."""

    def __init__(self, number: int) -> None:
        super().__init__("interrupted", f"Stopped by {signal.Signals(number).name} before an answer came.", "Ask again.")
        self.exit_code = 128 + number


class Question:
    """One question from its command line to its answer; it remembers how far it came."""

    def __init__(
        self,
        asked: ContextQuery,
        ledger: Ledger,
        record: Path | None,
        reference_parity: bool,
        provider_id: str | None,
        *,
        kept: Kept = "whole",
        waits: Mapping[str, float | None] = MappingProxyType({}),
    ) -> None:
        self._asked = asked
        self._ledger = ledger
        self._record = record
        self._kept = kept
        self._waits = waits
        self._reference_parity = reference_parity
        self._named = provider_id
        self._id = ""
        self._ack: HandshakeAck | None = None
        self._path: Path | None = None
        self._host: Host | None = None

    def answer(self, argv: list[str], env: list[str], sandbox: SandboxKind | None = None) -> Answer:
        """The answer, or what stands in its place; raises only for a defect of ours."""
        from cgp_tui.checks.types import Outcome, Problem
        from cgp_tui.host.errors import HostError

        try:
            return self._run(argv, env, sandbox)
        except HostError as error:
            return self._made(self._with_end(error.outcome), _EXITS[error.outcome.kind])
        except Error as error:
            outcome = Outcome("failed", None, problem=Problem(error.code, error.message, error.fix))
            if isinstance(error, _StoppedError):
                return self._made(outcome, error.exit_code)
            return self._made(outcome, diagnostics.exit_code(error))

    def _with_end(self, outcome: Outcome) -> Outcome:
        """With how the provider ended, where that is why nothing came."""
        connection = None if self._host is None else self._host.connections.get(self._id)
        problem = None if outcome.problem is None else with_end(outcome.problem, connection)
        return msgspec.structs.replace(outcome, problem=problem)

    def _made(self, outcome: Outcome, exit_code: int, **known: Any) -> Answer:
        return Answer(outcome, exit_code, self._id, ack=self._ack, transcript=self._path, **known)

    def _run(self, argv: list[str], env: list[str], sandbox: SandboxKind | None) -> Answer:
        from cgp_tui.cli.configured import chosen, waiting
        from cgp_tui.host.problems import check_query
        from cgp_tui.host.process import child_environment
        from cgp_tui.host.protect import seal

        check_query(self._asked)
        self._id = self._named or ""
        provider = waiting(chosen(argv, self._named, env, "cgp-tui query GOAL -- CMD...", sandbox), **self._waits)
        self._id = provider.id
        # A line that names what is not there leaves no recording behind.
        child_environment(provider.target.env_names)
        seal()
        mark = self._ledger.open().head
        _, self._path, writer = recording(self._record, self._id, "query", mark, self._kept)
        try:
            return asyncio.run(_until_stopped(self._ask(provider, writer)))
        finally:
            writer.close()

    async def _ask(self, provider: Chosen, writer: Writer) -> Answer:
        from cgp_tui.cli.own_terminal import kept
        from cgp_tui.host import Host
        from cgp_tui.host.results import queried
        from cgp_tui.store import paths
        from cgp_tui.store.seen import Sightings

        with kept() as terminal:
            seen = Sightings(paths.seen_dir())
            self._host = Host(self._ledger, writer, provider.deadlines, terminal=terminal, seen=seen)
            async with self._host as host:
                connection = await host.connect(provider.target, self._id, provider.sandbox)
                self._ack = connection.ack
                judged = await connection.ask(self._asked)
        outcome = self._with_end(queried(judged, self._id, self._reference_parity))
        return self._made(outcome, _EXITS[outcome.kind], judged=judged)


async def _until_stopped(work: Coroutine[Any, Any, _Result]) -> _Result:
    """`work`, ended as an exception ends it when a signal asks us to go: providers die, the recording is whole.

    Raises _StoppedError then.
    """
    task = asyncio.ensure_future(work)
    came: list[int] = []

    def stop(number: int) -> None:
        if not came:
            came.append(number)
            task.cancel()

    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, stop, number)
    try:
        return await task
    except asyncio.CancelledError:
        if came:
            raise _StoppedError(came[0]) from None
        raise
