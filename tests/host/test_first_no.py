"""The first no of all, while a host stands between the gate's yes and its write: nobody says more than can be known."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cgp_tui.consent.drafts import no_draft, policy
from cgp_tui.consent.ledger import Ledger, Revoked
from tests.host.bench import PATIENCE, target

ROOT = Path(__file__).resolve().parent.parent.parent

HOST = """
import asyncio, os, signal, sys
from pathlib import Path
from cgp_tui.consent.ledger import Ledger
from cgp_tui.host import Host, HostError
from tests.host.bench import PATIENT, ask, target

write = os.write

def held(descriptor, data):
    if not isinstance(data, memoryview) or b"secret" not in bytes(data):
        return write(descriptor, data)
    os.kill(os.getpid(), signal.SIGSTOP)
    count = write(descriptor, data)
    write(1, b"wrote\\n")
    return count

async def main():
    async with Host(Ledger(Path(sys.argv[1]), Path(sys.argv[1] + ".head")), limits=PATIENT) as host:
        await host.connect(target("local"), "local")
        os.write = held
        try:
            await host.query("local", ask("secret"))
        except HostError:
            pass

asyncio.run(main())
"""


class Other:
    """A host in a process of its own, stopped on the way from the gate's yes to the write of a payload that needs none."""

    def __init__(self, ledger: Path) -> None:
        command = [sys.executable, "-c", HOST, str(ledger)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        self.pid = self.process.pid

    def wait_until_stopped(self) -> None:
        end = time.monotonic() + PATIENCE
        while Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            assert time.monotonic() < end
            time.sleep(0.005)

    def go_on(self) -> bool:
        """Whether it wrote in the end what it had been let through with."""
        os.kill(self.pid, signal.SIGCONT)
        return self.process.communicate()[0] == b"wrote\n"


@contextmanager
def other(ledger: Path) -> Iterator[Other]:
    made = Other(ledger)
    try:
        made.wait_until_stopped()
        yield made
    finally:
        made.process.kill()
        made.process.wait()


def say_no(path: Path) -> Revoked:
    ledger = Ledger(path, path.with_name(path.name + ".head"))
    return ledger.deny([no_draft("local", target("local"), None, policy())], 0.2)


pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="whether a process is stopped is read in /proc")


def test_a_first_no_waits_for_what_began_without_a_ledger(tmp_path: Path) -> None:
    ledger = tmp_path / "receipts.toml"
    with other(ledger) as host:
        done = say_no(ledger)
        assert (done.outcome, done.pids) == ("not_confirmed", (host.pid,))
        assert host.go_on(), "it had been let through before"
        assert say_no(ledger).outcome == "confirmed"


def test_nor_does_it_forget_who_began_when_there_was_no_folder_for_a_lock(tmp_path: Path) -> None:
    ledger = tmp_path / "data" / "receipts.toml"
    with other(ledger) as host:
        assert not ledger.parent.exists(), "nothing is made for it"
        for _ in range(2):
            done = say_no(ledger)
            assert (done.outcome, done.pids) == ("not_confirmed", (host.pid,))
            assert done.detail == f"What was begun before is still being sent by process {host.pid}."
        assert host.go_on(), "it had been let through before"
        assert say_no(ledger).outcome == "confirmed"


def _remove_the_locks(folder: Path) -> None:
    for lock in folder.glob("*.lock"):
        lock.unlink()


def _put_a_copy_in_its_place(folder: Path) -> None:
    shutil.copytree(folder.rename(folder.with_name("moved")), folder)


def test_a_lock_that_is_gone_from_its_place_hides_nobody(tmp_path: Path) -> None:
    """Whoever opens the next file of that name gets a lock on it at once."""
    ledger = tmp_path / "data" / "receipts.toml"
    some_record = no_draft("other", target("other"), None, policy())
    assert Ledger(ledger, ledger.with_name(ledger.name + ".head")).deny([some_record]).outcome == "confirmed"
    with other(ledger) as host:
        for hide in (_remove_the_locks, _put_a_copy_in_its_place):
            hide(ledger.parent)
            done = say_no(ledger)
            assert (done.outcome, done.pids) == ("not_confirmed", (host.pid,)), hide
        assert host.go_on(), "it had been let through before"
        assert say_no(ledger).outcome == "confirmed"
