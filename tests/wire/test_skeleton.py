"""The cheap proofs: whatever they prove is so, and what they are for they do prove."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.protocol.envelope import ErrorReply, Frames
from cgp_tui.protocol.frame import ContextFrame, Provenance
from cgp_tui.wire.skeleton import doubles_nothing, holds_only_known_members, known_stand_once, nothing_repeats, struct_in

KNOWN = ["type", "uri", "range", "digest", "method", "by"]

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
names = st.sampled_from(["type", "type", "uri", "ur\\u0069", "t\\u0079pe", "x", "\\u0078", '\\"', "\\u0022"])


def spelled(pairs: list[tuple[str, str]], spaced: bool) -> bytes:
    comma, colon = (", ", ": ") if spaced else (",", ":")
    return ("{" + comma.join(f'"{name}"{colon}{value}' for name, value in pairs) + "}").encode()


def doubled(pairs: list[tuple[str, str]]) -> bool:
    plain = [json.loads(f'"{name}"') for name, _ in pairs]
    return len(set(plain)) < len(plain)


@given(
    st.lists(st.tuples(names, text.map(json.dumps) | st.sampled_from(['"\\u0022"', "null", "1e3", '""'])), max_size=6),
    st.booleans(),
)
def test_no_proof_is_given_where_a_member_is_doubled(pairs: list[tuple[str, str]], spaced: bool) -> None:
    raw = spelled([("type", '"file"'), *pairs], spaced)
    if doubled([("type", ""), *pairs]):
        assert not holds_only_known_members(Provenance, raw)
        assert not nothing_repeats(raw)
        assert not doubles_nothing(Provenance, raw)
    known = [json.loads(f'"{name}"') for name, _ in pairs]
    if any(known.count(name) + (name == "type") > 1 for name in KNOWN):
        assert not known_stand_once(Provenance, spelled([("type", '"file"'), *pairs], spaced=False))


@given(st.dictionaries(st.sampled_from(KNOWN), text), st.booleans())
def test_known_members_are_proved_however_they_are_spelled(members: dict[str, str], ascii_only: bool) -> None:
    value = {"type": "file", **members}
    compact = json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":")).encode()
    assert holds_only_known_members(Provenance, compact)
    assert doubles_nothing(Provenance, compact)
    assert doubles_nothing(Provenance, json.dumps(value, ensure_ascii=ascii_only, indent=2).encode())
    assert not holds_only_known_members(Provenance, json.dumps({**value, "x": 1}, separators=(",", ":")).encode())
    assert doubles_nothing(Provenance, json.dumps({**value, "x": 1}).encode())


@pytest.mark.parametrize("place", ["", "result", "frame", "link"])
def test_a_doubled_member_is_seen_at_every_level(place: str) -> None:
    frame = {
        "id": "f",
        "kind": "doc",
        "title": "t",
        "score": 1,
        "token_cost": 0,
        "provenance": [{"type": "file", "uri": "u"}],
    }
    raw = json.dumps({"type": "frames", "result": {"frames": [frame], "truncated": False}, "id": "q"}, separators=(",", ":"))
    assert holds_only_known_members(Frames, raw.encode())
    mark = {"": '"id":"q"', "result": '"truncated":false', "frame": '"kind":"doc"', "link": '"uri":"u"'}[place]
    assert not doubles_nothing(Frames, raw.replace(mark, f"{mark},{mark}").encode())


def test_an_explicit_null_and_a_default_are_members_like_others() -> None:
    assert holds_only_known_members(ErrorReply, b'{"type":"error","message":"m","id":null,"code":null}')
    base = b'{"id":"f","kind":"k","title":"t","score":1,"token_cost":0,"content_ref":null,"representation":"full"}'
    assert holds_only_known_members(ContextFrame, base)


def test_quotation_marks_written_as_escapes_hide_nothing() -> None:
    """Two of them make up for the marks of a doubled name."""
    raw = rb'{"x":1,"x":"\u0022\u0022"}'
    assert json.dumps(json.loads(raw)).count('"') == raw.count(b'"')
    assert not nothing_repeats(raw)


def test_large_text_is_not_built_for_a_proof() -> None:
    large = json.dumps({"x": "y" * limits.SLOW_JSON_BYTES}, separators=(",", ":")).encode()
    assert not nothing_repeats(large)
    assert nothing_repeats(b'{"x":"y"}')
    assert not nothing_repeats(b"[" * 60_000 + b"]" * 60_000)


def test_what_a_member_holds() -> None:
    assert struct_in(tuple[Provenance, ...]) == (Provenance, True)
    assert struct_in(Provenance | None) == (Provenance, False)
    assert struct_in(str | None) == (None, False)
    assert struct_in(tuple[str, ...]) == (None, False)


def test_large_text_and_marks_written_as_escapes_are_not_gone_into() -> None:
    plain = b'{"a":"' + b"x" * (limits.SLOW_JSON_BYTES - 8) + b'"}'
    assert len(plain) == limits.SLOW_JSON_BYTES
    assert nothing_repeats(plain)
    assert not nothing_repeats(plain[:-2] + b'x"}')
    assert not nothing_repeats(b'{"a":"\\u0022"}')


@pytest.mark.parametrize("compact", [b'{"a":1e400}', b'{"a":"\\ud800"}'])
def test_what_no_untyped_value_holds_is_not_proved(compact: bytes) -> None:
    assert not nothing_repeats(compact)


def test_a_name_spelled_with_an_escape_is_proved_to_stand_nowhere() -> None:
    assert known_stand_once(Provenance, b'{"type":"file","x":1,"x":2}')
    assert not known_stand_once(Provenance, b'{"type":"file","x":"\\u0041"}')
