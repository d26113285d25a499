"""Every finding about one exchange: all tables, applied to its request and then to its reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Final

from cgp_tui.checks.alike import judge_names
from cgp_tui.checks.answer import Answer, judge_answer
from cgp_tui.checks.attestation import Evidence
from cgp_tui.checks.breach import Charge, few
from cgp_tui.checks.course import is_own, judge_course
from cgp_tui.checks.evidence import judge_evidence
from cgp_tui.checks.frame import judge_frames
from cgp_tui.checks.handshake import judge_ack, judge_error, judge_offer
from cgp_tui.checks.line import is_sound, judge_faults
from cgp_tui.checks.mended import judge_mended, mend
from cgp_tui.checks.query import judge_request
from cgp_tui.checks.reply import judge_pairing
from cgp_tui.checks.tables import TABLES
from cgp_tui.checks.types import Appraisal, Judged, RootAppraisal
from cgp_tui.checks.verify import judge_verify
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.envelope import ContextQueryResult, ErrorReply, Frames, Handshake, HandshakeAck, Query, Verify
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.timestamp import Instant
from cgp_tui.session.exchange import ANSWERED, Exchange
from cgp_tui.session.past import NOTHING, Past, Remark
from cgp_tui.session.spoken import sender
from cgp_tui.wire.line import Seen
from cgp_tui.wire.memo import FrameMemo


def judge(
    exchange: Exchange,
    keys: Sequence[TrustedKey] = (),
    now: Instant | None = None,
    *,
    memo: FrameMemo | None = None,
    unsigned: bool = True,
    asked_well: bool = False,
) -> Judged:
    """The findings about an exchange as it stands, those of `judge_line` for its lines included, and its appraisals.

    With a `memo`, findings that follow from a frame alone are made once for as long as the memo keeps the frame. Without
    `unsigned`, an answer that carries no evidence at all is not appraised. `asked_well` says that the request was judged
    before its reply came and nothing was found: it is not judged again.

    `keys` are the keys the person trusts, `now` the time their windows are judged by. Judging an exchange again once its
    reply has come repeats the findings about its request; a caller that does so keeps one report for each (anchor, line,
    frame, path) with `once`.
    """
    appraisals: tuple[Appraisal, ...] = ()
    root: RootAppraisal | None = None
    request, reply = exchange.request, exchange.reply
    findings = [] if request is None or asked_well else _asked(exchange, request)
    if reply is not None or exchange.state != "pending":
        findings += judge_pairing(exchange, TABLES.pairings)
    if reply is not None:
        findings += _line_of_reply(exchange, reply)
        answer = reply.decoded.envelope
        if isinstance(answer, Frames):
            result = answer.result
            findings += _served(exchange, reply, result, memo)
            if unsigned or reply.decoded.extras or result.frame_attestations or result.result_attestation is not None:
                vouched, appraisals, root = _vouched(exchange, reply, result, keys, now)
                findings += vouched
        elif exchange.kind == "handshake":
            findings += _greeting(exchange, reply)
    if exchange.kind == "verify":
        findings += few(judge_verify(exchange, TABLES.verifies))
    return Judged(exchange, once(findings), appraisals, root)


def judge_line(
    seen: Seen,
    exchange: int | None = None,
    past: Past = NOTHING,
    *,
    echoes: bool = False,
) -> tuple[Finding, ...]:
    """The findings about a line by itself and about its place in the session. `exchange` is the number of the request it
    belongs to, where that is known, and `past` what came before it; `echoes` marks a reply under correlation."""
    if past is NOTHING and not seen.decoded.extras and is_sound(seen) and is_own(seen):
        return ()
    names = judge_names(seen, exchange) if seen.decoded.extras else ()
    faults = judge_faults(seen, exchange, TABLES.line, echoes=echoes)
    return (*faults, *judge_course(seen, past, exchange, TABLES.course), *names)


def judge_remark(remark: Remark) -> tuple[Finding, ...]:
    """The findings that a later item adds to a line judged before, and only those."""
    return tuple(judge_course(remark.seen, remark.past, rows=TABLES.course))


def once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One report for each (anchor, line, frame, path), the first one."""
    findings = tuple(findings)
    if len(findings) < 2 or len(set(map(_report, findings))) == len(findings):
        return findings
    kept: dict[object, Finding] = {}
    for finding in findings:
        kept.setdefault(_report(finding), finding)
    return tuple(kept.values())


_report: Final = attrgetter("anchor", "line", "frame_id", "path")
"""What makes two findings one report."""


def _asked(exchange: Exchange, request: Seen) -> list[Finding]:
    """The findings about a request, whatever became of it."""
    findings = list(judge_line(request, exchange.number, exchange.past))
    envelope = request.decoded.envelope
    if isinstance(envelope, (Query, Verify)):
        findings += few(judge_request(envelope, exchange.ack, _charge(request, exchange), TABLES.requests))
    elif isinstance(envelope, Handshake):
        findings += judge_offer(envelope, _charge(request, exchange), TABLES.offers)
    return findings


def _line_of_reply(exchange: Exchange, reply: Seen) -> tuple[Finding, ...]:
    """The findings about a reply's line by itself."""
    request = exchange.request
    # What came before a request is no news about the reply to it.
    past = exchange.past if request is None or exchange.kind == "handshake" else NOTHING
    echoes = exchange.ack is not None and exchange.ack.capabilities.correlation and exchange.kind != "handshake"
    found = judge_line(reply, exchange.number, past, echoes=echoes)
    if found and request is not None and any(fault.path == "/id" for fault in request.decoded.faults):
        # An id that cannot be read is charged to the request that brought it, not to its echo.
        found = tuple(finding for finding in found if finding.path != "/id")
    return found


def _served(exchange: Exchange, reply: Seen, result: ContextQueryResult, memo: FrameMemo | None) -> list[Finding]:
    """The findings about the frames of an answer, and about the answer to what was asked."""
    charge, decoded = _charge(reply, exchange), reply.decoded
    findings = [*judge_frames(result.frames, decoded.place, charge, TABLES.frames, memo)]
    mended = tuple(filter(None, map(mend, decoded.bad_frames))) if decoded.bad_frames else ()
    for one in mended:
        findings += few(judge_mended(one, charge, TABLES.frames))
    asked = None if exchange.request is None else exchange.request.decoded.envelope
    if isinstance(asked, Query) and exchange.state in ANSWERED:
        question = Answer(asked.query, result, decoded, exchange.ack, exchange.past, mended)
        findings += few(judge_answer(question, charge, TABLES.answers))
    return findings


def _vouched(
    exchange: Exchange, reply: Seen, result: ContextQueryResult, keys: Sequence[TrustedKey], now: Instant | None
) -> tuple[Iterable[Finding], tuple[Appraisal, ...], RootAppraisal | None]:
    """The findings about the evidence of an answer, and what it is worth for each frame and for the whole."""
    decoded = reply.decoded
    evidence = Evidence(exchange.ack, result, keys, now, bad_frames=decoded.bad_frames, places=decoded.places)
    weighed, charge = evidence.weigh(), _charge(reply, exchange)
    found = judge_evidence(evidence, weighed, reply, charge, rows=TABLES.evidence, signed_rows=TABLES.signed)
    return few(found), evidence.appraisals(weighed), evidence.root_appraisal()


def _charge(seen: Seen, exchange: Exchange) -> Charge:
    return Charge(seen.line.n, exchange.number, sender(seen))


def _greeting(exchange: Exchange, reply: Seen) -> list[Finding]:
    offer = None if exchange.request is None else exchange.request.decoded.envelope
    ours = offer.protocol_version if isinstance(offer, Handshake) else None
    answer, charge = reply.decoded.envelope, _charge(reply, exchange)
    if isinstance(answer, HandshakeAck):
        return judge_ack(ours, answer, charge, TABLES.acks)
    return judge_error(ours, answer, charge, TABLES.refusals) if isinstance(answer, ErrorReply) and ours is not None else []
