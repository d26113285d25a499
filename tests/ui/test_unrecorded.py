"""A withdrawal that no disk takes: the person is told so in capitals with the next step, and nothing more is sent from here,
not even by the connection that a restart makes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from cgp_tui.consent import drafts
from cgp_tui.consent.drafts import Terms
from cgp_tui.consent.receipt import Draft
from cgp_tui.ui.screens.confirm import ConfirmScreen
from cgp_tui.ui.screens.consent import ConsentScreen
from cgp_tui.ui.screens.reader import Reader
from tests.conftest import ROOT
from tests.terminal import Terminal
from tests.ui.sessions import PROVIDER, WHY, Stage, armed, plan, session
from tests.ui.test_endings import environment, records
from tests.ui.test_intruder import as_nobody

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="disks and users are Linux's here")

UNTIL = "2031-01-01T00:00:00Z"


@contextmanager
def a_full_disk(ledger: Path) -> Iterator[None]:
    """No file may become longer than the ledger is; that is the longest one."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ledger.stat().st_size + 10, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def a_changed_byte(ledger: Path) -> Iterator[None]:
    ledger.write_bytes(ledger.read_bytes().replace(b"2031", b"2039"))
    yield


@contextmanager
def another_file(ledger: Path) -> Iterator[None]:
    ledger.write_bytes(b"no ledger")
    yield


async def granted(stage: Stage) -> None:
    """A grant that was used, in a ledger with a past."""
    await stage.until(stage.live.deciding.cases)
    for number in range(40):
        stage.ledger.deny([Draft(kind="deny", provider_id=f"other-{number}", basis="boolean", grantor=drafts.human())])
    (case,) = stage.live.deciding.cases()
    needs = [one.need for one in case.needs]
    assert (await stage.live.deciding.grant(case, stage.live.deciding.drafts(case, needs, UNTIL, Terms()))).good
    stage.live.send(WHY, ["far"])
    await stage.until(lambda: len(stage.lines("query")) == 1 and stage.lines("frames"))


async def asks_again(stage: Stage) -> None:
    """The provider is started anew, and asked; the gate says no."""
    await stage.live.act("session.restart", None)
    await stage.until(lambda: len(stage.notes("connect")) == 2)
    await stage.until_ready()
    stage.live.send(WHY, ["far"])
    await stage.until(lambda: [note["allowed"] for note in stage.notes("gate")] == [True, False])


@pytest.mark.parametrize("cause", [a_full_disk, a_changed_byte, another_file])
async def test_what_a_disk_does_not_take_stops_everybody(
    tmp_path: Path, cause: Callable[[Path], AbstractContextManager[None]]
) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await granted(stage)
        await stage.pilot.press("c")
        await stage.until(lambda: isinstance(stage.app.screen, ConsentScreen) and stage.app.screen.needs.item)
        with cause(stage.ledger.path):
            await stage.pilot.press("x")
            await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
            await stage.pilot.press("enter")
            await stage.until(lambda: isinstance(stage.app.screen, Reader))
            await stage.until(lambda: "✗ Emergency stop: nothing leaves until `cgp-tui consent recover`." in stage.screen)
            assert "next        cgp-tui consent recover" in stage.screen
            await stage.until(lambda: stage.notes("exit"))
            await asks_again(stage)
        assert len(stage.lines("query")) == 1


def test_a_ledger_that_became_read_only_stops_this_process_for_good(tmp_path: Path) -> None:
    book, log = tmp_path / "book", tmp_path / "heard"
    book.mkdir(mode=0o700)
    ours = [
        "--ledger",
        str(book / "receipts.toml"),
        "--head",
        str(book / "head"),
        "--record",
        str(tmp_path / "session.ndjson"),
    ]
    # By way of a shell: whether this interpreter may be run is asked of the user's rights alone.
    start = f'exec "{sys.executable}" -I -S "{PROVIDER}" egress "log={log}"'
    command = [sys.executable, "-m", "cgp_tui", "inspect", "--id", "far", *ours, "--", "/bin/sh", "-c", start]
    env = {**environment(tmp_path), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    with Terminal(as_nobody(tmp_path, command), 40, 120, env=env, cwd=tmp_path) as screen:
        screen.wait("waits for your consent")
        screen.press("c")
        screen.wait("not decided")
        screen.press("\r")
        screen.wait("receive your queries?")
        armed(screen)
        screen.press(*["\x1b[6~"] * 3, "\t", "\r")
        screen.wait("Granted until")
        for path in book.iterdir():
            path.chmod(0o400)
        book.chmod(0o500)
        try:
            screen.press("x")
            screen.wait("Revoke, whatever it was granted for")
            screen.press("\r")
            screen.wait("NOT RECORDED, only this process stopped.")
            screen.wait("next        End every program that uses this ledger, then revoke again.")
            screen.press("\x1b")
            screen.wait("✗ NOT RECORDED")
            screen.press("\x1b", "R")
            screen.wait("far gets nothing: the gate is shut.")
            screen.press("a", *"why", "\r")
            screen.wait("1 need: unrecordable")
            assert '"query"' not in log.read_text()
        finally:
            book.chmod(0o700)
        for path in book.iterdir():
            path.chmod(0o600)
        screen.press("X")
        screen.wait("Revoke everything, from every provider?")
        screen.press("\r")
        screen.wait("Revoked, all of it. Confirmed: no more leaves.")
    gates = [record for record in records(tmp_path) if record.get("note") == "gate"]
    assert [note["allowed"] for note in gates] == [False]
    assert '"query"' not in log.read_text() and log.stat().st_size
