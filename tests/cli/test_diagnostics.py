"""stderr and exit codes: a failure is told once, where its caller looks, and its code says whose fault it is."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
import typer

from cgp_tui import limits
from cgp_tui.cli import diagnostics
from cgp_tui.errors import Error, InputError, OurError, PeerError, RefusedError

CODES: list[tuple[Exception, int]] = [
    (InputError("usage", "m", "f"), 2),
    (InputError("not_a_transcript", "m", "f"), 2),
    (RefusedError("consent_required", "m", "f"), 3),
    (RefusedError("expired", "m", "f"), 3),
    (PeerError("timeout", "m", "f"), 4),
    (InputError("spawn_failed", "m", "f"), 4),
    (OurError("spawn_failed", "m", "f"), 4),
    (PeerError("line_too_long", "m", "f"), 4),
    (OurError("unwritable", "m", "f"), 2),
    (OurError("unrecordable", "m", "f"), 3),
    (OurError("lock_timeout", "m", "f"), 3),
    (ValueError("m"), 70),
    (RuntimeError("m"), 70),
    (OSError(errno.EIO, "m"), 70),
]


@pytest.mark.parametrize(("error", "code"), CODES, ids=repr)
def test_the_exit_code_says_whose_fault_it_is(
    error: Exception, code: int, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert diagnostics.exit_code(error) == code
    assert diagnostics.fail(error) == code
    assert diagnostics.fail(error, machine=True) == code
    capsysbinary.readouterr()


def test_a_person_gets_one_line_on_stderr(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    diagnostics.fail(InputError("usage", "What \x1b[2J\nhappened.", "Do \x07this."))
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert err.decode() == "What ␛[2J␊happened. Do ␇this.\n"


SCARCE: list[tuple[Exception, str]] = [
    (OSError(errno.EMFILE, os.strerror(errno.EMFILE)), "too many open files"),
    (OSError(errno.ENOMEM, os.strerror(errno.ENOMEM), "x.py"), "cannot allocate memory"),
    (BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)), "resource temporarily unavailable"),
    (MemoryError(), "out of memory"),
    (RuntimeError("can't start new thread"), "no new thread"),
]


@pytest.mark.parametrize(("error", "short"), SCARCE, ids=repr)
def test_what_the_system_has_no_more_of_is_no_defect(
    error: Exception, short: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert diagnostics.fail(error) == diagnostics.USAGE
    told = capsysbinary.readouterr().err.decode()
    assert told.lower().startswith(f"the system is out of resources: {short}. close something")
    assert told.count("\n") == 1
    assert diagnostics.problem(error)["code"] == "exhausted"


def test_a_current_folder_that_was_removed_is_no_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    error = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    assert diagnostics.fail(error) == diagnostics.DEFECT  # here the folder stands
    capsysbinary.readouterr()
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert diagnostics.fail(error) == diagnostics.USAGE
    assert capsysbinary.readouterr().err == b"The current folder no longer exists. Change to another folder.\n"


def test_a_machine_gets_one_document_on_stdout(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    error = PeerError("timeout", "It is slow.", "Wait.")
    diagnostics.fail(error, machine=True)
    out, err = capsysbinary.readouterr()
    assert err == b""
    assert json.loads(out) == {"error": {"code": "timeout", "message": "It is slow.", "fix": "Wait."}}
    diagnostics.fail(error, machine=True, document=lambda problem: {"frames": [], "error": problem})
    assert json.loads(capsysbinary.readouterr().out) == {"frames": [], "error": diagnostics.problem(error)}


def test_a_machine_is_told_no_more_of_a_foreign_name_than_a_person() -> None:
    told = diagnostics.problem(InputError("usage", "x" * 1_000_000, "y" * 1_000_000))
    assert all(len(told[member]) < limits.SHOWN_CHARS + 40 for member in ("message", "fix"))
    assert told["message"].endswith("... [995,904 more]")


def test_an_unwritable_stdout_is_told_on_stderr(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    diagnostics.fail(OurError("unwritable", "Full.", "Free the disk."), machine=True)
    assert capsysbinary.readouterr() == (b"", b"Full. Free the disk.\n")


@pytest.mark.parametrize("machine", [False, True])
def test_around_a_commands_work(machine: bool, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    with pytest.raises(typer.Exit) as caught, diagnostics.machine(machine, lambda problem: {"shape": 1, "error": problem}):
        raise RefusedError("revoked", "No.", "Ask.")
    assert caught.value.exit_code == 3
    out, err = capsysbinary.readouterr()
    assert (out != b"", err != b"") == (machine, not machine)
    with pytest.raises(typer.Exit) as passed, diagnostics.machine(machine, lambda problem: problem):
        raise typer.Exit(7)
    assert passed.value.exit_code == 7
    with diagnostics.machine(machine, lambda problem: problem):
        pass
    assert capsysbinary.readouterr() == (b"", b"")


def test_errors_carry_their_next_step() -> None:
    assert str(Error("c", "Message.", "Fix.")) == "Message. Fix."
    assert str(Error("c", "Message.", "")) == "Message."


def test_a_defect_ends_its_sentence_before_it_asks() -> None:
    for said in ("division by zero", "division by zero."):
        message = diagnostics.problem(ZeroDivisionError(said))["message"]
        assert message == "cgp-tui has a defect: ZeroDivisionError: division by zero."
