"""Letting go of a long message: in one go that keeps other threads waiting as long as a part of reading it does."""

from __future__ import annotations

import sys
from typing import Final

import msgspec

AT_ONCE: Final = 256
"""So many parts are let go of at once: well under a millisecond."""

_OURS: Final = 2
"""The references to a part that nobody else holds: the list's, and that of the call that counts them."""


def parts(value: msgspec.Struct | None) -> list[msgspec.Struct]:
    """The many parts of a message, none of them holding another. Who keeps this list until nobody else holds the message can
    let go of them a few at a time."""
    found: list[msgspec.Struct] = []
    for field in () if value is None else msgspec.structs.fields(value):
        held = getattr(value, field.name)
        within = [one for one in (held if isinstance(held, tuple) else (held,)) if isinstance(one, msgspec.Struct)]
        found += (parts(within[0]) or within) if len(within) == 1 else within
    return found


def alone(parts: list[msgspec.Struct]) -> bool:
    """Whether nobody holds the parts any more but this list, which has some."""
    return bool(parts) and sys.getrefcount(parts[-1]) <= _OURS
