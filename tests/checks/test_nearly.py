"""What stands where something else was expected is told with the finding."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cgp_tui import limits
from cgp_tui.checks.line import judge_faults
from cgp_tui.checks.nearly import misspelt
from cgp_tui.protocol.requirements import Finding
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Fault, Line, Seen
from tests.dialogue import frame


def told_of(raw: bytes | dict[str, Any]) -> tuple[Finding, ...]:
    text = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
    return judge_faults(Seen(Line(9, 1, "provider", 0.0, text), decode(text)), 3)


def found(raw: bytes | dict[str, Any]) -> list[str]:
    return [one.found for one in told_of(raw)]


def renamed(old: str, *new: str) -> dict[str, Any]:
    """An answer with one frame, of which a member has other names."""
    one = frame("f")
    value = one.pop(old)
    return {"type": "frames", "result": {"frames": [{**one, **dict.fromkeys(new, value)}], "truncated": False}}


@pytest.mark.parametrize("name", ["tokencost", "tokenCost", "token_costs", "token-cost", "TOKEN_COST", "tokn_cost", "cost"])
def test_a_missing_member_is_told_with_the_one_that_was_meant(name: str) -> None:
    assert found(renamed("token_cost", name)) == [f"nothing, but `{name}` is there"]


@pytest.mark.parametrize("name", ["price", "x", "tokens_and_what_they_cost_in_all_of_this"])
def test_nothing_is_guessed_from_a_name_that_is_not_alike(name: str) -> None:
    assert found(renamed("token_cost", name)) == ["nothing"]


def test_a_member_that_has_its_own_meaning_is_not_taken_for_another() -> None:
    answer = renamed("token_cost", "canonical_token_cost")
    assert found(answer)[0] == "nothing"


def test_the_members_of_the_message_and_of_its_parts_are_told_too() -> None:
    ack = {
        "type": "handshake_ack",
        "version": "contextgraph/1.0",
        "provider": {"name": "docs", "ver": "1", "dataFlow": {}},
        "capabilities": {"query": {"kinds": ["doc"]}},
    }
    assert found(ack) == [
        "nothing, but `version` is there",
        "nothing",
        "nothing, but `dataFlow` is there",
    ]
    assert found({"type": "frames", "results": {"frames": []}}) == ["nothing, but `results` is there"]


def test_the_members_of_a_list_within_a_frame_are_told_too() -> None:
    link = {"uri": "file:///a", "digest": "sha256:" + "0" * 64}
    answer = renamed("title", "title")
    answer["result"]["frames"][0]["provenance"] = [{"type": "derivation"}, {"typ": "file", **link}]
    assert found(answer) == ["nothing, but `typ` is there"]


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        ("error", {"mesage": "m"}, "mesage"),
        ("error", ["mesage"], ""),
        ("error", None, ""),
        ("telemetry", {"mesage": "m"}, ""),
        (None, {"mesage": "m"}, ""),
    ],
)
def test_nothing_is_looked_for_where_no_members_are_known(kind: str | None, value: Any, told: str) -> None:
    fault = Fault("shape", "/message", "`message` is missing", "a string", "nothing")
    assert misspelt(b"{}", lambda: value, kind, fault) == told


def test_a_long_line_is_not_looked_through() -> None:
    long = {"type": "frames", "results": {"frames": ["x" * limits.SLOW_JSON_BYTES]}}
    assert found(long) == ["nothing"]


def test_among_very_many_names_none_is_looked_for() -> None:
    assert found(renamed("token_cost", "tokencost", *(f"x{number}" for number in range(20)))) == ["nothing"]


def test_a_line_of_a_log_is_quoted() -> None:
    (told,) = found(b"INFO query 'deploy' took 3 ms")
    assert told.endswith(": INFO query 'deploy' took 3 ms")
    (told,) = found("Größe ".encode() * 40)
    assert ": Größe Größe" in told and told.endswith("…") and len(told) < 130


@pytest.mark.parametrize("raw", [b"", b"  ", b'{"type":"frames"', b"[1,", b'\xef\xbb\xbf{"type":"shutdown"}', b"null"])
def test_what_was_meant_as_a_message_is_not_quoted(raw: bytes) -> None:
    assert not any(raw.decode().strip() in told for told in found(raw) if raw.strip())


@pytest.mark.parametrize(("name", "told"), [("Type", True), ("typ", True), ("types", True), ("level", False), ("id", False)])
def test_the_type_of_a_message_is_looked_for_under_another_name(name: str, told: bool) -> None:
    (found,) = told_of({name: "frames", "result": {}})
    assert (found.found == f"`type` is missing, but `{name}` is there") is told
    assert (found.fix == f"Write `type` instead of `{name}`.") is told


def test_it_is_not_looked_for_in_a_long_line_nor_among_many_names() -> None:
    for members in ({"Type": "x" * limits.SLOW_JSON_BYTES}, {"Type": "", **{f"x{n}": n for n in range(20)}}):
        assert [one.found for one in told_of(members)] == ["`type` is missing"]


@pytest.mark.parametrize(
    ("raw", "begins"),
    [
        (b'\xef\xbb\xbf{"type":"shutdown"}', "Write UTF-8 without a byte order mark"),
        (b"{", "Write each message on one line"),
        (b'  {"type": "frames",', "Write each message on one line"),
        (b'{"type":frames}', "Write every message as one JSON object"),
        (b'"text', "Write every message as one JSON object"),
        (b"INFO", "Write every message as one JSON object"),
    ],
)
def test_text_that_was_meant_as_a_message_is_mended_by_its_form(raw: bytes, begins: str) -> None:
    (found,) = told_of(raw)
    assert found.fix.startswith(begins)
