"""Whose a line of a bare file is."""

from __future__ import annotations

import pytest

from cgp_tui.protocol.anchors import Party
from cgp_tui.protocol.messages import TYPES
from cgp_tui.transcript.sender import greets, sender, sender_of


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(
    "text", ['{"type":"%s"}', '{"type":"%s","id":"q"}', ' { "type" : "%s" } ', '{"id":"q","type":"%s"}']
)
def test_the_type_tells_however_it_is_written(kind: str, text: str) -> None:
    assert sender((text % kind).encode()) == sender_of(kind) is not None


@pytest.mark.parametrize(
    ("raw", "party"),
    [
        (b'{"type":"frames","content":"cut he', "provider"),
        (b'{"type":"query', None),
        (b'{"type":"later"}', None),
        (b'{"type":"' + b"x" * 900 + b'"}', None),
        (b'{"x":"' + b"x" * 900 + b'","type":"verify"}', "host"),
        (b"no JSON", None),
        (b"", None),
    ],
)
def test_what_is_cut_or_of_no_known_type(raw: bytes, party: Party | None) -> None:
    assert sender(raw) == party


def test_a_greeting_is_told_from_what_only_speaks_of_one() -> None:
    lines = [
        (b'{"type":"handshake","protocol_version":"contextgraph/1.0"}', True),
        (b'{"x":1,"type":"handshake"}', True),
        (b'{"type":"query","query":{"goal":"\\"handshake\\""}}', False),
        (b'{"type":"handshake_ack"}', False),
        (b'{"type":"error","message":"handshake","x":"handshake"}', False),
    ]
    whole = b"\n".join(line for line, _ in lines)
    for line, expected in lines:
        begin = whole.index(line)
        assert greets(whole, begin, begin + len(line)) is expected
