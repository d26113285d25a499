"""A transcript and its analysis as the screens read them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.analysis import Analysis
from cgp_tui.present.symbols import ASCII, UNICODE, Symbols
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.record import Damaged, Record
from cgp_tui.ui.source import AT_ONCE_BYTES, KEPT, Source
from tests.present.samples import HANDSHAKE, ack, frame, frames, query
from tests.ui.pilots import DIALOGUE, HEADER, records, write_bare, write_recording


@contextmanager
def source_over(path: Path, *, done: bool = True, growing: bool = False, symbols: Symbols = UNICODE) -> Iterator[Source]:
    transcript = Transcript.open(path, growing=growing)
    source = Source(transcript, Analysis(transcript), symbols)
    if done:
        while source.advance(1.0):
            pass
    yield source
    transcript.close()


def summary(source: Source, index: int) -> str:
    return "".join(span.text for span in source.entry(index).summary)


def wide(number: int) -> dict[str, Any]:
    return frames(number, frame("big", content="x" * AT_ONCE_BYTES))


def test_a_row_has_what_the_analysis_found(tmp_path: Path) -> None:
    with source_over(write_recording(tmp_path / "s.ndjson")) as source:
        entry = source.entry(8)
        assert (entry.number, entry.type, entry.id, entry.violations) == (6, "frames", "q2", 2)
        assert entry.state.text == "100 ms"
        assert summary(source, 8) == "3 fr 17/10 tok OVER"
        assert source.start == 1_795_953_871.0


def test_before_the_analysis_a_row_has_its_line(tmp_path: Path) -> None:
    with source_over(write_recording(tmp_path / "s.ndjson"), done=False) as source:
        entry = source.entry(8)
        assert (entry.number, entry.violations, entry.state.text) == (6, 0, "")
        assert summary(source, 8) == "3 fr 17 tok"
        source.advance(10.0)
        assert summary(source, 8) == "3 fr 17/10 tok OVER"


def test_a_row_is_the_same_object_until_something_new_is_known(tmp_path: Path) -> None:
    with source_over(write_bare(tmp_path / "s.ndjson"), done=False) as source:
        early = source.entry(5)
        assert source.entry(5) is early
        source.advance(10.0)
        assert source.entry(5) is not early
        assert source.entry(5) is source.entry(5)


def test_notes_and_damaged_records_are_rows_too(tmp_path: Path) -> None:
    path = tmp_path / "s.ndjson"
    lines = [json.dumps(HEADER), '{"note":"weather","t":0.1,"connection":1,"sky":"grey"}', "{broken", "{}", '{"n":1,"t":']
    path.write_text("\n".join(lines) + "\n")
    with source_over(path) as source:
        assert source.entry(0).type == "weather"
        assert source.entry(1).type == "damaged"
        assert "unreadable record" in summary(source, 1)
        assert source.counts == (4, 0, 3)
        assert isinstance(source.records.at(1), Damaged)
        assert source.line_of(2) == 0


def test_a_long_line_is_summed_up_when_there_is_time(tmp_path: Path) -> None:
    with source_over(write_bare(tmp_path / "s.ndjson", [HANDSHAKE, ack(), query(1), wide(1)])) as source:
        assert summary(source, 3) == "…"
        assert source.waiting == {3}
        assert source.sum_up_waiting()
        assert not source.sum_up_waiting()
        assert summary(source, 3) == "1 fr 8,192/2,000 tok OVER"
    with source_over(write_bare(tmp_path / "s.ndjson", [wide(1)]), symbols=ASCII) as source:
        assert summary(source, 0) == "..."


def test_only_so_many_rows_are_remembered(tmp_path: Path) -> None:
    messages: Sequence[dict[str, Any]] = [query(number) for number in range(KEPT + 50)]
    with source_over(write_bare(tmp_path / "s.ndjson", messages)) as source:
        first = source.entry(0)
        for index in range(KEPT + 50):
            source.entry(index)
        assert source.entry(0) is not first


def charged(source: Source, line: int, forward: bool) -> int | None:
    """The next wire line that something was found about."""
    at = source.transcript.place(line)
    found = None if at is None else source.analysis.next_charged(at, forward)
    return None if found is None else source.transcript.row(found).n


def test_lines_with_findings_are_found_in_both_directions(tmp_path: Path) -> None:
    with source_over(write_recording(tmp_path / "s.ndjson")) as source:
        assert [charged(source, line, True) for line in (1, 3, 4, 6)] == [4, 4, 6, 7]
        assert [charged(source, line, False) for line in (4, 5, 6, 11)] == [None, 4, 4, 7]
        source.analysis.findings.clear()
        assert charged(source, 1, True) == 4, "it is known of the line, whether the finding is kept or not"


def test_a_finding_that_is_withdrawn_hides_none_that_comes_with_it(tmp_path: Path) -> None:
    """A request that was given up is missed; its late reply takes that back, and is at fault itself."""
    path = tmp_path / "s.ndjson"
    lines = records([HANDSHAKE, ack(), query(1), frames(1, frame("a", score=2))])
    lines = [line for line in lines if b'"note"' not in line]
    gave_up = json.dumps({"note": "gave_up", "t": 0.35, "connection": 1, "exchange": 2, "after_s": 0.1}).encode()
    path.write_bytes(b"".join(line + b"\n" for line in [*lines[:4], gave_up]))
    with source_over(path, growing=True) as source:
        assert [finding.level for finding in source.analysis.findings] == ["note"]
        with path.open("ab") as file:
            file.write(lines[4] + b"\n")
        source.refresh()
        source.advance(10.0)
        assert [finding.anchor for finding in source.analysis.findings] == ["F1"]
        assert charged(source, 1, True) == 4


def test_a_row_does_not_read_the_long_line_it_is_paired_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size says enough; reading it would keep the key waiting that the row is painted for."""
    wide = {**query(1), "query": {**query(1)["query"], "goal": "g" * AT_ONCE_BYTES}}
    with source_over(write_bare(tmp_path / "s.ndjson", [HANDSHAKE, ack(), wide, frames(1, frame("a"))])) as source:
        read: list[int] = []
        record = source.transcript.record

        def noted(at: int) -> Record:
            read.append(at)
            return record(at)

        monkeypatch.setattr(source.transcript, "record", noted)
        assert "1 fr" in summary(source, 3)
        assert read == [3]


def test_a_note_belongs_to_the_line_before_it(tmp_path: Path) -> None:
    with source_over(write_recording(tmp_path / "s.ndjson")) as source:
        assert [source.line_of(index) for index in (0, 1, 2, 6, 16)] == [0, 0, 1, 4, 11]


def test_another_file_in_the_same_place_forgets_everything(tmp_path: Path) -> None:
    path = write_bare(tmp_path / "s.ndjson")
    with source_over(path) as source:
        source.entry(3)
        other = write_bare(tmp_path / "other", DIALOGUE[:2])
        other.replace(path)
        assert source.refresh()
        source.advance(10.0)
        assert source.count == 2
        assert source.analysis.next_charged(-1, True) is None
        assert source.entry(1).type == "handshake_ack"


def test_connections_are_counted_as_they_come(tmp_path: Path) -> None:
    path = write_bare(tmp_path / "s.ndjson", [HANDSHAKE, ack(), HANDSHAKE, ack("other")])
    with source_over(path) as source:
        source.refresh()
        assert source.connections == 2
        assert [source.entry(index).connection for index in range(4)] == [1, 1, 2, 2]


def test_a_connection_is_met_whichever_record_comes_last(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "s.ndjson")
    lines = path.read_bytes().splitlines(keepends=True)
    second = b'{"note":"connect","t":0.5,"connection":2,"provider_id":"b","target":{"kind":"stdio","shown":["b"]}}\n'
    path.write_bytes(b"".join([*lines[:9], second, *lines[9:]]))
    with source_over(path, done=False) as source:
        source.refresh()
        assert source.connections == 2
    long = [second, *lines[1:] * 4]
    path.write_bytes(b"".join([lines[0], *long]))
    with source_over(path, done=False) as source:
        source.refresh()
        source.entry(0)
        assert source.connections == 2, "a row that is drawn is known"
