"""One provider of a session, over all its connections."""

from __future__ import annotations

from time import monotonic

import msgspec

from cgp_tui.consent.types import Answer
from cgp_tui.host.connection import Connection
from cgp_tui.present.consent import Payload
from cgp_tui.present.copying import query_command
from cgp_tui.present.key_sentences import Keys
from cgp_tui.present.session import Pulse, addressee_spans, end_words
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.target import Target
from cgp_tui.text import Shown
from cgp_tui.ui.desk import Addressee


class Plan(msgspec.Struct, frozen=True):
    """A provider to start, the questions to ask it unprompted, and whether to verify the last answer afterwards; `sandbox`
    is how it is confined."""

    target: Target
    id: str
    questions: tuple[ContextQuery, ...] = ()
    verify: bool = False
    sandbox: str = "none"


class Peer:
    """`connection` is None until the handshake is done; `problem` says why that failed and `fault` is its code. `answer` is
    the gate's last answer, `refused` the query that it last refused, `asked` the number of queries tried on this
    connection."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.target = plan.target
        self.refused: Payload | None = None
        self.start()

    def start(self) -> None:
        """Forget the last connection."""
        self.connection: Connection | None = None
        self.problem: Shown | None = None
        self.fault = ""
        self.answer: Answer | None = None
        self.began = monotonic()
        self.asked = 0

    @property
    def id(self) -> str:
        return self.plan.id

    @property
    def running(self) -> bool:
        return self.problem is None and (self.connection is None or self.connection.alive)

    def trouble(self, attempt: Connection | None) -> Shown | None:
        """Why nothing more can be sent to it, None where something can. `attempt` is its last connection, if there was one:
        how its process ended is known even without a handshake."""
        if self.running:
            return None
        fault = self.fault or (attempt.ended_by if attempt is not None else "")
        exited = None if attempt is None else attempt.exited
        code, signal = (None, None) if exited is None else (exited.code, exited.signal)
        return end_words(self.id, fault, code, signal, exited is not None and exited.ours)

    @property
    def name(self) -> str:
        """The declared name, empty before the handshake."""
        return "" if self.connection is None else self.connection.ack.provider.name

    def addressee(self, trouble: Shown | None, keys: Keys) -> Addressee:
        """What would become of a query to it; `trouble` says why nothing can be sent."""
        said, sends = addressee_spans(self.answer, trouble, keys)
        kinds = () if self.connection is None else self.connection.ack.capabilities.query.kinds
        return Addressee(self.id, said, sends, kinds)

    def command(self, query: ContextQuery) -> str:
        """The command that asks it the same."""
        return query_command(query, self.target, self.id, self.plan.sandbox)

    @property
    def correlated(self) -> bool:
        return self.connection is not None and self.connection.ack.capabilities.correlation


def pulse(connection: Connection) -> Pulse:
    """The signs of life on a connection, as of now."""
    pid, heard, unfinished = connection.signs
    return Pulse(pid, None if heard is None else monotonic() - heard, unfinished, connection.stderr_tail)
