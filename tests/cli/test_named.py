"""Files that the command line names: whatever one of them is, reading it comes to an end."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.cli.main import main
from cgp_tui.cli.named import read_named
from cgp_tui.errors import InputError
from tests.cli.desk import Desk
from tests.cli.test_proof import PEM
from tests.cli.test_trust import ADD
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


@pytest.mark.parametrize("written", [b"", PEM.encode()])
@pytest.mark.parametrize(
    "words", [("consent", "head", "--sign"), ("consent", "import"), ("trust", "add", *ADD), ("verify-bundle",)]
)
def test_what_was_opened_not_to_wait_is_refused_where_it_may_hold_more(
    words: tuple[str, ...], written: bytes, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As some systems open /dev/fd/N: with the flags of the descriptor that is there already."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ours = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    os.write(ours, written)
    really = Path.open

    def opened(path: Path, *how: Any, **more: Any) -> Any:
        if path != pipe:
            return really(path, *how, **more)
        return os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), *how, **more)

    monkeypatch.setattr(Path, "open", opened)
    monkeypatch.setenv("CGP_TUI_CONFIG", str(tmp_path / "config"))
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with contextlib.redirect_stdout(out):
        more = ("--format", "json") if words[0] == "verify-bundle" else ("--json",)
        code = main([*words, str(pipe), *more])
    os.close(ours)
    error = json.loads(out.buffer.getvalue())["error"]
    assert (code, error["code"]) == (2, "unreadable")
    assert os.strerror(errno.EAGAIN) in error["message"]


@linux
@pytest.mark.parametrize("words", [("import",), ("grant", "--policy"), ("head", "--sign")])
def test_a_device_that_never_ends_is_refused(words: tuple[str, ...], desk: Desk) -> None:
    code, document = desk.json(*words, "/dev/zero", cmd=False)
    assert (code, document["error"]["code"]) == (2, "unreadable")
    assert "/dev/zero holds more than" in document["error"]["message"]
