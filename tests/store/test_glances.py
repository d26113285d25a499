"""Which transcripts were looked at: those that are still there, and what was found where nothing changed since."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cgp_tui.store.glances import Glance, Glances
from cgp_tui.store.views import of_file


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "session é.ndjson"
    path.write_bytes(b"{}\n")
    return path


def kept(tmp_path: Path) -> Glances:
    return Glances(tmp_path / "looked")


def test_the_last_look_comes_back_first_with_what_was_found(tmp_path: Path, transcript: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"1")
    looked = kept(tmp_path)
    assert looked.put(transcript, 10.0, 214, (3, 1))
    assert looked.put(other, 20.5, 1, None)
    second, first = looked.read()
    assert (first.path, first.at, first.lines, first.size) == (str(transcript), 10.0, 214, 3)
    assert (first.judged, first.violations, first.advice) == (True, 3, 1)
    assert (second.path, second.judged) == (str(other), False)
    assert looked.put(transcript, 30.0, 214, (0, 0))
    assert [one.at for one in looked.read()] == [30.0, 20.5]


def test_what_was_found_counts_for_the_file_as_it_was(tmp_path: Path, transcript: Path) -> None:
    looked = kept(tmp_path)
    looked.put(transcript, 10.0, 1, (3, 1))
    with transcript.open("ab") as file:
        file.write(b"more\n")
    (one,) = looked.read()
    assert (one.judged, one.size) == (False, 8)
    looked.put(transcript, 11.0, 2, (3, 1))
    os.utime(transcript, ns=(1, 1))
    assert not looked.read()[0].judged


def test_a_file_that_is_gone_or_became_something_else_is_left_out(tmp_path: Path, transcript: Path) -> None:
    looked = kept(tmp_path)
    looked.put(transcript, 10.0, 1, None)
    transcript.unlink()
    assert looked.read() == ()
    transcript.mkdir()
    assert looked.read() == ()
    assert not looked.put(tmp_path / "never", 10.0, 1, None)


def test_a_name_in_a_folder_that_was_removed_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert not kept(tmp_path).put(Path("session.ndjson"), 10.0, 1, None)


def test_a_name_that_is_no_text_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "\udcff"
    path.write_bytes(b"")
    assert not kept(tmp_path).put(path, 10.0, 1, None)
    assert kept(tmp_path).read() == ()


@pytest.mark.parametrize(
    "change",
    [
        {"path": "relative"},
        {"path": "/a\x00b"},
        {"path": "/elsewhere"},
        {"path": __file__},
        {"target": "0" * 32},
        {"at": -1.0},
        {"lines": -1},
        {"judged": "yes"},
        {"more": 1},
    ],
    ids=str,
)
def test_what_nobody_here_wrote_is_left_out(tmp_path: Path, transcript: Path, change: dict[str, Any]) -> None:
    looked = kept(tmp_path)
    looked.put(transcript, 10.0, 1, (1, 1))
    (file,) = (tmp_path / "looked").iterdir()
    good = Glance(of_file(transcript), str(transcript), 10.0, 3, 1, 1)
    file.write_bytes(msgspec.json.encode(msgspec.to_builtins(good)))
    assert len(looked.read()) == 1
    file.write_bytes(msgspec.json.encode({**msgspec.to_builtins(good), **change}))
    assert looked.read() == ()


def test_a_null_byte_in_a_name_is_no_file(tmp_path: Path) -> None:
    name = "/a\x00b"
    looked = kept(tmp_path)
    (tmp_path / "looked").mkdir(mode=0o700)
    file = tmp_path / "looked" / f"{of_file(Path(name))}.json"
    file.write_bytes(msgspec.json.encode(Glance(of_file(Path(name)), name, 1.0, 1, 1, 1)))
    file.chmod(0o600)
    assert looked.read() == ()
