"""Run the benchmarks named, or all, and print a row for each ratio."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from tests.benchmarks import check, crypto, gigabyte, ledger, live, long, roundtrip, rows, starts, transcript
from tests.benchmarks.measure import Row

BENCHMARKS: dict[str, Callable[[], Iterator[Row]]] = {
    "help": starts.help_text,
    "paint": starts.first_paint,
    "analysis": transcript.whole,
    "check": check.throughput,
    "crypto": crypto.whole,
    "ledger": ledger.appends,
    "grant": ledger.grants,
    "open": ledger.opening,
    "gate": ledger.sending,
    "revoke": ledger.answering,
    "live": live.growing,
    "rows": rows.million,
    "long": long.beside,
    "gigabyte": gigabyte.opened,
    "query": roundtrip.queries,
}


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    print(f"{'what':<62}{'ours ms':>10}{'floor ms':>10}{'ratio':>8}{'target':>8}")
    for name in names or BENCHMARKS:
        for row in BENCHMARKS[name]():
            target = "-" if row.target is None else f"{row.target:.3g}"
            late = " over" if row.target is not None and row.ratio > row.target else ""
            times = f"{row.ours * 1000:>10.2f}{row.floor * 1000:>10.2f}{row.ratio:>8.2f}{target:>8}"
            print(f"{row.what:<62}{times}{late}{'  ' + row.note if row.note else ''}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
