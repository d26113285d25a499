"""Why nothing was sent: the refusals of the gate and the states of the ledger, in words that name the next step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from cgp_tui.consent.receipt import Receipt
from cgp_tui.consent.types import Binding, Need, Reason
from cgp_tui.present.layout import digest, labelled
from cgp_tui.present.spans import Row, Rows, Span, Token, row, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown, apart, compose, own, show
from cgp_tui.wire.note import LedgerMark

_CONSENT_KEY: Final = "{consent.open} decides here."

_BY_NEED: Final = {
    "denied": "you said no{when}",
    "revoked": "you withdrew it{when}",
    "expired": "the grant ended{when}",
    "spent": "the one-time grant was used{when}",
    "scope_malformed": '"{scope}" is not a scope; the provider\'s author must correct it',
    "identity_unrepresentable": "its name, version or scopes are too long or broken to be kept on record",
}
"""Reasons with fixed words; those of `identity_changed`, `no_receipt` and `posture_narrowed` are made below."""

_LEDGER: Final[dict[str, tuple[str, bool]]] = {
    "fresh": ("no receipt yet: nothing has been granted", False),
    "clock_behind": ("the clock is before the newest record; set the clock", False),
    "head_missing": ("its head is gone: stopped by you, or removed", True),
    "head_damaged": ("its head cannot be read", True),
    "shortened": ("records that were written are missing", True),
    "damaged": ("it is damaged", True),
    "forked": ("it is not the ledger that its head remembers", True),
    "tampered": ("a record is not what was written", True),
    "torn": ("its last record is cut; the next start sets that aside", False),
    "adopt": ("its head lags behind; the next start catches up", False),
    "newer_format": ("a newer cgp-tui wrote it; update this one", False),
    "store_unsafe": ("its file or folder is open to others", False),
    "lock_timeout": ("another process holds it", False),
    "unrecordable": ("nothing can be written to it", False),
}
"""What a state of the ledger means, and whether it says that nothing at all leaves until it is recovered."""

_FIELDS: Final = {"provider_name": "name", "provider_version": "version", "target": "program or arguments", "code": "code"}

UNDECIDABLE: Final = frozenset({"scope_malformed", "identity_unrepresentable", *_LEDGER}) - {"fresh"}
"""Reasons that no answer at the prompt can remove."""


class Whose(msgspec.Struct, frozen=True):
    """Whom a refusal is about: the binding, and all receipts by id, for dates and numbers."""

    binding: Binding
    receipts: Mapping[str, Receipt] = {}


def _when(receipt: Receipt | None) -> Shown:
    if receipt is None:
        return own("")
    moment = receipt.expires_at if receipt.kind == "grant" else receipt.granted_at
    return compose(" on {moment} (#{seq})", moment=show(moment), seq=receipt.seq)


def _no_receipt(reason: Reason, binding: Binding) -> Shown:
    if reason.need.basis == "scope":
        return own("no receipt covers this scope (C6)")
    if binding.target.off_machine:
        return own("it is reached on another machine, and no receipt covers that (C4)")
    return own("it sends data away and names no scope, and no receipt covers that (C1)")


def _identity(reason: Reason, receipt: Receipt | None) -> Shown:
    number = own(f"#{receipt.seq} ") if receipt is not None else own("the receipt ")
    field = own(_FIELDS.get(reason.field, "identity"))
    if not reason.field:
        return compose("{number}was given to a different one", number=number)
    old, new = apart(reason.old, reason.new)
    if reason.field == "code":
        old, new = Shown(old[:12]), Shown(new[:12])
    return compose("{number}is for another {field}: {old}, this is {new}", number=number, field=field, old=old, new=new)


def reason_words(reason: Reason, whose: Whose) -> Shown:
    """One refused need as a clause, without the need's name."""
    receipt = whose.receipts.get(reason.receipt_id)
    code = reason.reason
    if code == "no_receipt":
        return _no_receipt(reason, whose.binding)
    if code == "identity_changed":
        return _identity(reason, receipt)
    if code == "posture_narrowed":
        before = own(_BY_NEED.get(reason.old, "it was not granted").format(when="", scope=""))
        return compose("{before}; that the provider now declares less undoes nothing", before=before)
    if code in _BY_NEED:
        template = _BY_NEED[code]
        return compose(template, when=_when(receipt), scope=show(reason.need.scope, 80))
    if code not in _LEDGER:
        # A recording of a later version may know more reasons.
        return show(code, 80)
    return own("the ledger gives no answer: " + _LEDGER[code][0])


def need_name(need: Need) -> Shown:
    """A need in a word: the scope as spelled, or words for sending at all."""
    return show(need.scope) if need.basis == "scope" else own("(sending at all)")


def ledger_span(state: str, head: LedgerMark | None) -> Span:
    """The ledger in the status line: `ledger #42 ok`, or why it gives no answers."""
    if state == "ok" and head is not None:
        return span(f"ledger #{head.seq} ok", "good")
    if state == "fresh":
        return span("ledger empty", "muted")
    return span(f"ledger {state}", "bad")


def ledger_titles(state: str, head: LedgerMark | None, path: Shown, symbols: Symbols) -> tuple[Shown, ...]:
    """The ledger beside a title, the most telling wording first: with its head's hash and its file, without the file,
    without the hash too."""
    said = ledger_span(state, head).text
    if state != "ok" or head is None:
        return (compose("{said}  {path}", said=said, path=path), said)
    hashed = compose("{said}, ledger head {hash}", said=said, hash=digest(show(head.hash), symbols))
    return (compose("{hashed}  {path}", hashed=hashed, path=path), hashed, said)


def ledger_rows(state: str, detail: Shown, fix: Shown, look: Look) -> Rows:
    """Why a ledger does not answer, where, and the one step that leads out."""
    said, stops = _LEDGER.get(state, ("it does not answer", False))
    sign = span(f"{look.symbols.bad} ", "bad")
    end = span(" Nothing that needs consent leaves this machine.", "bad") if stops else span("")
    yield row(sign, span(f"The ledger shuts the gate: {said}.", "bad"), end)
    if detail:
        yield from labelled("where", look, Span(detail))
    if fix:
        yield from labelled("next", look, Span(fix, "strong"))


_RULES: Final = {
    "scope": "C6: every scope a provider declares that leaves this machine needs a receipt in force.",
    "remote": "C4: what is reached on another machine needs a receipt, whatever it declares.",
    "boolean": "C1: a provider that sends data away needs a receipt, named scope or not.",
}


def rules(reasons: Iterable[Reason], binding: Binding) -> list[str]:
    """The rules behind refused needs, anchor first."""
    boolean = "remote" if binding.target.off_machine else "boolean"
    kinds = ["scope" if one.need.basis == "scope" else boolean for one in reasons]
    return [_RULES[kind] for kind in dict.fromkeys(kinds)]


def decidable(reasons: Iterable[Reason]) -> bool:
    """Whether an answer at the prompt can change this."""
    return all(reason.reason not in UNDECIDABLE for reason in reasons)


def next_step(reasons: Iterable[Reason], fix: Shown, look: Look) -> Shown:
    """What to do about a refusal: the prompt where it can help, else the gate's own advice."""
    if decidable(reasons):
        return look.say(_CONSENT_KEY)
    return fix or own("No answer at the prompt changes this.")


def refusal_rows(reasons: tuple[Reason, ...], whose: Whose, fix: Shown, look: Look, here: Shown | None = None) -> Rows:
    """A refusal in full: the rule, each refused need with its reason, the next step."""
    yield row(span("Not sent. ", "bad"), span("Nothing of it left this machine."))
    for rule in rules(reasons, whose.binding):
        yield row(span(rule))
    for reason in reasons:
        yield need_row(reason, whose, look)
    yield from labelled("next", look, Span(here or next_step(reasons, fix, look), "strong"), column=6)


def why_rows(reasons: tuple[Reason, ...], whose: Whose, fix: Shown, look: Look, here: Shown | None = None) -> Rows:
    """A refusal as it is told to who asks why: the rule, each refused need with its reason, the next step (`here`, where
    that is another than usual) and the command for the same."""
    yield from refusal_rows(reasons, whose, fix, look, here)
    if fix and decidable(reasons):
        yield from labelled("or", look, Span(fix), Span(look.say("  ({why.copy} copies it)"), "muted"), column=6)


def need_row(reason: Reason, whose: Whose, look: Look) -> Row:
    """`third-party-index ✗ identity_changed: #31 is for another version: 2.3.0, this is 2.4.1`."""
    token: Token = "bad" if reason.reason != "no_receipt" else "doubt"
    parts = (
        Span(need_name(reason.need), "strong"),
        span(f" {look.symbols.bad} {reason.reason}: ", token),
        Span(reason_words(reason, whose)),
    )
    return Row(parts, lead=span("  "), rest=span("    "))
