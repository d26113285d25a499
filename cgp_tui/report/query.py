"""The JSON document of `query`: the result of one question, on success and on failure alike."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

from cgp_tui.checks.types import Judged, Outcome, Problem, RefusedNeed
from cgp_tui.protocol.envelope import HandshakeAck


def query_document(
    outcome: Outcome,
    *,
    provider_id: str,
    ack: HandshakeAck | None = None,
    judged: Judged | None = None,
    transcript: str | None = None,
) -> dict[str, Any]:
    """`query --json`. `provider` is null before an ack was accepted, `usage` where no query was sent."""
    document: dict[str, Any] = {
        "provider": None if ack is None else {"id": provider_id, "name": ack.provider.name, "version": ack.provider.version},
        "outcome": outcome.kind,
        "frames": _frames(outcome, judged),
        "truncated": outcome.truncated,
        "findings": outcome.findings,
        "usage": outcome.usage,
        "transcript": transcript,
    }
    problem = outcome.problem
    return document if problem is None else {**document, "error": _error(problem, outcome)}


def _frames(outcome: Outcome, judged: Judged | None) -> list[Any]:
    """The served frames as the wire spells them, members that we do not know included (U1)."""
    reply = None if judged is None else judged.exchange.reply
    if not outcome.frames or reply is None:
        return []
    try:
        wire = json.loads(reply.line.raw, parse_float=_finite)["result"]["frames"]
    except OverflowError:
        # A member that we do not know holds a number too large for a double, which other JSON readers could not take.
        made: list[Any] = msgspec.to_builtins(outcome.frames)
        return made
    return [wire[reply.decoded.place(index)] for index in range(len(outcome.frames))]


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise OverflowError(text)
    return number


def _error(problem: Problem, outcome: Outcome) -> dict[str, Any]:
    error: dict[str, Any] = {"code": problem.code, "message": problem.message, "fix": problem.fix}
    if problem.provider_code is not None:
        error["provider_code"] = problem.provider_code
    if outcome.kind == "consent_required":
        error["needs"] = [_need(need) for need in outcome.needs]
    return error


def _need(need: RefusedNeed) -> dict[str, str]:
    """`{"basis", "scope", "reason"}`, and where an identity changed `field`, `old` and `new` as the ledger spells them."""
    said = {"basis": need.basis, "scope": need.scope, "reason": need.reason}
    return {**said, "field": need.field, "old": need.old, "new": need.new} if need.field else said
