"""A record that signs all records before it: whoever keeps the public key can tell the ledger from a rewritten one.

`cryptography` is imported only when there is a signature to make or to check.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import msgspec

from cgp_tui.consent.receipt import Receipt
from cgp_tui.protocol import ed25519

_DOMAIN: Final = b"cgp-tui/ledger-checkpoint/1\n"
_NOTE: Final = re.compile("ed25519 ([0-9a-f]{64}) ([0-9a-f]{128})")


class Checkpoint(msgspec.Struct, frozen=True):
    """A checkpoint as it was read: its record, the signer's public key in hex (empty where the note is no signature), and
    whether that key signed the chain before the record."""

    receipt: Receipt
    public_key: str
    good: bool


def signer(seed: bytes) -> Callable[[str], str]:
    """Makes a checkpoint's note from the hash (hex) of the block before it, with the key of a 32-byte seed."""
    public = ed25519.public_key(seed).hex()
    return lambda previous: f"ed25519 {public} {ed25519.sign(seed, _DOMAIN + bytes.fromhex(previous)).hex()}"


def read(receipt: Receipt) -> Checkpoint | None:
    """The verdict on one record; None where it is not a signed checkpoint (as a note about trusted keys is not)."""
    if receipt.kind != "checkpoint" or receipt.note.startswith("trust "):
        return None
    found = _NOTE.fullmatch(receipt.note)
    if found is None:
        return Checkpoint(receipt, "", good=False)
    public, signature = bytes.fromhex(found[1]), bytes.fromhex(found[2])
    return Checkpoint(receipt, found[1], ed25519.verify(public, signature, _DOMAIN + bytes.fromhex(receipt.prev)))
