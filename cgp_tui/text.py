"""The one door for foreign text: `str` from outside becomes `Shown` here, with every hidden code made visible.

A terminal obeys bytes, and readers trust order and shape. So C0, C1, DEL, bidirectional controls, format characters,
fillers, tag, private-use and unassigned characters and surrogates appear as tokens; combining marks and length are
capped. `Shown` is the only text that screens and command output accept; `own` is for sentences we wrote ourselves.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NewType

from cgp_tui import limits

Shown = NewType("Shown", str)
"""Text that is safe to draw: no control code, no hidden or reordering character, bounded length."""

Page = NewType("Page", str)
"""Several lines of `Shown`, each ended by LF."""

_FILLERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5")
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_SAFE: Final = re.compile(r"[ -~]*")
_WRITTEN_TOGETHER: Final = tuple(
    frozenset({"Latin", "Cjk", *others}) for others in (("Hiragana", "Katakana"), ("Bopomofo",), ("Hangul",))
)
"""Scripts that one language mixes (the highly restrictive sets of UTS 39)."""


@lru_cache(maxsize=4096)
def _visible(char: str) -> str | None:
    """The token of one hidden character, or None where the character may be drawn as it is."""
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    hidden = char in _FILLERS or unicodedata.category(char) in _HIDDEN_CATEGORIES
    odd_space = unicodedata.category(char) == "Zs" and char != " "
    return f"<U+{code:04X}>" if hidden or odd_space else None


def hidden_codes(text: str) -> int:
    """How many characters of `text` would not be drawn as themselves."""
    if _SAFE.fullmatch(text):
        return 0
    return sum(1 for char in text if _visible(char) is not None)


def hidden_marks(text: str, limit: int = 100_000) -> int:
    """How many tokens `show_lines` puts into the first `limit` characters of a text: line feeds and tabs are none."""
    return sum(hidden_codes(line.replace("\t", "")) for line in text[:limit].split("\n"))


def _script(char: str) -> str:
    """The script of a letter or digit by the first word of its Unicode name, empty for anything else."""
    if unicodedata.category(char)[0] not in "LN" or "0" <= char <= "9":
        return ""
    return unicodedata.name(char, "UNNAMED").split(" ", 1)[0].split("-", 1)[0].capitalize()


def mixed_scripts(text: str) -> tuple[str, ...]:
    """The scripts of a name that mixes letters as no language does, but a lookalike of another name may; else empty."""
    if text.isascii():
        return ()
    scripts = dict.fromkeys(script for script in map(_script, text) if script)
    if len(scripts) < 2 or any(scripts.keys() <= together for together in _WRITTEN_TOGETHER):
        return ()
    return tuple(scripts)


def beyond_ascii(text: str, limit: int = 8) -> tuple[Shown, ...]:
    """Each character of `text` that is not printable ASCII, once, as `U+0430 CYRILLIC SMALL LETTER A`; at most `limit`
    of them and then how many more there are."""
    odd = [char for char in dict.fromkeys(text) if not " " <= char <= "~"]
    named = [Shown(f"U+{ord(char):04X} {unicodedata.name(char, '(no name)')}") for char in odd[:limit]]
    return (*named, Shown(f"{len(odd) - limit} more")) if len(odd) > limit else tuple(named)


def show(text: str, limit: int = limits.SHOWN_CHARS) -> Shown:
    """One line of foreign text, made visible. `limit` is in characters of the input; a cut says how many are left out."""
    if len(text) <= limit and _SAFE.fullmatch(text):
        return Shown(text)
    out: list[str] = []
    marks = 0
    for char in text[:limit]:
        token = _visible(char)
        if token is not None:
            out.append(token)
            marks = 0
        elif unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
            marks += 1
            if marks <= limits.MARKS_PER_BASE:
                out.append(char if out else f"<U+{ord(char):04X}>")
            elif marks == limits.MARKS_PER_BASE + 1:
                out.append("…")
        else:
            out.append(char)
            marks = 0
    if len(text) > limit:
        out.append(f"… [{len(text) - limit:,} more]")
    return Shown("".join(out))


def apart(old: str, new: str, limit: int = 80) -> tuple[Shown, Shown]:
    """Two foreign texts that differ, each in about `limit` characters that show the difference: as much of their common
    beginning is left out as necessary."""
    if max(len(old), len(new)) <= limit:
        return show(old), show(new)
    alike = next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )
    start = max(alike - limit // 2, 0)
    before = own("…" if start else "")
    return join("", (before, show(old[start:], limit))), join("", (before, show(new[start:], limit)))


def show_lines(text: str, limit: int = 1_000_000) -> list[Shown]:
    """Foreign text of several lines, split at LF only; a tab becomes spaces, every other control a token."""
    cut = text[:limit]
    lines = [show(line.replace("\t", "    "), limit) for line in cut.split("\n")]
    if len(text) > limit:
        lines.append(Shown(f"… [{len(text) - limit:,} more characters]"))
    return lines


def show_bytes(raw: bytes, limit: int = limits.SHOWN_CHARS) -> Shown:
    """Raw bytes as one line: UTF-8 where it is UTF-8, `<XX>` for each byte that is not."""
    piece = raw[:limit]
    text = piece.decode("utf-8", errors="surrogateescape")
    parts: list[str] = []
    for run in re.split("([\udc80-\udcff]+)", text):
        if run and "\udc80" <= run[0] <= "\udcff":
            parts.extend(f"<{ord(char) - 0xDC00:02X}>" for char in run)
        else:
            parts.append(show(run, limit))
    if len(raw) > limit:
        parts.append(f"… [{len(raw) - limit:,} more bytes]")
    return Shown("".join(parts))


def own(text: str) -> Shown:
    """A sentence we wrote ourselves, numbers included. Never call it with anything a peer or a file supplied."""
    return Shown(text)


def compose(template: str, **values: Shown | int | float) -> Shown:
    """Fill our own `template` with values that are already safe: `compose("{n} frames from {name}", n=2, name=show(x))`."""
    return Shown(template.format(**values))


def join(separator: str, parts: Iterable[Shown]) -> Shown:
    """Join safe parts with our own separator."""
    return Shown(separator.join(parts))


def page(lines: Iterable[Shown]) -> Page:
    """Lines as one text, for output that has very many of them."""
    return Page("".join([f"{line}\n" for line in lines]))


def clip(text: Shown, width: int) -> Shown:
    """Cut at the right to `width` characters, ending in an ellipsis: goals, titles, sentences."""
    return text if len(text) <= width else Shown(text[: max(width - 1, 0)] + "…"[: max(width, 0)])


def quoted(word: str) -> str:
    """A word for a shell. One with hidden characters is written as `$'…'`, so that the line a person sees is the line that
    works."""
    if show(word, len(word)) == word:
        import shlex

        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{''.join(char if show(char) == char else _bytes(char) for char in escaped)}'"


def _bytes(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
