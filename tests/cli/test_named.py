"""Files that the command line names: whatever one of them is, reading it comes to an end."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from cgp_tui.cli.named import read_named
from cgp_tui.errors import InputError
from tests.cli.desk import Desk
from tests.host.test_process import linux


def test_a_file_is_read_up_to_its_bound_and_refused_beyond(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_named(file, 5, "") == b"12345"
    with pytest.raises(InputError, match="holds more than 4 bytes") as raised:
        read_named(file, 4, "Name another.")
    assert (raised.value.code, raised.value.fix) == ("unreadable", "Name another.")


@pytest.mark.parametrize("name", ["", "none", "a\0b"])
def test_what_cannot_be_read(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read: [A-Za-z]"):
        read_named(tmp_path / name, 5, "")


def test_a_pipe_gives_what_is_written_to_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"text",))
    writer.start()
    assert read_named(pipe, 5, "") == b"text"
    writer.join()


@linux
@pytest.mark.parametrize("words", [("import",), ("grant", "--policy"), ("head", "--sign")])
def test_a_device_that_never_ends_is_refused(words: tuple[str, ...], desk: Desk) -> None:
    code, document = desk.json(*words, "/dev/zero", cmd=False)
    assert (code, document["error"]["code"]) == (2, "unreadable")
    assert "/dev/zero holds more than" in document["error"]["message"]
