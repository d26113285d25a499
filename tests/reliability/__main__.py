"""`python -m tests.reliability [NAME]... [--tenth] [--jobs N] [--seed N]`: campaigns too long for the tests.

Each prints its figures; exit 1 where one case of one of them was bad; the seed that is printed repeats a run.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

from tests.reliability import (
    canaries,
    caps,
    crash,
    disk,
    evidence,
    gate,
    keys,
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
    "keys": keys.pressed,
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
    "caps": caps.of_any_size,
    "revocation": revocation.races,
}
"""The longest comes first: where several run at once, none is left to run alone at the end."""


TIMED = ("revocation",)
"""Campaigns that measure times, and so run with nothing beside them."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CAMPAIGNS))
    parser.add_argument("--tenth", action="store_true", help="a tenth of the full size")
    parser.add_argument("--jobs", type=int, default=1, help="how many run at once")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in CAMPAIGNS]
    if unknown:
        parser.error(f"no campaign {', '.join(unknown)}; there are {', '.join(CAMPAIGNS)}")
    run = Run(TENTH if asked.tenth else FULL, asked.seed)
    names = asked.names or list(CAMPAIGNS)
    if asked.jobs == 1:
        return max([_run(name, run) for name in names])
    with ProcessPoolExecutor(asked.jobs) as pool:
        ends = list(pool.map(_run, *zip(*((name, run) for name in names if name not in TIMED), strict=True)))
    return max([*ends, *(_run(name, run) for name in names if name in TIMED)])


def _run(name: str, run: Run) -> int:
    """One campaign, its figures on stdout; 1 where a case was bad."""
    began = time.monotonic()
    found = CAMPAIGNS[name](run)
    more = "; ".join(f"{what}: {said}" for what, said in found.more.items())
    line = f"{name}: {found.tried:,} tried, {len(found.bad)} bad, {time.monotonic() - began:.0f} s, seed {run.seed}; {more}"
    print("\n".join([line, *(f"  {case}" for case in found.bad[:20])]), flush=True)
    return 1 if found.bad else 0


if __name__ == "__main__":
    sys.exit(main())
