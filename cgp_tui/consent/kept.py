"""Heads that were kept elsewhere: whether the ledger still holds what each of them remembers.

An older ledger that was restored together with its head, or a rewritten one, does not match such a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from cgp_tui.consent.archive import Volume
from cgp_tui.wire.note import LedgerMark

_LINE: Final = re.compile(r"^([0-9a-f]{32}) (0|[1-9][0-9]{0,15}) ([0-9a-f]{64})\r?$", re.MULTILINE | re.ASCII)


class Kept(msgspec.Struct, frozen=True):
    """One head that was kept, and `why` it does not match, empty where it does."""

    mark: LedgerMark
    why: str = ""


def marks_in(text: str) -> tuple[LedgerMark, ...]:
    """The heads in a text, one a line as `consent head` prints it: `ID NUMBER HASH`. Other lines are skipped."""
    return tuple(LedgerMark(found[1], int(found[2]), found[3]) for found in _LINE.finditer(text))


def held(volumes: Iterable[Volume], marks: Sequence[LedgerMark]) -> tuple[Kept, ...]:
    """Compare each head with the ledger of its id, among the one in force here and those set aside."""
    by_id = {volume.ledger_id: volume for volume in volumes}
    return tuple(Kept(mark, _against(by_id.get(mark.id), mark)) for mark in marks)


def _against(volume: Volume | None, mark: LedgerMark) -> str:
    if volume is None:
        return "it is of another ledger than the one here and those that were set aside"
    if volume.agrees(mark):
        return ""
    return "the ledger no longer has it" if mark.seq > len(volume.receipts) else "another record is there"
