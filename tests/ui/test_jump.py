"""Jumping: each form of a target, what is said where there is none, and the way there by keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cgp_tui.analysis import Analysis
from cgp_tui.present.symbols import UNICODE
from cgp_tui.transcript.reader import Transcript
from cgp_tui.ui import pace
from cgp_tui.ui.jump import FORMS, LONGEST, Landing, NowhereError, form_of, look_for
from cgp_tui.ui.parties import parties
from cgp_tui.ui.screens.jumping import JumpScreen
from cgp_tui.ui.source import Source
from tests.present.samples import frame, frames, query, raw_lines
from tests.ui.pilots import (
    DIALOGUE,
    Replay,
    app_over,
    chosen,
    opened,
    records,
    screen_text,
    settled,
    until,
    write_bare,
    write_recording,
)
from tests.ui.test_recall import two_connections
from tests.ui.test_travel import typed


def source_over(path: Path) -> Source:
    transcript = Transcript.open(path)
    source = Source(transcript, Analysis(transcript), UNICODE)
    source.advance(10)
    return source


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Source]:
    source = source_over(write_recording(tmp_path / "s.ndjson"))
    yield source
    source.transcript.close()


def landing(source: Source, text: str, cursor: int = 0) -> Landing:
    search = look_for(source, text, cursor)
    while True:
        try:
            next(search)
        except StopIteration as end:
            found: Landing = end.value
            return found


def line(source: Source, text: str, cursor: int = 0) -> int | None:
    return source.transcript.row(landing(source, text, cursor).at).n


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("214", "line"),
        (":214", "line"),
        ("50%", "place"),
        ("12.5 %", "place"),
        ("12:04", "time"),
        (" : 12:04:31.25 ", "time"),
        ("B3", "rule"),
        ("b3", "rule"),
        ("6.5.4", "rule"),
        ("SHAPE", "rule"),
        ("B9", "name"),
        ("frm_retry", "name"),
        ("q2", "name"),
        ('"214"', "name"),
        ("two words", "name"),
        ("@docs", "provider"),
        (":@ 2", "provider"),
        ("@ two words", "provider"),
        ("@", "name"),
        ('"@docs"', "name"),
        ("", None),
        (":", None),
        ('"', None),
        ("x" * (LONGEST + 1), None),
    ],
)
def test_what_is_typed_is_of_one_form(text: str, form: str | None) -> None:
    found = form_of(text)
    assert (None if found is None else found[0].id) == form


def test_every_form_is_reached_by_its_own_example() -> None:
    assert [found[0].id for form in FORMS if (found := form_of(form.example))] == [form.id for form in FORMS]


def test_lines_places_and_times(recorded: Source) -> None:
    assert line(recorded, "6") == 6
    assert landing(recorded, "0%").at == 0 and landing(recorded, "100%").at == recorded.count - 1
    assert landing(recorded, "50%").at == round((recorded.count - 1) / 2)
    # Line n was seen at n tenths of a second after 12:04:31.
    assert line(recorded, "12:04:31.6") == 6
    assert landing(recorded, "12:04:31").at == landing(recorded, "12:04").at == landing(recorded, "11:00").at == 0
    assert landing(recorded, "12:04:33").at == recorded.count - 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "That matches nothing. Write a target as 214, 50%"),
        ("214", "There is no line 214. The last one is 11."),
        ("0", "There is no line 0."),
        ("101%", "at most 100%"),
        ("25:00", "no such time of day"),
        ("12:04:60", "no such time of day"),
        ("12:05", "Nothing was recorded then or after."),
        ("H1", "No finding of H1 here."),
        ("frm_nobody", "No frame, message or provider is called that here."),
        ('"repo"', "No frame, message or provider is called that here."),
        ("@nobody", "No provider is called that here. There are: repo-graph-1."),
        ("@2", "No provider is called that here."),
        ("@0", "No provider is called that here."),
    ],
)
def test_nowhere_is_said_with_what_to_do(recorded: Source, text: str, said: str) -> None:
    with pytest.raises(NowhereError) as caught:
        landing(recorded, text)
    assert said in str(caught.value) and caught.value.fix


def test_rules_go_on_from_the_cursor_and_round(tmp_path: Path) -> None:
    again = [query(4, "again"), frames(4, frame("frm_other", token_cost=9))]
    source = source_over(write_bare(tmp_path / "s.ndjson", [*DIALOGUE[:-1], *again]))
    assert landing(source, "B3") == Landing(5)
    assert landing(source, "b3", 5) == Landing(11)
    assert landing(source, "B3", 11) == Landing(5)
    assert landing(source, "B1", 5) == landing(source, "B1", 11) == Landing(5)
    source.transcript.close()


def test_frames_and_messages_by_their_id(recorded: Source) -> None:
    found = landing(recorded, "frm_gaveup")
    assert recorded.transcript.row(found.at).n == 6 and found.place == 2
    assert line(recorded, "q3") == 9
    assert line(recorded, "q3", landing(recorded, "q3").at) == 10
    assert landing(recorded, "q3").place is None
    assert line(recorded, "Q3".lower()) == 9
    with pytest.raises(NowhereError):
        landing(recorded, "FRM_gaveup")


def test_a_frame_is_found_however_its_id_is_spelled_on_the_wire(tmp_path: Path) -> None:
    path = tmp_path / "s.ndjson"
    lines = raw_lines(
        [*DIALOGUE[:2], query(1, "a"), frames(1, frame("ok"), frame("zürich")), query(2, "b"), frames(2, frame("x"))]
    )
    lines[3] = lines[3].replace("zürich".encode(), b"z\\u00fcri\\u0063h")
    path.write_bytes(b"".join(one + b"\n" for one in lines))
    source = source_over(path)
    assert landing(source, "zürich") == Landing(3, 1)
    source.transcript.close()


def test_a_number_in_quotes_is_a_name(tmp_path: Path) -> None:
    source = source_over(write_bare(tmp_path / "s.ndjson", [*DIALOGUE[:2], query(1, "a"), frames(1, frame("3"))]))
    assert landing(source, '"3"') == Landing(3, 0) and landing(source, "3") == Landing(2)
    source.transcript.close()


def test_without_times_and_without_lines_it_says_so(tmp_path: Path) -> None:
    source = source_over(write_bare(tmp_path / "s.ndjson"))
    with pytest.raises(NowhereError, match="has no times"):
        landing(source, "12:00")
    source.transcript.close()
    (tmp_path / "t.ndjson").write_bytes(records()[0] + b"\n")
    source = source_over(tmp_path / "t.ndjson")
    with pytest.raises(NowhereError, match="no line yet"):
        landing(source, "1")
    source.transcript.close()


def test_a_long_search_lets_keys_be_answered(recorded: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "SLICE_SECONDS", 0.0)
    for text, slices in (("frm_nobody", recorded.count), ("H1", 3)):
        search = look_for(recorded, text, 0)
        count = 0
        with pytest.raises(NowhereError):
            while True:
                next(search)
                count += 1
        assert count >= slices


def test_a_file_that_is_replaced_during_a_search_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "SLICE_SECONDS", 0.0)
    path = write_bare(tmp_path / "s.ndjson")
    source = source_over(path)
    search = look_for(source, "frm_nobody", 0)
    next(search)
    write_bare(tmp_path / "new.ndjson", DIALOGUE[:2]).replace(path)
    source.refresh()
    with pytest.raises(NowhereError, match="replaced in the meantime"):
        next(search)
    source.transcript.close()


def test_rules_not_yet_looked_at_are_not_denied(tmp_path: Path) -> None:
    transcript = Transcript.open(write_bare(tmp_path / "s.ndjson"))
    with pytest.raises(NowhereError, match="so far"):
        landing(Source(transcript, Analysis(transcript), UNICODE), "B3")
    transcript.close()


def two_providers(path: Path) -> Path:
    """Connection 1 to repo-graph-1, and connection 2 to one that we call acme-search and that calls itself otherwise."""
    changed = two_connections(path).read_bytes().splitlines()
    half = next(at for at, raw in enumerate(changed) if b'"connection":2' in raw)
    for at in range(half, len(changed)):
        changed[at] = changed[at].replace(b'"repo-graph-1"', b'"acme-search"')
        changed[at] = changed[at].replace(b'"name":"repo-graph"', b'"name":"graph\\u001b[2J"')
    path.write_bytes(b"".join(raw + b"\n" for raw in changed))
    return path


def test_providers_are_found_by_part_of_a_name_and_by_number_and_round(tmp_path: Path) -> None:
    source = source_over(two_providers(tmp_path / "s.ndjson"))
    first, second = (source.analysis.connections.of(number).connect for number in (1, 2))
    assert first is not None and second is not None
    assert landing(source, "@ACME") == landing(source, "acme", second) == Landing(second)
    assert landing(source, "@repo-graph", second).at == first, "by the name that it declared"
    assert landing(source, "@graph", first).at == second, "part of both, so the next one"
    assert landing(source, "@graph", second).at == first
    assert landing(source, "@2").at == second and landing(source, "@1", second).at == first
    assert line(source, "frm_retry") == 6, "an id comes before a provider"
    source.transcript.close()


def test_a_name_that_is_one_s_own_is_not_taken_for_part_of_another_s(tmp_path: Path) -> None:
    path = two_providers(tmp_path / "s.ndjson")
    path.write_bytes(path.read_bytes().replace(b'"acme-search"', b'"repo"'))
    source = source_over(path)
    second = source.analysis.connections.of(2).connect
    assert second is not None
    assert landing(source, "@Repo", second) == landing(source, "repo", second) == Landing(second)
    assert landing(source, "@rep", second).at == source.analysis.connections.of(1).connect
    source.transcript.close()


def test_a_connection_without_a_name_is_found_by_its_number_alone(tmp_path: Path) -> None:
    greeting = [DIALOGUE[0]]
    source = source_over(write_bare(tmp_path / "s.ndjson", [*DIALOGUE[:2], *greeting]))
    assert [party.said for party in parties(source)] == ["says repo-graph 0.2.0"]
    assert landing(source, "@2") == Landing(2)
    with pytest.raises(NowhereError, match="No provider"):
        landing(source, "@3")
    source.transcript.close()


def test_a_provider_that_may_come_is_not_denied(tmp_path: Path) -> None:
    transcript = Transcript.open(write_recording(tmp_path / "s.ndjson"))
    with pytest.raises(NowhereError, match=r"so far\. Name a line"):
        landing(Source(transcript, Analysis(transcript), UNICODE), "@repo")
    transcript.close()


def prompt(replay: Replay) -> JumpScreen:
    screen = replay.pilot.app.screen
    assert isinstance(screen, JumpScreen)
    return screen


async def test_a_line_and_a_frame_are_typed_and_gone_to(replay: Replay) -> None:
    seen = await replay.press("semicolon")
    assert "Jump to" in seen and "12:04:31" in seen
    await replay.press("6", "enter")
    await settled(replay.pilot)
    assert replay.line == 6 and replay.inspector.traffic.has_focus
    await replay.press("g", "semicolon", *typed("frm_gaveup"), "enter")
    await settled(replay.pilot)
    assert replay.line == 6 and replay.in_detail() and replay.inspector.detail.place.frame == 2


async def test_a_target_that_is_nowhere_is_told_and_the_line_stays(replay: Replay) -> None:
    await replay.press("semicolon", *typed("99"), "enter")
    await until(replay.pilot, lambda: "There is no line 99. The last one is 11." in prompt(replay).said)
    await replay.press("backspace", "backspace")
    assert prompt(replay).said == ""
    await replay.press("escape")
    assert replay.pilot.app.screen is replay.inspector and replay.line == 1


async def test_what_is_offered_is_chosen_and_completed_by_key(replay: Replay) -> None:
    await replay.press("semicolon", "b")
    assert prompt(replay).offered == ["b", "B1", "B3"]
    await replay.press("down", "down", "down", "up", "down", "down", "tab")
    assert prompt(replay).offered == ["B3"]
    await replay.press("enter")
    await settled(replay.pilot)
    assert replay.line == 6
    await replay.press("g", "semicolon", "b", "down", "down", "enter")
    await settled(replay.pilot)
    assert replay.line == 6


async def test_a_frame_whose_id_hides_something_is_offered_in_its_visible_form_and_gone_to(tmp_path: Path) -> None:
    hidden = ["a\x1b]52;c;aGk=\x07", "a\u202eb", "a" * (LONGEST + 1)]
    path = write_bare(tmp_path / "s.ndjson", [*DIALOGUE[:2], query(1, "a"), frames(1, *map(frame, ["ab", *hidden]))])
    async with opened(app_over(path, at=4)) as pilot:
        replay = Replay(pilot)
        seen = await replay.press("semicolon", "a")
        assert prompt(replay).offered[:-1] == ["a", "ab", *hidden]
        assert "a␛]52;c;aGk=␇" in seen and "a<U+202E>b" in seen and "\x1b" not in seen
        await replay.press("down", "down", "tab")
        assert prompt(replay)._field.value == "a", "it cannot be typed"
        await replay.press("enter")
        await settled(replay.pilot)
        assert replay.inspector.detail.place.frame == 1


async def test_a_provider_is_offered_by_part_of_its_name_and_stepped_to(tmp_path: Path) -> None:
    async with opened(app_over(two_providers(tmp_path / "s.ndjson"))) as pilot:
        replay = Replay(pilot)
        seen = await replay.press("semicolon", *"acme")
        assert prompt(replay).offered == ["acme", "@2"] and "acme-search, says graph␛[2J 0.2.0" in seen
        await replay.press("down", "down", "tab")
        assert prompt(replay)._field.value == "@2" and prompt(replay).offered[0] == "@2"
        await replay.press("enter")
        await settled(replay.pilot)
        source = replay.inspector.source
        assert replay.inspector.traffic.cursor == source.analysis.connections.of(2).connect
        await replay.press("right_curly_bracket", "semicolon", *"acme", "enter")
        await settled(replay.pilot)
        assert replay.inspector.traffic.cursor == source.analysis.connections.of(2).connect
        assert "The filter hides that line, so it is off." in await replay.press(), "one connection's lines are a filter"


async def test_ids_are_met_on_the_way_and_offered_below(replay: Replay) -> None:
    await replay.press("semicolon", *"gave")
    await until(replay.pilot, lambda: "frm_gaveup" in prompt(replay).offered)
    assert "A frame of line 6." in screen_text(replay.pilot)
    await replay.press("down", "down", "tab")
    assert prompt(replay)._field.value == "frm_gaveup"
    await replay.press("ctrl+u", "q")
    await until(replay.pilot, lambda: {"q1", "q2", "q3"} < set(prompt(replay).offered))
    assert "query, line 3" in screen_text(replay.pilot)
    at = prompt(replay).offered.index("q3")
    await replay.press(*["down"] * at, "enter")
    await settled(replay.pilot)
    assert replay.line == 9


async def test_the_command_list_finds_a_provider_by_part_of_its_name(tmp_path: Path) -> None:
    async with opened(app_over(two_providers(tmp_path / "s.ndjson"))) as pilot:
        replay = Replay(pilot)
        await replay.press("colon", *"acme-s")
        await until(pilot, lambda: "Jump to @2  acme-search, says graph␛[2J 0.2.0" in screen_text(pilot))
        await replay.press("enter")
        connections = replay.inspector.source.analysis.connections
        await until(pilot, lambda: replay.inspector.traffic.cursor == connections.of(2).connect)


async def test_the_command_list_takes_targets_too(replay: Replay) -> None:
    for text, at in ((":7", 7), ("B3", 6), ("10%", 2)):
        await replay.press("g", "colon", *typed(text))
        await chosen(replay.pilot, "Jump to")
        await replay.press("enter")
        await until(replay.pilot, lambda at=at: replay.pilot.app.screen is replay.inspector and replay.line == at)  # type: ignore[misc]


async def test_the_command_list_tells_what_is_nowhere(replay: Replay) -> None:
    await replay.inspector.jump_to("99")
    assert "There is no line 99." in await replay.press()
