"""Who may have, who had what: the consent view's list, and every receipt of the ledger as a timeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from cgp_tui.consent.receipt import ANY, NEVER, Receipt
from cgp_tui.consent.types import Need
from cgp_tui.present.consent import Answered, Case
from cgp_tui.present.layout import cut_middle, digest, fit, labelled, spans_width
from cgp_tui.present.refusal import need_name
from cgp_tui.present.spans import SPACE, Row, Rows, Span, Token, row, span
from cgp_tui.present.standing import what
from cgp_tui.present.symbols import Look
from cgp_tui.text import Shown, compose, join, own, show

_UNTIL_CELLS: Final = 20
_DECISION_CELLS: Final = 13
_NUMBER_CELLS: Final = 6
_WITH_UNTIL: Final = 56
_WITH_NUMBER: Final = 72
"""Widths in cells from which a list has room for the end of a grant, and for the number of its record."""

_DECISIONS: Final[dict[str, tuple[str, Token]]] = {
    "no_receipt": ("not decided", "doubt"),
    "denied": ("denied", "bad"),
    "revoked": ("revoked", "bad"),
    "expired": ("expired", "doubt"),
    "spent": ("used up", "doubt"),
    "identity_changed": ("not in force", "doubt"),
    "posture_narrowed": ("not in force", "doubt"),
}
"""The word for each refusal of the gate; any other one is the ledger's state or a defect of the provider."""

_ACTS: Final[dict[str, tuple[str, Token]]] = {
    "grant": ("granted", "good"),
    "deny": ("denied", "bad"),
    "revoke": ("revoked", "bad"),
    "spend": ("used once", "muted"),
    "narrow": ("narrowed", "muted"),
    "expire": ("expired", "muted"),
    "recover": ("recovered", "doubt"),
    "checkpoint": ("checkpoint", "muted"),
}


class Item(msgspec.Struct, frozen=True):
    """A row of a list with what it stands for: a provider (`need` None) or one need of it; a receipt in the timeline."""

    row: Row
    provider_id: str = ""
    need: Need | None = None
    receipt: Receipt | None = None


def decision(answered: Answered) -> Span:
    """What stands for one need now, in a word."""
    if answered.reason is None:
        return span("granted", "good")
    word, token = _DECISIONS.get(answered.reason.reason, (answered.reason.reason, "bad"))
    return span(word, token)


def _until(receipt: Receipt | None) -> Shown:
    if receipt is None or receipt.kind != "grant":
        return own("-")
    return own("no end") if receipt.expires_at == NEVER else show(receipt.expires_at)


def _last_word(case: Case, need: Need) -> Receipt | None:
    """The newest record on a need of this provider, whatever became of it."""
    for receipt in reversed(case.receipts):
        named = receipt.provider_id in (case.binding.provider_id, ANY)
        meant = receipt.basis == "all" or (receipt.basis, receipt.scope) == (need.basis, need.scope)
        if named and meant and receipt.kind in ("grant", "deny", "revoke"):
            return receipt
    return None


def _need_row(name: Shown, said: Span, until: Shown, record: Receipt | None, look: Look) -> Row:
    columns: list[Span] = [Span(fit(said.text, _DECISION_CELLS, look.symbols), said.token)]
    if look.width >= _WITH_UNTIL:
        columns += [SPACE, Span(fit(until, _UNTIL_CELLS, look.symbols), "muted")]
    if look.width >= _WITH_NUMBER:
        number = own("" if record is None else f"#{record.seq}")
        columns += [SPACE, Span(fit(number, _NUMBER_CELLS, look.symbols), "muted")]
    room = max(look.width - spans_width(columns) - 3, 12)
    return Row((span("  "), Span(fit(name, room, look.symbols, middle=True)), SPACE, *columns))


def posture(case: Case, look: Look) -> Span:
    """One line on a provider: why it needs no receipt, or how many of its needs stand open."""
    if not case.needs:
        return span("says nothing leaves this machine: no receipt needed", "muted")
    missing = len(case.open)
    if not missing:
        return span(f"{look.symbols.good} may receive queries", "good")
    return span(f"{look.symbols.doubt} {missing} of {len(case.needs)} not granted: no query is sent", "doubt")


def provider_items(cases: Iterable[Case], receipts: Sequence[Receipt], now: str, look: Look) -> Iterator[Item]:
    """The connections of this session with their needs, then what stands on record for other providers. `now` is the time
    as receipts write it."""
    connected: set[str] = set()
    for case in cases:
        mine = case.binding.provider_id
        connected.add(mine)
        name = fit(show(mine), min(max(len(mine), 18), look.width // 2), look.symbols, middle=True)
        yield Item(row(Span(name, "strong"), span("  "), posture(case, look)), mine)
        for answered in case.needs:
            record = answered.receipt or _last_word(case, answered.need)
            made = _need_row(need_name(answered.need), decision(answered), _until(record), record, look)
            yield Item(made, mine, answered.need, record)
    yield from _on_record(receipts, connected, now, look)


def _on_record(receipts: Sequence[Receipt], connected: set[str], now: str, look: Look) -> Iterator[Item]:
    last: dict[str, dict[Need, Receipt]] = {}
    for receipt in receipts:
        if receipt.kind not in ("grant", "deny", "revoke") or receipt.provider_id in connected:
            continue
        held = last.setdefault(receipt.provider_id, {})
        if receipt.basis == "all":
            held.update(dict.fromkeys(held, receipt))
        else:
            held[Need(receipt.provider_id, receipt.basis, receipt.scope)] = receipt
    for provider_id, held in last.items():
        if not held:
            continue
        name = fit(show(provider_id), min(max(len(provider_id), 18), look.width // 2), look.symbols, middle=True)
        yield Item(row(Span(name, "strong"), span("  on record, not connected here", "muted")), provider_id)
        for need, receipt in held.items():
            made = _need_row(need_name(need), _word_on_record(receipt, now), _until(receipt), receipt, look)
            yield Item(made, provider_id, need, receipt)


def _word_on_record(receipt: Receipt, now: str) -> Span:
    if receipt.kind == "grant" and receipt.expires_at != NEVER and receipt.expires_at <= now:
        return span("expired", "doubt")
    return span(*_ACTS[receipt.kind])


def history_items(receipts: Iterable[Receipt], look: Look) -> Iterator[Item]:
    """Every receipt, newest first, one row each."""
    for receipt in sorted(receipts, key=lambda r: r.seq, reverse=True):
        act, token = _ACTS.get(receipt.kind, (receipt.kind, "doubt"))
        who = own("all providers") if receipt.provider_id == ANY else show(receipt.provider_id)
        about = (
            own("") if receipt.kind in ("recover", "checkpoint") else compose("{what}  {who}", what=what(receipt), who=who)
        )
        until = compose("  until {until}", until=_until(receipt)) if receipt.kind == "grant" else own("")
        by = compose("  by {kind} {id}", kind=show(receipt.grantor.kind), id=show(receipt.grantor.id, 40))
        number = Span(fit(own(f"#{receipt.seq}"), 5, look.symbols), "muted")
        moment = span(f"{receipt.granted_at[5:10]} {receipt.granted_at[11:]}  ", "muted")
        parts = (number, moment, span(act.ljust(10), token), Span(about), Span(until, "muted"), Span(by, "muted"))
        yield Item(Row(parts), receipt.provider_id, receipt=receipt)


def receipt_rows(receipt: Receipt, look: Look) -> Rows:
    """One receipt in full, as it is on disk."""
    yield row(span(f"#{receipt.seq} ", "strong"), span(*_ACTS.get(receipt.kind, (receipt.kind, "doubt"))))
    yield from labelled("what", look, Span(what(receipt)))
    yield from labelled("provider", look, Span(show(receipt.provider_id)))
    if receipt.provider_name or receipt.provider_version:
        claimed = (span('"'), Span(show(receipt.provider_name, 256)), span('" '), Span(show(receipt.provider_version, 128)))
        yield from labelled("claimed", look, *claimed)
    if receipt.target_shown:
        yield from labelled("command", look, Span(join(" ", map(show, receipt.target_shown))))
    room = max(look.width - 14, 16)
    for label, value in (("target", receipt.target), ("code", receipt.code)):
        if value:
            yield from labelled(label, look, Span(cut_middle(show(value), room, look.symbols), "muted"))
    if receipt.kind == "grant":
        yield from labelled("until", look, Span(_until(receipt)))
        held = f"{receipt.uses}, version {receipt.version_policy}, code {receipt.code_policy}"
        yield from labelled("holds for", look, span(held))
        if receipt.payload:
            yield from labelled("was shown", look, Span(join(", ", map(show, receipt.payload))))
    yield from labelled("by", look, Span(show(receipt.grantor.kind)), span(" "), Span(show(receipt.grantor.id)))
    yield from labelled("at", look, Span(show(receipt.granted_at)))
    if receipt.acts_on:
        yield from labelled("acts on", look, Span(show(receipt.acts_on)))
    if receipt.note:
        yield from labelled("note", look, Span(show(receipt.note)))
    yield from labelled("id", look, Span(show(receipt.receipt_id), "muted"))
    yield from labelled("after", look, Span(digest(show(receipt.prev), look.symbols), "muted"))
