"""A server that ended with its input before it had answered: the last line, without its newline, gets its reply."""

from __future__ import annotations

import json
from pathlib import Path

from tests.field.conftest import Runner


def test_the_end_of_input_comes_after_the_last_answer(run: Runner, inputs: Path) -> None:
    ran = run("serve", "example-docs", stdin=(inputs / "F16_eof_session.bin").read_bytes())
    ack, frames = map(json.loads, ran.out.splitlines())
    assert ack["type"] == "handshake_ack"
    assert (frames["type"], frames["id"]) == ("frames", "q1")
    assert ran.code == 0
