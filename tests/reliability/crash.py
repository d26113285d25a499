"""A machine that stops at any moment of an append: every byte of the record and of the head's slot, whatever of it the
disk had kept, and what the next start makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cgp_tui.consent.ledger import Ledger
from cgp_tui.store import files
from cgp_tui.store import head as heads_of
from tests.consent.people import Clock
from tests.reliability.campaign import Figures, Run, folder
from tests.store.ledgers import START, blocks, draft, six

_SECTOR = 512
_DRAFTS = [*six(), draft("spend", acts_on=f"{1:032x}")]


def every_moment(run: Run) -> Figures:
    found = Figures()
    data, _, heads = blocks(_DRAFTS)
    step = round(1 / run.share)
    with folder() as place:
        found.more["order of calls"] = _order(place)
        for number in range(1, len(_DRAFTS) + 1):
            before, after = heads[number - 1], heads[number]
            kept = data[: before.size]
            block = data[before.size : after.size]
            old = _slots(heads[max(0, number - 2)], before)
            for name, file, slots in _moments(kept, block, old, heads_of.slot(after), number, step):
                _start_again(place, file, slots, number, data, f"record {number}, {name}", found)
    return found


def _slots(older: heads_of.Head, newer: heads_of.Head) -> bytes:
    made = bytearray(b"#" * 2 * _SECTOR)
    for one in (older, newer):
        at = _SECTOR * (one.seq % 2)
        made[at : at + _SECTOR] = heads_of.slot(one)
    return bytes(made)


def _moments(
    kept: bytes, block: bytes, old: bytes, slot: bytes, number: int, step: int
) -> Iterator[tuple[str, bytes, bytes]]:
    """What may be on the disk: a part of the record with the old head, then the record with a part of the new slot."""
    for size in range(0, len(block) + 1, step):
        yield f"{size} bytes written", kept + block[:size], old
        # Not synced yet: the size is on the disk, and of the sectors only some.
        yield f"{size} bytes as zeros", kept + bytes(size), old
        lost = bytearray(block[:size])
        lost[: _SECTOR - len(kept) % _SECTOR] = bytes(len(lost[: _SECTOR - len(kept) % _SECTOR]))
        yield f"{size} bytes, first sector lost", kept + bytes(lost), old
    at = _SECTOR * (number % 2)
    for size in range(0, _SECTOR + 1, step):
        for fill in (old[at + size : at + _SECTOR], bytes(_SECTOR - size)):
            yield f"{size} bytes of the slot", kept + block, old[:at] + slot[:size] + fill + old[at + _SECTOR :]


def _start_again(place: Path, file: bytes, slots: bytes, number: int, data: bytes, case: str, found: Figures) -> None:
    path, head = place / "data" / "receipts.toml", place / "heads" / "head"
    for target, content in ((path, file), (head, slots)):
        target.parent.mkdir(mode=0o700, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o600)
    acknowledged, _, _ = blocks(_DRAFTS[: number - 1])
    opened = Ledger(path, head, Clock(START + 1000)).settle()
    written = path.read_bytes()
    kinds = [receipt.kind for receipt in opened.receipts[number - 1 :]]
    written_kind = _DRAFTS[number - 1].kind
    fits = kinds in ([], ["recover"], [written_kind], [written_kind, "recover"])
    found.expect(opened.state == "ok" and written.startswith(acknowledged) and fits, f"{case}: {opened.state} {kinds}")
    # Nothing but the record that was being written may have come to the acknowledged ones.
    rest = written[len(acknowledged) :]
    whole = data[len(acknowledged) :]
    found.expect(not rest or whole.startswith(rest) or b'kind = "recover"' in rest, f"{case}: something else was added")


def _order(place: Path) -> str:
    """The calls of a real append, in order: the moments above are those between them, and there are no others."""
    ledger = Ledger(place / "real" / "receipts.toml", place / "real" / "head", Clock())
    ledger.grant([draft()])
    calls: list[str] = []
    write, sync = files.write_at_once, files.sync

    def name(fd: int) -> str:
        return Path(f"/proc/self/fd/{fd}").readlink().name

    def noted_write(fd: int, data: bytes) -> None:
        calls.append(f"write {name(fd)}")
        write(fd, data)

    def noted_sync(fd: int, *, data_only: bool = False) -> None:
        calls.append(f"sync {name(fd)}")
        sync(fd, data_only=data_only)

    files.write_at_once, files.sync = noted_write, noted_sync
    try:
        ledger.grant([draft()])
    finally:
        files.write_at_once, files.sync = write, sync
    said = ", ".join(calls)
    assert said == "write receipts.toml, sync receipts.toml, write head, sync head", said
    return said
