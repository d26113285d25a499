"""A person's machine for the consent commands: a home, one provider, the command line, and a terminal."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from cgp_tui.cli.main import main
from cgp_tui.consent.ledger import Ledger
from cgp_tui.target import default_id, stdio_target

PROVIDER = """
import json, pathlib, sys
here = pathlib.Path(__file__)
said = json.loads(here.with_suffix(".json").read_text())
with here.with_suffix(".read").open("a") as read:
    for line in sys.stdin:
        read.write(line)
        read.flush()
        kind = json.loads(line)["type"]
        if kind == "handshake":
            print(json.dumps({"type": "handshake_ack", "protocol_version": said.pop("protocol", "contextgraph/1.0"),
                              "provider": said, "capabilities": {"query": {"kinds": []}}}), flush=True)
        if kind == "shutdown":
            break
"""


READS = ("0", "63")
"""The number of read(2), by the kinds of machines."""


class Desk:
    """A person's machine: a home of its own, one provider, and the command line."""

    def __init__(self, folder: Path, cgp: list[str]) -> None:
        self.script = folder / "provider.py"
        self.script.write_text(PROVIDER)
        self.command = [sys.executable, str(self.script)]
        self.cgp = cgp
        self.path = folder / "data" / "receipts.toml"
        self.environment = {
            **os.environ,
            "HOME": str(folder),
            "CGP_TUI_STATE": str(folder / "state"),
            "CGP_TUI_LEDGER": str(self.path),
        }
        self.declare("third-party-index", "acme:store")

    def declare(self, *scopes: str, egress: bool = True, name: str = "example", version: str = "1.0.0", **more: str) -> None:
        flow = {"reads": True, "writes": False, "egress": egress, "egress_scopes": list(scopes)}
        self.script.with_suffix(".json").write_text(
            json.dumps({"name": name, "version": version, "data_flow": flow, **more})
        )

    @property
    def read(self) -> list[str]:
        """The types of all lines the provider ever read."""
        path = self.script.with_suffix(".read")
        return [json.loads(line)["type"] for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def id(self) -> str:
        return default_id(stdio_target(self.command))

    def run(self, *words: str, cmd: bool = True) -> subprocess.CompletedProcess[str]:
        """One line as a script would run it, within this process, which is quicker to start."""
        line = ["consent", *words, *(["--", *self.command] if cmd else [])]
        ran = within(line, self.environment)
        return subprocess.CompletedProcess(line, ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def json(self, *words: str, cmd: bool = True) -> tuple[int, Any]:
        """The exit code and the one document, from a run within this process, which is quicker to start."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        with contextlib.redirect_stdout(out):
            code = main(["consent", *words, "--json", *(["--", *self.command] if cmd else [])])
        return code, json.loads(out.buffer.getvalue().decode("ascii"))

    def ledger(self) -> Ledger:
        return Ledger(self.path)


def within(line: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    """A line as a script would run it with nothing on stdin, within this process, which is quicker to start."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, environment, clear=True))
        stack.enter_context(mock.patch.object(sys, "stdin", stack.enter_context(Path(os.devnull).open())))
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        code = main(line)
    return subprocess.CompletedProcess(line, code, out.buffer.getvalue(), err.buffer.getvalue())


def at_terminal(desk: Desk, line: list[str], answers: list[tuple[bytes, bytes]], before: bytes = b"") -> tuple[int, bytes]:
    """Run a line on a terminal of its own, typing each answer when its question has appeared; `before` is typed at once."""
    fd, theirs = pty.openpty()
    environment = {**desk.environment, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env=environment)
    os.close(theirs)
    seen = b""
    os.write(fd, before)
    left = list(answers)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                piece = os.read(fd, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        if left and left[0][0] in seen and _reads(process.pid):
            os.write(fd, left.pop(0)[1])
    os.close(fd)
    return process.wait(timeout=120), seen


def _reads(pid: int) -> bool:
    """Whether a process waits for its standard input. What was typed before it does, it may throw away."""
    try:
        number, *arguments = Path(f"/proc/{pid}/syscall").read_text().split()
    except OSError:
        time.sleep(0.5)
        return True
    return number in READS and arguments[:1] == ["0x0"]


SPOIL: dict[str, Callable[[Desk], object]] = {
    "tampered": lambda desk: desk.path.write_bytes(desk.path.read_bytes().replace(b"example", b"exemple")),
    "store_unsafe": lambda desk: desk.path.chmod(0o666),
    "head_missing": lambda desk: next((Path(desk.environment["CGP_TUI_STATE"]) / "heads").iterdir()).unlink(),
}
