"""A filter over a transcript that grows: in slices, in order, and again where something was still open."""

from __future__ import annotations

from pathlib import Path

from cgp_tui.analysis import Analysis
from cgp_tui.analysis.filter import compile_filter
from cgp_tui.analysis.filtering import FilterRun, Lines
from cgp_tui.transcript.reader import Transcript
from tests.analysis.test_analysis import write

ASKED = ">> handshake\n<< ack correlation\n" + "".join(f">> query q{at}\n" for at in range(1, 200))
ANSWERED = ASKED + "".join(f"<< frames q{at} f1\n" for at in range(150, 0, -1))


def both(text: str, path: Path) -> bytes:
    write(text, path)
    return path.read_bytes()


def test_slices_come_to_the_same_as_one_go(tmp_path: Path) -> None:
    write(ANSWERED, tmp_path / "t")
    analysis = Analysis(Transcript.open(tmp_path / "t"))
    while analysis.advance():
        pass
    whole, sliced = (FilterRun(compile_filter("type:frames & id~/1/"), analysis) for _ in range(2))
    assert not whole.advance()
    slices = 1
    while sliced.advance(0.0):
        slices += 1
        assert list(sliced.matches) == sorted(sliced.matches)
    assert slices > 3 and sliced.matches == whole.matches and len(whole.matches) > 50
    assert whole.seen == len(analysis.transcript)
    first = whole.matches[0]
    assert first in whole and first - 1 not in whole and whole.place(first) == 0


def test_what_was_open_is_looked_at_again(tmp_path: Path) -> None:
    first, whole = both(ASKED, tmp_path / "a"), both(ANSWERED, tmp_path / "b")
    assert len(whole.splitlines()) > len(first.splitlines())
    path = tmp_path / "t"
    lines = whole.splitlines(keepends=True)
    count = len(first.splitlines())
    path.write_bytes(b"".join(lines[:count]))
    transcript = Transcript.open(path)
    analysis = Analysis(transcript)
    pending, answered = (
        FilterRun(compile_filter(f"type:query & state:{state}"), analysis) for state in ("pending", "answered")
    )

    def go_on() -> None:
        transcript.refresh()
        while analysis.advance():
            pass
        for sift in (pending, answered):
            while sift.advance():
                pass

    go_on()
    assert (len(pending.matches), len(answered.matches)) == (199, 0)
    path.write_bytes(whole)
    go_on()
    assert (len(pending.matches), len(answered.matches)) == (49, 150)
    assert list(answered.matches) == list(range(2, 152))


def test_a_filter_on_what_is_judged_waits_for_the_analysis(tmp_path: Path) -> None:
    write(ANSWERED, tmp_path / "t")
    analysis = Analysis(Transcript.open(tmp_path / "t"))
    judged, plain = FilterRun(compile_filter("state:answered"), analysis), FilterRun(compile_filter("type:query"), analysis)
    assert not judged.advance() and not plain.advance()
    assert (judged.seen, plain.seen) == (0, len(analysis.transcript))
    assert judged.known == 0 and len(plain.matches) == 199


def test_a_record_is_answered_for_before_the_filter_gets_there(tmp_path: Path) -> None:
    write(ANSWERED, tmp_path / "t")
    analysis = Analysis(Transcript.open(tmp_path / "t"))
    judged, plain = FilterRun(compile_filter("state:answered"), analysis), FilterRun(compile_filter("type:query"), analysis)
    asked = range(len(analysis.transcript))
    assert {judged.takes(at) for at in asked} == {None}
    before = [plain.takes(at) for at in asked]
    assert plain.seen == 0
    plain.advance()
    analysis.advance()
    assert before == [at in plain for at in asked] == [plain.takes(at) for at in asked]
    before = [judged.takes(at) for at in asked]
    judged.advance()
    assert before == [at in judged for at in asked] and True in before and False in before


def test_another_file_is_looked_at_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write(ANSWERED, path)
    transcript = Transcript.open(path)
    sift = FilterRun(compile_filter("type:frames"), Analysis(transcript))
    sift.advance()
    assert len(sift.matches) == 150
    write(">> handshake\n<< ack\n>> query -\n<< frames - f1\n", tmp_path / "u")
    (tmp_path / "u").rename(path)
    transcript.refresh()
    sift.advance()
    assert list(sift.matches) == [3]


def test_one_line_is_asked_about_by_its_number(tmp_path: Path) -> None:
    write(ANSWERED, tmp_path / "t")
    analysis = Analysis(Transcript.open(tmp_path / "t"))
    while analysis.advance():
        pass
    lines = Lines(compile_filter("type:frames"), analysis)
    assert [lines.takes(line) for line in (1, 201, 202, 202, 351, 352)] == [False, False, True, True, True, False]
