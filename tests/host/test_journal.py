"""The journal: recorded or counted as lost, numbered either way."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.host.journal import Journal, Numbers
from cgp_tui.store.files import create_private
from cgp_tui.transcript.record import decode_record
from cgp_tui.transcript.writer import Writer
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import Dropped, Exit, Stderr


def test_exchange_numbers_can_be_told_before_they_are_given() -> None:
    numbers = Numbers()
    assert (numbers.upcoming, next(numbers), next(numbers), numbers.upcoming) == (1, 1, 2, 3)


def test_without_a_writer_lines_are_numbered_and_kept_nowhere() -> None:
    journal = Journal(None)
    assert journal.connection() == 1
    first, second = (journal.line(1, "host", raw) for raw in (b"a", b"b"))
    assert (first.n, second.n, second.raw, second.sender) == (1, 2, b"b", "host")
    assert 0 <= first.t <= second.t
    journal.note(Exit(**journal.at(1), code=0))
    journal.stderr(1, "x" * 2 * limits.STDERR_NOTED_BYTES)
    assert (journal.failed, journal.lost) == (None, 0)


def test_a_failed_write_is_remembered_and_numbers_go_on(tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    journal = Journal(Writer(create_private(path), "test", cap=400))
    kept = journal.line(1, "provider", b"{}")
    lost = [journal.line(1, "provider", b'{"x":"%s"}' % (b"y" * 400)) for _ in range(2)]
    assert journal.failed is not None
    assert journal.failed.code == "unrecordable"
    assert journal.lost == 2
    first = journal.failed
    journal.note(Exit(**journal.at(1), code=0))
    assert journal.failed is first
    after = journal.line(1, "provider", b"{}")
    assert [line.n for line in (kept, *lost, after)] == [1, 2, 3, 4]
    records = [decode_record(raw) for raw in path.read_bytes().splitlines()[1:]]
    assert [type(record) for record in records] == [Line, Dropped, Exit, Line]


def test_a_note_that_does_not_fit_fails_the_journal_too(tmp_path: Path) -> None:
    journal = Journal(Writer(create_private(tmp_path / "r.ndjson"), "test", cap=200))
    journal.note(Stderr(**journal.at(1), text="x" * 200))
    assert journal.failed is not None
    assert journal.lost == 0


@pytest.mark.parametrize("char", ["a", "é", "\U0001f600"])
def test_stderr_has_one_budget_for_the_recording(char: str, tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    journal = Journal(Writer(create_private(path), "test"))
    piece = char * 999
    for connection in (1, 2):
        for _ in range(1000):
            journal.stderr(connection, piece)
    texts = [decode_record(raw) for raw in path.read_bytes().splitlines()[1:]]
    kept = sum(len(record.text.encode()) for record in texts if isinstance(record, Stderr))
    assert limits.STDERR_NOTED_BYTES * 0.9 < kept <= limits.STDERR_NOTED_BYTES
    assert "�" not in path.read_text()
