"""stdout: bytes that no locale changes, an ASCII form where the stream has no other, and a quiet end."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.cli import output
from cgp_tui.text import own
from tests.conftest import ROOT

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def printed(code: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **more}
    head = "from cgp_tui.cli import output, diagnostics; from cgp_tui.text import own, show; "
    return subprocess.run(
        [sys.executable, "-c", head + code], capture_output=True, timeout=300, env=environment, check=False
    )


@given(values)
def test_a_document_is_ascii_and_says_the_same(value: Any) -> None:
    raw = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1"))
        output.document({"value": value})
        data = raw.getvalue()
    assert data.isascii()
    assert not any((byte < 0x20 and byte != 0x0A) or byte == 0x7F for byte in data)
    assert data.endswith(b"}\n")
    assert json.loads(data) == {"value": value}


def test_half_a_pair_does_not_spoil_a_document(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    output.document({"a": ["\udcff.ndjson", "\ud83d\ude00 \U0001f600"], "\ud800": 1.5})
    data = capsysbinary.readouterr().out
    assert json.loads(data) == {"a": ["\ufffd.ndjson", "\U0001f600 \U0001f600"], "\ufffd": 1.5}
    assert b"\\udcff" not in data


def test_no_locale_or_width_changes_a_document() -> None:
    code = "output.document({'a': 'é\\x7f\\x9b\\u202e\\U0001f600' * 40, 'b': [1.5, None]})"
    ways = [{}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "latin-1"}, {"COLUMNS": "10"}, {"NO_COLOR": "1"}, {"PYTHONUTF8": "1"}]
    (data,) = {printed(code, **way).stdout for way in ways}
    assert data.isascii()
    assert b"\\u007f\\u009b\\u202e\\ud83d\\ude00" in data


def test_text_falls_back_to_ascii_where_the_stream_has_nothing_else() -> None:
    code = "output.text([show('é → \\x1b x'), own('✓ done…')]); diagnostics.say(show('é'))"
    plain = printed(code, PYTHONIOENCODING="ascii")
    assert plain.stdout == b"\\xe9 -> \\u241b x\nok done...\n"
    assert plain.stderr == b"\\xe9\n"
    full = printed(code, PYTHONIOENCODING="utf-8")
    assert full.stdout == "é → ␛ x\n✓ done…\n".encode()
    latin = printed("output.text([show('é')])", PYTHONIOENCODING="latin-1")
    assert latin.stdout == b"\xe9\n"


@pytest.mark.parametrize("size", [1, 10_000_000])
def test_a_reader_that_goes_away_ends_us_quietly(size: int) -> None:
    code = (
        "import sys; from cgp_tui.cli import output; from cgp_tui.text import own\n"
        f"sys.stdin.read(); output.text([own('x' * {size})]); output.text([own('more')])"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    child.stdin.close()
    assert child.wait(60) == output.CLOSED_PIPE
    assert child.stderr.read() == b""
    child.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_named() -> None:
    code = (
        "import sys; from cgp_tui.cli import output, diagnostics; from cgp_tui.text import own\n"
        "try: output.text([own('x')])\n"
        "except Exception as error: sys.exit(diagnostics.fail(error))"
    )
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [sys.executable, "-c", code],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=300,
            env={"PYTHONPATH": str(ROOT)},
            check=False,
        )
    assert ran.returncode == 2
    assert ran.stderr.count(b"\n") == 1
    assert b"could not be written" in ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="a file's size is bounded as POSIX systems do it")
@pytest.mark.parametrize("unbuffered", [[], ["-u"]])
def test_a_disk_that_takes_a_part_is_named_too(unbuffered: list[str], tmp_path: Path) -> None:
    """Without a buffer, the system says of a write that it took less, and nothing more."""
    code = (
        "import resource, sys; from cgp_tui.cli import output, diagnostics; from cgp_tui.text import own\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: output.text([own('x' * 2000)])\n"
        "except Exception as error: sys.exit(diagnostics.fail(error))"
    )
    with (tmp_path / "out").open("wb") as file:
        command = [sys.executable, *unbuffered, "-c", code]
        ran = subprocess.run(
            command, stdout=file, stderr=subprocess.PIPE, timeout=300, env={"PYTHONPATH": str(ROOT)}, check=False
        )
    assert ran.returncode == 2
    assert b"could not be written: File too large." in ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="here no pipe is set not to wait")
@pytest.mark.parametrize("unbuffered", [[], ["-u"]])
def test_a_pipe_that_another_program_set_not_to_wait_gets_all_of_it(unbuffered: list[str]) -> None:
    code = "from cgp_tui.cli import output; from cgp_tui.text import own; output.text([own('x' * 99)] * 5000)"
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    child = subprocess.Popen(
        [sys.executable, *unbuffered, "-c", code], stdout=theirs, stderr=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)}
    )
    os.close(theirs)
    assert os.read(ours, 1)
    # It fills the pipe meanwhile, which takes no more than 64 KiB.
    time.sleep(0.1)
    with os.fdopen(ours, "rb") as file:
        assert len(file.read()) == 5000 * 100 - 1
    assert child.communicate(timeout=300)[1] == b""
    assert child.returncode == 0


def test_a_closed_stdout_is_no_crash() -> None:
    code = "from cgp_tui.cli import output; from cgp_tui.text import own; output.text([own('x')])"
    ran = subprocess.run(
        ["sh", "-c", 'exec "$0" -c "$1" >&-', sys.executable, code],
        stderr=subprocess.PIPE,
        timeout=300,
        env={"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_an_unknown_encoding_is_treated_as_none() -> None:
    assert output.encode("é", "no-such-encoding") == b"\\xe9"
    assert output.encode(own("plain"), None) == b"plain"
