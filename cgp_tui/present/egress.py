"""What left, as lines of plain text: a line for each payload with its receipts, then the sum, then the faults."""

from __future__ import annotations

from collections.abc import Iterator

from cgp_tui.consent.egress import Audit, Sent, Use
from cgp_tui.present.numbers import plural
from cgp_tui.text import Shown, compose, join, own, show


def audit_lines(audit: Audit) -> Iterator[Shown]:
    """Every payload in the order of the recordings, then how many there were, then every fault."""
    for sent in audit.sent:
        yield compose(
            "{at}  {bytes}{less} bytes of {asked} to {who}  {agreed}",
            at=show(sent.at),
            bytes=sent.bytes,
            less=own("" if sent.whole else " or fewer"),
            asked=own(sent.asked),
            who=show(sent.provider_id),
            agreed=_agreed(sent),
        )
    providers = len({sent.provider_id for sent in audit.sent})
    size = sum(sent.bytes for sent in audit.sent)
    yield compose(
        "{sent} left in {files}: {size} to {providers}; {refused} refused.",
        sent=own(plural(len(audit.sent), "payload")),
        files=own(plural(len(audit.transcripts), "recording")),
        size=own(plural(size, "byte")),
        providers=own(plural(providers, "provider")),
        refused=audit.refused,
    )
    others = sum(sent.ledger == "other" for sent in audit.sent)
    if others:
        yield compose("{count} of them under another ledger, which was not looked at.", count=own(plural(others, "payload")))
    for fault in audit.faults:
        where = show(fault.transcript) if fault.transcript else own("ledger")
        yield compose("DOES NOT HOLD  {where}: {what}", where=where, what=show(fault.what))
    if audit.faults:
        return
    if others:
        yield own("What was looked at holds: chain, head, and a receipt for every other payload that needed one.")
    else:
        yield own("It holds: chain, head, and a receipt for every payload that needed one.")


def _agreed(sent: Sent) -> Shown:
    if sent.ledger == "none":
        return own("no consent needed")
    agreed = join("; ", map(_use, sent.uses))
    return compose("{agreed} (in a ledger that was set aside)", agreed=agreed) if sent.ledger == "archived" else agreed


def _use(use: Use) -> Shown:
    what = show(use.scope) if use.basis == "scope" else own("sending at all")
    receipt = use.receipt
    if receipt is None:
        return compose("{what}: {id}", what=what, id=show(use.receipt_id or "no receipt"))
    return compose(
        "{what}: #{seq} by {kind} {id} on {when}",
        what=what,
        seq=receipt.seq,
        kind=own(receipt.grantor.kind),
        id=show(receipt.grantor.id),
        when=show(receipt.granted_at),
    )
