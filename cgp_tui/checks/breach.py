"""The step from a check to a finding: what a row finds (`Breach`), and which line the finding is charged to (`Charge`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from cgp_tui import limits
from cgp_tui.protocol.requirements import Finding, Level, Party, finding

_AGAIN: Final = "The same problem occurs elsewhere in this line."

FOUND_CHARS: Final = 200
"""How much of a peer's value a finding repeats; the line holds all of it."""


class Breach(msgspec.Struct, frozen=True, gc=False):
    """One broken place. `path` is a JSON Pointer from what the row looked at. `level`, `reference` and `fix` replace those
    of the requirement where they are given, `message` the row's sentence."""

    path: str = ""
    expected: str = ""
    found: str = ""
    message: str = ""
    level: Level | None = None
    reference: str | None = None
    fix: str | None = None


class Charge(msgspec.Struct, frozen=True, gc=False):
    """Where findings are charged: line, exchange, who sent the line, and what the paths of breaches start from."""

    line: int
    exchange: int | None
    party: Party | None

    def find(self, anchor: str, sentence: str, breach: Breach, base: str = "", frame_id: str | None = None) -> Finding:
        """The finding of `anchor` for `breach`, whose path continues `base`."""
        return finding(  # by position, which is quicker
            anchor,
            self.line,
            self.exchange,
            frame_id,
            base + breach.path,
            breach.message or sentence,
            breach.expected,
            breach.found,
            breach.level,
            self.party,
            breach.fix,
            breach.reference,
        )


def few(findings: Iterable[Finding]) -> list[Finding]:
    """The first `limits.FINDINGS_ALIKE` findings of each requirement and level. Where a line has more, one finding for the
    whole line says how many: a million bad frames tell nobody more than a thousand do, and would fill any memory."""
    if isinstance(findings, list) and len(findings) <= limits.FINDINGS_ALIKE:
        return findings
    kept: list[Finding] = []
    count: dict[tuple[str, Level, int], int] = {}
    beyond: dict[tuple[str, Level, int], Finding] = {}
    for one in findings:
        alike = one.anchor, one.level, one.line
        count[alike] = count.get(alike, 0) + 1
        if count[alike] <= limits.FINDINGS_ALIKE:
            kept.append(one)
        else:
            beyond.setdefault(alike, one)
    for alike, one in beyond.items():
        more = f"{count[alike] - limits.FINDINGS_ALIKE:,} more"
        members = {"frame_id": None, "path": "", "message": _AGAIN, "expected": "", "found": more}
        kept.append(msgspec.structs.replace(one, **members))
    return kept


def said(value: object) -> str:
    """A peer's value as a finding repeats it: short, and in words where it is empty or blank."""
    if type(value) is str and len(value) <= FOUND_CHARS and value[:1].strip():
        return value
    match value:
        case None:
            return "nothing"
        case "":
            return "an empty text"
        case str():
            text = value if value.strip() else f"{len(value)} blank characters"
        case int() if value.bit_length() > 64:
            text = f"a number of {value.bit_length()} bits"
        case bool():
            text = "true" if value else "false"
        case _:
            text = str(value)
    return text if len(text) <= FOUND_CHARS else f"{text[:FOUND_CHARS]}…"
