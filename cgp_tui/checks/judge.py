"""Everything that is to be said of one exchange: every table, over its request and its reply, in wire order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cgp_tui.checks.answer import Answer, judge_answer
from cgp_tui.checks.attestation import Evidence
from cgp_tui.checks.breach import Charge
from cgp_tui.checks.evidence import judge_evidence
from cgp_tui.checks.frame import judge_frame
from cgp_tui.checks.handshake import judge_ack, judge_error
from cgp_tui.checks.line import judge_line
from cgp_tui.checks.query import judge_request
from cgp_tui.checks.reply import judge_pairing
from cgp_tui.checks.types import Appraisal, Judged, RootAppraisal
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.envelope import ErrorReply, Frames, Handshake, HandshakeAck, Query, Verify
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.timestamp import Instant
from cgp_tui.session.exchange import Exchange
from cgp_tui.session.machine import sender
from cgp_tui.wire.line import Seen


def judge(exchange: Exchange, keys: Sequence[TrustedKey] = (), now: Instant | None = None) -> Judged:
    """The findings about an exchange as it stands, those of `judge_line` for its lines included, and its appraisals.

    `keys` are the keys the person trusts, `now` the time their windows are judged by. Judging an exchange again after its
    reply has come repeats what was said of its request: one report an (anchor, line, frame, path) is the caller's to keep
    over several calls, `once` does it.
    """
    findings: list[Finding] = []
    appraisals: tuple[Appraisal, ...] = ()
    root: RootAppraisal | None = None
    request, reply = exchange.request, exchange.reply
    if request is not None:
        findings += judge_line(request, exchange.number)
        envelope = request.decoded.envelope
        if isinstance(envelope, Query | Verify):
            findings += judge_request(envelope, exchange.ack, _charge(request, exchange))
    findings += judge_pairing(exchange)
    if reply is not None:
        findings += judge_line(reply, exchange.number)
        answer = reply.decoded.envelope
        if isinstance(answer, Frames):
            more, appraisals, root = _frames(exchange, reply, answer, keys, now)
            findings += more
        elif exchange.kind == "handshake":
            findings += _greeting(exchange, reply)
    return Judged(exchange, once(findings), appraisals, root)


def once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One report for each (anchor, line, frame, path), the first one."""
    kept: dict[tuple[str, int, str | None, str], Finding] = {}
    for finding in findings:
        kept.setdefault((finding.anchor, finding.line, finding.frame_id, finding.path), finding)
    return tuple(kept.values())


def _charge(seen: Seen, exchange: Exchange) -> Charge:
    return Charge(seen.line.n, exchange.number, sender(seen))


def _greeting(exchange: Exchange, reply: Seen) -> list[Finding]:
    offered = None if exchange.request is None else exchange.request.decoded.envelope
    answer = reply.decoded.envelope
    if not isinstance(offered, Handshake):
        return []
    charge = _charge(reply, exchange)
    if isinstance(answer, HandshakeAck):
        return judge_ack(offered.protocol_version, answer, charge)
    return judge_error(offered.protocol_version, answer, charge) if isinstance(answer, ErrorReply) else []


def _frames(
    exchange: Exchange, reply: Seen, answer: Frames, keys: Sequence[TrustedKey], now: Instant | None
) -> tuple[list[Finding], tuple[Appraisal, ...], RootAppraisal | None]:
    charge, decoded, result = _charge(reply, exchange), reply.decoded, answer.result
    findings: list[Finding] = []
    for index, frame in enumerate(result.frames):
        findings += judge_frame(frame, decoded.place(index), charge)
    asked = None if exchange.request is None else exchange.request.decoded.envelope
    if isinstance(asked, Query) and exchange.state in ("answered", "late"):
        findings += judge_answer(Answer(asked.query, result, decoded), charge)
    evidence = Evidence(exchange.ack, result, keys, now, bad_frames=decoded.bad_frames, places=decoded.places)
    weighed = evidence.weigh()
    findings += judge_evidence(evidence, weighed, reply, charge)
    return findings, evidence.appraisals(weighed), evidence.root_appraisal()
