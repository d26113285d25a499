"""The signs that stand beside words, each with an ASCII twin; none has an emoji form."""

from __future__ import annotations

from typing import Final

import msgspec

from cgp_tui.present.key_sentences import NO_KEYS, Keys, keyed
from cgp_tui.text import Shown


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
    """How to draw: the alphabet, the width in cells, and the person's keys."""

    symbols: Symbols = UNICODE
    width: int = 80
    keys: Keys = NO_KEYS

    def say(self, template: str, **values: Shown | int | float) -> Shown:
        """A sentence of ours that names keys; see `keyed`."""
        return keyed(template, self.keys, **values)
