"""Ledgers for tests: a vector of ours that needs no shared folder, and blocks with any content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from cgp_tui.consent.receipt import Draft, Grantor, Receipt, complete, encode, parse
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.store import chain, head
from cgp_tui.store.chain import Header
from cgp_tui.store.head import Head
from cgp_tui.store.heads import Heads
from cgp_tui.store.log import Log, View

LEDGER_ID = "00112233445566778899aabbccddeeff"
START = 1_700_000_000
HUMAN = Grantor("human", "tty:1000")


def draft(kind: str = "grant", **changes: Any) -> Draft:
    """A record of its kind with plain values."""
    grant = {
        "declared": ("third-party-index",),
        "payload": ("goal",),
        "uses": "unlimited",
        "code_policy": "exact",
        "version_policy": "exact",
        "expires_at": utc_text(START + 86_400),
        "target": "aa" * 32,
        "code": "bb" * 32,
    }
    named = {"provider_name": "example", "provider_version": "1.0.0", "target_shown": ("/usr/bin/p", "x.py")}
    values: dict[str, Any] = {"kind": kind, "provider_id": "docs", "grantor": HUMAN, "basis": "scope"}
    values |= {"scope": "third-party-index", "target_kind": "stdio"}
    values |= named if kind in ("grant", "deny") else {}
    values |= grant if kind == "grant" else {}
    return Draft(**(values | changes))


def blocks(drafts: list[Draft], start: int = START) -> tuple[bytes, list[Receipt], list[Head]]:
    """A ledger's bytes, its records, and the head after each block (block 0 first)."""
    data, digest = chain.first_block(Header(LEDGER_ID, utc_text(start)))
    heads = [Head(LEDGER_ID, 0, len(data), digest)]
    records = []
    for number, one in enumerate(drafts, 1):
        record = complete(one, seq=number, receipt_id=f"{number:032x}", granted_at=utc_text(start + number), prev=digest)
        block, digest = chain.block(number, digest, encode(record))
        data += block
        records.append(record)
        heads.append(Head(LEDGER_ID, number, len(data), digest))
    return data, records, heads


def six() -> list[Draft]:
    """Six records: a grant, its revocation, a grant of another scope, a denial, an unlimited grant, an expiry."""
    return [
        draft(),
        draft("revoke", acts_on=f"{1:032x}"),
        draft(scope="org-tenant"),
        draft("deny", scope="acme:store", provider_name='a"\n[[receipt]]\\ \x00\u202e\U0001d11e'),
        draft(basis="boolean", scope="", expires_at="never", target_shown=("p", "ü")),
        draft("expire", scope="org-tenant", acts_on=f"{3:032x}"),
    ]


def forged(number: int, previous: str, change: Callable[[str], str], **values: Any) -> tuple[bytes, str]:
    """A block with a right hash around content that `change` made of a good one."""
    record = complete(draft(**values), seq=number, receipt_id=f"{number:032x}", granted_at=utc_text(START), prev=previous)
    return chain.block(number, previous, change(encode(record).decode()).encode())


class Stored:
    """A ledger in a folder, with its head kept beside the folder's ledger as the state folder would."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "data" / "receipts.toml"
        self.heads = folder / "heads"
        self.path.parent.mkdir(mode=0o700)
        self.heads.mkdir(mode=0o700)
        self.head = self.heads / LEDGER_ID
        self.log: Log[Receipt] = Log(self.path, parse, Heads(None, lambda ledger_id: self.heads / ledger_id))

    def put(self, data: bytes, remembered: Head | None) -> None:
        """Write both files as they are to be found."""
        self.path.write_bytes(data)
        self.path.chmod(0o600)
        if remembered is None:
            self.head.unlink(missing_ok=True)
        else:
            head.create(self.head, remembered)


def append(stored: Stored, end: Head, body: bytes) -> Head:
    """One block, where a reader found this end."""
    with stored.log.place(View(state="ok", end=end, head_path=stored.head)) as place:
        return place.append(body)


def replaced(record: Receipt, **changes: Any) -> Receipt:
    return msgspec.structs.replace(record, **changes)
