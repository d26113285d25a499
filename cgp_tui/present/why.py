"""Why something is judged as it is, in one form for all: the rule, what was found here, the next step.

A finding, a standing, a refusal of the gate, an answer that is dropped and an exchange that came to nothing are each a
`Verdict`; what is selected may have several.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from cgp_tui.checks.outcome import CAUSES, Cause, outcome, problem
from cgp_tui.checks.types import Appraisal, Judged, Standing
from cgp_tui.consent.sighting import known_target
from cgp_tui.consent.types import Binding, Need, Reason
from cgp_tui.present.evidence import standing_mark, standing_sentence, standing_word
from cgp_tui.present.findings import sign, where
from cgp_tui.present.layout import labelled
from cgp_tui.present.numbers import duration, plural
from cgp_tui.present.refusal import Whose, decidable, need_name, reason_words, rules
from cgp_tui.present.spans import EMPTY, GAP, Row, Rows, Span, span
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.requirements import LEVELS, REQUIREMENTS, Finding
from cgp_tui.session.states import TIMEOUT
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.wire import note as notes

_NOTHING: Final = own("")

_COLUMN: Final = 14

MOST: Final = 40
"""Verdicts that are told at once; the rest is counted."""


class Verdict(msgspec.Struct, frozen=True):
    """`rule` is an anchor or a word of ours and `meaning` its sentence; `mark` and `said` are what was found, `evidence`
    labels with their values, `next` what to do."""

    rule: Shown
    meaning: Shown
    mark: Span
    said: tuple[Span, ...]
    evidence: tuple[tuple[Shown, Shown], ...] = ()
    next: Shown = own("")


class Because(msgspec.Struct, frozen=True):
    """An answer to why: its title, its verdicts, the anchor that a command tells more about (empty for none), and whether a
    decision about consent changes it."""

    title: Shown
    verdicts: tuple[Verdict, ...]
    anchor: str = ""
    decidable: bool = False


def because_rows(because: Because, look: Look) -> Rows:
    """The one form: each rule once, with everything that was found against it, and what to do."""
    last: Shown | None = None
    for verdict in because.verdicts[:MOST]:
        if verdict.rule != last:
            if last is not None:
                yield EMPTY
            yield Row((Span(verdict.rule, "strong"), GAP, Span(verdict.meaning)), rest=span("    "))
        last = verdict.rule
        yield Row((verdict.mark, span(" "), *verdict.said), lead=span("  "), rest=span("    "))
        for label, value in verdict.evidence:
            lead = Shown("    " + label.ljust(_COLUMN - 4)) if len(label) < _COLUMN - 4 else compose("    {of}: ", of=label)
            yield Row((Span(value),), lead=Span(lead, "muted"), rest=span(" " * _COLUMN))
        if verdict.next:
            yield from labelled("    next", look, Span(verdict.next, "strong"), column=_COLUMN)
    left = len(because.verdicts) - MOST
    if left > 0:
        yield EMPTY
        yield Row(
            (
                Span(
                    look.say("{left:,} more are not shown here: see Findings ({view.findings}).", left=left),
                    "muted",
                ),
            )
        )
    if because.anchor:
        yield EMPTY
        yield from labelled(
            "more",
            look,
            Span(explain_command(because.anchor)),
            Span(look.say("  ({why.copy} copies it)"), "muted"),
            column=_COLUMN,
        )


def explain_command(anchor: str) -> Shown:
    """The command that tells all about a rule."""
    return compose("cgp-tui check --explain {anchor}", anchor=show(anchor))


# What is judged


def of_finding(finding: Finding, look: Look) -> Verdict:
    """A finding: its rule, its evidence, its fix."""
    rule = REQUIREMENTS.get(finding.anchor)
    evidence = ((own("expected"), finding.expected), (own("found"), finding.found), (own("reference"), finding.reference))
    named = where(finding)
    place = ((own("where"), Shown("".join(part.text for part in named))),) if named else ()
    return Verdict(
        rule=show(finding.anchor),
        meaning=own("") if rule is None else own(rule.meaning),
        mark=sign(finding.level, look.symbols),
        said=(Span(show(finding.message)), span(f"  {finding.level}, line {finding.line:,}", "muted")),
        evidence=(*((label, show(text)) for label, text in evidence if text), *place),
        next=show(finding.fix),
    )


_STANDINGS: Final[dict[Standing, tuple[str, str]]] = {
    "attested": ("6.5.4", "Nothing to do. What no signature covers is listed with the frame."),
    "signer_unknown": (
        "F9",
        "{trust.key} trusts the key, once its owner has told you the fingerprint through another channel.",
    ),
    "signer_not_for_provider": ("F9", "`cgp-tui trust list` shows for whom, and for which dates, you trust the key."),
    "identity_only": ("6.5.4", "Its author should set content_digest before signing: then the content is covered too."),
    "content_mismatch": ("F7", "Do not quote this content as signed; ask the provider for it again."),
    "mismatch": ("F7", "Read it as unattested; the steps under Proof show which hash differs."),
    "invalid": ("6.5.4", "Read it as unattested; the steps under Proof show where it breaks."),
    "uncheckable": ("F8", "Read it as unattested; a verifier that knows the algorithm or the key could say more."),
    "unattested": ("F9", "Nothing to do: signing is optional, and an unsigned frame keeps its place."),
}
"""The rule behind each standing and the next step."""


def of_standing(appraisal: Appraisal, look: Look, count: int = 1) -> Verdict:
    """What the evidence of a frame amounts to, of `count` frames alike."""
    anchor, step = _STANDINGS[appraisal.standing]
    mark = standing_mark(appraisal.standing, look.symbols)
    name = show(appraisal.frame.frame_id, 60) if count == 1 else own(plural(count, "frame"))
    evidence = [(own("verdict"), show(appraisal.verdict.replace("_", " ")))]
    if appraisal.key_id is not None:
        evidence.append((own("key"), show(appraisal.key_id)))
    return Verdict(
        rule=own(anchor),
        meaning=own(REQUIREMENTS[anchor].meaning),
        mark=mark,
        said=(
            Span(name),
            span(": "),
            Span(standing_word(appraisal.standing), mark.token),
            GAP,
            Span(standing_sentence(appraisal)),
        ),
        evidence=tuple(evidence),
        next=look.say(step),
    )


_DROPS: Final = {"budget_lie": "B2", "frame_flood": "B4"}


def of_fate(judged: Judged, look: Look) -> Iterator[Verdict]:
    """What a host does with an exchange: an answer that it drops whole, or one that came to nothing."""
    exchange, mark = judged.exchange, span(look.symbols.bad, "bad")
    if exchange.state == "pending":
        return
    trouble = problem(judged)
    if trouble is not None:
        anchor = _CODES.get(trouble.code, "")
        yield Verdict(
            rule=own(anchor or trouble.code.replace("_", " ")),
            meaning=own(REQUIREMENTS[anchor].meaning if anchor else "What ends an exchange in this host."),
            mark=mark,
            said=(span(f"{exchange.kind}, {exchange.state}: "), Span(show(trouble.message))),
            evidence=() if trouble.provider_code is None else ((own("code"), show(trouble.provider_code)),),
            next=show(trouble.fix),
        )
    elif exchange.kind == "query":
        kind = outcome(judged).kind
        anchor = _DROPS.get(kind, "")
        if anchor:
            frames = 0 if exchange.reply is None else _frames(judged)
            many = "the only frame is" if frames == 1 else f"all {frames:,} frames are"
            yield Verdict(
                rule=own(anchor),
                meaning=own(REQUIREMENTS[anchor].meaning),
                mark=mark,
                said=(span(f"{kind.replace('_', ' ')}: ", "bad"), span(f"{many} dropped, none reaches a prompt")),
                next=look.say("The findings of this answer say what the provider must fix; then ask again ({query.again})."),
            )


def _frames(judged: Judged) -> int:
    reply = judged.exchange.reply
    result = None if reply is None else getattr(reply.decoded.envelope, "result", None)
    return 0 if result is None or reply is None else len(result.frames) + len(reply.decoded.bad_frames)


_CODES: Final = {
    "correlation_mismatch": "H4",
    "version_mismatch": "H3",
    "scope_contradiction": "C5",
    "scope_malformed": "U3",
    "unexpected_envelope": "3.2",
    "consent_required": "C2",
    "provider_crashed": "R1",
    "provider_error": "X1",
    "invalid_utf8": "ENV",
    "not_json": "ENV",
    "not_one_object": "ENV",
    "too_deep": "ENV",
    "duplicate_member": "SHAPE",
}
"""The rule behind a code that ends an exchange; a code without one is a limit of this host."""


# What was selected


def of_line(subject: Subject, place: int | None, look: Look) -> Because | None:
    """Everything that is judged about a line, or about the frame at `place` of it; None where nothing is."""
    found = subject.findings if place is None else subject.findings_at(place)
    ordered = sorted(found, key=lambda one: LEVELS.index(one.level))
    verdicts = [of_finding(finding, look) for finding in ordered]
    if place is None and subject.judged is not None:
        verdicts += of_fate(subject.judged, look)
    verdicts += _standings(subject, place, look)
    if not verdicts:
        return None
    title = compose("Why: line {n}", n=subject.line.n)
    if place is not None and (appraisal := subject.appraisal(place)) is not None:
        title = compose("{title}, frame {id}", title=title, id=show(appraisal.frame.frame_id, 60))
    return Because(title, tuple(verdicts), ordered[0].anchor if ordered else "")


def _standings(subject: Subject, place: int | None, look: Look) -> Iterator[Verdict]:
    """The standing of one frame, or those of an answer, each told once."""
    appraisals = () if subject.judged is None or subject.frames is None else subject.judged.appraisals
    if place is not None:
        one = subject.appraisal(place)
        appraisals = () if one is None else (one,)
    alike: dict[Standing, list[Appraisal]] = {}
    for appraisal in appraisals:
        alike.setdefault(appraisal.standing, []).append(appraisal)
    for group in alike.values():
        yield of_standing(group[0], look, len(group))


def of_one(finding: Finding, look: Look) -> Because:
    """One finding by itself."""
    title = compose("Why: {anchor} at line {n}", anchor=show(finding.anchor), n=finding.line)
    return Because(title, (of_finding(finding, look),), finding.anchor)


def of_note(note: notes.AnyNote, provider_id: str, look: Look, *, live: bool) -> Because | None:
    """Why a note stands in the recording: the gate refused, something was cut, given up, dropped; None where it judges
    nothing. `provider_id` is our name of whom it is about, `live` whether that can be decided here."""
    if isinstance(note, notes.GateNote):
        return _of_gate(note, provider_id, look, live=live)
    verdict = _of_event(note, look)
    return None if verdict is None else Because(compose("Why: {what}", what=own(_kind(note))), (verdict,))


def _kind(note: notes.AnyNote) -> str:
    return type(note).__name__.lower()


def _of_gate(note: notes.GateNote, provider_id: str, look: Look, *, live: bool) -> Because | None:
    reasons = tuple(_reason(need, provider_id) for need in note.needs)
    whom = Binding(provider_id, "", "", known_target("", "", ()))
    whose = Whose(whom)
    if note.allowed:
        said = f"{note.asked} of {note.bytes:,} bytes was allowed: "
        by = f"{plural(len(note.needs), 'receipt')} in force" if note.needs else "the provider declares that nothing leaves"
        rule = Verdict(own("C2"), own(REQUIREMENTS["C2"].meaning), span(look.symbols.good, "good"), (span(said + by),))
        return Because(own("Why: the gate"), (rule,), "C2")
    can = decidable(reasons)
    step = (
        "{consent.open} decides here."
        if can and live
        else "Decide with `cgp-tui consent grant`, then ask again."
        if can
        else ""
    )
    said_of = tuple(
        (
            need_name(reason.need),
            compose("{code}: {words}", code=show(reason.reason, 40), words=reason_words(reason, whose)),
        )
        for reason in reasons
    )
    anchor, _, meaning = (rules(reasons, whom) or ["C2: " + REQUIREMENTS["C2"].meaning])[0].partition(": ")
    verdict = Verdict(
        rule=own(anchor),
        meaning=own(meaning),
        mark=span(look.symbols.bad, "bad"),
        said=(span(f"{note.asked} of {note.bytes:,} bytes not sent", "bad"), span(": nothing of it left this machine.")),
        evidence=said_of,
        next=look.say(step or "No answer at the prompt changes this; the ledger or the provider must be fixed."),
    )
    title = compose("Why: {asked} to {who} refused", asked=own(note.asked), who=show(provider_id or "the provider", 40))
    return Because(title, (verdict,), anchor, can)


def _reason(need: notes.NeedNote, provider_id: str) -> Reason:
    basis = "scope" if need.basis == "scope" else "boolean"
    code = need.reason or "no_receipt"
    return Reason(Need(provider_id, basis, need.scope), code, need.receipt_id)  # type: ignore[arg-type]


def _of_event(note: notes.AnyNote, look: Look) -> Verdict | None:
    """A note that tells of something that was ended, withheld or lost."""
    bad = span(look.symbols.bad, "bad")

    def verdict(anchor: str, said: str, step: str, code: Shown = _NOTHING) -> Verdict:
        meaning = REQUIREMENTS[anchor].meaning if anchor in REQUIREMENTS else "What this host does to stay safe."
        return Verdict(own(anchor), own(meaning), bad, (span(said), Span(code)), (), look.say(step))

    match note:
        case notes.GaveUp():
            waited = compose("exchange {n} was given up after {s}.", n=note.exchange, s=duration(note.after_s))
            cause = CAUSES[TIMEOUT]
            return verdict(TIMEOUT, "", f"{cause.fix} {{session.restart}} starts it again.", waited)
        case notes.Cut():
            said = f"exchange {note.exchange} was stopped after {note.bytes:,} bytes: consent ended while it was sent."
            return verdict("C1", said, "Decide again ({consent.open}), then ask again.")
        case notes.AnsweredAfterRevoke():
            return verdict(
                "C1",
                f"line {note.line} came after consent was taken back: dropped.",
                "Decide again ({consent.open}), then ask again.",
            )
        case notes.Refused():
            return _by_code(note.fault, "no effect: ", look)
        case notes.Poisoned():
            return _by_code(note.reason, "nothing more is read: ", look)
        case notes.SendFailed():
            return _by_code(note.reason, "not sent: ", look)
        case notes.Exit() if note.signal is not None or note.code not in (0, None):
            how = f"signal {note.signal}" if note.signal is not None else f"exit code {note.code}"
            return verdict(
                "R2", f"the provider ended with {how}.", "Look at its stderr ({view.provider}), then {session.restart}."
            )
        case notes.Dropped():
            said = f"{plural(note.lines, 'line')} not recorded."
            return verdict("recording", said, "Make room on the disk: what cannot be recorded is not sent.")
        case _:
            return None


def _by_code(code: str, before: str, look: Look) -> Verdict:
    cause = CAUSES.get(code, Cause("It is not known to this version.", "Look at the lines before it."))
    anchor = _CODES.get(code, "")
    return Verdict(
        rule=own(anchor) if anchor else show(code.replace("_", " "), 40),
        meaning=own(REQUIREMENTS[anchor].meaning if anchor else "What this host does to stay safe."),
        mark=span(look.symbols.bad, "bad"),
        said=(span(before), span(cause.message)),
        next=own(cause.fix),
    )
