"""Playback: at the recording's own pace, by the caller's clock and by nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.analysis.replay import LONGEST_GAP, SPEEDS, STEADY_GAP, Replay

TIMES: list[float | None] = [0.0, 0.5, 0.5, 1.5, 100.0]


def replay(times: list[float | None] = TIMES, position: int = 0) -> Replay:
    return Replay(lambda: len(times), times.__getitem__, position)


def test_records_appear_when_they_did() -> None:
    playing = replay()
    playing.play(10.0)
    assert playing.tick(10.0) == 1
    assert (playing.tick(10.49), playing.position) == (0, 1)
    assert (playing.tick(10.5), playing.position) == (2, 3)
    assert (playing.tick(11.49), playing.tick(11.5), playing.position) == (0, 1, 4)


def test_a_long_silence_is_cut_short() -> None:
    playing = replay(position=4)
    playing.play(0.0)
    playing.tick(0.0)
    assert playing.at_end
    waiting = replay(position=3)
    waiting.play(0.0)
    waiting.tick(0.0)
    assert [waiting.tick(LONGEST_GAP - 0.01), waiting.tick(LONGEST_GAP)] == [0, 1]


def test_speed_divides_the_gaps() -> None:
    playing = replay()
    playing.set_speed(4.0)
    playing.play(0.0)
    playing.tick(0.0)
    assert [playing.tick(0.124), playing.tick(0.125)] == [0, 2]
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="above zero"):
            playing.set_speed(wrong)


def test_speeds_go_up_and_down_and_stop_at_the_ends() -> None:
    playing = replay()
    assert [playing.faster() for _ in range(6)] == [2.0, 4.0, 8.0, 16.0, 16.0, 16.0]
    assert [playing.slower() for _ in range(8)][-2:] == [SPEEDS[0], SPEEDS[0]]
    playing.set_speed(3.0)
    assert (playing.faster(), playing.slower()) == (4.0, 2.0)


def test_without_times_the_pace_is_steady() -> None:
    playing = replay([None] * 3)
    playing.play(0.0)
    assert [playing.tick(at * STEADY_GAP) for at in range(3)] == [1, 1, 1]
    assert not playing.playing


def test_stepping_stops_playing() -> None:
    playing = replay()
    playing.play(0.0)
    playing.tick(0.0)
    assert playing.step()
    assert (playing.position, playing.playing, playing.tick(99.0)) == (2, False, 0)
    assert playing.step_back()
    assert playing.step_back()
    assert (playing.step_back(), playing.position) == (False, 0)
    end = replay(position=99)
    assert (end.position, end.step(), end.at_end) == (5, False, True)


def test_pause_keeps_the_place_and_play_goes_on_from_there() -> None:
    playing = replay()
    playing.play(0.0)
    playing.tick(0.5)
    playing.pause()
    assert (playing.tick(50.0), playing.position) == (0, 3)
    playing.play(60.0)
    assert (playing.tick(60.0), playing.position) == (1, 4)


def test_play_at_the_end_begins_again() -> None:
    playing = replay(position=5)
    playing.play(0.0)
    assert (playing.position, playing.playing, playing.tick(0.0)) == (0, True, 1)


def test_seeking_keeps_playing() -> None:
    playing = replay()
    playing.seek(3)
    assert (playing.position, playing.playing) == (3, False)
    playing.play(0.0)
    playing.seek(-4)
    assert (playing.position, playing.playing, playing.tick(7.0)) == (0, True, 1)


def test_a_recording_may_grow_while_it_plays() -> None:
    times: list[float | None] = [0.0]
    playing = replay(times)
    playing.play(0.0)
    assert (playing.tick(0.0), playing.playing) == (1, False)
    times += [1.0, 1.0]
    assert not playing.at_end
    playing.play(5.0)
    assert playing.tick(5.0) == 2


@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=20).map(sorted),
    st.lists(st.floats(0, 3), max_size=60),
    st.sampled_from(SPEEDS),
)
def test_time_only_goes_forward(times: list[float | None], waits: list[float], speed: float) -> None:
    playing, clock, shown = replay(times), 0.0, 0
    playing.set_speed(speed)
    playing.play(clock)
    for wait in waits:
        clock += wait
        shown += playing.tick(clock)
        assert playing.position == shown
        assert playing.tick(clock) == 0, "what is due is shown at once"
