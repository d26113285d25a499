"""What came of a withdrawal, in full: what it means, why it is not more, what to do."""

from __future__ import annotations

from typing import Final

from cgp_tui.consent.ledger import Revoked
from cgp_tui.present.consent_lines import revoked_line, what
from cgp_tui.present.layout import labelled
from cgp_tui.present.spans import EMPTY, GAP, Rows, Span, Token, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.text import Shown, own, show

_MEANS: Final[dict[str, tuple[Token, str, str]]] = {
    "confirmed": (
        "good",
        "Every process here that uses this gate and this ledger has finished its last write for it and starts no other. "
        "Bytes already given to a pipe or socket count as sent.",
        "",
    ),
    "not_confirmed": (
        "doubt",
        "It is on record: nobody begins to send under it any more. But a write had begun that was not seen to end within "
        "two seconds, so what was begun may still leave.",
        "End that process.",
    ),
    "emergency_stop": (
        "bad",
        "It could not be written down. So the ledger's head was removed: every gate on this ledger is shut, for every "
        "provider that needs consent.",
        "",
    ),
    "not_recorded": (
        "bad",
        "Nothing is on record, and the gates could not be shut. Other processes may go on sending under what was granted.",
        "End every program that uses this ledger, then revoke again.",
    ),
}
"""What each outcome means, and what to do where that is not the way out of a stopped ledger."""


def withdrawn_rows(done: Revoked, recover: Shown, look: Look) -> Rows:
    """One outcome; `recover` is the command that leads out of an emergency stop."""
    token, means, step = _MEANS[done.outcome]
    sign = {"good": look.symbols.good, "doubt": look.symbols.doubt}.get(token, look.symbols.bad)
    yield row(span(f"{sign} ", token), Span(revoked_line(done), token))
    yield row(span(means))
    if done.detail and done.outcome != "confirmed":
        yield from labelled("because", look, Span(show(done.detail)))
    for index, receipt in enumerate(done.receipts):
        about = (span(f"#{receipt.seq} {receipt.kind}"), GAP, Span(what(receipt)), GAP, Span(show(receipt.provider_id)))
        yield from labelled("on record" if index == 0 else "", look, *about)
    after = recover if done.outcome == "emergency_stop" else own(step)
    if after:
        yield EMPTY
        yield from labelled("next", look, Span(after, "strong"))
