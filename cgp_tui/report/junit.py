"""`check --format junit`: what was checked as test cases, for CI systems.

A test case is a requirement, so that a clean transcript shows what was checked, not an empty suite. CI systems show one
failure for each test case, so it holds all violations of its requirement; advice and notes fail nothing and go to its
output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final
from xml.etree import ElementTree

import msgspec

from cgp_tui.protocol.requirements import REQUIREMENTS, Finding
from cgp_tui.report.documents import nothing_wrong
from cgp_tui.report.problem import Problem
from cgp_tui.text import show

LISTED: Final = 200
"""How many findings of one requirement are listed; the others are counted."""

_SUITE: Final = "cgp-tui check"


class _Case(msgspec.Struct):
    """The findings of one requirement: how many, and the first of them as text."""

    failed: int = 0
    failures: list[str] = msgspec.field(default_factory=list)
    told: int = 0
    output: list[str] = msgspec.field(default_factory=list)


def junit_document(
    transcript: str | None,
    findings: Iterable[Finding] = (),
    anchors: Iterable[str] = (),
    *,
    problem: Callable[[], Problem | None] = nothing_wrong,
) -> bytes:
    """A whole XML document in ASCII. Each of `anchors`, and each other one with findings, is a test case.

    A problem is one more test case, with an error. Characters that XML 1.0 forbids, or that are invisible, become tokens.
    """
    cases = {anchor: _Case() for anchor in anchors}
    for finding in findings:
        _add(cases.setdefault(finding.anchor, _Case()), finding)
    wrong = problem()
    failed = sum(1 for case in cases.values() if case.failed)
    totals = {"tests": str(len(cases) + (wrong is not None)), "failures": str(failed), "errors": str(int(wrong is not None))}
    root = ElementTree.Element("testsuites", {"name": _SUITE, **totals})
    file = "" if transcript is None else show(transcript)
    suite = ElementTree.SubElement(root, "testsuite", {"name": file or _SUITE, **totals, "skipped": "0"})
    for anchor, case in cases.items():
        _write(_element(suite, f"{anchor}: {REQUIREMENTS[anchor].meaning}", file), anchor, case)
    if wrong is not None:
        element = _element(suite, "the transcript is read to its end", file)
        error = ElementTree.SubElement(element, "error", {"type": wrong["code"], "message": show(wrong["message"])})
        error.text = show(wrong["fix"])
    ElementTree.indent(root)
    body: bytes = ElementTree.tostring(root, encoding="us-ascii")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + body + b"\n"


def _element(suite: ElementTree.Element, name: str, file: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", {"classname": _SUITE, "name": name, "file": file})


def _add(case: _Case, finding: Finding) -> None:
    if finding.level == "violation":
        case.failed += 1
        texts = case.failures
    else:
        case.told += 1
        texts = case.output
    if len(texts) < LISTED:
        texts.append(_text(finding))


def _write(element: ElementTree.Element, anchor: str, case: _Case) -> None:
    if case.failed:
        first = case.failures[0].partition("\n")[0]
        message = first if case.failed == 1 else f"{first} (and {case.failed - 1} more)"
        failure = ElementTree.SubElement(element, "failure", {"type": "violation", "message": message})
        failure.text = _listed(case.failures, case.failed)
    if case.told:
        ElementTree.SubElement(element, "system-out").text = _listed(case.output, case.told)


def _listed(texts: list[str], number: int) -> str:
    more = [] if number == len(texts) else [f"and {number - len(texts)} more"]
    return "\n".join((*texts, *more))


def _text(finding: Finding) -> str:
    """A finding in two to five lines; the first says where and what."""
    frame = "" if finding.frame_id is None else f", frame {show(finding.frame_id)}"
    level = "" if finding.level == "violation" else f"{finding.level}: "
    rest = (
        ("at", finding.path),
        ("expected", finding.expected),
        ("found", finding.found),
        ("fix:", finding.fix),
    )
    lines = [f"  {word} {show(value)}" for word, value in rest if value]
    return "\n".join((f"{level}line {finding.line}{frame}: {show(finding.message)}", *lines))
