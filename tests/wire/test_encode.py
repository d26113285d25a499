"""Encoding: one line, and the same message when it comes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.errors import InputError
from cgp_tui.protocol.envelope import ErrorReply, Query, Shutdown
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.wire.decode import decode
from cgp_tui.wire.encode import encode


@given(st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_encoded_decodes_to_itself_on_one_line(text: str, ident: str | None) -> None:
    for envelope in (
        ErrorReply(message=text, id=ident),
        Query(query=ContextQuery(goal=text, max_frames=0, max_tokens=0xFFFF_FFFF, anchors=(text,)), id=ident),
    ):
        raw = encode(envelope)
        assert b"\n" not in raw
        assert decode(raw).envelope == envelope


def test_absent_members_are_left_out() -> None:
    assert encode(Shutdown()) == b'{"type":"shutdown"}'
    assert encode(ErrorReply(message="m")) == b'{"type":"error","message":"m"}'


def test_text_that_is_none_is_bad_input() -> None:
    with pytest.raises(InputError) as caught:
        encode(ErrorReply(message="\udcff"))
    assert caught.value.code == "usage"
