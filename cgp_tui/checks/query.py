"""What a host may ask: ids (3.2), the time a query is pinned to (F4), vectors (E1), representations (P5).

A host calls `question_faults` before it sends; a transcript is judged by the same rows. Without an ack, as in a fragment of
a session, nobody knows what the provider offers, and nothing is held against the host.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple, Protocol, get_args

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.checks.chosen import Chosen, Look
from cgp_tui.protocol.capability import dimension
from cgp_tui.protocol.envelope import HandshakeAck, Query, Verify
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.timestamp import parse


class Test(Protocol):
    """A test of a request, given the ack in force when it was sent."""

    def __call__(self, request: Query | Verify, ack: HandshakeAck | None, /) -> Iterable[Breach]: ...


_Part = Literal["id", "as_of", "vector", "preferences"]


class Row(NamedTuple):
    """One check of a request. `part` names what must be present for the test to find anything."""

    anchor: str
    sentence: str
    test: Test
    part: _Part


def _id(request: Query | Verify, ack: HandshakeAck | None) -> Iterable[Breach]:
    if ack is None or ack.capabilities.correlation or request.id is None:
        return ()
    return (Breach("/id", "no id", said(request.id), fix="Leave the id out, and send one request at a time."),)


def _as_of(request: Query | Verify, ack: HandshakeAck | None) -> Iterable[Breach]:
    if isinstance(request, Verify) or request.query.as_of is None or parse(request.query.as_of) is not None:
        return ()
    return (Breach("/query/as_of", "YYYY-MM-DDTHH:MM:SSZ", said(request.query.as_of), reference="accepted"),)


def contradicts_fingerprint(query: ContextQuery, ack: HandshakeAck) -> bool:
    """Whether the query's vector is not as long as the provider's fingerprint says (E1)."""
    declared = ack.capabilities.embeddings_fingerprint
    length = None if declared is None else dimension(declared)
    return query.embedding is not None and length is not None and len(query.embedding) != length


def _vector(request: Query | Verify, ack: HandshakeAck | None) -> Iterable[Breach]:
    """Where no fingerprint is declared any vector breaks E1, even an empty one."""
    if isinstance(request, Verify) or ack is None or request.query.embedding is None:
        return ()
    declared, size = ack.capabilities.embeddings_fingerprint, len(request.query.embedding)
    if not declared:
        return (Breach("/query/embedding", "no vector: no fingerprint is declared", f"a vector of {size}"),)
    if contradicts_fingerprint(request.query, ack):
        return (Breach("/query/embedding", f"{dimension(declared)} numbers, for {said(declared)}", f"{size} numbers"),)
    return ()


def not_offered(query: ContextQuery, ack: HandshakeAck) -> dict[int, str]:
    """The preferred representations that the provider does not offer, by place; `full` is always admissible (P5)."""
    admissible = ("full", *ack.capabilities.representations)
    return {place: wanted for place, wanted in enumerate(query.representation_preferences) if wanted not in admissible}


def _preferences(request: Query | Verify, ack: HandshakeAck | None) -> Iterator[Breach]:
    if isinstance(request, Verify) or ack is None or not request.query.representation_preferences:
        return
    offered = ", ".join(dict.fromkeys(("full", *ack.capabilities.representations)))
    for place, wanted in not_offered(request.query, ack).items():
        yield Breach(f"/query/representation_preferences/{place}", said(offered), said(wanted))


ROWS: Final = (
    Row("3.2", "An id is sent to a provider that did not declare correlation.", _id, "id"),
    Row("F4", "This is not a valid timestamp.", _as_of, "as_of"),
    Row("E1", "An embedding is sent to a provider with another fingerprint.", _vector, "vector"),
    Row("P5", "The query prefers a representation that the provider does not offer.", _preferences, "preferences"),
)


_STANDARD: Final = Chosen(ROWS, get_args(_Part))


def _look(request: Query | Verify) -> Look:
    """Which parts are there, in the order of `_Part`."""
    if isinstance(request, Verify):
        return request.id is not None, False, False, False
    query = request.query
    return (
        request.id is not None,
        query.as_of is not None,
        query.embedding is not None,
        bool(query.representation_preferences),
    )


def judge_request(
    request: Query | Verify, ack: HandshakeAck | None, charge: Charge, rows: Iterable[Row] = ROWS
) -> list[Finding]:
    """The findings about a request, charged to its host."""
    chosen = _STANDARD if rows is ROWS else Chosen(rows, get_args(_Part))
    return [
        charge.find(row.anchor, row.sentence, breach) for row in chosen[_look(request)] for breach in row.test(request, ack)
    ]


def question_faults(query: ContextQuery, ack: HandshakeAck | None = None) -> tuple[Breach, ...]:
    """Why our own host must not send this query (to the provider whose ack is given, if one is); empty where it may."""
    return tuple(breach for row in ROWS for breach in row.test(Query(query), ack))
