"""What a host may ask: the id that goes to a provider without correlation (3.2), and the time a query is pinned to (F4).

A host asks `question_faults` before it sends; a transcript is judged by the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.protocol.envelope import HandshakeAck, Query, Verify
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.timestamp import parse


class Test(Protocol):
    """A test of a request, given the ack in force when it was sent."""

    def __call__(self, request: Query | Verify, ack: HandshakeAck | None, /) -> Iterable[Breach]: ...


class Row(NamedTuple):
    """One check of a request."""

    anchor: str
    sentence: str
    test: Test


def _id(request: Query | Verify, ack: HandshakeAck | None) -> Iterable[Breach]:
    if ack is None or ack.capabilities.correlation or request.id is None:
        return ()
    return (Breach("/id", "no id", said(request.id)),)


def _as_of(request: Query | Verify, ack: HandshakeAck | None) -> Iterable[Breach]:
    if isinstance(request, Verify):
        return ()
    as_of = request.query.as_of
    if as_of is None or parse(as_of) is not None:
        return ()
    return (Breach("/query/as_of", "YYYY-MM-DDTHH:MM:SSZ", said(as_of), reference="accepted"),)


ROWS: Final = (
    Row("3.2", "An id goes to a provider that did not declare correlation.", _id),
    Row("F4", "This is no timestamp.", _as_of),
)


def judge_request(
    request: Query | Verify, ack: HandshakeAck | None, charge: Charge, rows: Iterable[Row] = ROWS
) -> list[Finding]:
    """The findings about a request, charged to its host."""
    return [charge.find(row.anchor, row.sentence, breach) for row in rows for breach in row.test(request, ack)]


def question_faults(query: ContextQuery) -> tuple[Breach, ...]:
    """Why our own host must not send this query; empty where it may."""
    return tuple(breach for row in ROWS for breach in row.test(Query(query), None))
