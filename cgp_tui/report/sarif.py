"""`check --format sarif`: findings as static analysis results (SARIF 2.1.0, OASIS), for code scanning and editors."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from cgp_tui.protocol.requirements import REQUIREMENTS, Finding, Level
from cgp_tui.report.documents import nothing_wrong
from cgp_tui.report.lazy import Items, Members
from cgp_tui.report.problem import Problem
from cgp_tui.text import show

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

LEVELS: Final[dict[Level, str]] = {"violation": "error", "advice": "warning", "note": "note"}

FINGERPRINT: Final = "cgpReport/v1"
"""What two findings have in common when they are one report: anchor, wire line, frame and member."""


def sarif_document(
    transcript: str | None,
    findings: Iterable[Finding] = (),
    file_line: Callable[[int], int | None] = lambda n: n,
    *,
    problem: Callable[[], Problem | None] = nothing_wrong,
) -> Members:
    """One run over `transcript`. `file_line` gives the line of the file for a wire line.

    Results come first, as they are found; the rules are the requirements that were broken, in the order of their first
    result. A problem is a notification of the invocation, and is `error` among the properties of the run.
    """
    run = Members(_run(transcript, findings, file_line, problem))
    return Members(iter((("version", "2.1.0"), ("$schema", SCHEMA), ("runs", Items((run,))))))


def _run(
    transcript: str | None,
    findings: Iterable[Finding],
    file_line: Callable[[int], int | None],
    problem: Callable[[], Problem | None],
) -> Iterator[tuple[str, object]]:
    rules: dict[str, int] = {}
    yield "columnKind", "unicodeCodePoints"
    yield "results", Items(_results(_uri(transcript), findings, file_line, rules))
    yield "tool", {"driver": {"name": "cgp-tui", "version": _version(), "rules": [_rule(anchor) for anchor in rules]}}
    wrong = problem()
    invocation: dict[str, Any] = {"executionSuccessful": wrong is None}
    if wrong is not None:
        text = _braced(" ".join(filter(None, (_plain(wrong["message"]), _plain(wrong["fix"])))))
        notification = {"level": "error", "descriptor": {"id": wrong["code"]}, "message": {"text": text}}
        invocation["toolExecutionNotifications"] = [notification]
    yield "invocations", [invocation]
    if wrong is not None:
        yield "properties", {"error": wrong}


def _results(
    uri: str, findings: Iterable[Finding], file_line: Callable[[int], int | None], rules: dict[str, int]
) -> Iterator[dict[str, Any]]:
    charged, line = 0, None
    for finding in findings:
        if finding.line != charged:
            charged, line = finding.line, file_line(finding.line)
        rule = rules.setdefault(finding.anchor, len(rules))
        yield _result(finding, rule, uri, line)


def _result(finding: Finding, rule: int, uri: str, line: int | None) -> dict[str, Any]:
    """`message` is for people, made visible; `properties` hold the values as they are."""
    place: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if line is not None:
        place["region"] = {"startLine": line}
    return {
        "ruleId": finding.anchor,
        "ruleIndex": rule,
        "level": LEVELS[finding.level],
        "message": {"text": _message(finding)},
        "locations": [{"physicalLocation": place, "logicalLocations": _logical(finding)}],
        "partialFingerprints": {FINGERPRINT: _fingerprint(finding)},
        "properties": {
            "party": finding.party,
            "line": finding.line,
            "exchange": finding.exchange,
            "frame_id": finding.frame_id,
            "path": finding.path,
            "expected": finding.expected,
            "found": finding.found,
            "fix": finding.fix,
            "reference": finding.reference,
        },
    }


def _message(finding: Finding) -> str:
    named = "" if finding.frame_id is None else f"frame {_plain(finding.frame_id)}: "
    evidence = [
        f"{word} {_plain(value)}" for word, value in (("expected", finding.expected), ("found", finding.found)) if value
    ]
    tail = f" ({'; '.join(evidence)})" if evidence else ""
    return _braced(f"{named}{_plain(finding.message)}{tail}")


def _plain(text: str) -> str:
    """Foreign text in a message, where SARIF readers would take `[text](target)` for a link."""
    return show(text).replace("](", "] (")


def _braced(text: str) -> str:
    """A whole message, its braces doubled: single ones would stand for arguments (SARIF 3.11.5)."""
    return text.replace("{", "{{").replace("}", "}}")


def _logical(finding: Finding) -> list[dict[str, str]]:
    """The frame, and the member by its JSON Pointer, as far as the finding names them."""
    places = [] if finding.frame_id is None else [{"name": _plain(finding.frame_id), "kind": "object"}]
    if finding.path:
        name = finding.path.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        places.append({"name": _plain(name), "fullyQualifiedName": _plain(finding.path), "kind": "value"})
    return places or [{"name": f"line {finding.line}", "kind": "object"}]


def _fingerprint(finding: Finding) -> str:
    identity = json.dumps([finding.anchor, finding.line, finding.frame_id, finding.path])
    return hashlib.sha256(identity.encode("ascii")).hexdigest()


def _rule(anchor: str) -> dict[str, Any]:
    row = REQUIREMENTS[anchor]
    return {
        "id": anchor,
        "shortDescription": {"text": row.meaning},
        "help": {"text": row.fix},
        "defaultConfiguration": {"level": LEVELS[row.level]},
        "properties": {"binds": row.binds, "checked": row.where, "reference": row.reference},
    }


def _uri(transcript: str | None) -> str:
    """A path as URI: relative ones stay so, since code scanning resolves them against the checkout."""
    if transcript is None:
        return ""
    path = Path(transcript)
    name = path.as_posix()
    try:
        raw = os.fsencode(name)
    except UnicodeEncodeError:  # no file has such a name, but a command line may contain one
        raw = name.encode("utf-8", "replace")
    return f"file://{'' if name.startswith('/') else '/'}{quote(raw, safe='/:')}" if path.is_absolute() else quote(raw)


def _version() -> str:
    from importlib.metadata import version

    return version("cgp-tui")
