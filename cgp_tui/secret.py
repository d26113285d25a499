"""Hide what looks like a credential before a command line is shown or kept.

Consent is bound to the digest of the whole command line, so what is shown of it needs no secret. Masking errs on the side of
hiding: a harmless value that is hidden costs a look at the person's own command, a token that is shown costs the token.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

MASK: Final = "***"

_TELLING: Final = r"[\w.-]*(?:key|token|secret|pass|auth)[\w.-]*+"
_TELLING_OPTION: Final = re.compile(rf"-{{1,2}}{_TELLING}", re.IGNORECASE)
# A name is tried from its beginning alone, and only where what has to follow does: so the time is linear in the text.
_ASSIGNED: Final = re.compile(rf"(?<![\w.-])(?=[\w.-]*+=\S)({_TELLING})(=)(\S+)", re.IGNORECASE)
_HEADER: Final = re.compile(rf"(?<![\w.-])(?=[\w.-]*+:\s*+\S)({_TELLING})(:\s*)(\S.*)", re.IGNORECASE | re.DOTALL)
_USERINFO: Final = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_RUN: Final = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
_PATH_LIKE: Final = re.compile(r"(?:~|\.{1,2})?/|[A-Za-z][\w+.-]*://")
_WORD: Final = re.compile(r"(?:[A-Z]?[a-z]++)*+\d{0,4}|[A-Z]+\d{0,4}")
_HEX: Final = re.compile(r"[0-9A-Fa-f]{20,}")


def _opaque(run: str) -> bool:
    """Whether a run of base64 characters reads as a random token: not as words and small numbers joined by `-` or `_`."""
    bare = re.sub(r"[-_]", "", run)
    if _HEX.fullmatch(bare) and any(char.isdigit() for char in bare):
        return True
    return not all(_WORD.fullmatch(piece) for piece in re.split(r"[-_/]", run.rstrip("=")))


def _is_path(word: str) -> bool:
    """Whether the slashes here separate names. Base64 may begin with a slash too, but hardly continues with a word."""
    if _PATH_LIKE.match(word) is None:
        return False
    return not (word.startswith("/") and _RUN.fullmatch(word) and _opaque(word[1:].partition("/")[0]))


def _mask_runs(word: str) -> str:
    """Mask each long opaque run. Within a path or a URL, slashes are not base64."""
    if _is_path(word):
        return "/".join(_mask_runs(piece) if piece else piece for piece in word.split("/"))
    return _RUN.sub(lambda found: MASK if _opaque(found[0]) else found[0], word)


def mask(item: str) -> str:
    """One argument with its credentials replaced by `***`: after a telling name and `=` or `:`, in a URL's userinfo, and
    every opaque run of 20 or more base64 or hex characters."""
    item = _HEADER.sub(rf"\1\2{MASK}", item) if "://" not in item else item
    item = _ASSIGNED.sub(rf"\1\2{MASK}", _USERINFO.sub(MASK, item))
    return "".join(part if part.isspace() else _mask_runs(part) for part in re.split(r"([\s=,;:]+)(?!//)", item))


def mask_argv(argv: Sequence[str]) -> tuple[str, ...]:
    """A command line to show. The word after an option whose name suggests a credential is hidden as a whole."""
    shown: list[str] = []
    hide = False
    for item in argv:
        if hide and not re.fullmatch(r"--.*|-.", item):
            shown.append(MASK)
            hide = False
            continue
        hide = _TELLING_OPTION.fullmatch(item) is not None
        shown.append(item if hide else mask(item))
    return tuple(shown)
