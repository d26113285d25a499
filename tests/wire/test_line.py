"""The values that travel between rooms."""

from __future__ import annotations

from cgp_tui.wire.line import Decoded


def test_a_frame_stands_where_it_stood_on_the_wire() -> None:
    assert [Decoded("frames", None, None).place(index) for index in range(3)] == [0, 1, 2]
    assert [Decoded("frames", None, None, places=(1, 4)).place(index) for index in range(2)] == [1, 4]
