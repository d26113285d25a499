"""Sentences that name a key. The caller says which key does what: a name for each id of the key table, the person's own key
where they have set one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from cgp_tui.text import Shown, compose, own

Keys = Mapping[str, str]
"""The name of the key for each id, as a person would write it; empty for an id without a key."""

NO_KEYS: Final[Keys] = {}

_ID: Final = re.compile(r"\{([a-z]+\.[a-z-]+)\}")


def key_words(name: str, keys: Keys) -> str:
    """The key of an id; for an id without a key, how to find it in the command list: `:restart`."""
    return keys.get(name) or f":{name.rpartition('.')[2]}"


def keyed(template: str, keys: Keys, **values: Shown | int | float) -> Shown:
    """Our own `template`, filled as `compose` does; `{hop.pair}` in it stands for the key of that id."""
    named: dict[str, Shown] = {}

    def stand_in(found: re.Match[str]) -> str:
        # Through a value, since a key may itself be a brace.
        place = f"key_{len(named)}"
        named[place] = own(key_words(found[1], keys))
        return f"{{{place}}}"

    return compose(_ID.sub(stand_in, template), **values, **named)
