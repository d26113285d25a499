"""What a host does with an exchange: its frames are served, dropped, or there were none.

Frames that can be read are served. An answer is dropped whole where its costs cannot be trusted or it is larger than asked
for: B1 and a lie about a cost (B3, P4) make a `budget_lie`, B4 a `frame_flood`; B2 forbids cutting it down to fit. A frame
that could not be read is left out and named by its finding; its unreadable cost does not make its siblings liars. Every
other finding travels beside the frames: the SPEC lets no host drop a frame for it, and F9 forbids that for evidence.
Reference parity audits only what the reference host audits: B1 and B4 over the declared costs.

An exchange that was not answered, or was answered by `error`, fails with a code of the command contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from cgp_tui import limits
from cgp_tui.checks.nearly import mending
from cgp_tui.checks.types import Judged, Outcome, OutcomeKind, Problem
from cgp_tui.protocol.admission import refusal
from cgp_tui.protocol.envelope import ErrorReply, Frames, Handshake, HandshakeAck
from cgp_tui.protocol.error import REACTIONS, effective_code
from cgp_tui.protocol.requirements import Finding
from cgp_tui.session.exchange import Exchange
from cgp_tui.session.states import FAULTS, TIMEOUT
from cgp_tui.wire.line import Fault


class Drop(NamedTuple):
    """Which violations drop an answer whole, and which of them the reference host audits as well."""

    outcome: OutcomeKind
    anchors: frozenset[str]
    in_reference: frozenset[str]


DROPS: Final = (
    Drop("budget_lie", frozenset({"B1", "B3", "P4"}), frozenset({"B1"})),
    Drop("frame_flood", frozenset({"B4"}), frozenset({"B4"})),
)
"""In order of precedence: an answer that breaks both is a lie first."""


class Cause(NamedTuple):
    """What happened and the next step, for a code that ends an exchange."""

    message: str
    fix: str


_VERSION_CHARS: Final = 60
"""How much of a provider's version a sentence repeats."""

CAUSES: Final[Mapping[str, Cause]] = {
    TIMEOUT: Cause(
        "No reply came in time.", "Look at its stderr: it may be busy, wait for more input, or not flush its stdout."
    ),
    "stalled": Cause("The provider does not read its stdin.", "Make it read stdin while it works, and check its stderr."),
    "provider_crashed": Cause(
        "The provider ended before it answered.", "Check its exit status and stderr, then start it again."
    ),
    "dropped": Cause("The reply may be among the lines that are missing.", "Record the session again."),
    "poisoned": Cause("The stream can no longer be trusted.", "Start the provider again."),
    "flood": Cause("The provider sent far more than was asked for.", "Let it write replies only; logs belong on stderr."),
    "line_too_long": Cause(
        f"A line is longer than {limits.LINE_BYTES >> 20} MiB.", "Send smaller answers: fewer frames, or shorter content."
    ),
    "invalid_utf8": Cause(
        "The reply is not UTF-8.", "The provider's stdout is not UTF-8: set its encoding, or write \\u escapes."
    ),
    "not_json": Cause("The reply is not JSON.", "Let the provider write messages only to stdout; logs belong on stderr."),
    "not_one_object": Cause("The reply is not one JSON object.", "Write one object per line."),
    "too_deep": Cause("The reply is nested too deeply.", "Send messages of the shapes that the SPEC defines."),
    "duplicate_member": Cause("The reply gives a member twice.", "Send each member once."),
    "unexpected_envelope": Cause("The reply does not answer this request.", "Look at the line and its findings."),
    "correlation_mismatch": Cause(
        "The reply does not carry the id of its request.", "Echo the id, or do not declare correlation."
    ),
    "consent_required": Cause(
        "The rest of the message was withheld.", "Grant what the gate names, and start the provider again."
    ),
    "version_mismatch": Cause("The provider speaks another major version.", "Use a provider of the contextgraph/1 family."),
    "scope_contradiction": Cause(
        "The provider declares egress: false with an off-machine scope.", "Its author must fix this (C5)."
    ),
    "scope_malformed": Cause("The provider declares a malformed scope.", "Its author must write it as vendor:name."),
}
"""Every code that can end an exchange, whether the session gives it or a refused handshake."""

_UNREADABLE: Final = Cause(
    "The reply cannot be read.", "Its author must send each member with the type that the SPEC defines."
)
"""In place of the cause, where members of a reply are missing or of a wrong type."""

_FAULTS: Final = 4
"""How many faults of a reply its problem names."""


def outcome(judged: Judged, reference_parity: bool = False) -> Outcome:
    """What a host does with a query: serve its frames, drop them, or report why there are none.

    A query still in flight counts as not answered.
    """
    number = judged.exchange.number
    trouble = problem(judged)
    reply = judged.exchange.reply
    answer = None if reply is None else reply.decoded.envelope
    if trouble is not None or not isinstance(answer, Frames):
        trouble = trouble or _named(TIMEOUT)
        return Outcome("failed", number, findings=judged.findings, problem=trouble)
    dropped = _dropped(judged, reference_parity)
    if dropped is not None:
        return Outcome(dropped, number, findings=judged.findings, appraisals=judged.appraisals)
    return Outcome(
        "frames",
        number,
        frames=answer.result.frames,
        truncated=answer.result.truncated,
        findings=judged.findings,
        appraisals=judged.appraisals,
    )


def problem(judged: Judged) -> Problem | None:
    """Why a handshake, query or verify came to nothing; None where its reply can be used."""
    exchange = judged.exchange
    if exchange.state != "answered":
        return _named(_code(exchange), judged)
    request = None if exchange.request is None else exchange.request.decoded.envelope
    reply = None if exchange.reply is None else exchange.reply.decoded.envelope
    if isinstance(reply, ErrorReply):
        return _refused(reply)
    if isinstance(reply, HandshakeAck) and isinstance(request, Handshake):
        code = refusal(request.protocol_version, reply)
        return None if code is None else _named(code, judged)
    return None


def _code(exchange: Exchange) -> str:
    if exchange.request is None:
        return "unexpected_envelope"
    return exchange.why or TIMEOUT


def _named(code: str, judged: Judged | None = None) -> Problem:
    cause = CAUSES.get(code, Cause("The exchange failed.", "Look at the transcript."))
    reply = None if judged is None else judged.exchange.reply
    faults = () if reply is None else reply.decoded.faults
    if not faults:
        figures = None if judged is None else _in_figures(code, judged.exchange)
        return Problem(code, figures or cause.message, cause.fix)
    lost = code == "unexpected_envelope" and reply is not None and reply.decoded.envelope is None
    message, fix = _UNREADABLE if lost and all(fault.code in FAULTS for fault in faults) else cause
    fix = mending(reply.line.raw, faults[0]) or fix if reply is not None else fix
    told = "; ".join(map(_said, faults[:_FAULTS])) + (f"; and {len(faults) - _FAULTS:,} more" if faults[_FAULTS:] else "")
    return Problem(code, f"{message.removesuffix('.')}: {told}.", fix)


def _said(fault: Fault) -> str:
    if fault.missing:
        return f"{fault.path} is missing"
    return f"{fault.path}: {fault.detail}" if fault.path else fault.detail


def _in_figures(code: str, exchange: Exchange) -> str | None:
    """What happened, where this exchange can tell more than the cause does: both versions, or how long the host waited."""
    request = None if exchange.request is None else exchange.request.decoded.envelope
    reply = None if exchange.reply is None else exchange.reply.decoded.envelope
    if code == "version_mismatch" and isinstance(request, Handshake) and isinstance(reply, HandshakeAck):
        theirs = reply.protocol_version
        theirs = theirs if len(theirs) <= _VERSION_CHARS else theirs[:_VERSION_CHARS] + "…"
        return f"The provider speaks {theirs}, cgp-tui {request.protocol_version} (H1). Stopped."
    if code == TIMEOUT and exchange.waited is not None:
        return f"No reply came within {exchange.waited:.1f} s.".replace(".0 s", " s")
    return None


def _refused(reply: ErrorReply) -> Problem:
    """The provider's own refusal; an unknown or absent code is acted on as internal (X1, X2)."""
    effective = effective_code(reply.code)
    code = "version_mismatch" if effective == "incompatible_version" else "provider_error"
    reaction = REACTIONS[effective]
    return Problem(code, reply.message, f"{reaction[0].upper()}{reaction[1:]}.", provider_code=reply.code or "internal")


def _dropped(judged: Judged, reference_parity: bool) -> OutcomeKind | None:
    """The first reason to drop the answer whole."""
    unread = _unread_frames(judged)
    broken = {finding.anchor for finding in judged.findings if _counts(finding, unread)}
    for drop in DROPS:
        if broken & (drop.in_reference if reference_parity else drop.anchors):
            return drop.outcome
    return None


def _counts(finding: Finding, unread: frozenset[str]) -> bool:
    return finding.level == "violation" and "/".join(finding.path.split("/")[:4]) not in unread


def _unread_frames(judged: Judged) -> frozenset[str]:
    """The paths of the frames that could not be read."""
    reply = judged.exchange.reply
    return frozenset() if reply is None else frozenset(f"/result/frames/{bad.place}" for bad in reply.decoded.bad_frames)
