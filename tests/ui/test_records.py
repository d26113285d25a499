"""One record as a whole: what is known of it, what is new, and how a long one is let go of."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.present.subject import Subject
from cgp_tui.ui import pace
from cgp_tui.wire import spent
from tests.present.samples import HANDSHAKE, ack, frame, frames, query
from tests.ui.pilots import records, write_bare
from tests.ui.test_source import source_over


def test_a_record_comes_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    with source_over(write_bare(tmp_path / "s.ndjson")) as source:
        subject = source.records.at(5)
        assert isinstance(subject, Subject)
        assert subject.pair == 5
        assert subject.judged is not None
        assert {finding.anchor for finding in subject.findings} == {"B1", "B3"}
        assert source.records.news(5, subject) is None


def test_a_long_line_is_read_once_and_let_go_of_a_few_parts_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "LARGE_BYTES", 1000)
    many = [frame(f"f{n}") for n in range(600)]
    path = write_bare(tmp_path / "b.ndjson", [HANDSHAKE, ack(), query(1), frames(1, *many)])
    with source_over(path) as source:
        subject = source.records.at(3)
        assert isinstance(subject, Subject)
        assert subject.judged is not None
        assert subject.judged.exchange.reply is not None
        assert subject.decoded is subject.judged.exchange.reply.decoded
        source.records.tidy()
        held = len(source.records._held[0])
        assert held >= 600
        del subject
        source.records.tidy()
        assert 0 < held - len(source.records._held[0]) <= spent.AT_ONCE
        while source.records._held:
            source.records.tidy()
        assert isinstance(source.records.at(2), Subject)
        assert len(source.records._held[0]) == held


def test_news_of_a_line_are_told_once(tmp_path: Path) -> None:
    path = tmp_path / "s.ndjson"
    lines = records()
    path.write_bytes(b"".join(line + b"\n" for line in lines[:6]))
    with source_over(path, growing=True) as source:
        waiting = source.records.at(4)
        assert isinstance(waiting, Subject)
        assert waiting.pair is None
        with path.open("ab") as file:
            file.write(lines[6] + b"\n")
        assert not source.refresh()
        assert source.records.news(4, waiting) is None, "the analysis has not come so far"
        source.advance(10.0)
        fresh = source.records.news(4, waiting)
        assert fresh is not None
        assert fresh.pair == 4
        assert source.records.news(4, fresh) is None


def test_what_a_line_weighs_counts_the_other_end_of_its_exchange(tmp_path: Path) -> None:
    with source_over(write_bare(tmp_path / "s.ndjson")) as source:
        alone = [source.transcript.size(index, index + 1) for index in range(source.count)]
        assert source.records.weight(4) == source.records.weight(5) == alone[4] + alone[5]
        assert source.records.weight(source.count - 1) == alone[-1], "nobody answers a shutdown"


def test_a_line_is_outdated_once_more_is_known_of_it(tmp_path: Path) -> None:
    path = tmp_path / "s.ndjson"
    lines = records()
    path.write_bytes(b"".join(line + b"\n" for line in lines[:6]))
    with source_over(path, growing=True) as source:
        waiting = source.records.at(4)
        assert isinstance(waiting, Subject)
        with path.open("ab") as file:
            file.write(lines[6] + b"\n")
        source.refresh()
        assert not source.records.is_outdated(4, waiting), "the analysis has not come so far"
        assert source.next_size == source.transcript.size(5, 6)
        source.advance(10.0)
        assert source.next_size == 0
        assert source.records.is_outdated(4, waiting)
        told = source.records.at(4)
        assert isinstance(told, Subject)
        assert not source.records.is_outdated(4, told)
