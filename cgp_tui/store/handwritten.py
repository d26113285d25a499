"""TOML that a person wrote with any editor, and that may be anything at all."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

_MARK: Final = b"\xef\xbb\xbf"
_MANY_PARTS: Final = re.compile(rb"""(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){64}""")
"""A dotted key that would be nested too deeply; the parser takes time by the square of its parts."""


class NoTomlError(Exception):
    """Bytes that are no TOML: `why`, and how to mend it."""

    def __init__(self, why: str, fix: str) -> None:
        super().__init__(why)
        self.why = why
        self.fix = fix


def parse(data: bytes, deep: str) -> dict[str, Any]:
    """A file's tables, a byte order mark left out; `deep` is how to mend one that is nested too deeply.

    Raises NoTomlError.
    """
    try:
        if _MANY_PARTS.search(data):
            raise RecursionError
        return tomllib.loads(data.removeprefix(_MARK).decode())
    except UnicodeDecodeError as error:
        raise NoTomlError(f"it is not UTF-8 (byte {error.start + 1})", "Save it as UTF-8.") from None
    except RecursionError:
        raise NoTomlError("it is nested too deeply", deep) from None
    except ValueError as error:
        raise NoTomlError(f"it is no TOML: {str(error).rstrip('.')}", "Correct that line.") from None
