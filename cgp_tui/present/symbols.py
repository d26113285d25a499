"""The signs that stand beside words, each with an ASCII twin; none has an emoji form."""

from __future__ import annotations

from typing import Final

import msgspec

from cgp_tui.present.key_sentences import NO_KEYS, Keys, keyed
from cgp_tui.text import Shown


class Symbols(msgspec.Struct, frozen=True):
    """One alphabet.

    `tee`, `corner` and `bar` draw a tree, `quote` stands before foreign content, `heights` are blocks from the lowest to the
    highest. `mark` stands at a line that the person marked, `folded` at what holds more than is shown. Both arrows are
    equally wide; every other sign of a row is one cell.
    """

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
    folded: str
    unfolded: str


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
    folded="▸",
    unfolded="▾",
)

ASCII: Final = Symbols(
    sent="->",
    received="<-",
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
    heights="_:=@",
    mark="*",
    folded="+",
    unfolded="-",
)


PLACES: Final[dict[str, tuple[str, ...]]] = {
    "a row of the traffic": ("cursor", "sent", "received", "question", "quiet", "bad", "doubt", "cut", "mark"),
    "the strip below it": ("bad", "question", "doubt", "quiet", "heights"),
    "the title of a pane": ("rule", "sent", "received", "question", "cut"),
    "the title of the pane with the focus": ("heavy", "sent", "received", "question", "cut"),
    "a standing": ("cursor", "good", "similar", "unequal", "bad", "question", "quiet", "doubt", "cut"),
    "a row of the findings": ("cursor", "folded", "unfolded", "bad", "doubt", "quiet", "sent", "received", "cut"),
    "a member of the JSON": ("cursor", "folded", "unfolded", "bad", "doubt", "cut"),
    "a row of a card": ("cursor", "quote", "sent", "good", "bad", "doubt", "unequal", "quiet", "cut"),
    "the tree of a proof": ("tee", "corner", "bar", "cursor", "cut"),
}
"""Which signs stand at one place: there each means one thing only."""


class Look(msgspec.Struct, frozen=True):
    """How to draw: the alphabet, the width in cells, and the person's keys."""

    symbols: Symbols = UNICODE
    width: int = 80
    keys: Keys = NO_KEYS

    def say(self, template: str, **values: Shown | int | float) -> Shown:
        """A sentence of ours that names keys; see `keyed`."""
        return keyed(template, self.keys, **values)
