"""The filter language: `type:frames & finding:B3 | latency>200ms & !text~/retry/`.

    either := both ("|" both)*
    both   := one ("&"? one)*
    one    := "!" one | "(" either ")" | FIELD OPERATOR VALUE | "@" NAME | WORD
    VALUE  := bare | "quoted" | /regular expression/

A word by itself is searched for in the text. `&` binds more tightly than `|`. `@slow` is the filter saved under that name,
as if it were written there in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from cgp_tui import limits
from cgp_tui.analysis.language import FIELDS, OPERATORS, Candidate, Field, Matcher, Operator, example, is_one, nearest
from cgp_tui.errors import InputError
from cgp_tui.protocol.requirements import REQUIREMENTS

DEEPEST: Final = 50
"""The most nested brackets and `!`."""

NESTED: Final = 10
"""The most saved filters within each other."""

Saved = Mapping[str, str]
"""Filters by the name under which they were saved."""

NONE_SAVED: Final[Saved] = {}

Test = Callable[[Candidate], bool]


class FilterError(InputError):
    """The text is not a filter (yet); `at` is the place of the fault in it, from 0."""

    def __init__(self, message: str, at: int, fix: str) -> None:
        super().__init__("usage", message, fix)
        self.at = at


class Filter(NamedTuple):
    """A compiled filter: the text that a person wrote, the fields it uses, and its test of a record."""

    text: str
    fields: frozenset[str]
    test: Test


class Completion(NamedTuple):
    """A possible continuation: `text` replaces what is written from `start` on; with its sentence."""

    start: int
    text: str
    help: str


_SPACE: Final = re.compile(r"[ \t]*")
_NAME: Final = re.compile(r"[a-z_]+", re.ASCII)
_BARE: Final = re.compile(r"[^\s&|()]+")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SLASHED: Final = re.compile(r"/((?:[^/\\]|\\.)*)/")
_SAVED: Final = re.compile(r"@([A-Za-z0-9_-]+)(?![^\s&|()])")
_PLAIN: Final = re.compile(r"[a-z0-9._-]+")
_BEGUN: Final = 4
"""So many letters of a word stand for all of it."""
_WORD: Final = re.compile(r'[^\s&|()!"][^\s&|()]*')


def compile_filter(text: str, saved: Saved = NONE_SAVED) -> Filter:
    """Compile a filter; an empty text accepts every record. Raises FilterError with what is missing and where."""
    most = limits.FILTER_CHARS
    if len(text) > most:
        raise FilterError(f"A filter has at most {most:,} characters.", most, "Say less.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise FilterError("A filter is written in UTF-8, and this is not.", error.start, "Write . for any letter.") from None
    return _Parser(text, saved).whole()


def complete(text: str, saved: Saved = NONE_SAVED) -> list[Completion]:
    """What may follow at the end of the text: fields and saved filters, then operators, then common values."""
    start = max(text.rfind(sign) for sign in " &|(!") + 1
    term = text[start:]
    name = _NAME.match(term)
    if name is not None and name[0] in FIELDS:
        field, rest = FIELDS[name[0]], term[name.end() :]
        sign = next((one.sign for one in _operators(field) if rest.startswith(one.sign)), "")
        if not rest:
            return [Completion(start, f"{field.name}{one.sign}", one.help) for one in _operators(field)]
        begun = rest[len(sign) :].casefold()
        head = f"{field.name}{sign}"
        words = dict.fromkeys((*field.some, *field.all)) if sign else ()
        return [Completion(start, head + word, field.help) for word in words if word.casefold().startswith(begun)]
    named = [Completion(start, f"@{name}", meant) for name, meant in saved.items() if f"@{name}".startswith(term)]
    return [Completion(start, one.name, one.help) for one in FIELDS.values() if one.name.startswith(term)] + named


def by_column(text: str) -> str | None:
    """The filter probably meant by a word alone that is in no line, as `state:failed` for `fail`: what a column shows of a
    line is judged, and stands in no byte of it. None for any other filter."""
    word = text.strip().casefold()
    if _PLAIN.fullmatch(word) is None:
        return None
    anchor = next((name for name in REQUIREMENTS if name.casefold() == word), None)
    if anchor is not None:
        return f"finding:{anchor}"
    near = ((field.name, value) for field in FIELDS.values() for value in field.some if field.name != "finding")
    begun = len(word) >= _BEGUN
    return next((f"{name}:{value}" for name, value in near if value == word or (begun and value.startswith(word))), None)


def _operators(field: Field) -> list[Operator]:
    return [one for one in OPERATORS if field.kind in one.kinds]


class _Parser:
    def __init__(self, text: str, saved: Saved, within: tuple[str, ...] = ()) -> None:
        self._text = text
        self._saved = saved
        self._within = within
        self._at = 0
        self._depth = 0
        self._fields: set[str] = set()

    def whole(self) -> Filter:
        self._blank()
        if self._at == len(self._text):
            return Filter(self._text, frozenset(), lambda _: True)
        test = self._either()
        if self._at < len(self._text):
            raise FilterError("This closing bracket was never opened.", self._at, "Remove it.")
        return Filter(self._text, frozenset(self._fields), test)

    def _either(self) -> Test:
        tests = [self._both()]
        while self._take("|"):
            tests.append(self._both())
        return tests[0] if len(tests) == 1 else lambda one: any(test(one) for test in tests)

    def _both(self) -> Test:
        tests = [self._one()]
        while self._take("&") or self._peek() not in ("", "|", ")"):
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else lambda one: all(test(one) for test in tests)

    def _one(self) -> Test:
        self._depth += 1
        if self._depth > DEEPEST:
            raise FilterError(f"More than {DEEPEST} levels.", self._at, "Use fewer brackets.")
        try:
            if self._take("!"):
                test = self._one()
                return lambda one: not test(one)
            opened = self._at
            if self._take("("):
                test = self._either()
                if not self._take(")"):
                    raise FilterError("A bracket is not closed.", opened, "Close it with ).")
                return test
            return self._term()
        finally:
            self._depth -= 1

    def _term(self) -> Test:
        name = _NAME.match(self._text, self._at)
        if name is not None:
            sign = next((one for one in OPERATORS if self._text.startswith(one.sign, name.end())), None)
            if sign is not None:
                return self._compared(name[0], sign, name.end() + len(sign.sign))
        named = _SAVED.match(self._text, self._at)
        if named is not None:
            return self._named(named)
        quoted = _QUOTED.match(self._text, self._at)
        word = quoted or _WORD.match(self._text, self._at)
        if word is None:
            raise FilterError("A search term is missing.", self._at, "Name a field, as type:frames, or a word.")
        self._at = word.end()
        self._blank()
        wanted = (_plain(word[1]) if quoted else word[0]).casefold()
        self._fields.add("text")
        return lambda one: wanted in one.text.casefold()

    def _named(self, found: re.Match[str]) -> Test:
        """The filter that was saved under a name."""
        name, start = found[1], self._at
        text = self._saved.get(name)
        if text is None:
            there = f"There are: {', '.join(f'@{one}' for one in self._saved)}." if self._saved else "None is saved yet."
            raise FilterError(f"There is no saved filter @{name}.", start, f'{there} As text it is "@{name}".')
        if name in self._within or len(self._within) >= NESTED:
            raise FilterError(f"The saved filter @{name} refers to itself.", start, "Save it again under its name.")
        try:
            filter = _Parser(text, self._saved, (*self._within, name)).whole()
        except FilterError as error:
            raise FilterError(f"The saved filter @{name}: {error.message}", start, error.fix) from None
        self._fields |= filter.fields
        self._at = found.end()
        self._blank()
        return filter.test

    def _compared(self, name: str, sign: Operator, start: int) -> Test:
        field = FIELDS.get(name)
        if field is None:
            raise FilterError(f"There is no field {name}.", self._at, f"There are: {', '.join(FIELDS)}.")
        if field.kind not in sign.kinds:
            fits = " ".join(one.sign for one in _operators(field))
            raise FilterError(f"{name} is not compared by {sign.sign}.", start - len(sign.sign), f"It takes: {fits}")
        matcher = self._matcher(field, sign, start)
        self._fields.add(name)
        of = sign.of(field)

        def test(one: Candidate) -> bool:
            value = of(one)
            return value is not None and matcher(value)

        return test

    def _matcher(self, field: Field, sign: Operator, start: int) -> Matcher:
        quoted, slashed = _QUOTED.match(self._text, start), _SLASHED.match(self._text, start)
        if slashed is not None and sign.sign == "~":
            value, end = slashed[1].replace("\\/", "/"), slashed.end()
        elif quoted is not None:
            value, end = _plain(quoted[1]), quoted.end()
        else:
            bare = _BARE.match(self._text, start)
            value, end = ("", start) if bare is None else (bare[0], bare.end())
            if sign.sign == "~" and value.startswith("/"):
                raise FilterError("The regular expression is not closed.", start, "Close it with /.")
        try:
            if not value:
                raise ValueError("a regular expression, as /retry/" if sign.sign == "~" else example(field))
            matcher = sign.make(value, field)
        except ValueError as error:
            said = f"{field.name}{sign.sign} needs {error}."
            near = nearest(value, field) if sign.make is is_one else None
            fix = (
                "In quotes all of it is looked for as text."
                if near is None
                else f"Did you mean {field.name}{sign.sign}{near}?"
            )
            raise FilterError(said, start, fix) from None
        self._at = end
        self._blank()
        return matcher

    def _take(self, sign: str) -> bool:
        if self._peek() != sign:
            return False
        self._at += 1
        self._blank()
        return True

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _blank(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = self._at if found is None else found.end()


def _plain(quoted: str) -> str:
    return re.sub(r"\\(.)", r"\1", quoted)
