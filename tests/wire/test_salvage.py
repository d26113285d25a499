"""Faults in words: each names its member by pointer and says in plain English what was expected."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cgp_tui.protocol.envelope import Envelope
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.wire.decode import decode
from cgp_tui.wire.salvage import TYPE_OF, U32, within_u32

QUERY: dict[str, Any] = {"goal": "g", "max_frames": 1, "max_tokens": 1}

SAID: list[tuple[dict[str, Any], str, str]] = [
    ({"goal": 1}, "/query/goal", "a string is expected, a whole number was found"),
    ({"goal": None}, "/query/goal", "a string is expected, null was found"),
    ({"max_frames": 1.5}, "/query/max_frames", "a whole number is expected, a number was found"),
    ({"max_frames": True}, "/query/max_frames", "a whole number is expected, true or false was found"),
    ({"max_frames": U32 + 1}, "/query/max_frames", "a whole number from 0 to 4294967295 is expected"),
    ({"query_text": []}, "/query/query_text", "a string or null is expected, an array was found"),
    ({"kinds": None}, "/query/kinds", "an array is expected, null was found"),
    ({"kinds": ["a", {}]}, "/query/kinds/1", "a string is expected, an object was found"),
    (
        {"anchors": ["a", "b", "\ud800"]},
        "/query/anchors",
        "the text holds half a surrogate pair, which is no Unicode character",
    ),
    ({"embedding": [1, "x"]}, "/query/embedding/1", "a number is expected, a string was found"),
]


@pytest.mark.parametrize(("members", "path", "detail"), SAID, ids=[row[2][:40] + row[1] for row in SAID])
def test_a_fault_is_said_in_words(members: dict[str, Any], path: str, detail: str) -> None:
    decoded = decode(json.dumps({"type": "query", "query": {**QUERY, **members}}).encode())
    assert [(fault.code, fault.path, fault.detail) for fault in decoded.faults] == [("shape", path, detail)]


def test_a_number_beyond_a_double_is_out_of_range() -> None:
    raw = json.dumps({"type": "query", "query": {**QUERY, "embedding": [0.5]}}).replace("0.5", "1e999").encode()
    (fault,) = decode(raw).faults
    assert (fault.path, fault.detail) == ("/query/embedding/0", "the number is out of range")


def test_every_missing_member_is_named() -> None:
    faults = decode(b'{"type":"query","query":{}}').faults
    assert [(fault.path, fault.detail) for fault in faults] == [
        (f"/query/{name}", f"`{name}` is missing") for name in ("goal", "max_frames", "max_tokens")
    ]


def test_every_message_has_its_type() -> None:
    assert set(TYPE_OF) == set(Envelope.__args__)
    assert sorted(TYPE_OF.values()) == sorted(
        ["handshake", "handshake_ack", "query", "frames", "verify", "verified", "shutdown", "error"]
    )


def test_ranges_are_those_of_the_struct_itself() -> None:
    assert within_u32(ContextQuery(goal="", max_frames=0, max_tokens=U32))
    assert not within_u32(ContextQuery(goal="", max_frames=0, max_tokens=U32 + 1))
    frame = ContextFrame(id="f", kind="k", title="t", score=0.0, token_cost=0)
    assert within_u32(frame)
    assert not within_u32(ContextFrame(id="f", kind="k", title="t", score=0.0, token_cost=0, canonical_token_cost=-1))
    assert within_u32("a value that has no such members")
