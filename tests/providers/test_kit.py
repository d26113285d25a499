"""The answerer: whatever a line holds, the provider lives, and every answer is the right one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui.protocol.capability import Capabilities, DataFlow, ProviderInfo, QueryCapability
from cgp_tui.protocol.envelope import ContextQueryResult
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.verify import VerifyRequest, VerifyResponse
from cgp_tui.providers.kit import Answerer, Provider, Refusal

HANDSHAKE = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}'
QUERY: dict[str, Any] = {"type": "query", "query": {"goal": "g", "max_frames": 2, "max_tokens": 500}}
VERIFY: dict[str, Any] = {"type": "verify", "request": {"frames": [{"provider_id": "p", "frame_id": "f"}]}}


class Plain(Provider):
    info = ProviderInfo("plain", "1.0.0", DataFlow())
    capabilities = Capabilities(QueryCapability(("doc",)), correlation=True)

    def query(self, query: ContextQuery) -> ContextQueryResult:
        if query.goal == "refuse":
            raise Refusal("vendor:closed", "not today")
        if query.goal == "break":
            raise KeyError("secret-path")
        return ContextQueryResult((), False)


class Broken(Plain):
    def verify(self, request: VerifyRequest) -> VerifyResponse:
        raise RecursionError


def greeted(provider: Provider | None = None) -> Answerer:
    answerer = Answerer(provider or Plain())
    answerer.answer(HANDSHAKE)
    return answerer


def reply(answerer: Answerer, message: object) -> Any:
    raw = message if isinstance(message, bytes) else json.dumps(message).encode()
    answer = answerer.answer(raw)
    assert answer is None or b"\n" not in answer
    return None if answer is None else json.loads(answer)


def test_the_handshake_is_acknowledged_with_what_the_provider_is() -> None:
    ack = reply(Answerer(Plain()), HANDSHAKE)
    assert ack == {
        "type": "handshake_ack",
        "protocol_version": "contextgraph/1.0",
        "provider": {"name": "plain", "version": "1.0.0", "data_flow": {"reads": False, "writes": False, "egress": False}},
        "capabilities": {"query": {"kinds": ["doc"]}, "correlation": True},
    }


@pytest.mark.parametrize("version", ["contextgraph/1.0-draft", "contextgraph/1.7"])
def test_any_version_of_the_family_is_welcome(version: str) -> None:
    assert reply(Answerer(Plain()), {"type": "handshake", "protocol_version": version})["type"] == "handshake_ack"


@pytest.mark.parametrize("version", ["contextgraph/2.0", "contextgraph/10.0", "contextgraph/1", "mcp/1.0", ""])
def test_another_family_is_a_named_error_and_opens_nothing(version: str) -> None:
    answerer = Answerer(Plain())
    refusal = reply(answerer, {"type": "handshake", "protocol_version": version})
    assert (refusal["type"], refusal["code"]) == ("error", "incompatible_version")
    assert reply(answerer, QUERY)["code"] == "bad_request"


@pytest.mark.parametrize("message", [QUERY, VERIFY])
def test_no_payload_is_taken_before_the_handshake(message: dict[str, Any]) -> None:
    refusal = reply(Answerer(Plain()), {**message, "id": "early"})
    assert (refusal["type"], refusal["code"], refusal["id"]) == ("error", "bad_request", "early")


@pytest.mark.parametrize(("message", "answer"), [(QUERY, "frames"), (VERIFY, "verified")])
def test_the_id_comes_back_verbatim_or_not_at_all(message: dict[str, Any], answer: str) -> None:
    answerer = greeted()
    for id in ("q1", "", "\u2028 \u0000 é", "0" * 5000):
        made = reply(answerer, {**message, "id": id})
        assert (made["type"], made["id"]) == (answer, id)
    assert "id" not in reply(answerer, message)
    assert "id" not in reply(answerer, {**message, "id": None})


def test_without_a_verify_of_its_own_it_vouches_for_nothing() -> None:
    verdicts = reply(greeted(), VERIFY)["response"]["verdicts"]
    assert verdicts == [{"frame": {"provider_id": "p", "frame_id": "f"}, "status": "unknown"}]


def test_a_refusal_keeps_its_code_and_the_id() -> None:
    refusal = reply(greeted(), {**QUERY, "id": "q9", "query": {**QUERY["query"], "goal": "refuse"}})
    assert refusal == {"type": "error", "message": "not today", "id": "q9", "code": "vendor:closed"}


def test_a_fault_of_its_own_is_internal_and_tells_the_host_no_details() -> None:
    faults: list[Exception] = []
    answerer = Answerer(Plain(), faults.append)
    answerer.answer(HANDSHAKE)
    refusal = reply(answerer, {**QUERY, "id": "q9", "query": {**QUERY["query"], "goal": "break"}})
    assert (refusal["code"], refusal["id"]) == ("internal", "q9")
    assert "secret-path" not in json.dumps(refusal)
    assert [type(fault) for fault in faults] == [KeyError]
    assert reply(answerer, QUERY)["type"] == "frames"
    assert reply(greeted(Broken()), VERIFY)["code"] == "internal"


@pytest.mark.parametrize(
    "raw",
    [
        b"this is not valid json {{{",
        b"42",
        b"[1]",
        b'"x"',
        b"null",
        b"{}",
        b'{"type":42}',
        b'{"type":null}',
        b'{"type":"query"}',
        b'{"type":"query","query":{}}',
        b'{"type":"query","query":{"goal":"g","max_frames":-1,"max_tokens":1}}',
        b'{"type":"query","query":{"goal":"g","max_frames":1,"max_tokens":1e400}}',
        b'{"type":"verify","request":{"frames":[{}]}}',
        b'{"type":"handshake"}',
        b"\xff\xfe",
        b"\x00",
        b"[" * 100_000,
        b'{"type":"query"}{"type":"query"}',
        b'{"type":"query","type":"query"}',
    ],
)
def test_what_cannot_be_read_is_a_bad_request_and_costs_nothing_else(raw: bytes) -> None:
    answerer = greeted()
    refusal = reply(answerer, raw)
    assert (refusal["type"], refusal["code"]) == ("error", "bad_request")
    assert reply(answerer, {**QUERY, "id": "after"})["id"] == "after"


def test_a_bad_request_carries_the_id_where_it_can_be_read() -> None:
    assert reply(greeted(), {"type": "query", "id": "q7"})["id"] == "q7"
    assert reply(greeted(), {"type": "query", "id": "q7", "query": {"goal": 1}})["id"] == "q7"
    assert "id" not in reply(greeted(), {"type": "query", "id": 7, "query": QUERY["query"]})


def test_unknown_members_are_ignored() -> None:
    more = {**QUERY, "id": "u", "vendor:x": [1], "query": {**QUERY["query"], "later": {"a": 1}}}
    assert reply(greeted(), more)["type"] == "frames"


def test_an_unknown_type_is_refused_as_a_request_and_ignored_as_a_notification() -> None:
    answerer = greeted()
    assert reply(answerer, {"type": "resolve", "id": "r1"}) | {"message": ""} == {
        "type": "error",
        "id": "r1",
        "code": "bad_request",
        "message": "",
    }
    assert reply(answerer, {"type": "resolve", "request": {}})["code"] == "bad_request"
    assert reply(answerer, {"type": "ping"}) is None
    assert reply(answerer, {"type": "ping", "id": None}) is None


@pytest.mark.parametrize("type", ["error", "frames", "verified", "handshake_ack"])
def test_a_reply_is_never_replied_to(type: str) -> None:
    answerer = greeted()
    assert reply(answerer, {"type": type}) is None
    assert reply(answerer, {"type": type, "id": "x", "message": "m", "code": "internal"}) is None


@pytest.mark.parametrize("raw", [b"", b"  ", b"\r", b"\t"])
def test_blank_lines_are_no_lines(raw: bytes) -> None:
    assert greeted().answer(raw) is None


def test_after_shutdown_nothing_is_said() -> None:
    answerer = greeted()
    before = answerer.shut
    assert reply(answerer, {"type": "shutdown"}) is None
    assert (before, answerer.shut) == (False, True)
    assert reply(answerer, QUERY) is None
    assert reply(answerer, b"garbage") is None


def test_an_overlong_line_has_an_answer() -> None:
    refusal = json.loads(greeted().overlong())
    assert (refusal["type"], refusal["code"]) == ("error", "bad_request")


MEMBERS = st.sampled_from(["type", "id", "query", "request", "frames", "goal", "protocol_version"]) | st.text(max_size=5)
ATOMS = st.none() | st.booleans() | st.floats() | st.text(max_size=20) | st.sampled_from(["query", "verify", "handshake"])
VALUES = st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(MEMBERS, inner), max_leaves=12)


@settings(max_examples=150)
@given(st.binary(max_size=200) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_no_line_at_all_crashes_it(raw: bytes) -> None:
    answer = greeted().answer(raw)
    assert answer is None or json.loads(answer)["type"] in {"error", "frames", "verified", "handshake_ack"}
