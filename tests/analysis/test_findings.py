"""What was found so far: counted, charged, kept in part, taken back."""

from __future__ import annotations

from cgp_tui.analysis.columns import Columns
from cgp_tui.analysis.findings import NOTHING_WITHDRAWN, Findings
from cgp_tui.protocol.requirements import Finding, Level, finding


def told(keep: int | None = None) -> tuple[Findings, Columns]:
    columns = Columns()
    for _ in range(4):
        columns.append(None)
    return Findings(columns, keep), columns


def one(line: int, level: Level = "violation", path: str = "/a") -> Finding:
    return finding("B3", line, level=level, path=path)


def test_findings_are_counted_and_charged_to_the_record_that_brought_them_or_to_its_request() -> None:
    made, columns = told()
    made.report((one(4), one(3, "advice"), one(4, "note", "/b")), here=4, at=3, asked=2)
    assert made.counts == (1, 1, 1)
    assert (columns.violations[3], columns.advice[2], columns.notes[3]) == (1, 1, 1)
    made.report((one(9),), here=None, at=0, asked=None)
    assert made.counts == (2, 1, 1)
    assert sum(columns.violations) == 1, "nobody is charged for a line that is not there"


def test_the_first_ones_are_kept_and_a_line_kept_in_part_is_not_vouched_for() -> None:
    made, _ = told(keep=2)
    assert made.of_line(7) == ()
    findings = one(3), one(4), one(4, path="/b")
    made.report(findings, here=4, at=3, asked=2)
    assert made.findings == list(findings[:2])
    assert made.of_line(3) == findings[:1]
    assert made.of_line(4) is None
    assert made.of_line(7) is None


def test_nothing_is_kept_where_nothing_is_to_be() -> None:
    made, columns = told(keep=0)
    made.report((one(4),), here=4, at=3, asked=None)
    assert (made.findings, made.counts, columns.violations[3]) == ([], (1, 0, 0), 1)
    made.withdraw((one(4),), 3)
    assert (made.counts, made.taken_back, columns.violations[3]) == ((0, 0, 0), 0, 0)


def test_what_holds_no_longer_of_a_request_is_withdrawn_once() -> None:
    made, columns = told()
    early, late = one(3), one(3, path="/b")
    assert not made.knows(1)
    assert made.news(1, 3, (early,)) == ((early,), [])
    made.report((early,), here=3, at=2, asked=2)
    assert made.knows(1)
    fresh, withdrawn = made.news(1, 3, (late,))
    assert (fresh, withdrawn) == ((late,), [early])
    made.withdraw(withdrawn, 2)
    assert (made.counts, made.findings, made.taken_back) == ((0, 0, 0), [], 1)
    assert columns.violations[2] == 0
    assert made.of_line(3) == ()
    assert made.news(1, 3, (late,)) == ((), [])
    made.forget(1)
    assert not made.knows(1)
    assert not NOTHING_WITHDRAWN


def test_what_was_said_of_a_reply_stays_said() -> None:
    made, _ = told()
    of_reply = one(4)
    made.news(1, 3, (of_reply,))
    assert made.news(1, 3, ()) == ((), []), "only what charges the request is withdrawn"
    assert made.news(1, None, (of_reply,)) == ((), [])
