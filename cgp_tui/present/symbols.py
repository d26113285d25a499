"""The signs that carry meaning beside the words, each with an ASCII twin; none has an emoji form."""

from __future__ import annotations

from typing import Final

import msgspec


class Symbols(msgspec.Struct, frozen=True):
    """One alphabet. `tee`, `corner` and `bar` draw a tree; `quote` stands before foreign content;
    `heights` are blocks from the lowest to the highest, `mark` stands at a line that the person marked."""

    sent: str
    received: str
    bad: str
    doubt: str
    good: str
    quiet: str
    cut: str
    unequal: str
    similar: str
    question: str
    rule: str
    heavy: str
    quote: str
    tee: str
    corner: str
    bar: str
    cursor: str
    heights: str
    mark: str


UNICODE: Final = Symbols(
    sent="→",
    received="←",
    bad="✗",
    doubt="!",
    good="✓",
    quiet="·",
    cut="…",
    unequal="≠",
    similar="~",
    question="?",
    rule="─",
    heavy="━",
    quote="│ ",
    tee="├─ ",
    corner="└─ ",
    bar="│  ",
    cursor=">",
    heights="▁▂▃▄▅▆▇█",
    mark="*",
)

ASCII: Final = Symbols(
    sent=">",
    received="<",
    bad="X",
    doubt="!",
    good="+",
    quiet=".",
    cut="$",
    unequal="#",
    similar="~",
    question="?",
    rule="-",
    heavy="=",
    quote="| ",
    tee="|- ",
    corner="'- ",
    bar="|  ",
    cursor=">",
    heights="._-=#",
    mark="*",
)


class Look(msgspec.Struct, frozen=True):
    """How to draw: the alphabet and the width in cells."""

    symbols: Symbols = UNICODE
    width: int = 80
