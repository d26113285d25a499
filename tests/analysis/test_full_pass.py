"""A full pass: every finding once, by line where they fit into the hold, and nothing of what was withdrawn."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from cgp_tui.analysis.full_pass import FullPass
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.requirements import Finding
from cgp_tui.transcript.reader import Transcript
from tests import dialogue
from tests.analysis.test_analysis import DIALOGUES, analysed, write

FAULTY = "".join(f'>> query r{at} {{"as_of":"soon"}}\n<< frames r{at} f1\n' for at in range(20))
GIVEN_UP = f"""
    >> handshake
    << ack correlation
    >> query q1
    >> query q2
    note gave_up q1
    note gave_up q2
    {FAULTY}
    << frames q1 f1{{"score":2}}
"""
"""Two requests that were given up at lines 3 and 4, twenty faulty ones, and then a late reply to the first."""


def passed_over(path: Path, **more: object) -> tuple[list[Finding], FullPass]:
    passed = FullPass(Transcript.open(path), **more)  # type: ignore[arg-type]
    return list(passed.findings()), passed


@pytest.mark.parametrize("text", DIALOGUES.values(), ids=DIALOGUES)
@pytest.mark.parametrize("hold", [0, 1, 1_000])
def test_it_finds_what_the_analysis_finds(text: str, hold: int, tmp_path: Path) -> None:
    write(text, tmp_path / "t")
    found, passed = passed_over(tmp_path / "t", hold=hold)
    wanted = analysed(tmp_path / "t")
    assert set(found) == set(wanted.findings)
    assert len(found) == len(wanted.findings)
    assert tuple(passed.counts.values()) == wanted.counts
    assert passed.analysis.findings == []


def test_findings_come_by_line(tmp_path: Path) -> None:
    write(GIVEN_UP, tmp_path / "t")
    found, _ = passed_over(tmp_path / "t")
    lines = [finding.line for finding in found]
    assert lines == sorted(lines)
    assert [(finding.anchor, finding.line) for finding in found][:2] == [("3.2", 4), ("F4", 5)]
    assert found[-1].anchor == "F1"


def test_beyond_the_hold_what_may_be_withdrawn_waits_for_the_end(tmp_path: Path) -> None:
    write(GIVEN_UP, tmp_path / "t")
    found, passed = passed_over(tmp_path / "t", hold=5)
    assert len(found) == 22
    assert not [finding for finding in found if finding.line == 3]
    assert [finding.line for finding in found].index(4) == 22 - 6, "after all that went before the last five"
    assert passed.counts == {"violation": 21, "advice": 0, "note": 1}


def test_what_is_not_taken_is_counted(tmp_path: Path) -> None:
    write(GIVEN_UP, tmp_path / "t")
    found, passed = passed_over(tmp_path / "t", takes=lambda finding: finding.level == "violation")
    assert {finding.level for finding in found} == {"violation"}
    assert passed.left_out == 1, "the one that was withdrawn is not among them"


def test_listeners_hear_of_each_exchange(tmp_path: Path) -> None:
    write(DIALOGUES["a clean session"], tmp_path / "t")
    heard: list[Judged] = []
    passed_over(tmp_path / "t", on_judged=heard.append)
    assert [judged.exchange.kind for judged in heard if judged.exchange.reply] == ["handshake", "query", "verify"]


def test_memory_does_not_grow_with_the_findings(tmp_path: Path) -> None:
    head = [dialogue.message("handshake"), dialogue.message("ack")]
    pair = [dialogue.message("query -"), dialogue.message('frames - f1{"score":2,"title":"","token_cost":7}')]
    (tmp_path / "t").write_bytes(b"\n".join([*head, *(pair * 3_000)]))
    passed = FullPass(Transcript.open(tmp_path / "t"), hold=100)
    tracemalloc.start()
    number = sum(1 for _ in passed.findings())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert number == 9_000
    assert most < 2_000_000


def test_what_comes_to_light_after_later_lines_is_put_among_them(tmp_path: Path) -> None:
    """Four requests are given up out of order, between faulty ones."""
    gone = "".join(f"note gave_up q{at}\n{FAULTY}" for at in (3, 1, 4, 2))
    text = "".join(f">> query q{at}\n" for at in (1, 2, 3, 4))
    write(f">> handshake\n<< ack correlation\n{text}{gone}", tmp_path / "t")
    for hold in (0, 7, 1_000):
        found, _ = passed_over(tmp_path / "t", hold=hold)
        wanted = analysed(tmp_path / "t").findings
        assert sorted(finding.line for finding in found) == sorted(finding.line for finding in wanted)
    lines = [finding.line for finding in found]
    assert lines == sorted(lines)
