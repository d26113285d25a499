"""Opening a file to be read as a transcript: a regular one, or it is told what it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cgp_tui.errors import InputError
from cgp_tui.transcript.opened import opened


def test_a_regular_file_is_opened_for_reading(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"line\n")
    (tmp_path / "link").symlink_to("t")
    for name in ("t", "link"):
        fd = opened(tmp_path / name)
        assert os.read(fd, 9) == b"line\n"
        assert not os.get_inheritable(fd)
        with pytest.raises(OSError):
            os.write(fd, b"x")
        os.close(fd)


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "locked").touch(0o000)
    names = {"absent": "does not exist", ".": "a folder", "pipe": "not a regular file", "nul\0": "cannot be opened"}
    if os.geteuid():
        names["locked"] = "cannot be opened"
    for name, words in names.items():
        with pytest.raises(InputError, match=words) as caught:
            opened(Path(f"{tmp_path}/{name}"))
        assert caught.value.code == "unreadable"
        assert ("through a pipe into one first" in caught.value.fix) == (name == "pipe")


def test_the_name_for_standard_input_is_none_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="- does not exist") as caught:
        opened(Path("-"))
    assert "through a pipe into one first" in caught.value.fix
    Path("-").touch()
    os.close(opened(Path("-")))
