"""Sentences that name a key. Which key does a thing is for whoever has a keyboard to say: a name for each id of the table of
keys, the person's own where they have one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from cgp_tui.text import Shown, compose, own

Keys = Mapping[str, str]
"""The name of the key for each id, as a person would write it; empty where no key does that."""

NO_KEYS: Final[Keys] = {}

_ID: Final = re.compile(r"\{([a-z]+\.[a-z-]+)\}")


def key_words(name: str, keys: Keys) -> str:
    """The key of an id; where there is none, how it is found in the command list: `:restart`."""
    return keys.get(name) or f":{name.rpartition('.')[2]}"


def keyed(template: str, keys: Keys, **values: Shown | int | float) -> Shown:
    """Our own `template`, as `compose` fills it, in which `{hop.pair}` stands for the key that does that."""
    named: dict[str, Shown] = {}

    def stand_in(found: re.Match[str]) -> str:
        # By way of a value, since a key may itself be a brace.
        place = f"key_{len(named)}"
        named[place] = own(key_words(found[1], keys))
        return f"{{{place}}}"

    return compose(_ID.sub(stand_in, template), **values, **named)
