"""SARIF 2.1.0 for code scanning: the shape of the standard, values as they are, and no link that a peer wrote."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.requirements import REQUIREMENTS, Finding, finding
from cgp_tui.report.sarif import FINGERPRINT, sarif_document
from tests.report.written import parsed, written


def run(findings: list[Finding], transcript: str | None = "t.ndjson", **more: Any) -> Any:
    log = parsed(sarif_document(transcript, iter(findings), **more))
    assert (log["version"], list(log)) == ("2.1.0", ["version", "$schema", "runs"])
    (only,) = log["runs"]
    assert only["tool"]["driver"]["name"] == "cgp-tui"
    return only


def result(one: Finding, **more: Any) -> Any:
    (only,) = run([one], **more)["results"]
    return only


def test_rules_are_the_requirements_that_have_results() -> None:
    only = run([finding("B3", line=4), finding("F1", line=4), finding("B3", line=6)])
    rules = only["tool"]["driver"]["rules"]
    assert [(one["ruleId"], one["ruleIndex"]) for one in only["results"]] == [("B3", 0), ("F1", 1), ("B3", 0)]
    assert [rule["id"] for rule in rules] == ["B3", "F1"]
    row = REQUIREMENTS["B3"]
    assert rules[0] == {
        "id": "B3",
        "shortDescription": {"text": row.meaning},
        "help": {"text": row.fix},
        "defaultConfiguration": {"level": "error"},
        "properties": {"binds": "provider", "checked": "wire", "reference": row.reference},
    }
    assert run([])["tool"]["driver"]["rules"] == []
    assert run([])["invocations"] == [{"executionSuccessful": True}]


@pytest.mark.parametrize(("level", "theirs"), [("violation", "error"), ("advice", "warning"), ("note", "note")])
def test_levels_are_the_standards_own(level: Any, theirs: str) -> None:
    assert result(finding("B3", line=4, level=level))["level"] == theirs


def test_a_result_says_where_and_what() -> None:
    one = result(
        finding(
            "B3", line=4, exchange=2, frame_id="f", path="/result/a~1b~0", message="Wrong.", expected="2", found="\x1b9"
        ),
        file_line=lambda n: n + 10,
    )
    assert one["message"] == {"text": "frame f: Wrong. (expected 2; found ␛9)"}
    (place,) = one["locations"]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": "t.ndjson"}, "region": {"startLine": 14}}
    assert place["logicalLocations"] == [
        {"name": "f", "kind": "object"},
        {"name": "a/b~", "fullyQualifiedName": "/result/a~1b~0", "kind": "value"},
    ]
    properties = one["properties"]
    assert (properties["line"], properties["exchange"], properties["frame_id"]) == (4, 2, "f")
    assert (properties["expected"], properties["found"], properties["party"]) == ("2", "\x1b9", "provider")


def test_a_line_that_is_not_in_the_file_has_no_region() -> None:
    one = result(finding("B3", line=4), file_line=lambda n: None)
    assert "region" not in one["locations"][0]["physicalLocation"]
    assert one["locations"][0]["logicalLocations"] == [{"name": "line 4", "kind": "object"}]


def test_the_file_is_asked_once_for_each_line() -> None:
    asked: list[int] = []

    def file_line(n: int) -> int:
        asked.append(n)
        return n

    run([finding("B3", line=4), finding("F1", line=4), finding("F1", line=5)], file_line=file_line)
    assert asked == [4, 5]


def test_fingerprints_tell_reports_apart_and_stay() -> None:
    base = finding("B3", line=4, frame_id="f", path="/p", message="one wording")
    others = [
        finding("B4", line=4, frame_id="f", path="/p"),
        finding("B3", line=5, frame_id="f", path="/p"),
        finding("B3", line=4, frame_id="g", path="/p"),
        finding("B3", line=4, frame_id="f", path="/q"),
        finding("B3", line=4, path="/p"),
    ]
    prints = [one["partialFingerprints"][FINGERPRINT] for one in run([base, *others])["results"]]
    assert len(set(prints)) == 6
    again = result(finding("B3", line=4, frame_id="f", path="/p", message="another wording"))
    assert again["partialFingerprints"] == {FINGERPRINT: prints[0]}
    assert prints[0] == hashlib.sha256(b'["B3", 4, "f", "/p"]').hexdigest()


def test_a_peer_writes_no_placeholder() -> None:
    one = result(finding("F1", line=1, frame_id="{0}", message="{1}.", expected="}{", found='{"a":{}}'))
    assert one["message"]["text"] == 'frame {{0}}: {{1}}. (expected }}{{; found {{"a":{{}}}})'
    assert (one["properties"]["frame_id"], one["properties"]["found"]) == ("{0}", '{"a":{}}')
    assert one["locations"][0]["logicalLocations"][0]["name"] == "{0}"
    problem = {"code": "unreadable", "message": "{0}", "fix": "f"}
    (invocation,) = run([], problem=lambda: problem)["invocations"]
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "{{0}} f"
    assert not any(set("{}") & set(row.meaning + row.fix) for row in REQUIREMENTS.values())


def test_a_peer_writes_no_link() -> None:
    text = "[here](https://example.org)"
    one = result(finding("B3", line=4, frame_id=text, path=f"/{text}", message=text, expected=text, found=text))
    shown = [
        one["message"]["text"],
        *(value for place in one["locations"][0]["logicalLocations"] for value in place.values()),
    ]
    assert not any("](" in value for value in shown)
    assert one["properties"]["found"] == text


@pytest.mark.parametrize("name", ["a b/ü:%.ndjson", "\udcff#?.ndjson", "/tmp/a b:%.ndjson"])
def test_the_file_is_a_uri_that_leads_back(name: str) -> None:
    uri = result(finding("B3", line=1), transcript=name)["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii()
    assert not set(uri) & set(" #?")
    absolute = Path(name).is_absolute()
    assert uri.startswith("file:///") == absolute
    assert absolute or ":" not in uri
    assert unquote_to_bytes(uri.removeprefix("file://")) == os.fsencode(name)


def test_a_problem_is_a_notification_and_a_property() -> None:
    problem = {"code": "unreadable", "message": "m\x1b [a](b)", "fix": "f"}
    only = run([finding("B3", line=4)], transcript=None, problem=lambda: problem)
    assert len(only["results"]) == 1
    (invocation,) = only["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification == {"level": "error", "descriptor": {"id": "unreadable"}, "message": {"text": "m␛ [a] (b) f"}}
    assert only["properties"] == {"error": problem}


@given(st.text(st.characters(codec=None), min_size=1))
def test_any_text_is_ascii_and_its_message_is_visible(text: str) -> None:
    one = finding("B3", line=1, frame_id=text, path=f"/{text}", message=text, expected=text, found=text)
    data = written(sarif_document(text.replace("\x00", ""), iter([one])))
    assert data.isascii()
    assert not any((byte < 0x20 and byte != 0x0A) or byte == 0x7F for byte in data)
    assert not any(ord(char) < 0x20 or char == "\x7f" for char in result(one)["message"]["text"])
