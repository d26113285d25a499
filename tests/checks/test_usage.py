"""What a query cost is the sum of the frames that were served, and a report that says otherwise is charged to its host."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from cgp_tui.checks.judge import judge
from cgp_tui.checks.outcome import outcome
from cgp_tui.checks.types import Judged, Outcome
from cgp_tui.checks.usage import accounted, judge_usage, usage_of
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.usage import ProviderUsage, ServedFrame, UsageReport
from tests.dialogue import tell

AS_OF = "2026-08-29T12:00:00Z"
HELLO = """
    >> handshake
    << ack correlation verify
    >> query q1 {"max_tokens":10}
"""


def asked(*lines: str) -> tuple[Judged, Outcome]:
    """The last query of a dialogue, judged, and what a host does with it."""
    played = tell(HELLO + "\n".join(lines))
    exchange = next(change for change in reversed(played.changes) if change.kind == "query" and change.number)
    judged = judge(exchange)
    return judged, outcome(judged)


def test_every_served_frame_is_billed_at_its_declared_cost_under_its_identity() -> None:
    judged, came = asked('<< frames q1 f1 f2{"content":"12345678","token_cost":2}')
    made = accounted(came, judged, "local", AS_OF)
    assert made.usage == UsageReport(
        10,
        3,
        AS_OF,
        (ProviderUsage("local", 2, 0, 3, (ServedFrame(FrameId("docs", "f1"), 1), ServedFrame(FrameId("docs", "f2"), 2))),),
    )
    assert msgspec.structs.replace(made, usage=None) == came


NOTHING_SERVED = [
    ("a lie about a cost", ['<< frames q1 f1 f2{"token_cost":2}'], "budget_lie", 2),
    ("over the budget", ['<< frames q1 f1{"content":"%s","token_cost":11}' % ("x" * 44)], "budget_lie", 1),
    ("too many", ["<< frames q1 " + " ".join(f"f{number}" for number in range(9))], "frame_flood", 9),
    ("an error", ["<< error q1 internal"], "failed", 0),
    ("nothing in time", ["note gave_up q1"], "failed", 0),
    ("a crash", ["note exit 1"], "failed", 0),
    ("somebody else's answer", ["<< frames q9 f1"], "failed", 1),
]


@pytest.mark.parametrize(
    ("lines", "kind", "rejected"), [row[1:] for row in NOTHING_SERVED], ids=[row[0] for row in NOTHING_SERVED]
)
def test_what_was_not_served_costs_nothing(lines: list[str], kind: str, rejected: int) -> None:
    judged, came = asked(*lines)
    assert came.kind == kind
    made = accounted(came, judged, "local", AS_OF)
    assert made.usage == UsageReport(10, 0, AS_OF, (ProviderUsage("local", 0, rejected, 0),))
    assert made.findings == came.findings


def test_a_frame_that_cannot_be_read_is_rejected_and_its_siblings_are_billed() -> None:
    judged, came = asked('<< frames q1 f1 f2{"token_cost":true}')
    usage = usage_of(came, judged, "local", AS_OF)
    assert usage is not None
    (leg,) = usage.providers
    assert (leg.frames_served, leg.frames_rejected, usage.budget_consumed) == (1, 1, 1)


def test_a_bill_over_a_part_of_the_answer_is_held_against_it() -> None:
    judged, came = asked('<< frames q1 f1 f2{"content":"12345678","token_cost":2}')
    part = accounted(msgspec.structs.replace(came, frames=came.frames[1:]), judged, "local", AS_OF)
    assert part.usage is not None
    assert (part.usage.budget_consumed, part.usage.providers[0].frames_rejected) == (2, 1)
    assert part.findings == came.findings
    twice = accounted(msgspec.structs.replace(came, frames=came.frames * 2), judged, "local", AS_OF)
    assert [finding.anchor for finding in twice.findings] == ["UR1", "UR1"]


def test_sums_are_wide() -> None:
    most = 2**32 - 1
    judged, came = asked(f'<< frames q1 f1{{"token_cost":{most}}} f2{{"token_cost":{most}}}')
    lenient = outcome(judged, reference_parity=True)
    assert (came.kind, lenient.kind) == ("budget_lie", "budget_lie")
    served = msgspec.structs.replace(came, frames=judged.exchange.reply.decoded.envelope.result.frames)  # type: ignore[union-attr]
    usage = usage_of(served, judged, "local", AS_OF)
    assert usage is not None
    assert usage.budget_consumed == 2 * most
    assert judge_usage(usage, judged) == []


def test_what_is_no_query_costs_nothing() -> None:
    played = tell(HELLO + "<< frames q1 f1\n>> verify - f1\n<< verified - f1=valid")
    (verify,) = [change for change in played.changes if change.kind == "verify" and change.state == "answered"]
    judged = judge(verify)
    assert usage_of(Outcome("frames", 3), judged, "local", AS_OF) is None
    assert accounted(Outcome("frames", 3), judged, "local", AS_OF) == Outcome("frames", 3)


def leg(**changes: Any) -> UsageReport:
    """The right report of two frames, and what is changed in its one part."""
    served = (ServedFrame(FrameId("docs", "f1"), 1), ServedFrame(FrameId("docs", "f2"), 2))
    right = ProviderUsage("local", 2, 0, 3, served)
    made = msgspec.structs.replace(right, **changes)
    return UsageReport(10, made.token_cost, AS_OF, (made,))


F1, F2 = leg().providers[0].served_frames
WRONG = [
    ("none", leg(), []),
    ("total", msgspec.structs.replace(leg(), budget_consumed=4), [("/budget_consumed", "3", "4")]),
    ("part", leg(token_cost=4), [("/providers/0/token_cost", "3", "4")]),
    ("count", leg(frames_served=3), [("/providers/0/frames_served", "2", "3")]),
    (
        "a frame that never came",
        leg(served_frames=(F1, ServedFrame(FrameId("docs", "f9"), 2))),
        [("/providers/0/served_frames/1", "a frame of the answer, at its cost", "one that costs 2")],
    ),
    (
        "under our own id",
        leg(served_frames=(F1, ServedFrame(FrameId("local", "f2"), 2))),
        [("/providers/0/served_frames/1", "a frame of the answer, at its cost", "one that costs 2")],
    ),
    (
        "at another cost",
        leg(token_cost=6, served_frames=(F1, ServedFrame(F2.frame, 5))),
        [("/providers/0/served_frames/1", "a frame of the answer, at its cost", "one that costs 5")],
    ),
    (
        "billed twice",
        leg(token_cost=5, frames_served=3, served_frames=(F1, F2, F2)),
        [("/providers/0/served_frames/2", "a frame of the answer, at its cost", "one that costs 2")],
    ),
]


@pytest.mark.parametrize(("report", "named"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_wrong_report_is_charged_to_the_host(report: UsageReport, named: list[tuple[str, str, str]]) -> None:
    judged, _ = asked('<< frames q1 f1 f2{"content":"12345678","token_cost":2}')
    found = judge_usage(report, judged)
    assert [(one.path, one.expected, one.found) for one in found] == named
    for one in found:
        assert (one.anchor, one.level, one.party, one.line, one.exchange) == ("UR1", "violation", "host", 3, 2)
        assert one.frame_id == (None if "served_frames/" not in one.path else one.frame_id)
        assert one.fix


def test_a_bill_for_an_answer_that_never_came_is_charged_whole() -> None:
    judged, _ = asked("note gave_up q1")
    assert [one.frame_id for one in judge_usage(leg(), judged)] == ["f1", "f2"]
    orphan = judge(tell("<< frames - f1").changes[0])
    assert judge_usage(leg(), orphan) == []
    assert usage_of(Outcome("failed", None), orphan, "local", AS_OF) is None
