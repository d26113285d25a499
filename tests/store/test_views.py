"""How a target was left: kept privately, and left out with a word where it is damaged."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from cgp_tui import limits
from cgp_tui.store.shelf import KEPT
from cgp_tui.store.views import View, Views, of_file, of_provider


def test_a_view_comes_back_for_its_target_alone(tmp_path: Path) -> None:
    mine, other = Views(tmp_path / "v", of_file(Path("a"))), Views(tmp_path / "v", of_file(Path("b")))
    assert mine.get() == (None, "")
    view = View(mine.target, "stacked", 30, 70, "delta", "type:frames", True, 2, 214, ("size", "id"))
    assert mine.put(view)
    assert mine.get() == (view, "") and other.get() == (None, "")
    (file,) = (tmp_path / "v").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700


def test_names_tell_nothing_and_do_not_meet() -> None:
    targets = {of_file(Path("/a")), of_file(Path("/b")), of_provider("/a"), of_provider("docs")}
    assert len(targets) == 4 and all(len(target) == 32 and target.isalnum() for target in targets)
    assert of_file(Path("a")) == of_file(Path.cwd() / "a")
    assert len(of_file(Path("\udcff"))) == 32


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"beside": 10}, "panes do not fit"),
        ({"stacked": 99}, "panes do not fit"),
        ({"line": 0}, "counts from 1"),
        ({"connection": -1}, "counts from 1"),
        ({"panes": "sideways"}, "panes"),
        ({"more": 1}, "more"),
        ({"filter": "x" * (limits.FILTER_CHARS + 1)}, "filter is too long"),
        ({"target": "0" * 32}, "another target"),
    ],
)
def test_what_nobody_here_wrote_is_left_out_with_a_word(tmp_path: Path, change: dict[str, object], why: str) -> None:
    views = Views(tmp_path, of_provider("docs"))
    views.put(View(views.target))
    (file,) = tmp_path.iterdir()
    file.write_bytes(msgspec.json.encode({**msgspec.to_builtins(View(views.target)), **change}))
    view, said = views.get()
    assert view is None and why in said


@pytest.mark.parametrize("data", [b"", b"\xff\x00", b"[]", b"{" * 70_000])
def test_damaged_files_are_left_out_with_a_word(tmp_path: Path, data: bytes) -> None:
    views = Views(tmp_path, of_provider("docs"))
    views.put(View(views.target))
    (file,) = tmp_path.iterdir()
    file.write_bytes(data)
    view, said = views.get()
    assert view is None and said
    assert views.put(View(views.target, line=3)) and views.get() == (View(views.target, line=3), "")


def test_a_name_that_is_no_target_is_not_read(tmp_path: Path) -> None:
    views = Views(tmp_path, "docs")
    views.put(View("docs"))
    assert views.get() == (None, "it names no target")


def test_a_file_that_others_may_write_is_not_believed(tmp_path: Path) -> None:
    views = Views(tmp_path, of_provider("docs"))
    views.put(View(views.target))
    (file,) = tmp_path.iterdir()
    file.chmod(0o666)
    assert "mode 0666" in views.get()[1]


def test_too_long_a_filter_is_not_kept_but_the_rest_is(tmp_path: Path) -> None:
    views = Views(tmp_path, of_provider("docs"))
    views.put(View(views.target, filter="x" * 3000, suspended=True, line=4))
    assert views.get()[0] == View(views.target, line=4)


def test_the_folder_is_bounded(tmp_path: Path) -> None:
    for number in range(KEPT + 2):
        (tmp_path / f"{number:032x}.json").write_text("{}")
    views = Views(tmp_path, of_provider("docs"))
    views.put(View(views.target))
    assert len(list(tmp_path.iterdir())) == KEPT and views.get()[0] == View(views.target)
