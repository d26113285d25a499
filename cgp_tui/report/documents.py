"""The JSON documents of the commands that read transcripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from cgp_tui.checks.types import Judged
from cgp_tui.protocol.requirements import Finding, Requirement
from cgp_tui.report.lazy import Items, Members
from cgp_tui.report.problem import Problem, with_error


class Attested(msgspec.Struct, frozen=True):
    """An entry of `attestations`. `frame_id` is null for the signature over a whole answer, `proof` where there is none."""

    line: int
    frame_id: str | None
    verdict: str
    proof: str | None
    standing: str
    key_id: str | None
    attester_id: str | None
    signer: str | None


def attested(judged: Judged) -> Iterable[Attested]:
    """What the evidence of one answer amounts to: first its own signature, then each frame that carries evidence."""
    reply = judged.exchange.reply
    if reply is None:
        return
    line, root = reply.line.n, judged.root
    if root is not None:
        yield Attested(line, None, root.verdict, None, root.standing, root.key_id, root.attester_id, root.signer)
    for one in judged.appraisals:
        if one.standing != "unattested":
            yield Attested(
                line,
                one.frame.frame_id,
                one.verdict,
                one.proof or None,
                one.standing,
                one.key_id,
                one.attester_id,
                one.signer,
            )


def nothing_wrong() -> Problem | None:
    """The problem of a command that has none."""
    return None


def check_document(
    transcript: str | None,
    format: str | None,
    lines: int,
    findings: Iterable[Finding] = (),
    attestations: Iterable[object] = (),
    *,
    provenance: Iterable[object] = (),
    more: Iterable[tuple[str, object]] = (),
    problem: Callable[[], Problem | None] = nothing_wrong,
) -> Members:
    """`check --format json`: findings and attestations in the order given, each iterated once.

    `transcript` is null where no file was named. `provenance` compares file links with files of this machine and is empty
    where no folder was opened for that. `more` are members that only some runs have: `history` where it was asked for,
    `trust_store` (`{"state", "message", "fix"}`) where it cannot be used. `problem` is called after everything else was
    written.
    """
    head: dict[str, object] = {"transcript": transcript, "format": format, "lines": lines}
    arrays = (("findings", findings), ("attestations", attestations), ("provenance", provenance))
    return Members(_check_members(head, arrays, more, problem))


def _check_members(
    head: dict[str, object],
    arrays: Iterable[tuple[str, Iterable[object]]],
    more: Iterable[tuple[str, object]],
    problem: Callable[[], Problem | None],
) -> Iterator[tuple[str, object]]:
    yield from head.items()
    for name, items in arrays:
        yield name, Items(items)
    yield from more
    wrong = problem()
    if wrong is not None:
        yield "error", wrong


def requirement_document(row: Requirement | None, problem: Problem | None = None) -> dict[str, Any]:
    """`check --explain`: a row of REQUIREMENTS by field name, null for what is empty; all null where there is no row."""
    document: dict[str, Any] = {
        name: (getattr(row, name) or None) if row else None for name in Requirement.__struct_fields__
    }
    return with_error(document, problem)
