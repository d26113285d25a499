"""Keys met before: the first one under an id stays until the person trusts another."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.errors import OurError
from cgp_tui.store.files import UnsafeStoreError
from cgp_tui.store.keys import SeenKeys

AT = "2026-11-29T12:00:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "seen-keys.json"


def public(seen: SeenKeys, target: str = "t", key_id: str = "k1") -> str | None:
    first = seen.first(target, key_id)
    return None if first is None else first.public_key


def test_the_first_key_of_an_id_is_remembered_over_runs(path: Path) -> None:
    seen = SeenKeys(path)
    assert public(seen) is None
    seen.add("t", "k1", "aa", AT)
    seen.add("t", "k1", "bb", AT)
    seen.add("t", "k2", "cc", AT)
    assert public(seen) == "aa"
    assert not path.exists()
    seen.save()
    assert path.stat().st_mode & 0o777 == 0o600
    again = SeenKeys(path)
    assert (public(again), public(again, key_id="k2"), public(again, target="u")) == ("aa", "cc", None)
    again.add("t", "k1", "bb", AT)
    again.save()
    assert public(SeenKeys(path)) == "aa"


def test_a_key_that_the_person_came_to_trust_takes_its_place(path: Path) -> None:
    seen = SeenKeys(path)
    seen.add("t", "k1", "aa", AT)
    seen.save()
    seen.add("t", "k1", "bb", AT, anew=True)
    assert public(seen) == "bb"
    seen.save()
    assert public(SeenKeys(path)) == "bb"


def test_nothing_new_writes_nothing(path: Path) -> None:
    seen = SeenKeys(path)
    seen.save()
    assert not path.exists()
    seen.add("t", "k1", "aa", AT)
    seen.save()
    before = path.stat().st_mtime_ns
    again = SeenKeys(path)
    again.add("t", "k1", "aa", AT)
    again.add("t", "k1", "aa", AT, anew=True)
    again.save()
    assert path.stat().st_mtime_ns == before


def test_what_another_process_saw_first_stays(path: Path) -> None:
    ours, theirs = SeenKeys(path), SeenKeys(path)
    assert public(ours) is None
    theirs.add("t", "k1", "theirs", AT)
    theirs.add("u", "k1", "theirs", AT)
    theirs.save()
    ours.add("t", "k1", "ours", AT)
    ours.add("t", "k2", "ours", AT)
    ours.save()
    seen = SeenKeys(path)
    assert (public(seen), public(seen, key_id="k2"), public(seen, "u")) == ("theirs", "ours", "theirs")


def test_one_provider_pushes_nothing_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KEYS_KEPT", 3)
    seen = SeenKeys(path)
    seen.add("other", "k", "aa", AT)
    for number in range(10):
        seen.add("t", f"k{number}", "aa", AT)
        seen.save()
    again = SeenKeys(path)
    assert [public(again, key_id=f"k{number}") for number in range(10)] == ["aa"] * 3 + [None] * 7
    assert public(again, "other", "k") == "aa"


def test_the_target_not_met_longest_is_forgotten_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KEY_TARGETS", 3)
    for target in ("a", "b", "c", "a", "d"):
        seen = SeenKeys(path)
        seen.add(target, f"k{target}", "aa", AT)
        seen.add(target, "more" + target + str(len(path.read_bytes()) if path.exists() else 0), "aa", AT)
        seen.save()
    again = SeenKeys(path)
    assert [public(again, target, f"k{target}") for target in "abcd"] == ["aa", None, "aa", "aa"]


def test_what_is_too_long_is_not_remembered(path: Path) -> None:
    seen = SeenKeys(path)
    seen.add("t", "k" * 257, "aa", AT)
    seen.add("t", "k", "a" * 257, AT)
    seen.add("t" * 257, "k", "aa", AT)
    seen.save()
    assert not path.exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format":"cgp-seen-keys/9","keys":[]}', '{"format":"cgp-seen-keys/1","keys":[7]}']
)
def test_a_damaged_memory_is_named_and_never_written_over(text: str, path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.touch(0o600)
    path.write_text(text)
    seen = SeenKeys(path)
    assert public(seen) is None
    assert seen.damage is not None
    assert f"mv {path} {path}.damaged" in seen.damage.fix
    seen.add("t", "k1", "aa", AT)
    with pytest.raises(OurError, match="unnoticed"):
        seen.save()
    assert path.read_text() == text


def test_a_memory_that_is_not_safely_ours_is_not_used(path: Path) -> None:
    seen = SeenKeys(path)
    seen.add("t", "k1", "aa", AT)
    seen.save()
    path.chmod(0o666)
    again = SeenKeys(path)
    assert public(again) is None
    assert isinstance(again.damage, UnsafeStoreError)
    path.unlink()
    os.mkfifo(path, 0o600)
    fifo = SeenKeys(path)
    assert public(fifo) is None
    assert fifo.damage is not None


def test_a_state_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    seen = SeenKeys(tmp_path / "file" / "seen-keys.json")
    seen.add("t", "k1", "aa", AT)
    with pytest.raises(OurError) as caught:
        seen.save()
    assert caught.value.code == "unrecordable"


def test_the_file_is_json_to_read(path: Path) -> None:
    seen = SeenKeys(path)
    seen.add("t", "k\x1b1", "aa", AT)
    seen.save()
    (key,) = json.loads(path.read_text())["keys"]
    assert key == {"target": "t", "key_id": "k\x1b1", "public_key": "aa", "at": AT}


def test_as_much_of_a_key_is_remembered_as_is_said_and_no_more(path: Path) -> None:
    for more, kept in ((0, True), (1, False)):
        long = "x" * (limits.KEY_ID_CHARS + more)
        for target, key_id, key in ((long, "k", "aa"), ("t", long, "aa"), ("t", "k", long)):
            seen = SeenKeys(path)
            seen.add(target, key_id, key, AT)
            assert (public(seen, target, key_id) == key) == kept


def test_so_many_new_keys_are_remembered_in_a_run(path: Path) -> None:
    seen = SeenKeys(path)
    for number in range(limits.KEY_TARGETS + 1):
        seen.add(f"t{number}", "k", "aa", AT)
    assert public(seen, f"t{limits.KEY_TARGETS - 1}", "k") == "aa"
    assert public(seen, f"t{limits.KEY_TARGETS}", "k") is None
    crowd = SeenKeys(path)
    for number in range(limits.KEYS_KEPT + 1):
        crowd.add("t", f"k{number}", "aa", AT)
    assert public(crowd, "t", f"k{limits.KEYS_KEPT - 1}") == "aa"
    assert public(crowd, "t", f"k{limits.KEYS_KEPT}") is None
