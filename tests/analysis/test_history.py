"""The same identity met again: where, and whether its bytes are the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cgp_tui import limits
from cgp_tui.analysis import Analysis
from cgp_tui.analysis.history import Again, History, Sighting
from cgp_tui.protocol.digest import sha256_digest
from cgp_tui.transcript.reader import Transcript


def frame(name: str, content: str = "text", digest: str | None = "") -> dict[str, Any]:
    made = {"id": name, "kind": "doc", "title": "T", "citation_label": "c", "score": 0.5, "content": content}
    made["token_cost"] = (len(content.encode()) + 3) // 4
    digest = sha256_digest(content.encode()) if digest == "" else digest
    return made if digest is None else {**made, "content_digest": digest}


def write(path: Path, *answers: list[dict[str, Any]], provider: str = "docs") -> Path:
    """A bare file whose answers stand on lines 4, 6, 8 …"""
    info = {"name": provider, "version": "1", "data_flow": {"reads": True, "writes": False, "egress": False}}
    lines: list[dict[str, Any]] = [
        {"type": "handshake", "protocol_version": "contextgraph/1.0"},
        {
            "type": "handshake_ack",
            "protocol_version": "contextgraph/1.0",
            "provider": info,
            "capabilities": {"query": {"kinds": []}},
        },
    ]
    for frames in answers:
        lines.append({"type": "query", "query": {"goal": "g", "max_frames": 99, "max_tokens": 999}})
        lines.append({"type": "frames", "result": {"frames": frames, "truncated": False}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def look(path: Path, history: History | None = None) -> list[Again]:
    history = history or History()
    found: list[Again] = []
    with Transcript.open(path) as transcript:
        analysis = Analysis(transcript, on_judged=lambda judged: found.extend(history.look(judged)))
        while analysis.advance() or not transcript.indexed:
            transcript.refresh()
    return found


def learnt(*paths: Path) -> History:
    history = History()
    for path in paths:
        with Transcript.open(path) as transcript:
            history.learn(transcript, path.name)
    return history


def test_the_first_time_is_nothing_to_say(tmp_path: Path) -> None:
    assert look(write(tmp_path / "a", [frame("f"), frame("g")])) == []


@pytest.mark.parametrize("n", [-1, 0, 1 << 48, 1 << 64, 10**30])
def test_a_line_that_no_recorder_numbers_so_is_not_remembered(n: int, tmp_path: Path) -> None:
    bare = write(tmp_path / "a", [frame("f")], [frame("f")]).read_text().splitlines()
    parts = [
        f'{{"n":{n + at},"t":0,"connection":1,"from":"{("host", "provider")[at % 2]}","line":{raw}}}'
        for at, raw in enumerate(bare)
    ]
    header = '{"format":"cgp-transcript/1","started_at":"2026-01-01T00:00:00Z","recorder":"t","payload":"whole"}'
    path = tmp_path / "b"
    path.write_text("".join(f"{one}\n" for one in (header, *parts)))
    learnt(path)
    assert all(0 < sighting.line < 1 << 48 for again in look(path) for sighting in again.seen)


def test_met_before_in_this_transcript(tmp_path: Path) -> None:
    path = write(tmp_path / "a", [frame("f"), frame("g", "x")], [frame("h")], [frame("g", "x"), frame("f")])
    digest = sha256_digest(b"x")
    assert look(path)[0] == Again(8, "g", digest, 1, False, (Sighting(None, 4, True),))
    assert [again.frame_id for again in look(path)] == ["g", "f"]


def test_met_before_in_others(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a", [frame("f")], [frame("f")]), write(tmp_path / "b", [frame("g")], [frame("f")])
    (again,) = look(write(tmp_path / "c", [frame("f")]), learnt(first, second))
    assert again.seen == (Sighting("a", 4, True), Sighting("a", 6, True), Sighting("b", 6, True))
    assert (again.times, again.changed) == (3, False)


def test_other_bytes_under_one_digest_are_told_where_the_honest_copy_stands(tmp_path: Path) -> None:
    lie = frame("f", "other", sha256_digest(b"text"))
    (again,) = look(write(tmp_path / "b", [frame("f")]), learnt(write(tmp_path / "a", [lie])))
    assert (again.changed, again.seen) == (True, (Sighting("a", 4, False),))


def test_another_digest_provider_or_absence_of_one_is_another_identity(tmp_path: Path) -> None:
    known = learnt(
        write(tmp_path / "a", [frame("f", "old"), frame("f", "text", None)]),
        write(tmp_path / "b", [frame("f")], provider="other"),
        write(tmp_path / "c", [frame("ff", "x")]),
    )
    assert look(write(tmp_path / "d", [frame("f"), frame("f", "x")]), known) == []


def test_without_a_digest_the_bytes_may_change_and_that_is_told(tmp_path: Path) -> None:
    (again,) = look(write(tmp_path / "a", [frame("f", "one", None)], [frame("f", "two", None)]))
    assert (again.content_digest, again.changed) == (None, True)


def test_content_that_came_or_went_is_a_change(tmp_path: Path) -> None:
    empty, absent = frame("f", "", None), frame("f", "", None)
    del absent["content"]
    (again,) = look(write(tmp_path / "a", [empty], [absent]))
    assert again.changed


def test_an_answer_is_met_once_however_often_it_is_judged(tmp_path: Path) -> None:
    path, history = write(tmp_path / "a", [frame("f"), frame("f")], [frame("f")]), History()
    found: list[Again] = []
    with Transcript.open(path) as transcript:
        analysis = Analysis(transcript)
        while analysis.advance() or not transcript.indexed:
            transcript.refresh()
        for line in (4, 4, 6, 6, 4):
            judged = analysis.judged(line)
            assert judged is not None
            found += history.look(judged)
    assert [(again.line, again.times) for again in found] == [(6, 1)]


def test_later_sightings_are_known_too_once_they_were_met(tmp_path: Path) -> None:
    """The card of an early frame tells of the late ones as well."""
    path, history = write(tmp_path / "a", [frame("f")], [frame("f")], [frame("f", "x", sha256_digest(b"text"))]), History()
    look(path, history)
    with Transcript.open(path) as transcript:
        analysis = Analysis(transcript)
        while analysis.advance() or not transcript.indexed:
            transcript.refresh()
        judged = analysis.judged(4)
    assert judged is not None
    assert judged.exchange.reply is not None
    (first,) = judged.exchange.reply.decoded.envelope.result.frames  # type: ignore[union-attr]
    again = history.again("docs", first, 4)
    assert again == Again(4, "f", first.content_digest, 2, True, (Sighting(None, 6, True), Sighting(None, 8, False)))


def test_of_many_sightings_the_first_and_the_newest_are_told(tmp_path: Path) -> None:
    path = write(tmp_path / "a", *([frame("f")] for _ in range(30)))
    again = look(path)[-1]
    assert (again.line, again.times) == (62, 29)
    assert [one.line for one in again.seen] == [4, 48, 50, 52, 54, 56, 58, 60]


def test_a_change_is_remembered_when_its_line_is_not_told_any_more(tmp_path: Path) -> None:
    liar = frame("f", "x", sha256_digest(b"text"))
    again = look(write(tmp_path / "a", [frame("f")], [liar], *([frame("f")] for _ in range(20))))[-1]
    assert again.changed
    assert all(one.same for one in again.seen)


def test_memory_is_bounded_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HISTORY_FRAMES", 10)
    history = learnt(write(tmp_path / "a", *([frame(f"f{n}"), frame("often")] for n in range(50))))
    assert len(history._known) == 10
    assert history.forgotten == 41
    assert [
        again.frame_id for again in look(write(tmp_path / "b", [frame("f0"), frame("often"), frame("f49")]), history)
    ] == [
        "often",
        "f49",
    ]


def test_frames_of_nobody_are_not_met(tmp_path: Path) -> None:
    """Before a handshake there is no declared name, so there is no identity."""
    path = write(tmp_path / "a", [frame("f")])
    path.write_text("".join(path.read_text().splitlines(keepends=True)[3:]))
    assert look(write(tmp_path / "b", [frame("f")]), learnt(path)) == []
    assert look(path) == []


def test_names_that_run_together_are_two_identities(tmp_path: Path) -> None:
    other = write(tmp_path / "other.ndjson", [frame("c", digest=None)], provider="ab")
    path = write(tmp_path / "a.ndjson", [frame("bc", digest=None)], provider="a")
    assert look(path, learnt(other)) == []
    assert look(write(tmp_path / "b.ndjson", [frame("c", digest=None)], provider="ab"), learnt(other)) != []
