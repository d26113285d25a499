"""Version strings and families (SPEC 3.1)."""

from __future__ import annotations

import re
from typing import Final

PROTOCOL_VERSION: Final = "contextgraph/1.0"
"""What we say in a handshake."""

_GRAMMAR: Final = re.compile(r"contextgraph/[0-9]+\.[0-9]+(-draft)?", re.ASCII)


def is_version(text: str) -> bool:
    """Whether `text` follows the grammar of SPEC 3.1."""
    return _GRAMMAR.fullmatch(text) is not None


def family(text: str) -> str:
    """The major family: everything before the first dot, compared exactly (`contextgraph/10` is not `contextgraph/1`)."""
    return text.partition(".")[0]


def interoperate(ours: str, theirs: str) -> bool:
    """Whether two versions share a major family and theirs is a version at all (H1, H3)."""
    return is_version(theirs) and family(ours) == family(theirs)
