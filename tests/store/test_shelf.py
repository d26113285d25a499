"""Small private files, one a provider: whole or not at all, never in the way of anything."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from cgp_tui.store import shelf as module
from cgp_tui.store.shelf import BYTES, Shelf, Stock


class Thing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    provider_id: str
    text: str


def shelf(folder: Path) -> Shelf[Thing]:
    return Shelf(folder, Thing, lambda one: "it is empty" if not one.text else "")


def test_what_was_put_is_read_back(tmp_path: Path) -> None:
    things = shelf(tmp_path / "a" / "b")
    assert things.read() == Stock()
    assert things.put(Thing("docs", "x"))
    assert things.put(Thing("docs", "y"))
    assert things.read() == Stock({"docs": Thing("docs", "y")})


def test_too_much_is_not_kept_and_what_was_there_stays(tmp_path: Path) -> None:
    things = shelf(tmp_path)
    assert things.put(Thing("docs", "x"))
    assert not things.put(Thing("docs", "x" * BYTES))
    assert things.read().by_id["docs"].text == "x"


def test_where_nothing_can_be_written_it_says_no(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not shelf(tmp_path / "file").put(Thing("docs", "x"))


def test_the_kinds_own_rule_is_asked(tmp_path: Path) -> None:
    things = shelf(tmp_path)
    things.put(Thing("docs", ""))
    assert things.read() == Stock({}, ((tmp_path / "docs.json", "it is empty"),))


def test_what_is_written_beside_is_not_read(tmp_path: Path) -> None:
    things = shelf(tmp_path)
    things.put(Thing("docs", "x"))
    (tmp_path / "docs.json.0a1b.new").write_text("{")
    os.mkdir(tmp_path / "folder.json")  # noqa: PTH102
    found = things.read()
    assert list(found.by_id) == ["docs"]
    assert [path.name for path, _ in found.unread] == ["folder.json"]


def test_the_mark_tells_that_something_was_put(tmp_path: Path) -> None:
    things = shelf(tmp_path / "a")
    marks = [things.mark]
    for text in ("x", "y"):
        things.put(Thing("docs", text))
        os.utime(tmp_path / "a", ns=(0, len(marks)))
        marks.append(things.mark)
    assert marks == [0, 1, 2]
    things.put(Thing("docs", "z"))
    assert things.mark > 2, "a rename into the folder is a change of the folder"


def test_one_is_had_by_its_name_or_it_is_said_why_not(tmp_path: Path) -> None:
    things = shelf(tmp_path)
    assert things.get("docs") == (None, "")
    things.put(Thing("docs", "x"))
    assert things.get("docs") == (Thing("docs", "x"), "")
    (tmp_path / "docs.json").rename(tmp_path / "else.json")
    assert things.get("else") == (None, "it is about another provider")
    (tmp_path / "else.json").chmod(0o666)
    one, why = things.get("else")
    assert one is None
    assert "0666" in why
    (tmp_path / "folder.json").mkdir()
    assert things.get("folder")[0] is None
    assert things.get("folder")[1]
    assert things.get("x" * 300)[1], "a name that no file can have"


@pytest.mark.parametrize(("size", "kept"), [(BYTES, True), (BYTES + 1, False)])
def test_a_file_that_is_larger_than_any_of_ours_is_not_read(size: int, kept: bool, tmp_path: Path) -> None:
    things = shelf(tmp_path)
    things.put(Thing("docs", "x"))
    path = tmp_path / "docs.json"
    path.write_bytes(path.read_bytes().ljust(size))
    found = things.read()
    assert bool(found.by_id) == kept
    assert [why for _, why in found.unread] == ([] if kept else ["it is larger than what is written here"])


def test_what_was_put_longest_ago_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    things = shelf(tmp_path)
    for number, name in enumerate(("z", "a", "m")):
        assert things.put(Thing(name, "x"))
        os.utime(tmp_path / f"{name}.json", ns=(0, number))
    assert sorted(things.read().by_id) == ["a", "m"]


def test_one_that_goes_while_they_are_read_is_not_there(tmp_path: Path) -> None:
    def fault(one: Thing) -> str:
        (tmp_path / "b.json").unlink(missing_ok=True)
        return ""

    for name in "abc":
        assert shelf(tmp_path).put(Thing(name, "x"))
    assert Shelf(tmp_path, Thing, fault).read() == Stock({"a": Thing("a", "x"), "c": Thing("c", "x")})


def test_a_folder_that_no_system_can_have_holds_nothing(tmp_path: Path) -> None:
    assert shelf(tmp_path / ("x" * 300)).read() == Stock()
