"""What can be done to a ledger, each from a known beginning, and what must hold of it however that went."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from cgp_tui.consent.drafts import policy, revoke_drafts
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger, Revoked
from cgp_tui.consent.receipt import HOST, Draft, Receipt
from cgp_tui.consent.types import Permit
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.store import head as heads_of
from tests.consent.people import Clock, binding, scoped
from tests.reliability.campaign import Figures
from tests.store.ledgers import START, blocks, draft

NOW = START + 1000
GRANT = draft(expires_at=utc_text(NOW + 86_400))
ONCE = draft(uses="once", expires_at="never")
DENIED = draft("deny")
EXPIRED = draft(expires_at=utc_text(START + 500))
_REVOKE = revoke_drafts((), "docs", scoped(), policy())[0]

Send = Callable[[bytes], None]
"""Where a payload goes."""


class Act(msgspec.Struct, frozen=True):
    """`kept` is acknowledged when it begins; after that stand `loose` whole records and `torn` bytes of another. `adds` are
    the records that it makes."""

    name: str
    kept: tuple[Draft, ...]
    do: Callable[[Ledger, Send], object]
    adds: tuple[Draft, ...]
    loose: tuple[Draft, ...] = ()
    torn: int = 0


def _grant(ledger: Ledger, _: Send) -> object:
    return ledger.grant([GRANT])


def _revoke(ledger: Ledger, _: Send) -> object:
    return ledger.revoke([_REVOKE], patience=2)


def _send(ledger: Ledger, send: Send) -> object:
    """One payload, as the host sends it: what it spends is on record before its first byte."""
    gate = Gate(ledger)
    with gate.ask(binding(), scoped()) as first:
        unspent = first.unspent if isinstance(first, Permit) else ()
        if first.allowed and not unspent:
            send(b"payload\n")
    if unspent:
        with gate.ask(binding(), scoped(), spends=gate.spend(unspent)) as second:
            if second.allowed:
                send(b"payload\n")
    return None


def _ends(kind: Literal["spend", "expire"], grant: Draft) -> Draft:
    return Draft(
        kind=kind,
        provider_id=grant.provider_id,
        grantor=HOST,
        acts_on=f"{1:032x}",
        target_kind=grant.target_kind,
        target=grant.target,
        code=grant.code,
        basis=grant.basis,
        scope=grant.scope,
    )


ACTS = (
    Act("the first grant", (), _grant, (GRANT,)),
    Act("a grant", (DENIED,), _grant, (GRANT,)),
    Act("a grant after a torn record", (DENIED,), _grant, (GRANT,), torn=300),
    Act("a grant after a record that no head covers", (DENIED,), _grant, (GRANT,), loose=(draft("revoke"),)),
    Act("a revocation", (GRANT,), _revoke, (_REVOKE,)),
    Act("a revocation after a torn record", (GRANT,), _revoke, (_REVOKE,), torn=40),
    Act("a denial", (GRANT,), lambda ledger, _: ledger.deny([DENIED], patience=2), (DENIED,)),
    Act("a payload", (GRANT,), _send, ()),
    Act("a payload that spends its grant", (ONCE,), _send, (_ends("spend", ONCE),)),
    Act("a refusal that ends a grant", (EXPIRED,), _send, (_ends("expire", EXPIRED),)),
)


class Place:
    """A ledger in a folder, put at the beginning of an act as often as wanted."""

    def __init__(self, folder: Path) -> None:
        self.path, self.head, self.sent = folder / "data" / "receipts.toml", folder / "state" / "head", folder / "sent"
        for made in (self.path.parent, self.head.parent):
            made.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.kept = b""

    def ledger(self) -> Ledger:
        return Ledger(self.path, self.head, Clock(NOW))

    def begin(self, act: Act) -> None:
        """The files as the act finds them."""
        for folder in (self.path.parent, self.head.parent):
            for inside in folder.iterdir():
                shutil.rmtree(inside) if inside.is_dir() else inside.unlink()
        self.sent.write_bytes(b"")
        self.kept = b""
        if not act.kept:
            return
        data, _, heads = blocks([*act.kept, *act.loose, draft(expires_at="never")])
        remembered = heads[len(act.kept)]
        self.kept = data[: remembered.size]
        self.path.write_bytes(data[: heads[len(act.kept) + len(act.loose)].size + act.torn])
        self.path.chmod(0o600)
        heads_of.create(self.head, remembered)

    def send(self, payload: bytes) -> None:
        with self.sent.open("ab") as file:
            file.write(payload)


def as_drafted(receipt: Receipt) -> Draft:
    """What of a record was decided before it had its place."""
    return Draft(**{name: getattr(receipt, name) for name in Draft.__struct_fields__})


def judge(place: Place, act: Act, *, done: object, case: str, found: Figures, killed: bool = False) -> None:
    """What the next process finds, once the disk is as it should be. `done` is what the act returned, the error that it
    raised, or None where nobody was told anything: then its record may be there or not, but as it was decided. What was
    `killed` has left nothing that takes a person to mend."""
    ledger = place.ledger()
    opened = ledger.settle()
    file = place.path.read_bytes() if place.path.exists() else b""
    found.expect(file.startswith(place.kept), f"{case}: an acknowledged record is gone, {opened.state}")
    found.expect(not killed or opened.state in ("ok", "fresh"), f"{case}: {opened.state}, {opened.detail}")
    there = [as_drafted(one) for one in opened.receipts[len(act.kept) :] if one.kind != "recover"]
    wanted = [*act.loose, *act.adds]
    extra = [one for one in there if one not in wanted]
    found.expect(not extra and len(there) <= len(wanted), f"{case}: {extra or there} was never decided")
    allowed = _allowed(ledger)
    sent = place.sent.read_bytes()
    if isinstance(done, Revoked):
        _judge_revoked(done, opened.state, there, act, allowed, case, found)
    elif isinstance(done, BaseException):
        loud = "Neither the record nor the head could be removed" in str(done)
        counted = [one for one in there if one in act.adds and one.kind == "grant"]
        found.expect(loud or not (allowed and counted), f"{case}: told as failed ({done}), and it counts")
    elif done is not None:
        found.expect(all(one in there for one in act.adds), f"{case}: told as done, and it is not there")
    if sent:
        spent = [one for one in there if one.kind == "spend"]
        lawful = act.kept[-1] is GRANT or (act.kept[-1] is ONCE and spent)
        found.expect(bool(lawful), f"{case}: {sent!r} left without its record")
    if opened.state not in ("ok", "fresh"):
        found.expect(not allowed, f"{case}: {opened.state}, and the gate is open")
        ledger.recover()
        found.expect(not _allowed(ledger), f"{case}: a grant came through the recovery")
    ledger.grant([GRANT])
    found.expect(_allowed(ledger), f"{case}: nothing can be granted any more")


def _judge_revoked(
    done: Revoked, state: str, there: list[Draft], act: Act, allowed: bool, case: str, found: Figures
) -> None:
    recorded = done.outcome in ("confirmed", "not_confirmed")
    if recorded:
        found.expect(all(one in there for one in act.adds), f"{case}: {done.outcome}, and it is not there")
    # Where nothing could be recorded nor stopped, that was said, and the grant stands.
    shut = not allowed or done.outcome == "not_recorded"
    found.expect(shut, f"{case}: {done.outcome}, and the gate is open ({state})")


def _allowed(ledger: Ledger) -> bool:
    with Gate(ledger).ask(binding(), scoped()) as answer:
        return answer.allowed
