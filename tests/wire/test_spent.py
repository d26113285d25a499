"""What a long message is made of can be let go of a few at a time."""

from __future__ import annotations

import pytest

from cgp_tui.protocol.envelope import Frames
from cgp_tui.wire import spent
from cgp_tui.wire.decode import decode
from tests.dialogue import message


@pytest.mark.parametrize(
    ("text", "many"),
    [
        ("frames q1 a b c", 3),
        ('frames q1 a{"provenance":[{"type":"file"},{"type":"file"}]}', 2),
        ("frames q1 a", 1),
        ("verify v1 a b", 2),
        ("query q1", 1),
        ("shutdown", 0),
    ],
)
def test_the_many_are_told_and_what_holds_them_is_not(text: str, many: int) -> None:
    assert len(spent.parts(decode(message(text)).envelope)) == many


def test_once_nobody_else_holds_the_message_the_list_alone_holds_its_parts() -> None:
    decoded = decode(message("frames q1 a b c"))
    assert isinstance(decoded.envelope, Frames)
    parts = spent.parts(decoded.envelope)
    assert not spent.alone(parts)
    del decoded
    assert spent.alone(parts)
    assert not spent.alone([])


def test_nothing_has_no_parts() -> None:
    assert spent.parts(None) == []
