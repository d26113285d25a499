"""A live session in sentences: what it waits for, what it is silent about, why it ended."""

from __future__ import annotations

from typing import Final

import msgspec

from cgp_tui import limits
from cgp_tui.consent.types import Answer, Denial
from cgp_tui.present.key_sentences import Keys, keyed
from cgp_tui.present.numbers import duration, exact_bytes, plural
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
    "consent_required": "stopped: its consent was taken back",
    "scope_contradiction": "stopped: its scopes contradict what it says of egress (C5)",
    "scope_malformed": "stopped: it declares a malformed scope (C6)",
    "timeout": "unusable: a reply did not come in time",
    "line_too_long": f"stopped: a line was longer than {limits.LINE_BYTES >> 20} MiB",
    "flood": "stopped: it sent what was not requested",
    "unexpected_envelope": "stopped: it broke the order of messages (SPEC 2.1)",
    "spawn_failed": "could not be started",
}


def waiting_words(exchange: Exchange, elapsed: float, allowed: float) -> Shown:
    """The clock of a request in flight: `q4 pending 2.1 of 30 s`."""
    ident = exchange.request.decoded.id if exchange.request is not None else None
    name = own(exchange.kind) if ident is None else show(ident, 24)
    return compose("{name} pending {spent:.1f} of {allowed:g} s", name=name, spent=elapsed, allowed=allowed)


class Pulse(msgspec.Struct, frozen=True):
    """Signs of life of a provider: its process, seconds since the last byte of its messages (None where none came), the
    bytes of an unfinished line, the end of its stderr."""

    pid: int | None
    silent: float | None
    unfinished: int
    stderr: bytes = b""


def hang_words(exchange: Exchange, elapsed: float, allowed: float, pulse: Pulse, keys: Keys) -> Shown:
    """What is known while a request waits: its clock, the process, the last byte, an unfinished line, what to do."""
    ident = exchange.request.decoded.id if exchange.request is not None else None
    name = own(exchange.kind) if ident is None else show(ident, 24)
    clock = compose("{name} waits {spent:.1f} of {allowed:g} s.", name=name, spent=elapsed, allowed=allowed)
    steps = keyed("{item.withdraw} gives up, {session.restart} restarts.", keys)
    return join(" ", (clock, _pulse_words(pulse), steps, *_stderr_words(pulse.stderr)))


def _pulse_words(pulse: Pulse) -> Shown:
    process = own("Running") if pulse.pid is None else own(f"Running (pid {pulse.pid})")
    heard = own("no byte yet") if pulse.silent is None else compose("last byte {ago} ago", ago=duration(pulse.silent))
    begun = f", {exact_bytes(pulse.unfinished)} of an unfinished line" if pulse.unfinished else ""
    return compose("{process}, {heard}{begun}.", process=process, heard=heard, begun=own(begun))


def _stderr_words(stderr: bytes) -> tuple[Shown, ...]:
    last = last_words(stderr)
    return (compose("stderr: {last}", last=last),) if last else ()


def end_words(provider_id: str, ended_by: str, code: int | None, signal: int | None, ours: bool = False) -> Shown:
    """Why a connection can no longer be used: `repo-graph ended by signal 9`. `ours` says that we sent that signal."""
    who = show(provider_id, 40)
    if ours and ended_by == "provider_crashed":
        return compose("{who} closed its end of a pipe; stopped by cgp-tui", who=who)
    if signal is not None and ended_by == "provider_crashed":
        return compose("{who} ended by signal {signal}", who=who, signal=signal)
    how = _ENDS.get(ended_by, f"failed: {ended_by.replace('_', ' ')}")
    if ended_by == "provider_crashed" and code is not None:
        how = f"ended with exit code {code}"
    return compose("{who} {how}", who=who, how=own(how))


def trouble_words(trouble: Shown, problem: Shown | None, stderr: bytes, keys: Keys) -> Shown:
    """The same with the provider's last words and the advice that a person needs to mend it.

    What this provider said comes before what is true of all, and in quotes, so that nobody takes it for our own words.
    """
    last = last_words(stderr)
    parts = (
        compose("{trouble}.", trouble=trouble),
        compose('stderr: "{last}".', last=last) if last else own(""),
        problem or keyed("{session.restart} starts it again; what it wrote is kept.", keys),
    )
    return join(" ", (part for part in parts if part))


def silence_words(provider_id: str, elapsed: float, allowed: float, pulse: Pulse | None) -> Shown:
    """What the list shows before a provider's handshake is done; `pulse` is None where no process has been started yet."""
    said = compose(
        "{who}: started {spent} ago, handshake not answered yet ({allowed} allowed).",
        who=show(provider_id, 40),
        spent=duration(elapsed),
        allowed=duration(allowed),
    )
    return said if pulse is None else join(" ", (said, _pulse_words(pulse), *_stderr_words(pulse.stderr)))


def last_words(stderr: bytes) -> Shown:
    """The last line of a provider's stderr that is not blank."""
    lines = [line for line in show_lines(stderr[-4096:].decode("utf-8", "backslashreplace")) if line.strip()]
    return join(" ", (show(line, _CHARS) for line in lines[-_STDERR_LINES:]))


def consent_words(provider_id: str, answer: Answer, keys: Keys) -> Shown | None:
    """The bar of a provider to which nothing is sent: its name and which key decides; None where it may receive."""
    if not isinstance(answer, Denial):
        return None
    who, needs = show(provider_id, 40), own(plural(len(answer.reasons), "need"))
    reasons = [reason.reason for reason in answer.reasons]
    if all(reason in ("denied", "revoked") for reason in reasons):
        said = "{who} gets nothing: you said no. {consent.open} decides again; the rest goes on."
    elif all(reason not in UNDECIDABLE for reason in reasons):
        said = "{who} waits for your consent: {needs}. {consent.open} decides; the rest goes on."
    else:
        said = "{who} gets nothing: the gate is shut. {consent.open} says why; the rest goes on."
    return keyed(said, keys, who=who, needs=needs)


def addressee_spans(answer: Answer | None, problem: Shown | None, keys: Keys) -> tuple[tuple[Span, ...], bool]:
    """What would become of a query to this provider, and whether it would be sent."""
    if problem is not None:
        return (span("not connected: ", "bad"), Span(problem, "muted")), False
    if answer is None:
        return (span("has not finished its handshake", "doubt"),), False
    if isinstance(answer, Denial):
        needs = plural(len(answer.reasons), "need")
        names = join(", ", (show(r.need.scope or "sending at all", 40) for r in answer.reasons))
        decides = Span(keyed(" ({consent.open} decides): ", keys), "muted")
        return (span(f"would be refused: {needs}", "doubt"), decides, Span(names, "doubt")), False
    if not answer.needs:
        return (span("child process, says local: needs no receipt", "muted"),), True
    numbers = ", ".join(f"#{receipt.seq}" for receipt in answer.receipts)
    return (span("granted", "good"), span(f" by {numbers}", "muted")), True
