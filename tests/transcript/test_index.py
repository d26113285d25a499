"""Offsets: the same lines as a split gives, whatever the sizes and however the file grows."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cgp_tui.transcript import index as module
from cgp_tui.transcript.index import Index, read_at


def told(wholes: list[tuple[bytes, int, int]]) -> list[bytes]:
    """The lines that were passed on while indexing, checked against the numbers passed with them."""
    lines: list[bytes] = []
    for whole, first, count in wholes:
        parts = whole.split(b"\n")
        assert first == len(lines)
        assert len(parts) - whole.endswith(b"\n") == count or whole == b""
        lines += parts[:count]
    return lines


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.binary(max_size=30), max_size=8), st.integers(1, 16), st.booleans(), st.sampled_from([7, 40, 1 << 32]))
def test_lines_as_a_split_gives_them(tmp_path: Path, pieces: list[bytes], size: int, settle: bool, turn: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PIECE", size)
        patch.setattr(module, "BLOCK", size)
        patch.setattr(module, "_TURN", turn)
        wholes: list[tuple[bytes, int, int]] = []
        fd = os.open(path, os.O_RDONLY)
        index = Index(fd, lambda *args: wholes.append(args))
        data = b""
        for piece in pieces:
            data += piece
            path.write_bytes(data)
            index.extend(len(data))
        *lines, tail = data.split(b"\n")
        assert index.read == len(data)
        assert index.tail == len(tail)
        if settle:
            assert index.settle() == bool(tail)
            assert index.tail == 0
            lines += [tail] if tail else []
        assert len(index) == len(lines)
        assert [read_at(fd, length, start) for start, length in map(index.span, range(len(index)))] == lines
        assert index.size(0, len(index)) == len(data) - index.tail
        assert told(wholes) == lines
        at = 0
        while at < len(index):
            start, length, after = index.block(at)
            block, starts = read_at(fd, length, start), index.starts(at, after)
            assert block.split(b"\n")[: after - at] == lines[at:after]
            assert [block[begin:end].removesuffix(b"\n") for begin, end in itertools.pairwise(starts)] == lines[at:after]
            at = after
        os.close(fd)


def test_reading_stops_where_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\nb\nc\n")
    fd = os.open(path, os.O_RDONLY)
    index = Index(fd, lambda *_: None)
    assert index.extend(3)
    assert (len(index), index.read, index.tail) == (1, 3, 1)
    assert index.extend(99)
    assert (len(index), index.read) == (3, 6)
    assert not index.extend(99)
    os.close(fd)


def test_a_positioned_read_works_without_pread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abcdef")
    fd = os.open(path, os.O_RDONLY)
    monkeypatch.setattr(module, "_PLACED", None)
    assert (read_at(fd, 3, 2), read_at(fd, 9, 0), read_at(fd, 9, 9)) == (b"cde", b"abcdef", b"")
    os.close(fd)
