"""Cases and receipts for the consent tests: a real target, and records as the ledger would hold them."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from cgp_tui.consent.receipt import Draft, Grantor, Kind, Receipt, complete
from cgp_tui.consent.types import Binding, Need, Reason, ReasonCode
from cgp_tui.consent.usage import Used
from cgp_tui.present.consent import Answered, Case
from cgp_tui.present.spans import Row
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.capability import DataFlow
from cgp_tui.target import Target, stdio_target
from cgp_tui.wire.note import LedgerMark, NeedNote
from tests.present.samples import KEYS

HUMAN = Grantor("human", "tty:1000")
INDEX = "third-party-index"
MODEL = "third-party-model"
WIDE = Look(width=110, keys=KEYS)
NARROW = Look(width=60, keys=KEYS)


def target(folder: Path, *extra: str) -> Target:
    """A python that runs a script which stands in `folder`."""
    script = folder / "provider.py"
    if not script.exists():
        script.write_text("pass\n")
    return stdio_target([sys.executable, str(script), *extra])


def binding(to: Target, provider_id: str = "acme", name: str = "acme-search", version: str = "2.4.1") -> Binding:
    return Binding(provider_id, name, version, to)


def record(seq: int, kind: Kind, to: Binding, scope: str = INDEX, *, expires_at: str = "2031-01-01T00:00:00Z") -> Receipt:
    """One record about `scope` of `to`, or about everything where the scope is empty."""
    grant = kind == "grant"
    named = kind in ("grant", "deny")
    draft = Draft(
        kind=kind,
        provider_id=to.provider_id,
        grantor=HUMAN,
        provider_name=to.provider_name if named else "",
        provider_version=to.provider_version if named else "",
        target_kind="stdio",
        target=to.target.digest,
        code=to.target.code,
        target_shown=to.target.shown if named else (),
        basis="scope" if scope else "all",
        scope=scope,
        declared=(scope,) if grant else (),
        payload=("goal",) if grant else (),
        uses="unlimited" if grant else "none",
        code_policy="exact" if grant else "none",
        version_policy="exact" if grant else "none",
        expires_at=expires_at if grant else "none",
    )
    stamp = f"2026-11-{10 + seq:02d}T08:00:10Z"
    return complete(draft, seq=seq, receipt_id=f"{seq:032x}", granted_at=stamp, prev="0" * 64)


def refused(scope: str, code: ReasonCode = "no_receipt", **more: str) -> Answered:
    need = Need("acme", "scope" if scope else "boolean", scope)
    return Answered(need, reason=Reason(need, code, **more))


def case(to: Binding, *needs: Answered, receipts: tuple[Receipt, ...] = (), others: tuple[Binding, ...] = ()) -> Case:
    scopes = tuple(answered.need.scope for answered in needs if answered.need.scope)
    flow = DataFlow(reads=True, writes=False, egress=bool(needs), egress_scopes=scopes)
    return Case(binding=to, data_flow=flow, needs=needs, receipts=receipts, others=others)


def text_of(rows: object) -> str:
    """Rows as one text, a line a row."""
    assert hasattr(rows, "__iter__")
    lines = []
    for row in rows:
        assert isinstance(row, Row)
        lines.append(row.text)
    return "\n".join(lines)


def used(of: Binding, scope: str = INDEX, **more: object) -> Used:
    """A payload that left under record 1, as a recording notes it."""
    made = Used(
        transcript=Path("session.ndjson"),
        record=3,
        connection=1,
        exchange=2,
        at="2026-11-27T09:14:02Z",
        provider_id=of.provider_id,
        kind="stdio",
        target=of.target.digest,
        shown=of.target.shown,
        asked="query",
        allowed=True,
        bytes=164,
        needs=(NeedNote("scope", scope, "", "0" * 31 + "1"),),
        ledger=LedgerMark("ab" * 16, 1, "cd" * 32),
    )
    return msgspec.structs.replace(made, **more)
