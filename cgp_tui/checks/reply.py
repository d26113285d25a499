"""Whether a reply answers its request: H4, replies nobody asked for (3.2), requests never answered, and what an error says
(U3, R1, E1).

The session says who answered whom; these rows say what is wrong with that. A row names the line it charges. Under
correlation a reply without the id of a request in flight breaks H4, whatever else it may be. Without correlation a stray
reply breaks nothing on the wire and is advice. A late reply is nobody's fault. Where lines are known to be missing, no
stray reply is held against anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple, get_args

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.checks.chosen import Chosen, Look
from cgp_tui.checks.query import contradicts_fingerprint
from cgp_tui.checks.word import own_word
from cgp_tui.protocol.envelope import ErrorReply, Query
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.vocabulary import CODES, word
from cgp_tui.session.exchange import Exchange
from cgp_tui.session.spoken import sender
from cgp_tui.session.states import ANSWERS, TIMEOUT
from cgp_tui.wire.line import Decoded

_SILENT: Final = {
    TIMEOUT: "nothing",
    "stalled": "nothing, and the request was not read",
    "provider_crashed": "nothing, and the end of the process",
}
"""The codes of exchanges that ended without a reply, and what was there instead."""

_UNANSWERED: Final = {"handshake": "H1", "query": "3.2", "verify": "V2"}
"""What a missing reply is charged to, by the kind of its request."""

_ANSWER_ALL: Final = "Answer every request; without a result, answer error."
_ONE_REPLY: Final = "Send one reply for each request, and nothing else; 1.0 defines no notification."


CALL_IT_BAD: Final = "Answer error with code bad_request to a vector that is not as long as your fingerprint says."

_Part = Literal["other id", "other type", "stray", "silence", "error", "unreadable"]


class Row(NamedTuple):
    """One check of a pairing; `at` is the line it charges, `part` what must be present for the test to find anything."""

    anchor: str
    sentence: str
    at: Literal["request", "reply"]
    test: Callable[[Exchange], Iterable[Breach]]
    part: _Part


def _strict(exchange: Exchange) -> bool:
    return exchange.ack is not None and exchange.ack.capabilities.correlation


def _ids(exchange: Exchange) -> tuple[Decoded, Decoded] | None:
    """Request and reply of a pair whose ids can be compared."""
    request, reply = exchange.request, exchange.reply
    if request is None or reply is None or exchange.kind == "handshake":
        return None
    if request.decoded.envelope is None or exchange.kind not in ANSWERS.get(reply.decoded.type or "", ()):
        return None
    unreadable = any(fault.path in ("/id", "") for fault in reply.decoded.faults)
    return None if unreadable else (request.decoded, reply.decoded)


def _echo(exchange: Exchange) -> Iterable[Breach]:
    pair = _ids(exchange) if _strict(exchange) else None
    if pair is None or pair[0].id == pair[1].id:
        return ()
    return (Breach("/id", said(pair[0].id), said(pair[1].id)),)


def _invented(exchange: Exchange) -> Iterable[Breach]:
    pair = None if _strict(exchange) or exchange.ack is None else _ids(exchange)
    if pair is None or pair[1].id is None or pair[0].id is not None:
        return ()
    fix = "Declare correlation, or leave the id out."
    return (Breach("/id", "no id", said(pair[1].id), level="advice", fix=fix, reference=""),)


def _stray(exchange: Exchange) -> Decoded | None:
    """A reply without a request, unless a lost line may have held that request."""
    stray = exchange.request is None and exchange.reply is not None and exchange.why != "dropped"
    return exchange.reply.decoded if stray and exchange.reply is not None else None


def _breaks_echo(exchange: Exchange, reply: Decoded) -> bool:
    """Whether a stray reply is an answer with a wrong or a missing id, rather than a message nobody asked for."""
    return exchange.kind != "handshake" and _strict(exchange) and (reply.id is not None or exchange.why != "unasked")


def _stranger(exchange: Exchange) -> Iterable[Breach]:
    reply = _stray(exchange)
    if reply is None or not _breaks_echo(exchange, reply):
        return ()
    again = exchange.state == "duplicate"
    message = "This request was answered before." if again else "No request in flight has this id."
    return (Breach("/id", "the id of a request in flight", said(reply.id), message),)


def _unasked(exchange: Exchange) -> Iterable[Breach]:
    reply = _stray(exchange)
    if reply is None or _breaks_echo(exchange, reply):
        return ()
    again = exchange.state == "duplicate"
    message = "The request was answered before." if again else "There is no request that this could answer."
    return (Breach("", "one reply for each request", said(reply.type), message, "advice", "logged and dropped", _ONE_REPLY),)


def _wrong_type(exchange: Exchange) -> Iterable[Breach]:
    request, reply = exchange.request, exchange.reply
    if request is None or reply is None or reply.decoded.type is None:
        return ()
    if exchange.kind in ANSWERS.get(reply.decoded.type, ()):
        return ()
    expected = _answers(exchange)
    fix = f"Answer {exchange.kind} with {expected}."
    return (Breach("/type", expected, said(reply.decoded.type), level="advice", fix=fix, reference=""),)


def _answers(exchange: Exchange) -> str:
    """The types of message that answer a request, in words."""
    return " or ".join(kind for kind, answers in ANSWERS.items() if exchange.kind in answers)


def _unanswered(exchange: Exchange, anchor: str) -> Iterable[Breach]:
    if exchange.state != "failed" or exchange.why not in _SILENT:
        return ()
    undeclared = exchange.kind == "verify" and exchange.ack is not None and not exchange.ack.capabilities.verify
    if (_UNANSWERED["query"] if undeclared else _UNANSWERED[exchange.kind]) != anchor:
        return ()
    found, message = _SILENT[exchange.why], "The verify was not answered." if undeclared else ""
    if exchange.why == TIMEOUT and exchange.waited is not None:
        found += f" within {exchange.waited:.1f} s".replace(".0 s", " s")
    return (Breach("", _answers(exchange), found, message, level="note", fix=_ANSWER_ALL, reference=""),)


def _no_ack(exchange: Exchange) -> Iterable[Breach]:
    return _unanswered(exchange, "H1")


def _no_answer(exchange: Exchange) -> Iterable[Breach]:
    return _unanswered(exchange, "3.2")


def _no_verdicts(exchange: Exchange) -> Iterable[Breach]:
    return _unanswered(exchange, "V2")


def _word(exchange: Exchange) -> Iterable[Breach]:
    error = _error(exchange)
    return () if error is None or error.code is None else own_word("/code", error.code, word(error.code, CODES))


def _tolerated(exchange: Exchange) -> Iterable[Breach]:
    """R1: an unreadable request that was answered, although not by `bad_request`."""
    request, reply = exchange.request, exchange.reply
    if request is None or reply is None or request.decoded.envelope is not None or exchange.state != "answered":
        return ()
    error = _error(exchange)
    if error is not None and (error.code == "bad_request" or exchange.kind == "handshake"):
        return ()
    path = "/type" if error is None else "/code"
    return (Breach(path, "error bad_request", said(reply.decoded.type if error is None else error.code), level="advice"),)


def _misread(exchange: Exchange) -> Iterable[Breach]:
    """E1: the query's vector has the wrong length, but the error does not call it a `bad_request`."""
    error = _error(exchange)
    asked = None if exchange.request is None else exchange.request.decoded.envelope
    if error is None or exchange.ack is None or not isinstance(asked, Query) or error.code == "bad_request":
        return ()
    if not contradicts_fingerprint(asked.query, exchange.ack):
        return ()
    return (Breach("/code", "bad_request", said(error.code), level="advice", reference="accepted", fix=CALL_IT_BAD),)


def _error(exchange: Exchange) -> ErrorReply | None:
    answer = None if exchange.reply is None else exchange.reply.decoded.envelope
    return answer if isinstance(answer, ErrorReply) else None


ROWS: Final = (
    Row("H4", "The reply does not carry the id of its request.", "reply", _echo, "other id"),
    Row("H4", "The reply belongs to no request.", "reply", _stranger, "stray"),
    Row("3.2", "Nobody asked for this reply.", "reply", _unasked, "stray"),
    Row("3.2", "The reply carries an id, but correlation is not declared.", "reply", _invented, "other id"),
    Row("3.2", "The reply's type does not answer the request.", "reply", _wrong_type, "other type"),
    Row("H1", "The handshake was not answered.", "request", _no_ack, "silence"),
    Row("3.2", "The query was not answered.", "request", _no_answer, "silence"),
    Row("V2", "The verify was not answered.", "request", _no_verdicts, "silence"),
    Row("U3", "The code is not one of contextgraph/1.0: it is read as internal.", "reply", _word, "error"),
    Row("R1", "A bad request is not answered with bad_request.", "reply", _tolerated, "unreadable"),
    Row("E1", "An embedding of the wrong length is not answered with bad_request.", "reply", _misread, "error"),
)


_STANDARD: Final = Chosen(ROWS, get_args(_Part))


def _look(exchange: Exchange) -> Look:
    """Which parts are there, in the order of `_Part`."""
    request, reply = exchange.request, exchange.reply
    silence = exchange.state == "failed"
    if reply is None:
        return False, False, False, silence, False, False
    decoded = reply.decoded
    error = isinstance(decoded.envelope, ErrorReply)
    if request is None:
        return False, False, True, False, error, False
    other_type = exchange.kind not in ANSWERS.get(decoded.type or "", ())
    asked = request.decoded
    return asked.id != decoded.id, other_type, False, silence, error, asked.envelope is None


def judge_pairing(exchange: Exchange, rows: Iterable[Row] = ROWS) -> list[Finding]:
    """The findings about who answered whom. A missing reply is the provider's, though charged at the request."""
    findings = []
    chosen = _STANDARD if rows is ROWS else Chosen(rows, get_args(_Part))
    for anchor, sentence, at, test, _ in chosen[_look(exchange)]:
        seen = exchange.request if at == "request" else exchange.reply
        assert seen is not None  # noqa: S101 -- the look says that it is there
        for breach in test(exchange):
            charge = Charge(seen.line.n, exchange.number, sender(seen) if at == "reply" else "provider")
            findings.append(charge.find(anchor, sentence, breach))
    return findings
