"""Who may have, who had what: the consent view's list, and every receipt of the ledger as a timeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from cgp_tui.consent.listing import Listed
from cgp_tui.consent.receipt import ANY, NEVER, Receipt
from cgp_tui.consent.sighting import known_target
from cgp_tui.consent.types import Binding, Need, Reason
from cgp_tui.consent.usage import Used, total, under
from cgp_tui.present.consent import Answered, Case, changes
from cgp_tui.present.consent_lines import what
from cgp_tui.present.layout import cut, cut_middle, digest, fit, labelled, spans_width
from cgp_tui.present.numbers import plural
from cgp_tui.present.refusal import Whose, need_name, reason_words
from cgp_tui.present.spans import GAP, SPACE, Row, Rows, Span, Token, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.present.until import here
from cgp_tui.present.uses import used_words
from cgp_tui.text import Shown, compose, join, own, show

_NAME_CELLS: Final = 64
"""A wider column would put what is said of a need out of sight of it."""

_UNTIL_CELLS: Final = 20
_DECISION_CELLS: Final = 13
_NUMBER_CELLS: Final = 6
_USE_CELLS: Final = 17
_WITH_UNTIL: Final = 56
_WITH_NUMBER: Final = 72
_WITH_USE: Final = 90
"""Widths in cells from which a list has room for the end of a grant, the number of its record, and its last use."""

_TOLD: Final = frozenset({"identity_changed", "posture_narrowed"})
"""Reasons that say what changed, on a row of their own."""

_STANDINGS: Final[dict[str, tuple[str, Token]]] = {
    "in_force": ("in force", "good"),
    "not_in_force": ("not in force", "doubt"),
    "expired": ("expired", "doubt"),
    "revoked": ("revoked", "bad"),
    "denied": ("denied", "bad"),
    "spent": ("used up", "doubt"),
}

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

ACTS: Final[dict[str, tuple[str, Token]]] = {
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
    """A row of a list with what it stands for: a provider (`need` None) or one need of it; in the timeline a receipt or a
    use. `reason` is why a need is not granted."""

    row: Row
    provider_id: str = ""
    need: Need | None = None
    receipt: Receipt | None = None
    used: Used | None = None
    reason: Reason | None = None


def decision(answered: Answered) -> Span:
    """What stands for one need now, in a word."""
    if answered.reason is None:
        return span("granted", "good")
    word, token = _DECISIONS.get(answered.reason.reason, (answered.reason.reason, "bad"))
    return span(word, token)


def until_cell(receipt: Receipt | None) -> Shown:
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


def _need_row(name: Shown, said: Span, cells: tuple[Shown, Shown, Shown], look: Look) -> Row:
    """`cells` are the end of a grant, the number of its record, and its last use."""
    until, number, last = cells
    columns: list[Span] = [Span(fit(said.text, _DECISION_CELLS, look.symbols), said.token)]
    if look.width >= _WITH_UNTIL:
        columns += [SPACE, Span(fit(until, _UNTIL_CELLS, look.symbols), "muted")]
    if look.width >= _WITH_NUMBER:
        columns += [SPACE, Span(fit(number, _NUMBER_CELLS, look.symbols), "muted")]
    if look.width >= _WITH_USE:
        columns += [SPACE, Span(fit(last, _USE_CELLS, look.symbols), "muted")]
    room = max(min(look.width - spans_width(columns) - 3, _NAME_CELLS), 12)
    return Row((span("  "), Span(fit(name, room, look.symbols, middle=True)), SPACE, *columns))


def _number(record: Receipt | None) -> Shown:
    return own("" if record is None else f"#{record.seq}")


HEADS: Final = {
    "provider, need": "The provider, by your own name for it, and below it what each receipt covers.",
    "decision": "What is on record, and whether it holds for what runs now.",
    "until": "When a grant ends by itself.",
    "last used": "When something was last sent under it.",
}
"""What each column says."""


def heading(look: Look) -> tuple[Span, ...]:
    """What the columns hold, in cells like theirs."""
    made = _need_row(own("provider, need"), span("decision"), (own("until"), own(""), own("last used")), look)
    return tuple(Span(part.text, "muted", _head(part.text.strip())) for part in made.spans)


def _head(name: str) -> Shown | None:
    return own(HEADS[name]) if name in HEADS else None


def posture(case: Case, look: Look) -> Span:
    """One line on a provider: why it needs no receipt, or how many of its needs stand open."""
    if not case.needs:
        return span("says nothing leaves this machine: no receipt needed", "muted")
    missing = len(case.open)
    if not missing:
        return span(f"{look.symbols.good} may receive queries", "good")
    return span(f"{look.symbols.doubt} {missing} of {len(case.needs)} not granted: no query is sent", "doubt")


def change_words(case: Case, look: Look) -> Shown:
    """What differs from the last record, on one line: `changed: version 2.3.0 -> 2.4.1, one scope more`."""
    told: list[Shown] = []
    more = less = 0
    for field, old, new in changes(case):
        if field == "scope":
            more, less = more + (old == "-"), less + (new == "-")
        elif field in ("version", "name"):
            parts = {"field": own(field), "old": cut(old, 20, look.symbols), "new": cut(new, 20, look.symbols)}
            told.append(compose("{field} {old} {to} {new}", to=own(look.symbols.sent), **parts))
        else:
            told.append(own(f"other {field}"))
    told += [own(f"{plural(count, 'scope')} {way}") for count, way in ((more, "more"), (less, "less")) if count]
    return compose("changed: {told}", told=join(", ", told)) if told else own("")


def provider_items(cases: Iterable[Case], listed: Sequence[Listed], uses: Sequence[Used], look: Look) -> Iterator[Item]:
    """The connections of this session with their needs as the gate would decide now, then what stands on record for other
    providers, as it would decide for who was seen last."""
    connected: set[str] = set()
    for case in cases:
        mine = case.binding.provider_id
        connected.add(mine)
        yield Item(_provider_row(mine, posture(case, look), look), mine)
        found = change_words(case, look) if case.open else own("")
        if found:
            yield Item(_why_row(found), mine)
        whose = Whose(case.binding, {receipt.receipt_id: receipt for receipt in case.receipts})
        for answered in case.needs:
            need, reason = answered.need, answered.reason
            record = answered.receipt or _last_word(case, need)
            last = used_words(total(under(uses, mine, need.basis, need.scope)))
            made = _need_row(need_name(need), decision(answered), (until_cell(record), _number(record), last), look)
            yield Item(made, mine, need, record, reason=reason)
            if reason is not None and reason.reason in _TOLD:
                yield Item(_why_row(reason_words(reason, whose)), mine, need, record, reason=reason)
    yield from _on_record(listed, connected, uses, look)


def _provider_row(provider_id: str, said: Span, look: Look) -> Row:
    width = (
        min(max(len(provider_id), 18), look.width // 2) if look.width >= _WITH_UNTIL else min(len(provider_id), look.width)
    )
    name = Span(fit(show(provider_id), width, look.symbols, middle=True), "strong")
    return Row((name, GAP, said), rest=span("    "))


def _why_row(words: Shown) -> Row:
    return Row((Span(words, "doubt"),), lead=span("    "), rest=span("    "))


def _on_record(listed: Sequence[Listed], connected: set[str], uses: Sequence[Used], look: Look) -> Iterator[Item]:
    by_id: dict[str, list[Listed]] = {}
    for entry in listed:
        if entry.receipt.provider_id not in connected:
            by_id.setdefault(entry.receipt.provider_id, []).append(entry)
    for provider_id, entries in by_id.items():
        seen = next((entry.seen for entry in entries if entry.seen is not None), None)
        when = own("") if seen is None else compose(", last seen {at}", at=show(seen.at))
        said = compose("not connected here{when}", when=when)
        yield Item(_provider_row(provider_id, Span(said, "muted"), look), provider_id)
        for entry in entries:
            yield from _listed(entry, uses, look)


def _listed(entry: Listed, uses: Sequence[Used], look: Look) -> Iterator[Item]:
    receipt = entry.receipt
    whole = receipt.basis == "all"
    need = Need(receipt.provider_id, "scope" if receipt.basis == "scope" else "boolean", receipt.scope)
    last = used_words(total(under(uses, receipt.provider_id, receipt.basis, receipt.scope)))
    cells = (until_cell(receipt), _number(entry.by or receipt), last)
    made = _need_row(what(receipt), span(*_STANDINGS[entry.status]), cells, look)
    reason = None
    if entry.reason in _TOLD:
        reason = Reason(need, "identity_changed", receipt.receipt_id, entry.field, entry.old, entry.new)
    yield Item(made, receipt.provider_id, None if whole else need, receipt, reason=reason)
    if reason is not None:
        nobody = Whose(Binding(receipt.provider_id, "", "", known_target("", "", ())), {receipt.receipt_id: receipt})
        yield Item(_why_row(reason_words(reason, nobody)), receipt.provider_id, need, receipt, reason=reason)


def receipt_rows(receipt: Receipt, look: Look) -> Rows:
    """One receipt in full, as it is on disk."""
    yield row(span(f"#{receipt.seq} ", "strong"), span(*ACTS.get(receipt.kind, (receipt.kind, "doubt"))))
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
        yield from labelled("until", look, Span(until_cell(receipt)), Span(here(receipt.expires_at), "muted"))
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
