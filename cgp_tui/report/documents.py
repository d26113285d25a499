"""The JSON documents of the commands that read transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from cgp_tui.checks.types import Judged
from cgp_tui.protocol.requirements import Finding

Problem = dict[str, str]
"""The `error` member: code, message, fix."""


class Attested(msgspec.Struct, frozen=True):
    """One entry of `attestations`. `frame_id` is null for the signature over a whole answer, `proof` where there is none."""

    line: int
    frame_id: str | None
    verdict: str
    proof: str | None
    standing: str
    key_id: str | None
    attester_id: str | None
    signer: str | None


def attested(judged: Judged) -> Iterable[Attested]:
    """What the evidence of one answer amounts to: its own signature's first, then that of each frame that carries any."""
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


def check_document(
    transcript: str,
    format: str | None,
    lines: int,
    findings: Sequence[Finding] = (),
    attestations: Sequence[Attested] = (),
    *,
    problem: Problem | None = None,
) -> dict[str, Any]:
    """`check --format json`: findings by line, in the order in which they were found on each.

    `provenance` compares file links with files of this machine and is empty where no folder was opened for that.
    """
    document: dict[str, Any] = {
        "transcript": transcript,
        "format": format,
        "lines": lines,
        "findings": sorted(findings, key=lambda finding: finding.line),
        "attestations": sorted(attestations, key=lambda entry: entry.line),
        "provenance": [],
    }
    return document if problem is None else {**document, "error": problem}
