"""Many processes that add records at once, one of them killed every 50 ms."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from cgp_tui.consent.ledger import Ledger
from tests.conftest import ROOT
from tests.reliability.campaign import Figures, Run, folder
from tests.store.ledgers import draft

_WRITERS, _EACH = 32, 500
_WRITER = """
import os, sys
from pathlib import Path
from cgp_tui.consent.ledger import Ledger
from tests.store.ledgers import draft
ledger = Ledger(Path(sys.argv[1]), Path(sys.argv[2]))
for number in range(int(sys.argv[3])):
    (receipt,) = ledger.spend([draft("spend", acts_on="ab" * 16, note=sys.argv[4])], patience=120)
    os.write(1, f"{receipt.receipt_id} {receipt.seq}\\n".encode())
"""


def killed(run: Run) -> Figures:
    found, chance = Figures(), run.random()
    with folder() as place:
        path, head = place / "data" / "receipts.toml", place / "head"
        ledger = Ledger(path, head)
        ledger.grant([draft()])
        told: dict[str, int] = {}
        left = {name: run.count(_EACH) for name in range(_WRITERS)}
        running: dict[int, tuple[subprocess.Popen[bytes], Path]] = {}
        kills = starts = 0
        while left or running:
            for name, count in list(left.items()):
                if name not in running and len(running) < _WRITERS:
                    out = place / f"{name}.{starts}"
                    running[name] = (_start(path, head, count, name, out), out)
                    starts += 1
            time.sleep(0.05)
            alive = [name for name, (process, _) in running.items() if process.poll() is None]
            # As many kills as leave time to get anywhere: the start of a process takes longer than 50 ms.
            if alive and any(out.stat().st_size for _, out in running.values()):
                running[chance.choice(alive)][0].send_signal(signal.SIGKILL)
                kills += 1
            for name, (process, out) in list(running.items()):
                if process.poll() is None:
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


def _start(path: Path, head: Path, count: int, name: int, out: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _WRITER, str(path), str(head), str(count), str(name)]
    with out.open("wb") as file:
        return subprocess.Popen(command, cwd=ROOT, stdout=file, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
