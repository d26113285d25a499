"""The values that screens draw: spans of safe text with a token, rows of spans, and where each row leads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import msgspec

from cgp_tui.text import Shown, own

Token = Literal["sent", "received", "bad", "doubt", "good", "muted", "strong"]
"""What a span is, for its colour; a symbol or a word beside it says the same."""

TOKENS: tuple[Token, ...] = get_args(Token)


class Span(msgspec.Struct, frozen=True):
    """A piece of a line; `tip` is a sentence about it, shown when the pointer rests on it."""

    text: Shown
    token: Token | None = None
    tip: Shown | None = None


class Jump(msgspec.Struct, frozen=True):
    """Where `enter` on a row leads: to a wire line (from 1), a frame by wire position (in that line's answer if both are
    given), a step of its proof, a member by its JSON Pointer into the line, or the findings about that member. In a tree it
    folds a member or draws more of it; `fold` and `more` are the offset of its first byte."""

    line: int | None = None
    place: int | None = None
    step: int | None = None
    path: str | None = None
    about: str | None = None
    fold: int | None = None
    more: int | None = None


class Member(msgspec.Struct, frozen=True):
    """A member of a line's JSON: its JSON Pointer (RFC 6901) into the line, None where a name along it is too long, and the
    offset of its value's first byte in the text that is drawn, None where it is not in it."""

    path: str | None
    at: int | None


class Row(msgspec.Struct, frozen=True):
    """One logical row. `lead` stands before its first visual line, `rest` before each further one; `member` is the JSON
    member that it draws. With `on` it is cut where its room ends, and its text continues in the next row."""

    spans: tuple[Span, ...] = ()
    lead: Span | None = None
    rest: Span | None = None
    jump: Jump | None = None
    member: Member | None = None
    on: bool = False

    @property
    def text(self) -> Shown:
        """The row as one line without tokens."""
        head = () if self.lead is None else (self.lead,)
        return Shown("".join(span.text for span in (*head, *self.spans)))

    @property
    def body(self) -> Shown:
        """The same without what stands before it."""
        return Shown("".join(span.text for span in self.spans))


Rows = Iterator[Row]
"""Rows are made as they are taken, so that a long text can be built in slices of time."""

SPACE = Span(own(" "))
GAP = Span(own("  "))
EMPTY = Row()
WAIT = Row()
"""Not a row, recognised by identity: a caller that takes rows in slices of time may pause here, and draws nothing."""


def span(text: str, token: Token | None = None) -> Span:
    """A span of our own words, numbers included. Never call it with anything a peer or a file supplied."""
    return Span(own(text), token)


def row(*parts: Span | Shown, jump: Jump | None = None) -> Row:
    """A row of spans and safe texts, in order."""
    return Row(tuple(part if isinstance(part, Span) else Span(part) for part in parts), jump=jump)
