"""The words of the filter language: a table of fields and one of operators, each entry with its sentence. Parser, completion
and help read only these tables.

A field gives the value of one record; a record without that value matches no comparison. Regular expressions run in an
engine whose time is linear in the text, so that none can stall a screen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypeVar, get_args

from cgp_tui.protocol.requirements import LEVELS, REQUIREMENTS
from cgp_tui.session.exchange import State
from cgp_tui.transcript.row import Peeked
from cgp_tui.wire.slices import SLICE

if TYPE_CHECKING:
    from cgp_tui.analysis.analysis import Analysis, RowFacts

Kind = Literal["word", "text", "number", "size", "time"]
Value = Any
"""What a field gives: words (a record may have several), a text, or a number; None for a record without one."""


_Made = TypeVar("_Made")


class _once(Generic[_Made]):
    """A property that is computed once. `functools.cached_property` takes a lock each time, which makes a filter a fifth
    slower."""

    def __init__(self, make: Callable[[Candidate], _Made]) -> None:
        self._make = make
        self._name = make.__name__

    def __get__(self, one: Candidate, _: type[Candidate]) -> _Made:
        made = one.__dict__[self._name] = self._make(one)
        return made


class Candidate:
    """One record being tested: each part of it is read only if a filter needs it."""

    def __init__(self, analysis: Analysis, at: int) -> None:
        self._analysis = analysis
        self.at = at

    @_once
    def row(self) -> Peeked:
        return self._analysis.transcript.row(self.at)

    @_once
    def facts(self) -> RowFacts:
        return self._analysis.facts(self.at)

    @_once
    def text(self) -> str:
        """The line's or note's own bytes as text, escapes of letters resolved."""
        raw = self._own
        text = raw.decode("utf-8", "replace")
        if "\\u" not in text:
            return text
        try:
            return f"{text}\n{json.dumps(json.loads(raw), ensure_ascii=False)}"
        except (ValueError, RecursionError):
            return text

    @_once
    def utf8(self) -> bytes:
        """`text` as UTF-8, which most lines already are: that saves two conversions for an engine that reads bytes."""
        raw = self._own
        if b"\\u" in raw or not (raw.isascii() or _is_utf8(raw)):
            return self.text.encode("utf-8", "replace")
        return raw

    @_once
    def _own(self) -> bytes:
        return self._analysis.transcript.own(self.at)

    @_once
    def anchors(self) -> tuple[str, ...]:
        """The anchors of the findings at this line."""
        n = self.row.n
        facts = self.facts
        if n is None or not (facts.violations or facts.advice or facts.notes):
            return ()
        return tuple(dict.fromkeys(finding.anchor for finding in self._analysis.findings_at(n)))


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


class Field(NamedTuple):
    """One field: its name, what it is, its kind, and how a record gives it."""

    name: str
    help: str
    kind: Kind
    of: Callable[[Candidate], Value]
    some: tuple[str, ...] = ()
    """Common words, for completion."""
    utf8: Callable[[Candidate], bytes] | None = None
    """Gives a record's long text as UTF-8."""
    all: Collection[str] = ()
    """Every word there is, where no other can be meant."""
    noun: str = "a word"
    """What one of its words is."""


def _levels(one: Candidate) -> Collection[str]:
    facts = one.facts
    counted = (facts.violations, facts.advice, facts.notes)
    return [name for name, count in zip(LEVELS, counted, strict=True) if count]


_MEANT: Final = 8
"""Among more words than this none is corrected: it is done at every key that is typed."""
_SENDERS: Final = ("host", "provider")
_RECORDS: Final = ("line", "note", "damaged")
_TYPES: Final = ("handshake", "handshake_ack", "query", "frames", "verify", "verified", "error", "shutdown")

FIELDS: Final = {
    field.name: field
    for field in (
        Field("type", "message type, or the kind of a note", "word", lambda one: one.row.type, (*_TYPES, "gate", "stderr")),
        Field("id", "correlation id", "word", lambda one: one.row.id),
        Field("from", "who sent it: host or provider", "word", lambda one: one.row.sender, _SENDERS, all=_SENDERS),
        Field("is", "line, note, or damaged", "word", lambda one: one.row.kind, _RECORDS, all=_RECORDS),
        Field("state", "state of its exchange", "word", lambda one: one.facts.state, get_args(State), all=get_args(State)),
        Field(
            "finding",
            "requirement named by a finding",
            "word",
            lambda one: one.anchors,
            ("B3", "B1", "H4", "Q1"),
            all=REQUIREMENTS,
            noun="a rule",
        ),
        Field("level", "level of a finding", "word", _levels, LEVELS, all=LEVELS),
        Field("text", "the bytes of the line, as text", "text", lambda one: one.text, utf8=lambda one: one.utf8),
        Field("line", "number of the wire line", "number", lambda one: one.row.n),
        Field("connection", "number of the connection", "number", lambda one: one.row.connection),
        Field("exchange", "number of the exchange", "number", lambda one: one.facts.exchange),
        Field("size", "bytes of the line", "size", lambda one: one.row.size),
        Field("at", "time since the recording began", "time", lambda one: one.row.t),
        Field("latency", "time from request to reply", "time", lambda one: one.facts.latency),
        Field("delta", "time since the record before", "time", lambda one: one.facts.delta),
    )
}

JUDGED: Final = frozenset({"state", "finding", "level", "exchange", "latency", "delta"})
"""Fields that a record has only once the analysis has reached it."""

Matcher = Callable[[Value], bool]


class Operator(NamedTuple):
    """One operator: its sign, its meaning, the kinds it compares, and how it makes a matcher from the text after it. `make`
    raises ValueError with what the text must be."""

    sign: str
    help: str
    kinds: tuple[Kind, ...]
    make: Callable[[str, Field], Matcher]
    of: Callable[[Field], Callable[[Candidate], Value]] = lambda field: field.of
    """Gives the function that reads the values to compare."""


def _any(test: Callable[[str], bool]) -> Matcher:
    """A test of one word made a test of one or of several."""
    return lambda value: test(value) if isinstance(value, str) else any(map(test, value))


def is_one(text: str, field: Field) -> Matcher:
    """The test whether a value is one of those in a text, or holds it. Raises ValueError with what the text must be."""
    if field.kind == "text":
        wanted = text.casefold()
        return lambda value: wanted in value.casefold()
    if field.kind == "word":
        words = {word.casefold() for word in text.split(",") if word}
        if not words:
            raise ValueError(example(field))
        unknown = words - {word.casefold() for word in field.all} if field.all else ()
        if unknown:
            raise ValueError(example(field))
        return _any(lambda value: value.casefold() in words)
    low, dots, high = text.partition("..")
    first, last = number(low, field), number(high if dots else low, field)
    return lambda value: first <= value <= last


def _regex(text: str, field: Field) -> Matcher:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = 8 << 20
    try:
        found = re2.compile(text.encode() if field.utf8 else text, options)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        raise ValueError(f"a regular expression: {reason}") from None
    search = found.search
    test: Matcher = lambda value: search(value) is not None  # noqa: E731
    if not field.utf8:
        return _any(test)
    return _literal(text.lower(), test) if _LITERAL.fullmatch(text) else test


def _literal(text: str, engine: Matcher) -> Matcher:
    """The same for an expression that is just letters, without calling the engine for most lines."""
    wanted = text.encode()
    other_forms = not {"k", "s"}.isdisjoint(text)  # the Kelvin sign and the long s, which also match when case is ignored

    def test(value: bytes) -> bool:
        if len(value) > SLICE:
            return engine(value)
        return wanted in value.lower() or (other_forms and not value.isascii() and engine(value))

    return test


_LITERAL: Final = re.compile(r"""[\w \-:",/@]+""", re.ASCII)


def _than(compare: Callable[[float, float], bool]) -> Callable[[str, Field], Matcher]:
    def make(text: str, field: Field) -> Matcher:
        bound = number(text, field)
        return lambda value: compare(value, bound)

    return make


_MEASURED: Final[tuple[Kind, ...]] = ("number", "size", "time")

OPERATORS: Final = (
    Operator("<=", "at most", _MEASURED, _than(lambda value, bound: value <= bound)),
    Operator(">=", "at least", _MEASURED, _than(lambda value, bound: value >= bound)),
    Operator("<", "less than", _MEASURED, _than(lambda value, bound: value < bound)),
    Operator(">", "more than", _MEASURED, _than(lambda value, bound: value > bound)),
    Operator(":", "is; holds, for text; A,B for either; 5..9 for a range", ("word", "text", *_MEASURED), is_one),
    Operator("=", "the same as `:`", ("word", "text", *_MEASURED), is_one),
    Operator("~", "matches /a regular expression/", ("word", "text"), _regex, lambda field: field.utf8 or field.of),
)


def example(field: Field) -> str:
    """What a value of this field must be."""
    if field.kind in _LIKE:
        return _LIKE[field.kind]
    if field.all and len(field.all) <= len(field.some):
        return f"one of {', '.join(field.all)}"
    if field.some:
        return f"{field.noun}, as {field.some[0]}"
    return "a value"


def nearest(text: str, field: Field) -> str | None:
    """The words probably meant by words of which this field has not all; None where one of them is like none it has, and
    for very many."""
    known = {word.casefold(): word for word in field.all}
    words = [word.casefold() for word in text.split(",") if word]
    if len(words) > _MEANT:
        return None
    meant = [get_close_matches(word, known, n=1) for word in words]
    return ",".join(known[near[0]] for near in meant) if meant and all(meant) else None


_UNITS: Final[dict[Kind, dict[str, float]]] = {
    "number": {"": 1},
    "size": {"": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9},
    "time": {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600},
}
_LIKE: Final[dict[Kind, str]] = {"number": "a number, as 12", "size": "a size, as 64K", "time": "a time, as 200ms"}
_NUMBER: Final = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)([a-z]*)", re.ASCII)


def number(text: str, field: Field) -> float:
    """A number with its unit, in bytes or seconds. Raises ValueError with the form that it must have."""
    found = _NUMBER.fullmatch(text.lower())
    units = _UNITS[field.kind]
    if found is None or found[2] not in units:
        raise ValueError(_LIKE[field.kind])
    return float(found[1]) * units[found[2]]
