"""What is done stands, and is told, though stdout cannot be written: by every command that changes something."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO
from unittest import mock

import pytest

from cgp_tui.cli import output
from cgp_tui.cli.main import main
from cgp_tui.consent.ledger import Ledger
from cgp_tui.store import files, locks
from tests.cli.desk import SPOIL, Desk
from tests.cli.test_proof import PEM
from tests.cli.test_trust import ADD, KEY, PRINT

STANDS = "The output was cut short, but this was done:\n"


def nothing(desk: Desk) -> None:
    """As the desk is."""


def granted(desk: Desk) -> None:
    assert desk.run("grant", "--scope", "third-party-index", "--id", "docs").returncode == 0


def torn(desk: Desk) -> None:
    granted(desk)
    with desk.path.open("ab") as file:
        file.write(b"\n[[receipt]]\nform")


def tampered(desk: Desk) -> None:
    granted(desk)
    SPOIL["tampered"](desk)


def trusted(desk: Desk) -> None:
    with at(desk, None):
        assert main(["trust", "add", KEY.hex(), *ADD, "--json"]) == 0


def configured(desk: Desk) -> None:
    with at(desk, None):
        assert main(["providers", "add", "docs", "--project", "--json", "--", "true"]) == 0


def key_file(desk: Desk) -> str:
    return written(desk, "key.pem", PEM)


def foreign_store(desk: Desk) -> str:
    return written(desk, "store.json", '{"records": {}, "receipts": [{"provider_id": "docs", "scope": "acme:store"}]}')


def policy(desk: Desk) -> str:
    return written(
        desk, "policy.toml", f'name = "team"\n[[grant]]\nid = "docs"\nscope = ["acme:store"]\ncommand = {desk.command!r}\n'
    )


def digest(desk: Desk) -> str:
    return hashlib.sha256(desk.script.with_name("cgp-tui.toml").read_bytes()).hexdigest()


def written(desk: Desk, name: str, text: str) -> str:
    path = desk.script.with_name(name)
    path.write_text(text)
    return str(path)


Word = str | Callable[[Desk], str]

ACTS: list[tuple[Callable[[Desk], None], list[Word], str]] = [
    (
        nothing,
        ["consent", "grant", "--scope", "acme:store", "--id", "docs", "--", "CMD"],
        "Granted acme:store to docs until ",
    ),
    (nothing, ["consent", "grant", "--policy", policy], "Granted acme:store to docs until "),
    (nothing, ["consent", "deny", "--id", "docs", "--", "CMD"], "Confirmed: no more leaves."),
    (granted, ["consent", "revoke", "--id", "docs"], "Confirmed: no more leaves."),
    (granted, ["consent", "revoke", "--all"], "Confirmed: no more leaves."),
    (tampered, ["consent", "revoke", "--all"], "Emergency stop: nothing leaves until `cgp-tui consent recover`."),
    (torn, ["consent", "recover"], "Repaired: what was acknowledged is unchanged."),
    (granted, ["consent", "head", "--sign", key_file], "Signed, on record as #2."),
    (nothing, ["consent", "import", foreign_store], "The prompt of the app is filled in for: docs."),
    (nothing, ["trust", "add", KEY.hex(), *ADD], "Ada is trusted for docs, on record as #1."),
    (trusted, ["trust", "remove", PRINT], "Ada is no longer trusted, on record as #2."),
    (nothing, ["providers", "add", "docs", "--", "CMD"], "Added docs to "),
    (configured, ["providers", "remove", "docs", "--project"], "Removed docs from "),
    (configured, ["providers", "trust", "--sha256", digest], "Trusted as it is: "),
]


@contextlib.contextmanager
def at(desk: Desk, stdout: TextIO | None) -> Iterator[io.TextIOWrapper]:
    """In the desk's own folder and environment, with this stdout, None for one that takes everything; what is said on
    stderr."""
    environment = desk.environment | {"CGP_TUI_CONFIG": str(desk.script.with_name("config"))}
    with contextlib.ExitStack() as stack:
        out = stdout or stack.enter_context(Path(os.devnull).open("w"))
        err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        stack.enter_context(mock.patch.dict(os.environ, environment, clear=True))
        stack.enter_context(contextlib.chdir(desk.script.parent))
        stack.enter_context(mock.patch.object(sys, "stdin", stack.enter_context(Path(os.devnull).open())))
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        yield err


def said_on(stderr: io.TextIOWrapper) -> str:
    buffer = stderr.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@contextlib.contextmanager
def full() -> Iterator[TextIO]:
    """A disk that is full."""
    with Path("/dev/full").open("w", encoding="utf-8") as file:
        yield file


@contextlib.contextmanager
def closed() -> Iterator[TextIO]:
    """A pipe whose reader is gone."""
    theirs, ours = os.pipe()
    os.close(theirs)
    with os.fdopen(ours, "w", encoding="utf-8") as file:
        yield file


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(("way", "more", "code"), [(full, [], 2), (closed, ["--json"], output.CLOSED_PIPE)])
@pytest.mark.parametrize(("before", "words", "line"), ACTS)
def test_what_is_done_is_told_on_stderr(
    way: Callable[[], contextlib.AbstractContextManager[TextIO]],
    more: list[str],
    code: int,
    before: Callable[[Desk], None],
    words: list[Word],
    line: str,
    desk: Desk,
) -> None:
    before(desk)
    made = [word(desk) if callable(word) else word for word in words]
    cmd = made.index("--") if "--" in made else len(made)
    with way() as stdout, at(desk, stdout) as stderr:
        try:
            ended: object = main([*made[:cmd], *more, *(["--", *desk.command] if "--" in made else [])])
        except SystemExit as error:
            ended = error.code
    said = said_on(stderr)
    assert ended == code
    assert said.count(STANDS) == 1
    assert line in said.split(STANDS)[1]


@pytest.mark.parametrize(
    ("before", "words", "line"),
    [act for act in ACTS if act[0] is not tampered and set(act[1]).isdisjoint({"import", "providers"})],
)
def test_an_interruption_while_it_is_done_counts_when_it_is_told(
    before: Callable[[Desk], None], words: list[Word], line: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a person would take for broken off what is on record, or is adopted as such by whoever writes next."""
    before(desk)
    made = [word(desk) if callable(word) else word for word in words]
    cmd = made.index("--") if "--" in made else len(made)
    sync, come = files.sync, list[int]()

    def interrupted(fd: int, *, data_only: bool = False) -> None:
        if not come and desk.path.exists() and os.path.samestat(os.fstat(fd), desk.path.stat()):
            come.append(fd)
            signal.raise_signal(signal.SIGINT)
        sync(fd, data_only=data_only)

    monkeypatch.setattr(files, "sync", interrupted)
    with at(desk, None) as stderr:
        assert main([*made[:cmd], *(["--", *desk.command] if "--" in made else [])]) == 130
    assert come
    assert line in said_on(stderr).split(STANDS)[1]
    assert desk.ledger().open().state == "ok"
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_what_was_not_done_is_not_said_to_stand(desk: Desk) -> None:
    granted(desk)
    for words in (["recover"], ["head"], ["revoke", "--id", "nobody"], ["list"]):
        with full() as stdout, at(desk, stdout) as stderr:
            assert main(["consent", *words]) == 2
        assert "stands" not in said_on(stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_no_that_is_not_sure_is_told_with_what_to_do(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    granted(desk)
    monkeypatch.setattr(Ledger.revoke, "__defaults__", (0.01, None))
    with locks.take(desk.ledger().send_lock, shared=True, patience=5), full() as stdout, at(desk, stdout) as stderr:
        assert main(["consent", "revoke", "--all"]) == 2
    said = stderr.buffer.getvalue().decode().split(STANDS)[1]  # type: ignore[attr-defined]
    assert f"Recorded, not confirmed: PID {os.getpid()}." in said
    assert "End that process: what was begun may still leave." in said
