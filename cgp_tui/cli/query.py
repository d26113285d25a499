"""`cgp-tui query`: one question to one provider, without a screen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cgp_tui.cli import diagnostics, options, output
from cgp_tui.text import Shown, compose, own, show, show_lines

if TYPE_CHECKING:
    from cgp_tui.checks.types import OutcomeKind, Problem
    from cgp_tui.cli.question import Answer
    from cgp_tui.protocol.frame import ContextFrame
    from cgp_tui.protocol.query import ContextQuery
    from cgp_tui.protocol.requirements import Finding

_FINDINGS: Final = 10
"""How many findings a person is shown under an answer."""
_REASONS: Final = 3
"""How many under an exchange that failed."""


def query(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What the frames are for.")],
    argv: options.Argv,
    *,
    query_text: Annotated[str | None, typer.Option("--query-text", metavar="TEXT", help="Words to search for.")] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="KIND", help="Only frames of this kind; repeatable.")
    ] = None,
    anchor: Annotated[
        list[str] | None, typer.Option("--anchor", metavar="URI", help="A URI that the goal is about; repeatable.")
    ] = None,
    max_frames: Annotated[int, typer.Option("--max-frames", metavar="N", help="Maximum number of frames.")] = 8,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", metavar="N", help="Maximum number of budget tokens in total.")
    ] = 2000,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="TIME", help="As of this time: 2026-07-01T00:00:00Z.")
    ] = None,
    json: options.Json = False,
    provider_id: options.ProviderId = None,
    env: options.EnvNames = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    record: options.RecordFile = None,
    no_record: options.NoRecord = False,
    no_payload: options.NoPayload = False,
    sandbox: options.Sandbox = None,
    handshake: options.HandshakeSeconds = None,
    exchange: options.ExchangeSeconds = None,
    reference_parity: Annotated[
        bool, typer.Option("--reference-parity", help="Drop an answer only where the reference host would.")
    ] = False,
) -> int:
    """Ask one provider one question; frames on stdout, exit 1 for a dropped answer, 3 without consent, 4 for a failure.

    Without CMD, --id names an entry of the providers file.
    """
    if provider_id is None:
        options.need_argv(argv, "cgp-tui query GOAL -- CMD...")
    from cgp_tui.cli.ledgers import open_ledger, warn
    from cgp_tui.cli.question import Question
    from cgp_tui.cli.recording import kept_of
    from cgp_tui.protocol.query import ContextQuery

    asked = ContextQuery(
        goal,
        max_frames,
        max_tokens,
        query_text=query_text,
        kinds=tuple(kind or ()),
        anchors=tuple(anchor or ()),
        as_of=as_of,
    )
    kept = kept_of(record, no_record, no_payload)
    book = open_ledger(ledger, head)
    waits = {"handshake": handshake, "exchange": exchange}
    run = Question(asked, book, record, reference_parity, provider_id, kept=kept, waits=waits)
    answer = run.answer(argv, env or [], sandbox)
    if json:
        _document(answer)
    else:
        _tell(answer, asked)
        if no_record:
            diagnostics.say(own("Not recorded (--no-record)."))
    warn(book)
    return answer.exit_code


def _document(answer: Answer) -> None:
    from cgp_tui.report.query import query_document

    output.document(
        query_document(
            answer.outcome,
            provider_id=answer.provider_id,
            ack=answer.ack,
            judged=answer.judged,
            transcript=None if answer.transcript is None else str(answer.transcript),
        )
    )


def _tell(answer: Answer, asked: ContextQuery) -> None:
    """For a person: frames and findings on stdout, what went wrong and where it is recorded on stderr."""
    outcome = answer.outcome
    if outcome.problem is None:
        output.text(_lines(answer, asked))
    else:
        diagnostics.say(_failed(outcome.problem))
        for finding in sorted(outcome.findings, key=partial(_rank, outcome.kind))[:_REASONS]:
            diagnostics.say(_reason(finding))
    if answer.transcript is not None:
        diagnostics.say(compose("Recorded in {path}", path=show(str(answer.transcript))))


def _lines(answer: Answer, asked: ContextQuery) -> Iterator[Shown]:
    from cgp_tui.present.findings import brief
    from cgp_tui.present.symbols import Look

    for number, frame in enumerate(answer.outcome.frames, 1):
        yield from _frame(number, frame)
        yield own("")
    findings = sorted(answer.outcome.findings, key=partial(_rank, answer.outcome.kind))
    for finding in findings[:_FINDINGS]:
        rows = iter(brief(finding, Look()))
        yield next(rows).text
        if finding.path:
            yield compose("    at {path}", path=show(finding.path))
        for row in rows:
            yield row.text
    if len(findings) > _FINDINGS:
        yield own(f"and {len(findings) - _FINDINGS:,} more findings; `cgp-tui check` on the recording lists them all.")
    if findings:
        yield own("")
    yield _summary(answer, asked)


def _failed(problem: Problem) -> Shown:
    """What went wrong and the way out; what a provider says in an `error` of its own is told apart from what we say."""
    message = problem.message
    if problem.provider_code is not None:
        said = problem.message.rstrip(".") or "nothing more"
        message = f"The provider answered with an error, {problem.provider_code}: {said}."
    return diagnostics.advice(message, problem.fix)


def _reason(finding: Finding) -> Shown:
    """What was found wrong where, on one line: under what it led to, which names the way out."""
    evidence = [f"{word}: {value}" for word, value in (("expected", finding.expected), ("found", finding.found)) if value]
    return compose(
        "Line {line}{path}, {anchor}: {message}{evidence}",
        line=finding.line,
        path=show(f" {finding.path}" if finding.path else ""),
        anchor=show(finding.anchor),
        message=show(finding.message.removesuffix(".")),
        evidence=show(f" ({', '.join(evidence)})." if evidence else "."),
    )


def _rank(kind: OutcomeKind, finding: Finding) -> tuple[bool, int]:
    """What decided the outcome first, then by level; findings of one rank keep their order."""
    from cgp_tui.checks.outcome import DROPS
    from cgp_tui.protocol.requirements import LEVELS

    decides = any(drop.outcome == kind and finding.anchor in drop.anchors for drop in DROPS)
    level = LEVELS.index(finding.level)
    return not (decides and level == 0), level


def _frame(number: int, frame: ContextFrame) -> Iterator[Shown]:
    from cgp_tui.present.frame import score_text

    yield compose(
        "{number}. {title} ({kind}, score {score}, {cost} token{s})",
        number=number,
        title=show(frame.title),
        kind=show(frame.kind),
        score=own(score_text(frame.score)),
        cost=own(f"{frame.token_cost:,}"),
        s=own("" if frame.token_cost == 1 else "s"),
    )
    yield compose("   cite: {label}", label=show(frame.citation_label or ""))
    for line in show_lines(frame.content or ""):
        yield compose("   | {line}", line=line)


def _who(answer: Answer) -> Shown:
    """The name that the provider declares, and the one that it has here where that is another."""
    here = show(answer.provider_id)
    name = answer.ack.provider.name if answer.ack is not None else answer.provider_id
    return here if name == answer.provider_id else compose("{name} (here {here})", name=show(name), here=here)


def _summary(answer: Answer, asked: ContextQuery) -> Shown:
    outcome, usage = answer.outcome, answer.outcome.usage
    consumed = 0 if usage is None else usage.budget_consumed
    dropped = {
        "frames": "",
        "budget_lie": " The answer was dropped: its costs cannot be trusted.",
        "frame_flood": " The answer was dropped: it holds more frames than were asked for.",
    }
    reply = None if answer.judged is None else answer.judged.exchange.reply
    unread = 0 if reply is None else len(reply.decoded.bad_frames)
    return compose(
        "{count} from {who}, {consumed} of {budget} tokens.{unread}{truncated}{dropped}",
        count=own(f"{len(outcome.frames)} frame{'' if len(outcome.frames) == 1 else 's'}"),
        who=_who(answer),
        consumed=own(f"{consumed:,}"),
        budget=own(f"{asked.max_tokens:,}"),
        unread=own(f" {unread:,} more could not be read." if unread else ""),
        truncated=own(" The provider left some out." if outcome.truncated else ""),
        dropped=own(dropped[outcome.kind]),
    )
