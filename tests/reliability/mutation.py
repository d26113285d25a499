"""Every byte of an acknowledged ledger replaced by every other value; every cut, swap, deletion and doubling of records."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, pairwise

from cgp_tui.consent.receipt import Receipt, parse
from cgp_tui.store import chain
from cgp_tui.store.head import Head
from cgp_tui.store.states import judge
from tests.reliability.campaign import FULL, Figures, Run
from tests.store.ledgers import blocks, draft, six

_RECORDS = 20
_SHORT = 1_700_000
"""Of this many changes of a byte a smaller run does its share."""

_SHUT = {"tampered", "damaged", "shortened", "forked", "newer_format"}
"""States in which nothing leaves and nothing is mended without a person."""


def bytes_and_records(run: Run) -> Figures:
    found = Figures()
    data, records, heads = blocks([*six(), *(draft(note=str(number)) for number in range(_RECORDS - 6))])
    head = heads[-1]
    chance = run.random()
    # What a record's text says does not depend on the bytes that follow it, and most records are as they were.
    kept = lru_cache(maxsize=4 * _RECORDS)(parse)

    def remembered(text: str, seq: int, prev: str, start: int, end: int) -> Receipt:
        return kept(text[start:end], seq, prev, 0, end - start)

    def judged(changed: bytes, case: str) -> None:
        read = chain.read(changed, remembered)
        state, _ = judge(read, head, True, len(changed)) if read.header else ("tampered", "")
        whole = list(read.records) == records[: len(read.records)]
        found.expect(state in _SHUT and whole, f"{case}: {state}")

    judged_good = chain.read(data, parse)
    assert judge(judged_good, head, True, len(data))[0] == "ok"
    values = 255 if run.share == FULL else round(run.count(_SHORT) / len(data))
    for at, old in enumerate(data):
        for value in chance.sample([one for one in range(256) if one != old], values):
            judged(data[:at] + bytes([value]) + data[at + 1 :], f"byte {at} {old:#x} to {value:#x}")
    for size in range(len(data)):
        judged(data[:size], f"cut at {size}")
    pieces = [data[one.size : two.size] for one, two in pairwise([Head(head.ledger_id, 0, 0, ""), *heads])]
    for one, two in combinations(range(len(pieces)), 2):
        swapped = list(pieces)
        swapped[one], swapped[two] = swapped[two], swapped[one]
        judged(b"".join(swapped), f"blocks {one} and {two} swapped")
    for at in range(len(pieces)):
        judged(b"".join(pieces[:at] + pieces[at + 1 :]), f"block {at} removed")
        if at < len(pieces) - 1:
            judged(b"".join([*pieces[:at], pieces[at], *pieces[at:]]), f"block {at} doubled")
    found.more["ledger"] = f"{_RECORDS} records, {len(data)} bytes, {values} values a byte"
    return found
