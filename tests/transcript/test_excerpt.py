"""A part of a bare file behind the greeting of its connection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cgp_tui.transcript.excerpt import Excerpt, cuts
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.line import Line
from tests.dialogue import message

FIRST = [message(text) for text in ("handshake", "ack", "query -", "frames - f1", "query -", "frames - f2")]
LINES = [*FIRST, *FIRST[:4]]


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[Transcript]:
    path = tmp_path / "t"
    path.write_bytes(b"".join(line + b"\n" for line in LINES))
    with Transcript.open(path) as transcript:
        yield transcript


def told(part: Excerpt) -> list[tuple[int, int]]:
    """Line and connection of each record."""
    return [(record.n, record.connection) for record in part.records() if isinstance(record, Line)]


def test_the_greeting_stands_before_the_part(whole: Transcript) -> None:
    part = Excerpt(whole, 4, 8)
    assert (list(part.lead), len(part), told(part), part.complete) == ([0, 1], 2, [(1, 1), (2, 1)], False)
    part.open_all()
    assert told(part) == [(1, 1), (2, 1), (5, 1), (6, 1), (7, 2), (8, 2)]
    assert [part.record(at) for at in range(len(part))] == list(part.records())
    assert list(part.records(3)) == list(part.records())[3:]
    assert [part.place(n) for n in range(1, 11)] == [0, 1, None, None, 2, 3, 4, 5, None, None]
    assert [part.row(at).n for at in range(len(part))] == [1, 2, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("first", "after", "lead", "ends", "last"),
    [
        (0, 2, 0, False, False),
        (1, 3, 1, False, False),
        (2, 6, 2, True, False),
        (6, 8, 0, False, False),
        (8, 10, 2, True, True),
    ],
)
def test_where_connections_begin_and_end(
    whole: Transcript, first: int, after: int, lead: int, ends: bool, last: bool
) -> None:
    part = Excerpt(whole, first, after)
    assert (len(part.lead), part.ends, part.last, part.begun) == (lead, ends, last, True)


def test_before_any_handshake_nobody_knows_what_came_before(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"\n".join([*FIRST[2:4], *FIRST]))
    with Transcript.open(tmp_path / "t") as whole:
        assert [Excerpt(whole, first, 8).begun for first in (0, 1, 2, 4)] == [True, False, False, False]
        assert not Excerpt(whole, 0, 2).ends


def test_closing_a_part_leaves_the_file_open(whole: Transcript) -> None:
    Excerpt(whole, 0, 2).close()
    assert isinstance(whole.record(0), Line)


def test_a_file_is_cut_before_requests_that_follow_a_reply(whole: Transcript) -> None:
    assert list(cuts(whole, 10_000_000)) == [0]
    assert list(cuts(whole, 1)) == [0, 2, 4, 6, 8]
    size = whole.path.stat().st_size
    assert list(cuts(whole, size // 2)) == [0, 6]
    assert list(cuts(whole, size - 10)) == [0]  # in the middle of the last answer
