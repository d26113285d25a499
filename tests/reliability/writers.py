"""Many processes that add records at once, one of them killed every 50 ms."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from pathlib import Path

from cgp_tui.consent.ledger import Ledger
from tests.reliability.calls import forked
from tests.reliability.campaign import Figures, Run, folder
from tests.store.ledgers import draft

_WRITERS, _EACH = 32, 500


def killed(run: Run) -> Figures:
    found, chance = Figures(), run.random()
    with folder() as place:
        path, head = place / "data" / "receipts.toml", place / "head"
        ledger = Ledger(path, head)
        ledger.grant([draft()])
        told: dict[str, int] = {}
        left = {name: run.count(_EACH) for name in range(_WRITERS)}
        running: dict[int, tuple[int, Path]] = {}
        kills = starts = 0
        while left or running:
            for name, count in list(left.items()):
                if name not in running:
                    out = place / f"{name}.{starts}"
                    out.touch()
                    running[name] = (forked(partial(_write, ledger, count, str(name), out)), out)
                    starts += 1
            time.sleep(0.05)
            victim = chance.choice(list(running))
            os.kill(running[victim][0], signal.SIGKILL)
            kills += 1
            for name, (pid, out) in list(running.items()):
                if os.waitpid(pid, os.WNOHANG) == (0, 0):
                    continue
                lines = [line.split() for line in out.read_text().splitlines(keepends=True) if line.endswith("\n")]
                told |= {words[0]: int(words[1]) for words in lines}
                left[name] = left[name] - len(lines)
                if left[name] <= 0:
                    del left[name]
                del running[name]
        opened = ledger.settle()
        there = {receipt.receipt_id: receipt.seq for receipt in opened.receipts}
        for receipt_id, seq in told.items():
            found.expect(there.get(receipt_id) == seq, f"record {seq} was acknowledged and is gone")
        found.expect(opened.state == "ok", f"the ledger is {opened.state}: {opened.detail}")
        extra = sum(receipt.kind == "spend" for receipt in opened.receipts) - len(told)
        found.expect(0 <= extra <= kills, f"{extra} records that nobody was told of, {kills} kills")
        found.more = {"writers": str(_WRITERS), "acknowledged": str(len(told)), "kills": str(kills), "starts": str(starts)}
    return found


def _write(ledger: Ledger, count: int, name: str, out: Path) -> None:
    """Add so many records, and tell of each when it is acknowledged. In a process of its own."""
    told = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for _ in range(count):
        (receipt,) = ledger.spend([draft("spend", acts_on="ab" * 16, note=name)], patience=120)
        os.write(told, f"{receipt.receipt_id} {receipt.seq}\n".encode())
