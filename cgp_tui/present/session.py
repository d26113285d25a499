"""A live session in sentences: what it waits for, what it is silent about, why it ended."""

from __future__ import annotations

from typing import Final

from cgp_tui.consent.types import Answer, Denial
from cgp_tui.present.numbers import duration, plural
from cgp_tui.present.refusal import UNDECIDABLE
from cgp_tui.present.spans import Span, span
from cgp_tui.session.exchange import Exchange
from cgp_tui.text import Shown, compose, join, own, show, show_lines

_STDERR_LINES: Final = 1
_CHARS: Final = 160

_ENDS: Final = {
    "closed": "shut down",
    "provider_crashed": "ended",
    "version_mismatch": "stopped",
    "scope_contradiction": "stopped: its scopes contradict what it says of egress (C5)",
    "scope_malformed": "stopped: it declares a scope that is none (C6)",
    "timeout": "of no more use: a reply did not come in time",
    "line_too_long": "stopped: a line was longer than 16 MiB",
    "flood": "stopped: it sent what nobody asked for",
    "unexpected_envelope": "stopped: it broke the order of messages (SPEC 2.1)",
    "spawn_failed": "could not be started",
}


def waiting_words(exchange: Exchange, elapsed: float, allowed: float) -> Shown:
    """The clock of a request in flight: `q4 pending 2.1 of 30 s`."""
    ident = exchange.request.decoded.id if exchange.request is not None else None
    name = own(exchange.kind) if ident is None else show(ident, 24)
    return compose("{name} pending {spent:.1f} of {allowed:g} s", name=name, spent=elapsed, allowed=allowed)


def end_words(provider_id: str, ended_by: str, code: int | None, signal: int | None, ours: bool = False) -> Shown:
    """Why a connection is of no more use: `repo-graph ended by signal 9`. `ours` is whether we sent that signal."""
    who = show(provider_id, 40)
    if ours and ended_by == "provider_crashed":
        return compose("{who} closed its end of a pipe; stopped by cgp-tui", who=who)
    if signal is not None and ended_by == "provider_crashed":
        return compose("{who} ended by signal {signal}", who=who, signal=signal)
    how = _ENDS.get(ended_by, f"failed: {ended_by.replace('_', ' ')}")
    if ended_by == "provider_crashed" and code is not None:
        how = f"ended with exit code {code}"
    return compose("{who} {how}", who=who, how=own(how))


def trouble_words(trouble: Shown, problem: Shown | None, stderr: bytes) -> Shown:
    """The same with the last words of the provider and the advice that belongs to it: what a person needs to mend it.

    A narrow screen cuts it at its end, so what only this provider can tell stands before what holds for all.
    """
    last = last_words(stderr)
    parts = (
        compose("{trouble}.", trouble=trouble),
        compose("stderr: {last}", last=last) if last else own(""),
        problem or own(": Restart begins anew; what it wrote is kept."),
    )
    return join(" ", (part for part in parts if part))


def silence_words(provider_id: str, elapsed: float, allowed: float, stderr: bytes) -> Shown:
    """What stands in the list while a provider has said nothing yet."""
    said = compose(
        "{who}: started {spent} ago, handshake not answered yet ({allowed} allowed).",
        who=show(provider_id, 40),
        spent=duration(elapsed),
        allowed=duration(allowed),
    )
    last = last_words(stderr)
    return compose("{said} stderr: {last}", said=said, last=last) if last else said


def last_words(stderr: bytes) -> Shown:
    """The last line of a provider's stderr that says anything."""
    lines = [line for line in show_lines(stderr[-4096:].decode("utf-8", "backslashreplace")) if line.strip()]
    return join(" ", (show(line, _CHARS) for line in lines[-_STDERR_LINES:]))


def consent_words(provider_id: str, answer: Answer) -> Shown | None:
    """The bar of a provider that is not sent anything: whom it is about and which key decides; None where it may receive."""
    if not isinstance(answer, Denial):
        return None
    who, needs = show(provider_id, 40), own(plural(len(answer.reasons), "need"))
    reasons = [reason.reason for reason in answer.reasons]
    if all(reason in ("denied", "revoked") for reason in reasons):
        said = "{who} gets nothing: you said no. c decides anew; the rest goes on."
    elif all(reason not in UNDECIDABLE for reason in reasons):
        said = "{who} waits for your consent: {needs}. c decides; the rest goes on."
    else:
        said = "{who} gets nothing: the gate is shut. c says why; the rest goes on."
    return compose(said, who=who, needs=needs)


def addressee_spans(answer: Answer | None, problem: Shown | None) -> tuple[tuple[Span, ...], bool]:
    """What would become of a query to this provider, and whether it would be sent."""
    if problem is not None:
        return (span("not connected: ", "bad"), Span(problem, "muted")), False
    if answer is None:
        return (span("has not shaken hands yet", "doubt"),), False
    if isinstance(answer, Denial):
        needs = plural(len(answer.reasons), "need")
        names = join(", ", (show(r.need.scope or "sending at all", 40) for r in answer.reasons))
        return (span(f"would be refused: {needs}, ", "doubt"), Span(names, "doubt"), span(" (c decides)", "muted")), False
    if not answer.needs:
        return (span("child process, says local: needs no receipt", "muted"),), True
    numbers = ", ".join(f"#{receipt.seq}" for receipt in answer.receipts)
    return (span("granted", "good"), span(f" by {numbers}", "muted")), True
