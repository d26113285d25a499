"""One JSON text as a tree that opens level by level: folded parts are never read, only skipped.

Rows are made while the text is gone over. A member's size is known once its end is found, which takes many steps in a huge
text; between them a `WAIT` row is yielded, which nobody draws. So the first screen costs the same for any size.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Generator
from typing import Final

import msgspec

from cgp_tui.present.envelope import raw_rows
from cgp_tui.present.layout import cell_width, cut
from cgp_tui.present.member_findings import MemberFindings, inside, parts_of, pointer_to, told
from cgp_tui.present.numbers import exact_bytes, plural, size
from cgp_tui.present.spans import WAIT, Jump, Member, Row, Rows, Span, span
from cgp_tui.present.symbols import Look
from cgp_tui.text import Shown, compose, own, show, show_bytes
from cgp_tui.wire.skim import Broken, Steps, blanks_end, close, string_end, value_end
from cgp_tui.wire.walk import items, members

PAGE: Final = 100
"""How many members of an object or array are drawn until more are requested."""
SMALL: Final = 4_000
"""A text of up to this many bytes is drawn with everything open."""
DEEP: Final = 3
"""How many levels of a larger text are open at first."""
MANY: Final = 1_000
"""After this many rows only what the person opened is open."""
COUNTED: Final = 64 * 1024
"""Up to this many bytes the members of a folded object or array are counted."""
LONG: Final = 400
"""A folded string of up to this many bytes is drawn whole."""
DEEPEST: Final = 64
"""How many levels can be opened."""
CHECKED: Final = 1_000_000
"""A text of up to this many bytes is checked for being JSON before a row is made."""
UNFOLDED: Final = 200_000
"""The most bytes of a string that are drawn."""

_PIECE: Final = 1_000
_PREVIEW: Final = 120
_NAME: Final = 1_024
_INDENTS: Final = 24
_KINDS: Final = {b"{": ("{", "}", "object", "member"), b"[": ("[", "]", "array", "item")}


class Tree:
    """The tree of one text and its folds; a member is identified by the offset of its first byte. `marks` are the findings
    in it, `under` is the JSON Pointer of its root in the line."""

    def __init__(self, raw: bytes, marks: MemberFindings | None = None, under: str = "") -> None:
        self.raw = raw
        self.marks = MemberFindings() if marks is None else marks
        self.under = under
        self._state: dict[int, bool] = {}
        self._opened: set[int] = set()
        self._closed: set[int] = set()
        self._sought: list[int] = []
        self._closed_since: set[int] = set()
        self._shown: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._wanted: tuple[str, ...] | None = None
        self._forced = False
        self._found: Row | None = None
        self._drawn = 0

    def turn(self, at: int, opened: bool | None = None) -> bool:
        """Open or fold a member, or toggle it with None. Returns whether that changes anything."""
        now = self._state.get(at)
        wanted = not now if opened is None else opened
        if now is None or wanted == now:
            return False
        self._forced = False
        (self._opened if wanted else self._closed).add(at)
        (self._closed if wanted else self._opened).discard(at)
        if not wanted:
            self._closed_since.add(at)
        return True

    def seek(self, text: str, begin: int = 0) -> int:
        """Draw everything that holds a text open until it is folded again, first from an offset on. Returns the text's last
        offset, or -1."""
        from cgp_tui.present.searching import offsets

        self._sought = offsets(self.raw, text, begin)
        self._closed_since.clear()
        return self._sought[-1] if self._sought else -1

    def _holds(self, at: int, end: int) -> bool:
        place = bisect_left(self._sought, at)
        return at not in self._closed_since and any(found < end for found in self._sought[place : place + 1])

    def is_open(self, at: int | None) -> bool:
        """Whether the last `rows` drew a member open."""
        return at is not None and self._state.get(at, False)

    def more(self, at: int) -> None:
        """Draw another page of the members of an object or array."""
        self._shown[at] = self._shown.get(at, PAGE) + PAGE

    def reveal(self, pointer: str) -> bool:
        """Open everything on the way to a member, as far as it exists. Returns whether the member belongs to this tree."""
        if pointer != self.under and not pointer.startswith(self.under + "/"):
            return False
        self._wanted, self._forced = parts_of(pointer[len(self.under) :]), True
        return True

    def text_of(self, at: int) -> bytes:
        """The value that begins at an offset, as it came."""
        steps = value_end(self.raw, at)
        try:
            while True:
                next(steps)
        except StopIteration as done:
            return self.raw[at : done.value]
        except Broken:
            return self.raw[at:]

    def is_found(self, row: Row) -> bool:
        """Whether a row of the last `rows` is the member to be revealed, or the end of the object that lacks it."""
        return row is self._found

    def rows(self, look: Look) -> Rows:
        """The rows with the present folds, `WAIT` among them. A text that is not JSON is shown byte by byte; for a long one
        it is said where it breaks off."""
        bad = span(f"{look.symbols.bad} ", "bad")
        if len(self.raw) <= CHECKED and not _is_json(self.raw):
            yield Row((bad, span("Not JSON: the bytes as they came.")))
            yield from raw_rows(self.raw, look)
            return
        self._drawn, self._found = 0, None
        self._state.clear()
        try:
            at = yield from _on(blanks_end(self.raw, 0))
            yield from self._value(_Member(at, 0, marks=self.marks, wanted=self._wanted, path=self.under), look)
        except Broken as broken:
            yield Row((span(f"No JSON from byte {broken.at:,} on; Raw shows the bytes."),), lead=bad, rest=span("  "))

    # -- one value; each returns where it ends

    def _value(self, one: _Member, look: Look) -> Made:
        byte = self.raw[one.at : one.at + 1]
        if byte in _KINDS:
            return (yield from self._nest(one, look))
        end = yield from self._end(one.at)
        if byte == b'"' and end - one.at > LONG and len(self.raw) > SMALL:
            yield from self._long(one, end, look)
        else:
            about = Jump(about=one.marks.here[0].path) if one.marks.here else None
            text = show_bytes(self.raw[one.at : min(end, one.at + SMALL)], SMALL)
            yield self._row(one, "  ", (Span(text),), about, look)
        return end

    def _long(self, one: _Member, end: int, look: Look) -> Rows:
        """A string too long for a row: how it begins, or piece by piece."""
        length = Span(compose("  {size}", size=exact_bytes(end - one.at)), "muted")
        opened = self._decide(one, self._holds(one.at + _PREVIEW, end))
        if not opened:
            yield self._row(one, f"{look.symbols.folded} ", (self._start(one, end, look), length), Jump(fold=one.at), look)
            return
        yield self._row(one, f"{look.symbols.unfolded} ", (length,), Jump(fold=one.at), look)
        at, stop = one.at, _edge(self.raw, min(end, one.at + UNFOLDED), end)
        pad = _pad(one.depth + 1)
        while at < stop:
            to = _edge(self.raw, min(at + _PIECE, stop), stop)
            yield Row((Span(show_bytes(self.raw[at:to], _PIECE)),), lead=pad, rest=pad, on=to < stop)
            at = to
        if stop < end:
            yield Row((span(f"{end - stop:,} more bytes are under Raw.", "doubt"),), lead=pad, rest=pad)

    def _nest(self, one: _Member, look: Look) -> Made:
        """An object or an array, open or folded."""
        opening, closing, kind, unit = _KINDS[self.raw[one.at : one.at + 1]]
        small = len(self.raw) <= SMALL or (one.depth < DEEP and self._drawn < MANY)
        opened, end = one.depth < DEEPEST and self._decide(one, small), one.at
        if not opened:
            end = yield from self._end(one.at)
            opened = self._state[one.at] = one.depth < DEEPEST and self._holds(one.at, end)
        if not opened:
            many = self._count(one.at, end, kind)
            words = own(f"  {kind if many is None else plural(many, unit)}")
            bytes_ = exact_bytes(end - one.at) if end - one.at < 1000 else size(end - one.at)
            length = Span(compose("{words}, {size}", words=words, size=bytes_), "muted")
            jump = Jump(fold=one.at) if one.depth < DEEPEST else None
            yield self._row(
                one, f"{look.symbols.folded} ", (self._start(one, end, look), length, *inside(one.marks, look)), jump, look
            )
            return end
        yield self._row(one, f"{look.symbols.unfolded} ", (span(opening),), Jump(fold=one.at), look)
        end = yield from self._members(one, closing, look)
        last = Row((span(closing),), lead=_pad(one.depth), member=one.member)
        if one.wanted and self._found is None:
            self._found = last
        yield last
        return end

    def _members(self, one: _Member, closing: str, look: Look) -> Made:
        """The members of an open object or array: a page of them, and the one to be revealed."""
        raw, shut = self.raw, closing.encode()
        limit = self._shown.get(one.at, PAGE)
        pos = yield from _on(blanks_end(raw, one.at + 1))
        absent = dict(one.marks.below)
        wanted, count, skipped = one.wanted, 0, 0
        while raw[pos : pos + 1] != shut:
            held = bool(self._sought) and self._sought[-1] >= pos
            if count >= limit and not (wanted or held):
                yield self._more(one, look)
                return (yield from _on(close(raw, pos)))
            name, key, path = own(""), str(count), one.below(str(count))
            if closing == "}":
                start = pos
                name, key, pos = yield from self._name(pos)
                path = one.below(key if pos - start <= _NAME else None)
            else:
                name = own(f"{count}: ")
            hit = wanted is not None and wanted[:1] == (key,)
            if count < limit or hit or (held and self._holds(pos, (yield from self._end(pos)))):
                if skipped:
                    pad, said = _pad(one.depth + 1), span(f"{skipped:,} before this are not drawn", "muted")
                    yield Row((said,), lead=pad, rest=pad)
                    skipped = 0
                below = wanted[1:] if hit and wanted is not None else None
                marks = absent.pop(key, None) or MemberFindings()
                pos = yield from self._value(_Member(pos, one.depth + 1, name, marks, below, path), look)
                wanted = None if hit else wanted
            else:
                skipped += 1
                absent.pop(key, None)
                pos = yield from self._end(pos)
                if skipped % 256 == 0:
                    yield WAIT
            count += 1
            pos = yield from _on(blanks_end(raw, pos))
            if raw[pos : pos + 1] == b",":
                pos = yield from _on(blanks_end(raw, pos + 1))
            elif raw[pos : pos + 1] != shut:
                raise Broken(pos)
        if skipped:
            yield self._more(one, look)
        yield from self._missing(one, absent, look)
        return pos + 1

    def _missing(self, one: _Member, absent: dict[str, MemberFindings], look: Look) -> Rows:
        """Findings about members that are not there."""
        for key, marks in absent.items():
            pad = _pad(one.depth + 1)
            first = next(marks.all(), None)
            spans: tuple[Span, ...] = (Span(compose("{name}: ", name=show(key, _NAME)), "muted"), span("not there", "muted"))
            gone = Member(one.below(key), None)
            jump = None if first is None else Jump(about=first.path)
            made = Row((*spans, *told(tuple(marks.all()), look)), lead=pad, rest=_pad(one.depth + 2), jump=jump, member=gone)
            if one.wanted and one.wanted[0] == key and self._found is None:
                self._found = made
            yield made

    def _name(self, at: int) -> Generator[Row, None, tuple[Shown, str, int]]:
        """The name of a member as drawn and as it is in a path, and where its value begins."""
        raw = self.raw
        if raw[at : at + 1] != b'"':
            raise Broken(at)
        end = yield from _on(string_end(raw, at))
        pos = yield from _on(blanks_end(raw, end))
        if raw[pos : pos + 1] != b":":
            raise Broken(pos)
        pos = yield from _on(blanks_end(raw, pos + 1))
        if pos == len(raw):
            raise Broken(pos)
        drawn = compose("{name}: ", name=show_bytes(raw[at:end], _PREVIEW))
        return drawn, _key(raw[at:end]) if end - at <= _NAME else "", pos

    # -- pieces of a row

    def _row(self, one: _Member, mark: str, spans: tuple[Span, ...], jump: Jump | None, look: Look) -> Row:
        self._drawn += 1
        lead = span("  " * min(one.depth, _INDENTS) + mark)
        found = told(tuple(one.marks.here), look)
        made = Row((Span(one.name), *spans, *found), lead=lead, rest=_pad(one.depth + 1), jump=jump, member=one.member)
        if one.wanted == ():
            self._found = made
        return made

    def _more(self, one: _Member, look: Look) -> Row:
        pad = _pad(one.depth + 1)
        return Row(
            (Span(look.say("{cut} more: {nav.open} shows the next {n}", cut=own(look.symbols.cut), n=PAGE), "doubt"),),
            lead=pad,
            jump=Jump(more=one.at),
        )

    def _start(self, one: _Member, end: int, look: Look) -> Span:
        room = look.width - 2 * min(one.depth, _INDENTS) - cell_width(one.name) - (40 if one.marks.below else 28)
        stop = _edge(self.raw, min(end, one.at + _PREVIEW), end)
        text = show_bytes(self.raw[one.at : stop], _PREVIEW)
        return Span(cut(text if stop == end else Shown(text + look.symbols.cut), max(room, 8), look.symbols))

    def _decide(self, one: _Member, default: bool) -> bool:
        """Whether a member is drawn open."""
        if one.wanted and self._forced:
            self._closed.discard(one.at)
            self._opened.add(one.at)
        opened = one.at not in self._closed and (one.at in self._opened or default)
        self._state[one.at] = opened
        return opened

    def _end(self, at: int) -> Made:
        end = self._ends.get(at)
        if end is None:
            end = yield from _on(value_end(self.raw, at))
            if end - at > COUNTED:
                self._ends[at] = end
        return end

    def _count(self, at: int, end: int, kind: str) -> int | None:
        """The number of members of a short object or array; None for a longer one."""
        if end - at > COUNTED:
            return None
        piece = self.raw[at:end]
        try:
            return sum(1 for _ in (members(piece) if kind == "object" else items(piece)))
        except (msgspec.DecodeError, RecursionError, IndexError):
            return None


Made = Generator[Row, None, int]
"""Rows, and then the offset after what they show."""


class _Member(msgspec.Struct, frozen=True):
    """A value in its place. `wanted` is the rest of the way to the member to be revealed, empty at its end, None elsewhere;
    `path` is its JSON Pointer into the line, None where a name along it is too long."""

    at: int
    depth: int
    name: Shown = own("")
    marks: MemberFindings = MemberFindings()
    wanted: tuple[str, ...] | None = None
    path: str | None = None

    @property
    def member(self) -> Member:
        return Member(self.path, self.at)

    def below(self, key: str | None) -> str | None:
        """The path of a member of this value, None where its own path or the member's name is not given."""
        return None if self.path is None or key is None else pointer_to(self.path, key)


def _on(steps: Steps) -> Made:
    """Steps as rows that nobody draws."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            end: int = done.value
            return end
        yield WAIT


def _is_json(raw: bytes) -> bool:
    """Whether a text of bounded length is JSON; one with lone surrogates counts."""
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except msgspec.DecodeError:
        try:
            json.loads(raw.decode("utf-8", "surrogateescape"))
        except ValueError:
            return False
        except RecursionError:
            return True
    except RecursionError:
        return True
    return True


def _key(spelled: bytes) -> str:
    try:
        return str(json.loads(spelled, strict=False))
    except ValueError:
        return ""


def _edge(raw: bytes, at: int, end: int) -> int:
    """An offset at or just before `at` that does not split the bytes of a character; `end` is the end of the text."""
    back = at
    while at < end and back > at - 4 and raw[back] & 0xC0 == 0x80:
        back -= 1
    return back


def _pad(depth: int) -> Span:
    return span("  " * (min(depth, _INDENTS) + 1))
