"""Consent as lines of plain text: the ledger, every grant with its standing, every record, what came of a revocation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from cgp_tui.consent.checkpoint import Checkpoint
from cgp_tui.consent.kept import Kept
from cgp_tui.consent.ledger import Opened, Revoked
from cgp_tui.consent.listing import Found, Listed
from cgp_tui.consent.receipt import ANY, Grantor, Receipt
from cgp_tui.consent.types import Answer, Permit
from cgp_tui.present.refusal import need_name
from cgp_tui.text import Shown, apart, compose, join, own, show

_STATUS: Final = {
    "in_force": "in force",
    "not_in_force": "not in force",
    "expired": "expired",
    "revoked": "revoked",
    "denied": "denied",
    "spent": "spent",
}
_ACTS: Final = {
    "grant": "granted",
    "deny": "denied",
    "revoke": "revoked",
    "spend": "spent",
    "narrow": "narrowed",
    "expire": "expired",
    "recover": "recovered",
    "checkpoint": "checkpoint",
}
_REVOKED: Final = {
    "confirmed": "Confirmed: no more leaves.",
    "not_confirmed": "Recorded, not confirmed: {who}.",
    "emergency_stop": "Emergency stop: nothing leaves until `cgp-tui consent recover`.",
    "not_recorded": "NOT RECORDED, only this process stopped.",
}


def what(receipt: Receipt) -> Shown:
    """What a record is about, in a word."""
    if receipt.basis == "scope":
        return show(receipt.scope)
    return own("(sending at all)" if receipt.basis == "boolean" else "(everything)")


def withdrawn_lines(done: Revoked) -> list[Shown]:
    """What a no was about, each record with its number, and in how far it holds."""
    everybody = own("everybody")
    return [
        *(
            compose(
                "{act} {what}: {who}, #{seq}.",
                act=own("Denied" if one.kind == "deny" else "Revoked"),
                what=what(one) if one.basis in ("scope", "boolean") else own("everything"),
                who=everybody if one.provider_id == ANY else show(one.provider_id),
                seq=one.seq,
            )
            for one in done.receipts
        ),
        revoked_line(done),
    ]


def ledger_line(opened: Opened) -> Shown:
    """Where the ledger is and how far it is acknowledged: `ledger /home/u/receipts.toml: #3 ok`."""
    number = own(f"#{opened.head.seq} " if opened.head else "")
    state = own("empty" if opened.state == "fresh" else opened.state)
    return compose("ledger {path}: {number}{state}", path=show(str(opened.path)), number=number, state=state)


def _columns(rows: Iterable[Sequence[Shown]]) -> list[Shown]:
    """Rows with their cells aligned, two blanks between; the last cell is as long as it is."""
    made = list(rows)
    widths = [max(len(row[at]) for row in made) for at in range(len(made[0]))] if made else []
    padded = ([Shown(cell.ljust(width)) for cell, width in zip(row, widths, strict=True)] for row in made)
    return [Shown(join("  ", row).rstrip()) for row in padded]


def _ends(receipt: Receipt) -> Shown:
    once = own("once, " if receipt.uses == "once" else "")
    if receipt.expires_at == "never":
        return compose("{once}without end", once=once)
    return compose("{once}until {end}", once=once, end=show(receipt.expires_at))


def _said(receipt: Receipt) -> Shown:
    parts = [_ends(receipt)] if receipt.kind == "grant" else []
    return join("  ", [*parts, *([show(receipt.note, 120)] if receipt.note else [])])


def _by(receipt: Receipt) -> Shown:
    return compose("by {kind} {id}", kind=own(receipt.grantor.kind), id=show(receipt.grantor.id))


def _why(entry: Listed) -> Shown:
    if entry.status == "in_force":
        return _ends(entry.receipt)
    if entry.status == "denied" and entry.by is None:
        return compose("{when} {by}", when=show(entry.receipt.granted_at), by=_by(entry.receipt))
    if entry.by is not None and entry.status in ("revoked", "denied", "spent"):
        return compose("{when} {by} (#{seq})", when=show(entry.by.granted_at), by=_by(entry.by), seq=entry.by.seq)
    if entry.status == "expired":
        return show(entry.receipt.expires_at)
    if entry.field:
        old, new = apart(entry.old, entry.new)
        return compose(
            "{reason}: {field} was {old}, is {new}", reason=own(entry.reason), field=own(entry.field), old=old, new=new
        )
    return own(entry.reason)


def seen_words(entry: Listed) -> Shown:
    """When the provider that a grant was held against was seen; empty where nobody was, since the grant."""
    return own("") if entry.seen is None else compose("seen {at}", at=show(entry.seen.at))


def listed_lines(listed: Sequence[Listed]) -> list[Shown]:
    """A line a decision: provider, need, standing, why or until when, number, claimed name and version, when last seen."""
    return _columns(
        (
            show(entry.receipt.provider_id),
            what(entry.receipt),
            own(_STATUS[entry.status]),
            _why(entry),
            own(f"#{entry.receipt.seq}"),
            join(" ", (show(entry.receipt.provider_name, 60), show(entry.receipt.provider_version, 30))),
            seen_words(entry),
        )
        for entry in listed
    )


def history_lines(receipts: Sequence[Receipt]) -> list[Shown]:
    """A line a record, oldest first: number, time, act, need, provider, who, the end of a grant, and the note."""
    if not receipts:
        return [own("No record yet: nothing has been granted, denied or revoked here.")]
    return _columns(
        (
            own(f"#{receipt.seq}"),
            show(receipt.granted_at),
            own(_ACTS[receipt.kind]),
            what(receipt) if receipt.kind not in ("recover", "checkpoint") else own("-"),
            show(receipt.provider_id),
            _by(receipt),
            _said(receipt),
        )
        for receipt in receipts
    )


def revoked_line(revoked: Revoked) -> Shown:
    """What came of a revocation, in the four forms."""
    pids = ", ".join(map(str, revoked.pids))
    who = own(f"PID {pids}" if pids else "another process may still be sending")
    return compose(_REVOKED[revoked.outcome], who=who)


def record_lines(found: Found) -> list[Shown]:
    """A line a member of one record, its standing first, then what acts on it."""
    receipt = found.receipt
    rows: list[tuple[Shown, Shown]] = []
    if found.standing:
        rows.append((own("standing"), own(_STATUS.get(found.standing, found.standing))))
    if found.listed is not None and found.listed.reason:
        rows.append((own("because"), _why(found.listed)))
    if found.listed is not None and found.listed.seen is not None:
        rows.append((own("last seen"), show(found.listed.seen.at)))
    for name in Receipt.__struct_fields__:
        value = getattr(receipt, name)
        if isinstance(value, Grantor):
            rows.append((own(name), compose("{kind} {id}", kind=own(value.kind), id=show(value.id))))
        elif isinstance(value, tuple):
            rows.append((own(name), join(" ", map(show, value)) if value else own("-")))
        else:
            rows.append((own(name), show(str(value)) if value != "" else own("-")))
    rows += [
        (own("acted on by"), compose("#{seq} {kind} {when}", seq=one.seq, kind=own(one.kind), when=show(one.granted_at)))
        for one in found.by
    ]
    return _columns(rows)


def checked_lines(answer: Answer) -> list[Shown]:
    """A line a need: what the gate would say of it now."""
    if isinstance(answer, Permit):
        pairs = zip(answer.needs, answer.receipts, strict=True)
        return _columns((need_name(need), own("live"), _ends(receipt), own(f"#{receipt.seq}")) for need, receipt in pairs)
    rows = []
    for reason in answer.reasons:
        change = (
            compose("{field} was {old}, is {new}", field=own(reason.field), old=show(reason.old), new=show(reason.new))
            if reason.field
            else own("")
        )
        rows.append((need_name(reason.need), own("not live"), own(reason.reason), change))
    return [*_columns(rows), *([show(answer.detail)] if answer.detail else [])]


def head_lines(opened: Opened, checkpoints: Sequence[Checkpoint], kept: Sequence[Kept] = ()) -> list[Shown]:
    """The ledger's head as one keeps it elsewhere, each signed checkpoint with its verdict, and each head that was kept."""
    lines = [ledger_line(opened)]
    if opened.head is not None:
        mark = opened.head
        lines.append(compose("{id} {seq} {hash}", id=show(mark.id), seq=mark.seq, hash=show(mark.hash)))
    for one in checkpoints:
        verdict = own("signature good" if one.good else "SIGNATURE DOES NOT HOLD")
        lines.append(
            compose(
                "checkpoint #{seq} {when} by {key}: {verdict}",
                seq=one.receipt.seq,
                when=show(one.receipt.granted_at),
                key=show(one.public_key or "?"),
                verdict=verdict,
            )
        )
    for was in kept:
        said = compose("DOES NOT HOLD: {why}", why=show(was.why)) if was.why else own("holds")
        lines.append(compose("kept #{seq} {hash}: {said}", seq=was.mark.seq, hash=show(was.mark.hash), said=said))
    return lines
