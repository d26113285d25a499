"""The words of the bars."""

from __future__ import annotations

from cgp_tui.present.symbols import UNICODE
from cgp_tui.text import own
from cgp_tui.ui.actor import ActorState
from cgp_tui.ui.status import Playhead, Progress, found_spans, replay_spans, status_spans, title_spans
from cgp_tui.ui.widgets.bars import Either
from tests.present.samples import KEYS

DONE = Progress(611, 611, 3, 1)


def words(spans: object) -> str:
    assert isinstance(spans, tuple)
    return "".join(span.text for span in spans)


def test_a_recording_is_offline_and_has_no_gate() -> None:
    seen = words(status_spans(own("customer.ndjson"), own("2026-11-22"), DONE, None, UNICODE))
    assert seen == " REPLAY offline  ✗3 !1  no gate  recorded 2026-11-22  customer.ndjson"
    assert words(status_spans(own("x"), own(""), DONE, None, UNICODE)).endswith("no gate  x")


def test_a_session_names_its_gate_and_its_recording() -> None:
    state = ActorState("LIVE", own("gate on"), recording=18_842, waiting=own("q4 pending 2.1 of 30 s"))
    assert words(status_spans(own("x"), own(""), DONE, state, UNICODE)) == (
        " LIVE  ✗3 !1  q4 pending 2.1 of 30 s  recording 18.4K  gate on"
    )
    hanging = ActorState("LIVE", own("gate on"), recording=18_842, waiting=own("q4 pending 9 of 30 s"), hang=own("q4 waits"))
    assert "q4" not in words(status_spans(own("x"), own(""), DONE, hanging, UNICODE)), "the bar above tells it in full"
    ended = ActorState("ENDED", own("gate on"), recording=18_842, running=False)
    assert words(status_spans(own("x"), own(""), DONE, ended, UNICODE)) == " ENDED  ✗3 !1  recording 18.4K  gate on"


def test_checks_that_lag_behind_say_how_far_they_are() -> None:
    assert words(found_spans(Progress(1000, 340, 0, 0), UNICODE)) == "✗0 !0  checked 34 %"
    assert words(found_spans(Progress(0, 0, 0, 0), UNICODE)) == "✗0 !0"


def test_the_title_counts_lines_and_notes() -> None:
    assert words(title_spans(own("a.ndjson"), 13, 11, 0)) == " cgp-tui  a.ndjson  11 lines, 2 notes"
    assert words(title_spans(own("a.ndjson"), 1, 1, 0)) == " cgp-tui  a.ndjson  1 line"
    assert words(title_spans(own("a.ndjson"), 15, 4, 4)).endswith("4 lines, 7 notes, 4 unreadable")


def test_the_replay_bar_tells_line_time_and_whole() -> None:
    head = Playhead(False, 4, 611, 2.1, 588.0)
    assert words(replay_spans(head, 1_764_417_869.107, KEYS)[0]) == (
        " paused   line 4 of 611  12:04:31.207  2.10 s of 9m48s  space plays  . , step"
    )
    assert words(replay_spans(Playhead(True, 0, 2, None, None), None, KEYS)[0]) == (
        " playing  before line 1 of 2  no times in this file  space pauses  + - speed"
    )
    assert "  no time on this record  space" in words(replay_spans(Playhead(False, 3, 11, None, 2.5), None, KEYS)[0])
    quick = words(replay_spans(Playhead(False, 4, 611, 2.1, 588.0, 0.25), None, KEYS)[0])
    assert "9m48s  speed 0.25 x  space" in quick
    assert "in this file  speed 16 x" in words(replay_spans(Playhead(True, 1, 2, None, None, 16.0), None, KEYS)[0])


def test_where_the_replay_bar_has_no_room_whole_hints_are_left_out_and_then_the_time_of_day() -> None:
    bar = Either(UNICODE)
    bar.say_either(replay_spans(Playhead(False, 0, 611, 2.1, 588.0), 1_764_417_869.107, KEYS))

    def said(width: int) -> str:
        return "".join(part.text for part in bar.line(width)).rstrip()

    place, times = " paused   before line 1 of 611", "  2.10 s of 9m48s"
    whole = f"{place}  12:04:31.207{times}  space plays  . , step"
    assert said(len(whole)) == whole
    assert said(len(whole) - 1) == said(80) == f"{place}  12:04:31.207{times}  . , step"
    assert said(70) == f"{place}  12:04:31.207{times}"
    assert said(50) == f"{place}{times}"
    assert said(40) == f"{place}  2.10 s …"
