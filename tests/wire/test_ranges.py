"""What every reader of messages asks of their types."""

from __future__ import annotations

from typing import get_args

import pytest

from cgp_tui.protocol.envelope import ContextQueryResult, Envelope, Shutdown
from cgp_tui.protocol.messages import TYPES
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.wire.ranges import TYPE_OF, U32, within_u32


def test_every_message_has_its_type() -> None:
    assert set(TYPE_OF) == set(get_args(Envelope))
    assert sorted(TYPE_OF.values()) == sorted(TYPES)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (ContextQuery("g", max_frames=0, max_tokens=U32), True),
        (ContextQuery("g", max_frames=-1, max_tokens=1), False),
        (ContextQuery("g", max_frames=1, max_tokens=U32 + 1), False),
        (ContextQueryResult((), False), True),
        (ContextQueryResult((), False, U32 + 1), False),
        (Shutdown(), True),
    ],
)
def test_only_what_the_schema_bounds_is_held_against_its_bounds(value: object, fits: bool) -> None:
    assert within_u32(value) is fits
