"""A part judged by itself, and what makes that impossible; that both come to the same is tried on whole files elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cgp_tui.analysis.full_pass import FullPass
from cgp_tui.analysis.part_pass import PartPass, judge_part, moved
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.requirements import Finding
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.encode import encode
from tests.checks.signed import ack
from tests.dialogue import message

OPEN = [message("handshake"), message("ack correlation")]
BAD = [message("query q"), message('frames q f1{"score":2}')]


def judged(path: Path, lines: list[bytes], first: int, after: int) -> PartPass | None:
    path.write_bytes(b"".join(line + b"\n" for line in lines))

    def make(part: Transcript, hear: Callable[[Judged], None]) -> FullPass:
        def beside(one: Judged) -> tuple[Finding, ...]:
            hear(one)
            return ()

        return FullPass(part, lambda finding: finding.level == "violation", beside=beside)

    with Transcript.open(path) as whole:
        return judge_part(whole, first, after, make)


def test_exchanges_are_counted_from_the_part_s_own_first(tmp_path: Path) -> None:
    found = judged(tmp_path / "t", [*OPEN, *BAD * 4], 4, 8)
    assert found is not None
    assert [(one.anchor, one.line, one.exchange) for one in found.findings] == [("F1", 6, 1), ("F1", 8, 2)]
    assert (found.requests, found.left_out) == (2, 0)
    assert [moved(one, 7).exchange for one in found.findings] == [8, 9]
    first = judged(tmp_path / "t", [*OPEN, *BAD * 4], 0, 4)
    assert first is not None
    assert ([one.exchange for one in first.findings], first.requests) == ([2], 2)


def test_what_was_found_in_the_greeting_is_not_told_again(tmp_path: Path) -> None:
    odd = OPEN[1].replace(b'"name":"docs"', b'"name":""')
    found = judged(tmp_path / "t", [OPEN[0], odd, *BAD * 2], 4, 6)
    assert found is not None
    assert [one.anchor for one in found.findings] == ["F1"]


@pytest.mark.parametrize(
    ("lines", "first", "after"),
    [
        ([*OPEN, message("query q"), *BAD * 2], 0, 3),
        ([OPEN[0], *BAD * 3], 3, 7),
        ([*OPEN, *BAD, message("frames zz f1"), *BAD], 2, 7),
        ([*OPEN, *BAD, OPEN[0], encode(ack()), *BAD], 2, 8),
        ([*OPEN, message("query z"), OPEN[0], *BAD], 2, 4),
        ([*BAD * 3], 2, 4),
    ],
    ids=["open in the end", "no ack", "a stray reply", "keys", "never answered", "nobody knows what came before"],
)
def test_what_more_than_the_part_would_have_to_tell(lines: list[bytes], first: int, after: int, tmp_path: Path) -> None:
    assert judged(tmp_path / "t", lines, first, after) is None
