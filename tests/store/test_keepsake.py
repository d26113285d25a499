"""One small file: private, whole, and never in the way."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from cgp_tui.store.keepsake import Keepsake


class _Thing(msgspec.Struct, frozen=True):
    words: str


def keep(path: Path | None, most: int = 100) -> Keepsake[_Thing]:
    return Keepsake(path, _Thing, "things", lambda thing: thing.words != "none of ours", most)


def test_what_was_written_is_read_and_is_for_the_person_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "things.json"
    kept = keep(path)
    assert kept.read() is None and not kept.problem
    kept.write(_Thing("a"))
    assert keep(path).read() == _Thing("a")
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"words":"none of ours"}', b'{"words":"' + b"x" * 200 + b'"}'])
def test_what_cannot_be_read_is_named_and_never_written_over(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "things.json"
    path.write_bytes(data)
    path.chmod(0o600)
    kept = keep(path)
    assert kept.read() is None
    assert kept.problem.startswith(f"things cannot be read: {path}")
    kept.write(_Thing("a"))
    assert path.read_bytes() == data


def test_a_file_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "things.json"
    path.write_bytes(b'{"words":"a"}')
    path.chmod(0o666)
    kept = keep(path)
    assert kept.read() is None and "things cannot be read" in kept.problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    kept = keep(tmp_path / "things.json")
    kept.write(_Thing("a"))
    assert kept.problem.startswith("things cannot be kept")
    tmp_path.chmod(0o700)


def test_what_no_file_can_hold_is_named(tmp_path: Path) -> None:
    kept = keep(tmp_path / "things.json")
    kept.write(_Thing("\ud800"))
    assert kept.problem.startswith("things cannot be kept")


def test_without_a_path_nothing_is_kept() -> None:
    kept = keep(None)
    kept.write(_Thing("a"))
    assert kept.read() is None and not kept.problem
