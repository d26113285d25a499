"""The ways to name the end of a grant at the prompt."""

from __future__ import annotations

import sys

import msgspec
import pytest

from cgp_tui.errors import InputError
from cgp_tui.present.until import offered, read_until, until_meaning
from cgp_tui.target import stdio_target

NOW = 1_795_953_600.0  # 2026-11-29T12:00:00Z, a Sunday


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("30d", "2026-12-29T12:00:00Z"),
        (" 7D ", "2026-12-06T12:00:00Z"),
        ("fri", "2026-12-04T23:59:59Z"),
        ("sun", "2026-11-29T23:59:59Z"),
        ("Mon", "2026-11-30T23:59:59Z"),
        ("2031-01-01", "2031-01-01T23:59:59Z"),
        (" 2031-01-01T12:00:00Z ", "2031-01-01T12:00:00Z"),
        ("never", "never"),
        ("NEVER", "never"),
    ],
)
def test_ends_that_a_person_can_name(said: str, end: str) -> None:
    assert read_until(said, NOW) == end


@pytest.mark.parametrize(
    "said",
    ["", "soon", "0d", "36501d", "-3d", "3 d", "2026-02-30", "tomorrow", "２d", "2026-11-28", "2026-11-29T12:00:00Z"],
)
def test_anything_else_is_refused_with_the_forms(said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_until(said, NOW)
    assert "30d" in caught.value.fix


def test_what_is_offered_first() -> None:
    target = stdio_target([sys.executable, "/dev/null"])
    assert offered(target) == "30d"
    assert offered(msgspec.structs.replace(target, floating="uvx")) == "7d"


def test_what_an_end_means() -> None:
    assert until_meaning("never", NOW) == "no end: it holds until you revoke it"
    assert until_meaning("2026-12-29T12:00:00Z", NOW) == "2026-12-29T12:00:00Z, in 30 days"
    assert until_meaning("2026-11-29T18:00:00Z", NOW) == "2026-11-29T18:00:00Z, in 6 h"
