"""Releases a long message in steps: freed all at once, it would keep other threads waiting as reading it would."""

from __future__ import annotations

import sys
from typing import Final

import msgspec

AT_ONCE: Final = 256
"""The number of parts released at once: well under a millisecond."""

_OURS: Final = 2
"""References to a part that nobody else holds: the list's, and that of the call that counts them."""


def parts(value: msgspec.Struct | None) -> list[msgspec.Struct]:
    """The many parts of a message, none of which holds another. A caller that keeps this list until nobody else holds the
    message can release them a few at a time."""
    found: list[msgspec.Struct] = []
    for field in () if value is None else msgspec.structs.fields(value):
        held = getattr(value, field.name)
        within = [one for one in (held if isinstance(held, tuple) else (held,)) if isinstance(one, msgspec.Struct)]
        found += (parts(within[0]) or within) if len(within) == 1 else within
    return found


def alone(parts: list[msgspec.Struct]) -> bool:
    """Whether this list has parts and is the only one to hold them."""
    return bool(parts) and sys.getrefcount(parts[-1]) <= _OURS
