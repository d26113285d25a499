"""The documents: the members of the contract, whatever happened, in the order in which they are given."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from cgp_tui.checks import judge
from cgp_tui.protocol.requirements import REQUIREMENTS, Finding, finding
from cgp_tui.report.documents import Attested, attested, check_document, nothing_wrong, requirement_document
from tests import dialogue
from tests.report.written import parsed

MEMBERS = ["transcript", "format", "lines", "findings", "attestations", "provenance"]
PROBLEM = {"code": "unreadable", "message": "m", "fix": "f"}


def test_findings_come_as_they_are_given() -> None:
    found = [finding("B1", line=9), finding("F1", line=4)]
    document = parsed(check_document("t", "bare", 9, iter(found)))
    assert list(document) == MEMBERS
    assert [(one["line"], one["anchor"]) for one in document["findings"]] == [(9, "B1"), (4, "F1")]
    assert document["findings"][0] == msgspec.to_builtins(found[0])
    assert document["provenance"] == []


def test_a_failure_adds_the_error_and_takes_nothing_away() -> None:
    document = parsed(check_document("t", None, 0, problem=lambda: PROBLEM))
    assert list(document) == [*MEMBERS, "error"]
    assert document["error"] == PROBLEM
    assert nothing_wrong() is None


def test_what_breaks_while_the_findings_are_written_is_told_after_them() -> None:
    met: list[dict[str, str]] = []

    def findings() -> Iterator[Finding]:
        yield finding("B1", line=9)
        met.append(PROBLEM)

    document = parsed(check_document("t", "bare", 9, findings(), problem=lambda: met[0] if met else None))
    assert list(document) == [*MEMBERS, "error"]
    assert len(document["findings"]) == 1


def test_only_evidence_is_listed() -> None:
    played = dialogue.tell(">> handshake\n<< ack\n>> query -\n<< frames - f1 f2")
    exchange = played.changes[-1]
    judged = judge(exchange)
    assert len(judged.appraisals) == 2
    assert list(attested(judged)) == []
    assert list(attested(judge(played.changes[0]))) == []


def test_an_entry_has_the_members_of_the_contract() -> None:
    entry = Attested(4, "f", "valid", None, "signer_unknown", "k", "a", None)
    assert list(msgspec.to_builtins(entry)) == [
        *("line", "frame_id", "verdict", "proof"),
        *("standing", "key_id", "attester_id", "signer"),
    ]


@pytest.mark.parametrize("anchor", ["B3", "C3", "ENV"])
def test_a_requirement_has_all_that_its_row_says(anchor: str) -> None:
    row = REQUIREMENTS[anchor]
    document = requirement_document(row)
    assert list(document) == ["anchor", "binds", "level", "meaning", "fix", "where", "reference", "why"]
    assert {name: value or None for name, value in msgspec.structs.asdict(row).items()} == document


def test_no_requirement_has_the_same_members() -> None:
    assert list(requirement_document(None, PROBLEM)) == [*requirement_document(REQUIREMENTS["B3"]), "error"]
    assert set(requirement_document(None).values()) == {None}
