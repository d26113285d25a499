"""Text in cells: how wide it is, how it is cut, padded and folded."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal

from cgp_tui.present.spans import Jump, Row, Rows, Span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown, own

_EMOJI_STYLE: Final = "\ufe0f"

_DIGEST_HEAD: Final = 8
_DIGEST_TAIL: Final = 4
"""The hex digits of a hash that a row shows, before and after the cut."""

_BOTH_ENDS: Final = 5
"""The least width, in cells, at which a text is cut in the middle."""

_LABELS_BESIDE: Final = 40
"""The least width, in cells, at which a value stands beside its label."""

_JOINING: Final = (("\u1160", "\u11ff"), ("\ud7b0", "\ud7fb"), ("\U0001f3fb", "\U0001f3ff"))
"""Vowels and finals of Hangul, and skin tones: drawn into the character before them."""

_WIDE: Final = (("\u2630", "\u2637"), ("\u268a", "\u268f"), ("\u4dc0", "\u4dff"), ("\U0001d300", "\U0001d376"))
"""Signs of divination that later editions of Unicode made wide."""


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Mc") or _within(char, _JOINING):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" or _within(char, _WIDE) else 1


def _within(char: str, ranges: Iterable[tuple[str, str]]) -> bool:
    return any(first <= char <= last for first, last in ranges)


def cell_width(text: str) -> int:
    """The cells that `text` takes on a terminal: wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    total = last = 0
    for char in text:
        if char == _EMOJI_STYLE and last == 1:
            total, last = total + 1, 2
            continue
        cells = _cells(char)
        total += cells
        last = cells or last
    return total


def _head(text: str, room: int) -> int:
    """How many characters of `text` fit into `room` cells, marks kept with their base."""
    if text.isascii():
        return min(room, len(text))
    used = 0
    for index, char in enumerate(text):
        used += _cells(char)
        if used > room:
            return index
    return len(text)


def cut(text: Shown, width: int, symbols: Symbols) -> Shown:
    """`text` in at most `width` cells, cut at the right: goals, titles, sentences."""
    if cell_width(text) <= width:
        return text
    if width <= 0:
        return own("")
    return Shown(text[: _head(text, width - 1)] + symbols.cut)


def trimmed(text: Shown) -> Shown:
    """`text` without the blanks at its end."""
    return Shown(text.rstrip())


def cut_middle(text: Shown, width: int, symbols: Symbols) -> Shown:
    """`text` in at most `width` cells, cut in the middle: ids, paths and URIs are told apart by both ends."""
    if cell_width(text) <= width:
        return text
    if width < _BOTH_ENDS:
        return cut(text, width, symbols)
    left = text[: _head(text, (width - 1) // 2)]
    room = width - 1 - cell_width(left)
    tail = text[::-1]
    taken = _head(tail, room)
    while taken and _cells(tail[taken - 1]) == 0 and not tail.isascii():
        taken -= 1
    return Shown(left + symbols.cut + text[len(text) - taken :])


def fit(
    text: Shown,
    width: int,
    symbols: Symbols,
    *,
    align: Literal["left", "right"] = "left",
    middle: bool = False,
) -> Shown:
    """`text` in exactly `width` cells: cut where it is longer, padded where it is shorter."""
    short = (cut_middle if middle else cut)(text, width, symbols)
    padding = " " * (width - cell_width(short))
    return Shown(padding + short if align == "right" else short + padding)


def digest(value: Shown, symbols: Symbols) -> Shown:
    """A hash as `8…4` without its algorithm's name, for rows; hashes are compared only in full."""
    bare = value.removeprefix("sha256:")
    if len(bare) <= _DIGEST_HEAD + 1 + _DIGEST_TAIL:
        return Shown(bare)
    return Shown(f"{bare[:_DIGEST_HEAD]}{symbols.cut}{bare[-_DIGEST_TAIL:]}")


def spans_width(spans: Iterable[Span]) -> int:
    return sum(cell_width(span.text) for span in spans)


def within(spans: Sequence[Span], width: int, symbols: Symbols) -> list[Span]:
    """Spans in at most `width` cells; where there are more, the last cell says so."""
    last = next((at for at in range(len(spans), 0, -1) if spans[at - 1].text.strip()), 0)
    if spans_width(spans[:last]) <= width:
        return list(spans[:last])
    kept: list[Span] = []
    for part in spans:
        size = cell_width(part.text)
        if size >= width:
            # A span that just fits is cut too, since there is more behind it.
            text = cut(Shown(part.text + " "), width, symbols)
            kept.append(Span(text, part.token, part.tip))
            break
        kept.append(part)
        width -= size
    return kept


def tip_at(spans: Iterable[Span], x: int) -> Shown | None:
    """The tip of the span at cell `x` of a line, from 0."""
    end = 0
    for part in spans:
        end += cell_width(part.text)
        if 0 <= x < end:
            return part.tip
    return None


def labelled(label: str, look: Look, *spans: Span, column: int = 12, jump: Jump | None = None) -> Rows:
    """`label` in its column and the value beside it, or below it on a narrow screen, and where the value is one word (a
    hash) that fits on one line only there."""
    wide = spans_width(spans)
    one_word = not any(" " in part.text for part in spans)
    if look.width < _LABELS_BESIDE or (one_word and look.width - column < wide <= look.width - 2):
        if label:
            yield Row((Span(own(label), "muted"),), jump=jump)
        yield Row(spans, lead=Span(own("  ")), rest=Span(own("  ")), jump=jump)
        return
    lead = Span(own(label.ljust(column)), "muted")
    yield Row(spans, lead=lead, rest=Span(own(" " * column)), jump=jump)


def quoted(lines: Iterable[Shown], look: Look) -> Rows:
    """Foreign content, with a quote bar before each line."""
    bar = Span(own(look.symbols.quote), "muted")
    for line in lines:
        yield Row((Span(line),), lead=bar, rest=bar)


def fold(row: Row, width: int) -> tuple[tuple[Span, ...], ...]:
    """The visual lines of a row, at least one: broken at blanks where possible, inside a word where necessary."""
    lead = () if row.lead is None else (row.lead,)
    if not row.spans or spans_width(lead) + spans_width(row.spans) <= width:
        return (lead + row.spans,)
    rest = () if row.rest is None else (row.rest,)
    lines: list[tuple[Span, ...]] = []
    current, room = list(lead), width - spans_width(lead)
    fresh = True
    for part in row.spans:
        text = part.text
        while text:
            taken = _break(text, room, fresh)
            if taken:
                piece = text[:taken]
                current.append(Span(Shown(piece), part.token, part.tip))
                room -= cell_width(piece)
                fresh = False
                text = Shown(text[taken:])
            if text:
                lines.append(tuple(current))
                room = max(width - spans_width(rest), 1)
                current, fresh = list(rest), True
                text = Shown(text.removeprefix(" "))
    if not fresh or not lines:
        lines.append(tuple(current))
    return tuple(lines)


def _break(text: str, room: int, fresh: bool) -> int:
    """How much of `text` goes on a line with `room` cells left; at least one character on a fresh line."""
    fits = _head(text, max(room, 0))
    if fits == len(text):
        return fits
    if text[fits] == " ":
        return fits
    blank = text.rfind(" ", 0, fits)
    if blank > 0 and (not fresh or text[:blank].strip()):
        return blank + 1
    if not fresh:
        return 0
    return max(fits, 1)
