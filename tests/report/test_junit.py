"""JUnit for CI systems: whatever a peer sent, an XML reader takes it, and it says what was looked for and what broke."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.requirements import REQUIREMENTS, Finding, finding
from cgp_tui.report.junit import LISTED, junit_document

FORBIDDEN = "\x00\x01\x08\x0b\x0c\x0e\x1b\x1f\ud800\udfff\ufffe\uffff"
"""A sample of what no XML 1.0 document may hold, not even as a reference."""


def suite(findings: list[Finding], anchors: tuple[str, ...] = ()) -> ElementTree.Element:
    root = ElementTree.fromstring(junit_document("t.ndjson", iter(findings), anchors))
    assert root.tag == "testsuites"
    (only,) = root
    assert only.tag == "testsuite"
    assert {name: root.get(name) for name in ("tests", "failures", "errors")} == {
        name: only.get(name) for name in ("tests", "failures", "errors")
    }
    return only


def case(findings: list[Finding], anchor: str) -> ElementTree.Element:
    (found,) = [one for one in suite(findings) if (one.get("name") or "").startswith(f"{anchor}: ")]
    return found


def test_each_requirement_that_was_checked_is_a_test_case() -> None:
    only = suite([finding("B3", line=4, frame_id="f"), finding("B3", line=6), finding("F1", line=4)], ("F1", "F2", "B3"))
    assert [one.get("name") for one in only] == [f"{name}: {REQUIREMENTS[name].meaning}" for name in ("F1", "F2", "B3")]
    assert (only.get("name"), only.get("tests"), only.get("failures"), only.get("errors")) == ("t.ndjson", "3", "2", "0")
    assert [len(one) for one in only] == [1, 0, 1]
    assert {(one.tag, one.get("classname"), one.get("file")) for one in only} == {("testcase", "cgp-tui check", "t.ndjson")}


def test_all_violations_of_a_requirement_stand_in_one_failure() -> None:
    findings = [
        finding("B3", line=4, frame_id="f", path="/result/frames/0/token_cost", expected="2", found="9", message="Wrong."),
        finding("B3", line=6, message="Wrong again."),
    ]
    (failure,) = case(findings, "B3")
    assert failure.attrib == {"type": "violation", "message": "line 4, frame f: Wrong. (and 1 more)"}
    fix = f"  fix: {REQUIREMENTS['B3'].fix}"
    assert (failure.text or "").splitlines() == [
        "line 4, frame f: Wrong.",
        "  at /result/frames/0/token_cost",
        "  expected 2",
        "  found 9",
        fix,
        "line 6: Wrong again.",
        fix,
    ]


def test_advice_and_notes_fail_nothing() -> None:
    (output,) = case([finding("U3", line=4, message="Odd."), finding("U3", line=5, level="note", message="Gone.")], "U3")
    assert output.tag == "system-out"
    assert "advice: line 4: Odd." in (output.text or "")
    assert "note: line 5: Gone." in (output.text or "")
    failure, output = case([finding("U3", line=4), finding("U3", line=5, level="violation")], "U3")
    assert (failure.tag, output.tag) == ("failure", "system-out")


@pytest.mark.parametrize("level", ["violation", "advice"])
def test_what_is_not_listed_is_counted(level: str) -> None:
    many = [finding("B3", line=at, level=level) for at in range(1, LISTED + 8)]  # type: ignore[arg-type]
    (element,) = case(many, "B3")
    text = element.text or ""
    assert text.count("  fix: ") == LISTED
    assert text.endswith("\nand 7 more")


def test_a_problem_is_an_error() -> None:
    problem = {"code": "unreadable", "message": "m\x1b", "fix": "f"}
    root = ElementTree.fromstring(junit_document(None, problem=lambda: problem))
    ((one,),) = root
    (error,) = one
    assert error.attrib == {"type": "unreadable", "message": "m␛"}
    assert error.text == "f"
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("1", "0", "1")


def hostile(text: str) -> list[Finding]:
    return [
        finding("B3", line=1, frame_id=text, path=text, message=text, expected=text, found=text, fix=text),
        finding("U3", line=1, frame_id=text, path=text, message=text, expected=text, found=text, fix=text),
    ]


@given(st.text(st.characters(), min_size=1) | st.text(st.sampled_from(FORBIDDEN + "]]><&\"'\r\n\t"), min_size=1))
def test_any_text_can_be_read(text: str) -> None:
    data = junit_document(text, hostile(text), problem=lambda: {"code": "x", "message": text, "fix": text})
    assert data.isascii()
    root = ElementTree.fromstring(data)
    assert len(root[0]) == 3
    for value in [*root.itertext(), *(value for one in root.iter() for value in one.attrib.values())]:
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff\ufffe\uffff]", value)


def test_what_is_forbidden_is_a_token() -> None:
    (failure, *_) = case(hostile("a\x00\x1b\ufffe\ud800b"), "B3")
    assert "found a␀␛<U+FFFE><U+D800>b" in (failure.text or "")
