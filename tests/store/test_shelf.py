"""Small private files, one a provider: whole or not at all, never in the way of anything."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

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
