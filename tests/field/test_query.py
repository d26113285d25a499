"""`query` against the providers of the field: separators kept, long lines read to the byte, bad bytes named, and nothing
of the environment handed on."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from cgp_tui import limits
from tests.field.conftest import Runner, provider


def test_separators_inside_a_string_end_no_line(run: Runner, inputs: Path) -> None:
    ran = run("query", "g", "--json", *provider(inputs / "p_separators.py"))
    (frame,) = ran.document["frames"]
    assert frame["content"] == "a\u2028b\u2029c\u0085d"
    assert ran.document["findings"] == []
    assert ran.code == 0


@pytest.mark.parametrize("size", [65535, 65536, 65537, 1048576, limits.LINE_BYTES])
def test_a_line_up_to_the_limit_is_read(run: Runner, inputs: Path, size: int) -> None:
    ran = run("query", "g", "--max-tokens", "9000000", "--json", *provider(inputs / "p_long_lines.py", str(size)))
    assert ran.document["outcome"] == "frames"
    assert ran.document["findings"] == []
    assert len(ran.document["frames"][0]["content"]) > size - 300
    assert ran.code == 0


def test_a_line_beyond_the_limit_fails_by_name(run: Runner, inputs: Path) -> None:
    size = str(limits.LINE_BYTES + 1)
    ran = run("query", "g", "--max-tokens", "9000000", "--json", *provider(inputs / "p_long_lines.py", size))
    assert (ran.document["outcome"], ran.document["error"]["code"]) == ("failed", "line_too_long")
    assert ran.document["frames"] == []
    assert ran.code == 4


def test_a_byte_that_is_no_utf8_is_named_at_once_and_kept(run: Runner, inputs: Path, tmp_path: Path) -> None:
    record = tmp_path / "session.ndjson"
    ran = run("query", "g", "--json", "--record", record, *provider(inputs / "p_cp1252.py"))
    error = ran.document["error"]
    assert (ran.code, ran.document["outcome"], error["code"]) == (4, "failed", "invalid_utf8")
    assert "stdout" in error["fix"]
    assert "UTF-8" in error["fix"]
    assert "\ufffd" not in json.dumps(ran.document, ensure_ascii=False)
    rows = [json.loads(row) for row in record.read_text().splitlines()]
    (kept,) = [row for row in rows if "base64" in row]
    assert rows[-1]["t"] - kept["t"] < limits.HANDSHAKE_SECONDS / 2
    assert b"Acme \x97 docs" in base64.b64decode(kept["base64"])


def test_no_credential_no_descriptor_and_no_session_of_ours_reaches_the_provider(run: Runner, inputs: Path) -> None:
    ran = run(
        *("query", "g", "--json", *provider(inputs / "p_env_echo.py")),
        AWS_SECRET_ACCESS_KEY="canary-1",
        SSH_AUTH_SOCK="canary-2",
    )
    seen: dict[str, Any] = {frame["id"]: json.loads(frame["content"]) for frame in ran.document["frames"]}
    assert "canary" not in json.dumps(seen["env"])
    assert seen["env"], "the provider saw an environment"
    if seen["fds"]:
        assert seen["fds"][:3] == ["0", "1", "2"]
        assert len(seen["fds"]) <= 4, "0, 1, 2 and the one that lists them"
    assert seen["sid_is_own"] is True
