"""What one record in the ledger costs beside one bare write that is made durable, in small ledgers and in large ones."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cgp_tui.consent.drafts import deny_draft, grant_draft, human, revoke_drafts
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.needs import needs
from cgp_tui.consent.types import Binding
from cgp_tui.protocol.capability import DataFlow
from cgp_tui.target import default_id, stdio_target
from tests.benchmarks.measure import Row, by_turns, seconds

ROUNDS = 60
FLOW = DataFlow(reads=True, egress=True, egress_scopes=("third-party-index",))


def appends() -> Iterator[Row]:
    """Grant, deny and revoke; the last two never read the ledger, so they may not slow down as it grows."""
    target = stdio_target([sys.executable, "-c", "pass"])
    binding = Binding(default_id(target), "example-index", "1.0.0", target)
    (need, *_) = needs(binding.provider_id, FLOW, target)
    grant = grant_draft(
        binding, need, declared=FLOW.egress_scopes, payload=("goal",), expires_at="2099-01-01T00:00:00Z", grantor=human()
    )
    deny = deny_draft(binding, need, human())
    (revoke,) = revoke_drafts((), binding.provider_id, (), human())
    for size in (100, 2_000):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            ledger = Ledger(folder / "receipts.toml", folder / "head")
            ledger.grant([grant] * size)
            block = b"x" * (ledger.path.stat().st_size // size)
            plain = os.open(folder / "plain", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

            def floor(fd: int = plain, block: bytes = block) -> float:
                return seconds(lambda: _durable(fd, block))

            def append(kind: str, ledger: Ledger = ledger) -> float:
                if kind == "grant":
                    return seconds(lambda: ledger.grant([grant]))
                return seconds(lambda: ledger.revoke([deny if kind == "deny" else revoke]))

            for kind in ("grant", "deny", "revoke"):
                ours, bare = by_turns(lambda kind=kind: append(kind), floor, ROUNDS)  # type: ignore[misc]
                yield Row(
                    f"{kind}, ledger of {size:,} / write and fsync of {len(block)} bytes",
                    ours,
                    bare,
                    None if kind == "grant" and size > 100 else 2.5,
                )
            os.close(plain)


def _durable(fd: int, block: bytes) -> None:
    os.write(fd, block)
    os.fsync(fd)
