"""Who was met last: one small private file a provider, replaced whole, bounded, and never in anybody's way."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from cgp_tui.store import shelf as shelves
from cgp_tui.store.seen import Sighting, Sightings
from tests.store.test_files import fifo, linked

ONE = Sighting("docs", "example", "1.0.0", "stdio", "aa" * 32, "bb" * 32, ("/usr/bin/p", "x.py"), "2026-11-29T18:12:00Z")


def other(**changes: object) -> Sighting:
    return msgspec.structs.replace(ONE, **changes)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "state" / "seen"


def test_the_newest_meeting_takes_the_place_of_the_one_before(kept: Path) -> None:
    shelf = Sightings(kept)
    assert shelf.read() == shelves.Stock()
    shelf.remember(ONE)
    shelf.remember(other(provider_id="else"))
    shelf.remember(other(provider_version="1.1.0", code=""))
    assert Sightings(kept).read().by_id == {
        "docs": other(provider_version="1.1.0", code=""),
        "else": other(provider_id="else"),
    }
    assert sorted(path.name for path in kept.iterdir()) == ["docs.json", "else.json"]
    assert stat.S_IMODE((kept / "docs.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700


def test_what_a_provider_says_of_itself_stays_bounded_and_another_one(kept: Path) -> None:
    shelf = Sightings(kept)
    shelf.remember(other(provider_name="n" * 5000, provider_version="v" * 5000, target_shown=("a" * 5000,) * 500))
    shelf.remember(other(provider_id="broken", provider_name="\ud800x"))
    known = shelf.read().by_id
    assert known["docs"].provider_name == "n" * 257, "longer than any receipt can hold"
    assert known["docs"].provider_version == "v" * 129
    assert (len(known["docs"].target_shown), len(known["docs"].target_shown[0])) == (64, 512)
    assert known["broken"].provider_name == "\\ud800x"


def test_the_one_met_longest_ago_goes_first(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelves, "KEPT", 3)
    shelf = Sightings(kept)
    for place, name in enumerate(("a", "b", "c")):
        shelf.remember(other(provider_id=name))
        os.utime(kept / f"{name}.json", (place, place))
    shelf.remember(other(provider_id="d"))
    assert list(shelf.read().by_id) == ["b", "c", "d"]


def spelled(**changes: object) -> bytes:
    return json.dumps({**msgspec.to_builtins(ONE), **changes}).encode()


DAMAGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "no JSON": (lambda path: path.write_bytes(b"{"), "truncated"),
    "another shape": (lambda path: path.write_bytes(spelled(granted=True)), "unknown field"),
    "another provider": (lambda path: path.write_bytes(spelled(provider_id="else")), "another provider"),
    "no digest": (lambda path: path.write_bytes(spelled(target="")), "no digest"),
    "no code": (lambda path: path.write_bytes(spelled(code="b")), "no digest"),
    "no time": (lambda path: path.write_bytes(spelled(at="soon")), "no time"),
    "too large": (lambda path: path.write_bytes(spelled(provider_name="n" * 70_000)), "larger"),
    "open to others": (lambda path: path.chmod(0o666), "mode 0666"),
    "a link": (linked, "symbolic link"),
    "a pipe": (fifo, "not a regular file"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_what_cannot_be_trusted_is_named_and_left_out(kind: str, kept: Path) -> None:
    shelf = Sightings(kept)
    shelf.remember(ONE)
    shelf.remember(other(provider_id="whole"))
    spoil, why = DAMAGED[kind]
    spoil(kept / "docs.json")
    found = shelf.read()
    assert list(found.by_id) == ["whole"]
    ((path, said),) = found.unread
    assert path == kept / "docs.json"
    assert why in said


def test_a_folder_that_cannot_be_written_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    shelf = Sightings(tmp_path / "file" / "seen")
    shelf.remember(ONE)
    assert shelf.read() == shelves.Stock()


def test_its_mark_moves_with_each_meeting(kept: Path) -> None:
    shelf = Sightings(kept)
    assert shelf.mark == 0
    shelf.remember(ONE)
    assert shelf.mark > 0
