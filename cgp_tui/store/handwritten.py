"""TOML written by a person with any editor, so it may hold anything at all."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

_MARK: Final = b"\xef\xbb\xbf"
_MANY_PARTS: Final = re.compile(rb"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}""")
"""A dotted key that would nest too deeply; the parser's time grows with the square of its parts."""


class NoTomlError(Exception):
    """The bytes are not TOML: `why`, and how to mend that."""

    def __init__(self, why: str, fix: str) -> None:
        super().__init__(why)
        self.why = why
        self.fix = fix


def parse(data: bytes, deep: str) -> dict[str, Any]:
    """A file's tables, ignoring a byte order mark; `deep` is the fix for one that nests too deeply.

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
        raise NoTomlError(f"it is not valid TOML: {str(error).rstrip('.')}", "Correct that line.") from None
