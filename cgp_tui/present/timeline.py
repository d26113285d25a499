"""Who agreed, and what left under it: receipts and uses in one list, the newest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from cgp_tui.consent.receipt import ANY, Receipt
from cgp_tui.consent.types import Need, Reason, ReasonCode
from cgp_tui.consent.usage import Used
from cgp_tui.present.consent_lines import what
from cgp_tui.present.decisions import ACTS, Item, until_cell
from cgp_tui.present.layout import fit
from cgp_tui.present.numbers import exact_bytes, plural
from cgp_tui.present.spans import Row, Span, Token, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.text import Shown, compose, join, own, show

SHOWN: Final = 1000
"""The most entries of one list; older ones are only counted."""

_ACT_CELLS: Final = 10
_WITH_BY: Final = 84
"""The least width, in cells, at which a receipt's row has room for who agreed."""


class Past(msgspec.Struct, frozen=True):
    """What a timeline is made from: all receipts, all uses, the ledger's id, and the time from which uses are totalled."""

    receipts: tuple[Receipt, ...]
    uses: tuple[Used, ...]
    ledger_id: str = ""
    left_out: int = 0


def timeline_items(past: Past, provider_id: str, look: Look) -> Iterator[Item]:
    """Receipts and uses of one provider, or of all without one, the newest first."""
    by_id = {receipt.receipt_id: receipt for receipt in past.receipts}
    entries: list[tuple[str, int, Receipt | Used]] = [
        (receipt.granted_at, receipt.seq, receipt)
        for receipt in past.receipts
        if not provider_id or receipt.provider_id in (provider_id, ANY)
    ]
    # A recording keeps its start only to the second, so a payload may seem older than the receipt it left under.
    entries += [
        (max((used.at, *(by_id[n.receipt_id].granted_at for n in used.needs if n.receipt_id in by_id))), place, used)
        for place, used in enumerate(past.uses)
        if not provider_id or used.provider_id == provider_id
    ]
    # Within one second, a receipt counts as older than what it permits or ends.
    entries.sort(key=lambda entry: (entry[0], isinstance(entry[2], Used), entry[1]), reverse=True)
    for _, _, entry in entries[:SHOWN]:
        if isinstance(entry, Receipt):
            yield Item(_receipt_row(entry, not provider_id, look), entry.provider_id, receipt=entry)
        else:
            yield Item(_used_row(entry, by_id, past.ledger_id, not provider_id, look), entry.provider_id, used=entry)
    if len(entries) > SHOWN:
        older = f"{len(entries) - SHOWN:,} older entries: cgp-tui consent history, cgp-tui consent audit"
        yield Item(row(span(older, "muted")))


def _moment(at: str) -> Span:
    return span(f"{at[5:10]} {at[11:]}  ", "muted")


def _act(word: str, token: Token) -> Span:
    return span(word.ljust(_ACT_CELLS), token)


def _receipt_row(receipt: Receipt, named: bool, look: Look) -> Row:
    act, token = ACTS.get(receipt.kind, (receipt.kind, "doubt"))
    who = own("all providers") if receipt.provider_id == ANY else show(receipt.provider_id)
    about = own("") if receipt.kind in ("recover", "checkpoint") else what(receipt)
    if about and (named or receipt.provider_id == ANY):
        about = compose("{what}  {who}", what=about, who=who)
    number = Span(fit(own(f"#{receipt.seq}"), 5, look.symbols), "muted")
    parts = [number, _moment(receipt.granted_at), _act(act, token), Span(about)]
    if receipt.kind == "grant":
        parts.append(Span(compose("  until {until}", until=until_cell(receipt)), "muted"))
    if look.width >= _WITH_BY:
        by = compose("  by {kind} {id}", kind=show(receipt.grantor.kind), id=show(receipt.grantor.id, 40))
        parts.append(Span(by, "muted"))
    return Row(tuple(parts), rest=span(" " * 5))


def _used_row(used: Used, by_id: Mapping[str, Receipt], ledger_id: str, named: bool, look: Look) -> Row:
    parts = [span(" " * 5), _moment(used.at)]
    if used.allowed:
        less = "" if used.whole else " or fewer"
        parts += [_act("sent" if used.whole else "cut", "sent" if used.whole else "bad")]
        parts += [span(f"{used.asked.ljust(6)} {exact_bytes(used.bytes)}{less}")]
    else:
        parts += [_act("refused", "bad"), span(f"{used.asked.ljust(6)} {plural(len(used.needs), 'need')}")]
    if named:
        parts += [span("  "), Span(show(used.provider_id, 40))]
    parts.append(Span(_because(used, by_id, ledger_id), "muted"))
    return Row(tuple(parts), rest=span(" " * 5))


def _because(used: Used, by_id: Mapping[str, Receipt], ledger_id: str) -> Shown:
    """Under which receipts it left, or why it did not."""
    if not used.allowed:
        reasons = dict.fromkeys(need.reason for need in used.needs if need.reason)
        return compose(": {reasons}", reasons=join(", ", (show(reason, 40) for reason in reasons)))
    if not used.needs:
        return own("  no consent needed")
    if used.ledger is None or (ledger_id and used.ledger.id != ledger_id):
        return own("  under another ledger")
    under = dict.fromkeys(f"#{by_id[n.receipt_id].seq}" if n.receipt_id in by_id else "?" for n in used.needs)
    return own(f"  under {', '.join(under)}")


def reasons_of(used: Used) -> tuple[Reason, ...]:
    """Why a payload was refused, as far as the recording tells: it does not hold what differed."""
    made = []
    for need in used.needs:
        basis = "scope" if need.basis == "scope" else "boolean"
        code: ReasonCode = need.reason or "no_receipt"  # type: ignore[assignment]
        made.append(Reason(Need(used.provider_id, basis, need.scope), code, need.receipt_id))  # type: ignore[arg-type]
    return tuple(made)


def refused_title(used: Used) -> Shown:
    """`Why: query to acme refused, 11-29 18:20:11Z, 164 bytes, none left`."""
    return compose(
        "Why: {asked} to {who} refused, {at}, {size}, none left",
        asked=own(used.asked),
        who=show(used.provider_id, 40),
        at=show(f"{used.at[5:10]} {used.at[11:]}"),
        size=own(exact_bytes(used.bytes)),
    )
