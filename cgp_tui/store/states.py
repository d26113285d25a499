"""The state of a log: what its blocks, its head and its size say together."""

from __future__ import annotations

from typing import Any, Final, Literal

from cgp_tui.store.chain import BLOCK_BYTES, Break, Chain
from cgp_tui.store.head import Head

NotWhole = Literal[
    "fresh",
    "head_missing",
    "head_damaged",
    "shortened",
    "damaged",
    "forked",
    "tampered",
    "torn",
    "adopt",
    "newer_format",
    "store_unsafe",
]
"""`fresh`: nothing was ever recorded. `torn`: a record was cut off while being written. `adopt`: whole records that the head
does not cover yet. All others: the file is not what was acknowledged, or not safe to use."""

State = Literal["ok", NotWhole]
"""`ok`: the head covers all of it."""

MENDABLE: Final[frozenset[State]] = frozenset({"torn", "adopt"})
"""States that a writer mends before it writes, without losing anything that was acknowledged."""

_IN_WORDS: Final = {
    "head_missing": "has no head",
    "head_damaged": "has no whole head",
    "newer_format": "is of a newer format",
    "store_unsafe": "is not safe to use",
    "lock_timeout": "is locked by another process",
    "clock_behind": "is ahead of the clock",
    "adopt": "holds more than its head covers",
}

_REMEMBERS: Final = "Its head remembers record"


def in_words(state: str) -> str:
    """A state in words that continue a sentence after "The ledger"."""
    return f"{_IN_WORDS[state]} ({state})" if state in _IN_WORDS else f"is {state}"


def where(fault: Break) -> str:
    """Where reading stopped and why, for a person."""
    return f"Record {fault.record}, byte {fault.byte}: {fault.why}. Found: {fault.found!r}."


def judge(read: Chain[Any], remembered: Head | None, there: bool, size: int) -> tuple[State, str]:
    """The state of a file of `size` bytes with a first block, and what is wrong with it where. `read` are its blocks as far
    as they hold together, `there` says whether there is a head at all."""
    fault, last = read.fault, read.last
    if not there:
        if last == 0 and fault is None:
            return "fresh", "Nothing is recorded yet."
        return "head_missing", f"It holds {last} whole records; what it held when it was last written is not known."
    if remembered is None:
        return "head_damaged", "No slot of its head is whole."
    if read.header is None or remembered.ledger_id != read.header.ledger_id:
        return "forked", f"Its head is that of another ledger, {remembered.ledger_id}."
    if fault is not None and fault.chained:
        return ("newer_format" if fault.newer else "tampered"), where(fault)
    if last < remembered.seq:
        gone = f"{_REMEMBERS} {remembered.seq}, the file ends with record {last}, at byte {read.good}."
        if fault is None:
            return "shortened", gone
        broken = fault.whole or size >= remembered.size
        return ("tampered" if broken else "damaged"), f"{where(fault)} {gone}"
    if read.hashes[remembered.seq] != remembered.hash or read.ends[remembered.seq] != remembered.size:
        return "forked", f"Record {remembered.seq}, byte {read.ends[remembered.seq]}: it is not the one its head remembers."
    if fault is not None and fault.rival:
        # It may have been acknowledged too, before the head was overwritten, so nothing of it is cut.
        return "forked", where(fault)
    if fault is None and size > read.good:
        return (
            "damaged",
            f"{_REMEMBERS} {remembered.seq}; {size - read.good:,} bytes follow record {last} and were not read.",
        )
    if fault is not None:
        rest = size - read.good
        detail = f"{where(fault)} {rest} bytes follow the last whole record."
        return ("torn" if rest <= BLOCK_BYTES else "damaged"), detail
    if last > remembered.seq:
        return (
            "adopt",
            f"{_REMEMBERS} {remembered.seq}, the file holds {last}: {last - remembered.seq} not acknowledged yet.",
        )
    return "ok", ""
