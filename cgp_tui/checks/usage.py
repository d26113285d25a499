"""What a query cost, and whether a report of it adds up: UR1.

A report belongs to the host and never travels. Its costs are the declared ones; B3 and B1 compare those with the bytes and
the budget. What is checked here is that each frame it names came, at the cost it names, and that its sums are theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import msgspec

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.checks.types import Judged, Outcome
from cgp_tui.protocol.envelope import Frames, Query
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.usage import ProviderUsage, ServedFrame, UsageReport

_SENTENCE: Final = "The usage report does not add up."


def accounted(outcome: Outcome, judged: Judged, provider_id: str, as_of: str) -> Outcome:
    """The outcome of a query with what it cost. If that report were wrong, findings would say so.

    `provider_id` is our id of the provider, `as_of` the time of the report as F4 text.
    """
    usage = usage_of(outcome, judged, provider_id, as_of)
    if usage is None:
        return outcome
    # A bill for every frame that came, or for none, is right by construction.
    made = outcome.frames and outcome.frames is not _answer(judged)
    findings = (*outcome.findings, *judge_usage(usage, judged)) if made else outcome.findings
    return msgspec.structs.replace(outcome, usage=usage, findings=findings)


def usage_of(outcome: Outcome, judged: Judged, provider_id: str, as_of: str) -> UsageReport | None:
    """The report for a query that was sent, whatever came of it; None for any other exchange. Frames that were not served
    cost nothing."""
    exchange = judged.exchange
    asked = None if exchange.request is None else exchange.request.decoded.envelope
    if not isinstance(asked, Query) or exchange.ack is None:
        return None
    name = exchange.ack.provider.name
    served = tuple(ServedFrame(frame.identity(name), frame.token_cost) for frame in outcome.frames)
    consumed = sum(one.token_cost for one in served)
    rejected = _came(judged) - len(served)
    return UsageReport(
        asked.query.max_tokens, consumed, as_of, (ProviderUsage(provider_id, len(served), rejected, consumed, served),)
    )


def judge_usage(report: UsageReport, judged: Judged) -> list[Finding]:
    """What is wrong with a host's report of one query: sums, counts, and frames that did not come or not at that cost."""
    exchange = judged.exchange
    if exchange.request is None:
        return []
    charge = Charge(exchange.request.line.n, exchange.number, "host")
    found = [charge.find("UR1", _SENTENCE, breach) for breach in _sums(report)]
    return found + [charge.find("UR1", _SENTENCE, breach, frame_id=name) for name, breach in _frames(report, judged)]


def _sums(report: UsageReport) -> Iterator[Breach]:
    yield from _differs("/budget_consumed", sum(leg.token_cost for leg in report.providers), report.budget_consumed)
    for place, leg in enumerate(report.providers):
        path = f"/providers/{place}"
        yield from _differs(f"{path}/token_cost", sum(one.token_cost for one in leg.served_frames), leg.token_cost)
        yield from _differs(f"{path}/frames_served", len(leg.served_frames), leg.frames_served)


def _frames(report: UsageReport, judged: Judged) -> Iterator[tuple[str, Breach]]:
    """Billed frames that cannot be traced back to the answer; a frame that came once is billed once."""
    ack, answer = judged.exchange.ack, _answer(judged)
    name = "" if ack is None else ack.provider.name
    came = Counter(ServedFrame(frame.identity(name), frame.token_cost) for frame in answer)
    for place, leg in enumerate(report.providers):
        for number, billed in enumerate(leg.served_frames):
            came[billed] -= 1
            if came[billed] < 0:
                path = f"/providers/{place}/served_frames/{number}"
                cost = said(billed.token_cost)
                yield billed.frame.frame_id, Breach(path, "a frame of the answer, at its cost", f"one that costs {cost}")


def _differs(path: str, expected: int, found: int) -> Iterator[Breach]:
    if expected != found:
        yield Breach(path, said(expected), said(found))


def _answer(judged: Judged) -> tuple[ContextFrame, ...]:
    reply = None if judged.exchange.reply is None else judged.exchange.reply.decoded.envelope
    return reply.result.frames if isinstance(reply, Frames) else ()


def _came(judged: Judged) -> int:
    reply = judged.exchange.reply
    return 0 if reply is None else len(_answer(judged)) + len(reply.decoded.bad_frames)
