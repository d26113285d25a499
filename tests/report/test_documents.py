"""The documents: the members of the contract, whatever happened, in the order of the file."""

from __future__ import annotations

import json

import msgspec

from cgp_tui.checks import judge
from cgp_tui.protocol.requirements import finding
from cgp_tui.report.documents import Attested, attested, check_document
from tests import dialogue

MEMBERS = ["transcript", "format", "lines", "findings", "attestations", "provenance"]


def test_findings_come_by_line_and_keep_their_order_there() -> None:
    found = [finding("B1", line=9), finding("F1", line=4), finding("B3", line=9), finding("F2", line=4)]
    document = check_document("t", "bare", 9, found)
    assert list(document) == MEMBERS
    assert [(one.line, one.anchor) for one in document["findings"]] == [(4, "F1"), (4, "F2"), (9, "B1"), (9, "B3")]
    assert document["provenance"] == []


def test_a_failure_adds_the_error_and_takes_nothing_away() -> None:
    problem = {"code": "unreadable", "message": "m", "fix": "f"}
    document = check_document("t", None, 0, problem=problem)
    assert list(document) == [*MEMBERS, "error"]
    assert document["error"] == problem
    json.dumps(msgspec.to_builtins(document))


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
