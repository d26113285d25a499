"""One record as a whole: what is known of it, what is new, and how a long one is let go of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cgp_tui.present.detail import note_tab
from cgp_tui.present.subject import Subject
from cgp_tui.present.traffic import columns, entry_row
from cgp_tui.ui import pace
from cgp_tui.ui.source import Source
from cgp_tui.wire import spent
from cgp_tui.wire.note import Note
from tests.present.samples import HANDSHAKE, LOOK, ack, frame, frames, query, text
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


@pytest.mark.parametrize("kind", ["gave_up", "cut", "send_failed"])
def test_what_a_note_says_of_an_exchange_names_its_request(tmp_path: Path, kind: str) -> None:
    """People know a request by its id, the file by its number; the row and the pane say both."""
    path = tmp_path / "s.ndjson"
    more = {"gave_up": ("after_s", 0.1), "cut": ("bytes", 7), "send_failed": ("reason", "EPIPE")}[kind]
    lines = [line for line in records([HANDSHAKE, ack(), query(1), query(2)]) if b'"note"' not in line]
    notes: list[dict[str, object]] = [
        {"note": kind, "t": 0.4, "connection": one, "exchange": two, **dict([more])} for one, two in ((1, 2), (1, 9), (2, 2))
    ]
    path.write_bytes(b"".join(line + b"\n" for line in [*lines, *(json.dumps(note).encode() for note in notes)]))
    with source_over(path) as source:
        assert [source.records.asked_by(at) for at in range(4, 7)] == ["q1", None, None]
        assert source.records.asked_by(2) is None
        entry = source.entry(4)
        assert entry.id == "q1"
        assert "exchange 2" in "".join(span.text for span in entry.summary)
        for width in (50, 80):
            row = entry_row(entry, columns(width, 4, 1), LOOK).text
            assert "q1" in row and "exchange 2" in row
        note = source.records.at(4)
        assert isinstance(note, Note)
        assert "\nrequest     q1" in text(note_tab(note, "Note", LOOK, source.records.asked_by(4)))


def test_news_of_a_line_that_belongs_to_no_exchange_are_told_too(tmp_path: Path) -> None:
    path = tmp_path / "s.ndjson"
    path.write_bytes(json.dumps(HANDSHAKE).encode() + b"\nnot json\n")
    with source_over(path, done=False) as source:
        shown = source.records.at(1)
        assert isinstance(shown, Subject) and not shown.findings
        source.advance(10.0)
        fresh = source.records.news(1, shown)
        assert fresh is not None and [finding.anchor for finding in fresh.findings] == ["ENV"]
        assert source.records.news(1, fresh) is None


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


@contextmanager
def waiting_for_its_answer(folder: Path) -> Iterator[tuple[Source, Subject, Callable[[], None]]]:
    """A transcript that ends with a query, the record of that, and what appends the answer."""
    path, lines = folder / "s.ndjson", records()
    path.write_bytes(b"".join(line + b"\n" for line in lines[:6]))

    def answer() -> None:
        with path.open("ab") as file:
            file.write(lines[6] + b"\n")

    with source_over(path, growing=True) as source:
        waiting = source.records.at(4)
        assert isinstance(waiting, Subject)
        yield source, waiting, answer


def test_news_of_a_line_are_told_once(tmp_path: Path) -> None:
    with waiting_for_its_answer(tmp_path) as (source, waiting, answer):
        assert waiting.pair is None
        answer()
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
    with waiting_for_its_answer(tmp_path) as (source, waiting, answer):
        answer()
        source.refresh()
        assert not source.records.is_outdated(4, waiting), "the analysis has not come so far"
        assert source.next_size == source.transcript.size(5, 6)
        source.advance(10.0)
        assert source.next_size == 0
        assert source.records.is_outdated(4, waiting)
        told = source.records.at(4)
        assert isinstance(told, Subject)
        assert not source.records.is_outdated(4, told)
