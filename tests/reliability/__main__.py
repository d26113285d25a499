"""`python -m tests.reliability [NAME]... [--tenth] [--seed N]`: campaigns too long for the tests, with their figures.

Exit 1 where one case of one of them was bad; the seed that is printed repeats a run.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Callable

from tests.reliability import (
    canaries,
    crash,
    disk,
    evidence,
    gate,
    kills,
    mutation,
    processes,
    readers,
    recording,
    revocation,
    writers,
)
from tests.reliability.campaign import FULL, TENTH, Figures, Run

CAMPAIGNS: dict[str, Callable[[Run], Figures]] = {
    "mutation": mutation.bytes_and_records,
    "crash": crash.every_moment,
    "gate": gate.against_the_second_reading,
    "kills": kills.at_every_step,
    "disk": disk.faults,
    "recording": recording.full,
    "evidence": evidence.agreement,
    "readers": readers.agree,
    "canaries": canaries.kept,
    "writers": writers.killed,
    "processes": processes.hostile,
    "revocation": revocation.races,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CAMPAIGNS))
    parser.add_argument("--tenth", action="store_true", help="a tenth of the full size")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in CAMPAIGNS]
    if unknown:
        parser.error(f"no campaign {', '.join(unknown)}; there are {', '.join(CAMPAIGNS)}")
    run = Run(TENTH if asked.tenth else FULL, asked.seed)
    bad = 0
    for name in asked.names or CAMPAIGNS:
        began = time.monotonic()
        found = CAMPAIGNS[name](run)
        more = "; ".join(f"{what}: {said}" for what, said in found.more.items())
        seconds = time.monotonic() - began
        print(f"{name}: {found.tried:,} tried, {len(found.bad)} bad, {seconds:.0f} s, seed {run.seed}; {more}", flush=True)
        for case in found.bad[:20]:
            print(f"  {case}", flush=True)
        bad += len(found.bad)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
