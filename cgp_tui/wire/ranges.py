"""What every reader needs to know of the message types: the `type` each one is tagged with, and the range of its numbers."""

from __future__ import annotations

from typing import Any, Final

from cgp_tui.protocol.envelope import ContextQueryResult, Envelope
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.query import ContextQuery

TYPE_OF: Final[dict[Any, str]] = {kind: kind.__struct_config__.tag for kind in Envelope.__args__}
"""Each message's struct with its `type`."""

U32: Final = 0xFFFF_FFFF
"""The largest number that these members can carry."""

U32_MEMBERS: Final[dict[type[Any], tuple[str, ...]]] = {
    ContextQuery: ("max_frames", "max_tokens"),
    ContextFrame: ("token_cost", "canonical_token_cost"),
    ContextQueryResult: ("dropped_estimate",),
}
"""The members that the schema bounds to 32 bits: a larger number does not decode, it is not merely a bad value."""


def within_u32(value: Any) -> bool:
    """Whether the u32 members of a decoded struct are in range; those of the structs in it are not looked at."""
    for name in U32_MEMBERS.get(type(value), ()):
        number = getattr(value, name)
        if number is not None and not 0 <= number <= U32:
            return False
    return True
