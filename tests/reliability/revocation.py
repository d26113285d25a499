"""Revocations against processes that send as fast as they can: no write may begin or end after a confirmed one returned."""

from __future__ import annotations

import bisect
import subprocess
import sys
import time

from cgp_tui.consent.drafts import policy, revoke_drafts
from cgp_tui.consent.ledger import Ledger
from tests.conftest import ROOT
from tests.reliability.campaign import Figures, Run, folder
from tests.store.ledgers import draft

_RACES, _SENDERS, _LEDGER_RACES = 10_000, 2, 250
_SENDER = """
import os, sys, time
from pathlib import Path
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from tests.consent.people import binding, scoped
gate = Gate(Ledger(Path(sys.argv[1]), Path(sys.argv[2])))
who, needs = binding(), scoped()
null = os.open(os.devnull, os.O_WRONLY)
last = 0
wrote = False
while True:
    with gate.ask(who, needs) as answer:
        if answer.allowed:
            os.write(null, b"payload")
            last = time.monotonic_ns()
            wrote = True
        elif wrote:
            # One line for each grant that ended: when the last write under it was over.
            os.write(1, f"{last}\\n".encode())
            wrote = False
    if not answer.allowed:
        time.sleep(0.0005)
"""


def races(run: Run) -> Figures:
    found, took = Figures(), list[float]()
    left = run.count(_RACES)
    chance = run.random()
    writes = 0
    while left:
        count = min(left, _LEDGER_RACES)
        left -= count
        with folder() as place:
            path, head = place / "data" / "receipts.toml", place / "head"
            ledger = Ledger(path, head)
            ledger.grant([draft("deny")])
            command = [sys.executable, "-c", _SENDER, str(path), str(head)]
            senders = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, bufsize=0) for _ in range(_SENDERS)]
            try:
                spans = [_race(ledger, chance.uniform(0.01, 0.04), took, found) for _ in range(count)]
                time.sleep(0.1)
            finally:
                for sender in senders:
                    sender.kill()
            ends = [int(line) for sender in senders for line in sender.communicate()[0].splitlines()]
            writes += len(ends)
            starts = [began for began, _ in spans]
            for end in ends:
                began, returned = spans[bisect.bisect(starts, end) - 1]
                found.expect(began < end < returned, f"a write ended {end - returned} ns after its revocation returned")
    took.sort()
    p99 = took[int(len(took) * 0.99)] * 1000
    found.more = {
        "senders": str(_SENDERS),
        "times a sender was stopped": str(writes),
        "revoke p50": f"{took[len(took) // 2] * 1000:.1f} ms",
        "revoke p99": f"{p99:.1f} ms",
        "revoke worst": f"{took[-1] * 1000:.1f} ms",
    }
    return found


def _race(ledger: Ledger, wait: float, took: list[float], found: Figures) -> tuple[int, int]:
    """One grant and its revocation: when the grant was begun, and when the revocation had returned, in ns of one clock."""
    granting = time.monotonic_ns()
    receipts = ledger.grant([draft(expires_at="never")])
    time.sleep(wait)
    began = time.monotonic()
    done = ledger.revoke(revoke_drafts(receipts, "docs", (), policy()))
    returned = time.monotonic_ns()
    took.append(time.monotonic() - began)
    found.expect(done.outcome == "confirmed", f"{done.outcome}: {done.detail}")
    # Time for a sender that did not obey to be caught, and for the others to say when they were last at it.
    time.sleep(0.003)
    return granting, returned
