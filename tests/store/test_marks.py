"""Marks in a side file: kept from run to run, never in the transcript, and never in the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cgp_tui.store import marks as module
from cgp_tui.store.marks import COMMENT_CHARS, Marks, side_file


@pytest.fixture
def transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    path = tmp_path / "s.ndjson"
    path.write_bytes(b'{"type":"handshake"}\n')
    return path


def kept(transcript: Path) -> Path:
    return side_file(transcript, transcript.read_bytes())


def test_marks_are_there_again_in_the_next_run(transcript: Path) -> None:
    before = transcript.read_bytes()
    marks = Marks.of(transcript)
    assert marks.toggle(7) and marks.toggle(3) and marks.write(9, "why\nso?") and len(marks) == 3
    assert not marks.toggle(3)
    again = Marks.of(transcript)
    assert [again.comment(line) for line in (3, 7, 9)] == [None, "", "why\nso?"] and not again.problem
    assert transcript.read_bytes() == before
    assert kept(transcript).stat().st_mode & 0o777 == 0o600
    assert json.loads(kept(transcript).read_text())["format"] == "cgp-marks/1"


def test_the_next_mark_is_found_round_the_end(transcript: Path) -> None:
    marks = Marks.of(transcript)
    assert marks.next(1) is None
    for line in (5, 2, 9):
        marks.toggle(line)
    assert [marks.next(line) for line in (1, 2, 5, 9)] == [2, 5, 9, 2]
    assert [marks.next(line, False) for line in (10, 9, 5, 2)] == [9, 5, 2, 9]


def test_another_transcript_at_the_same_path_has_marks_of_its_own(transcript: Path) -> None:
    Marks.of(transcript).toggle(1)
    transcript.write_bytes(b'{"type":"shutdown"}\n')
    assert len(Marks.of(transcript)) == 0
    transcript.write_bytes(b'{"type":"handshake"}\n')
    assert len(Marks.of(transcript)) == 1


@pytest.mark.parametrize("data", [b"", b"no json", b'{"format":"cgp-marks/2","transcript":"","marks":{}}', b'{"marks":[]}'])
def test_a_side_file_that_cannot_be_read_is_named_and_left_alone(transcript: Path, data: bytes) -> None:
    path = kept(transcript)
    path.parent.mkdir(parents=True, mode=0o700)
    path.parent.parent.chmod(0o700)
    path.write_bytes(data)
    path.chmod(0o600)
    marks = Marks.of(transcript)
    assert "marks cannot be read" in marks.problem
    assert marks.toggle(4) and marks.comment(4) == ""  # for this run
    assert path.read_bytes() == data


def test_an_unsafe_side_file_is_not_followed(transcript: Path, tmp_path: Path) -> None:
    path = kept(transcript)
    path.parent.mkdir(parents=True, mode=0o700)
    path.parent.parent.chmod(0o700)
    path.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text("mine")
    marks = Marks.of(transcript)
    marks.toggle(1)
    assert marks.problem and (tmp_path / "elsewhere").read_text() == "mine"


def test_a_folder_that_cannot_be_written_costs_the_keeping_only(transcript: Path, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    marks = Marks.of(transcript)
    assert marks.toggle(1) and marks.comment(1) == "" and marks.problem


def test_there_is_an_end_to_marks_and_comments(transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    marks = Marks.of(transcript)
    assert marks.toggle(1) and marks.toggle(2) and not marks.toggle(3) and not marks.write(4, "x")
    assert marks.write(1, "y" * 5000) and marks.comment(1) == "y" * COMMENT_CHARS


def test_without_a_file_marks_live_for_the_run(tmp_path: Path) -> None:
    marks = Marks.of(tmp_path / "none")
    assert marks.toggle(1) and not marks.problem and not (tmp_path / "none").exists()


def test_marks_come_in_order_with_their_comments() -> None:
    marks = Marks(None, Path("s.ndjson"))
    marks.write(7, "late")
    marks.toggle(2)
    assert list(marks) == [(2, ""), (7, "late")]


def test_of_what_has_no_name_nothing_is_kept(transcript: Path, tmp_path: Path) -> None:
    with transcript.open("rb") as file:
        transcript.unlink()
        marks = Marks.of(Path(f"/dev/fd/{file.fileno()}"))
        assert marks.toggle(1) and marks.write(2, "so") and len(marks) == 2 and not marks.problem
    assert not (tmp_path / "state").exists()
