"""What one frame must be, whatever was asked: F1–F5, D1, P1–P4, B3, G1, G2, words of one's own (U3), and prose:
6.1, 6.3, 6.4, and a vector that is not what its fingerprint says (E1).

A row is an anchor, its sentence, and a test that gives one breach for each broken place. Paths start at the frame. Nothing
here looks at the query or at other frames, so a frame is judged alike wherever it turns up. An answer may hold a million
frames: a test that has nothing to look at returns at once.

- The rows of a representation are chosen by its name alone. A name that the SPEC does not list is advice, because a later
  minor may define it; no row then says what the frame must carry.
- A wrong cost is B3, except where P4 speaks: a reference frame that costs anything, or a compact frame that declares the
  cost of its source. Where content is missing, or a reference frame carries it at its honest cost, the P row is the one
  cause.
- Only an empty string breaks a MUST NOT be empty. A blank one is advice, although the reference refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from operator import attrgetter
from typing import Final, Literal, NamedTuple

from cgp_tui import limits
from cgp_tui.checks.breach import Breach, Charge, few, said
from cgp_tui.checks.word import own_word
from cgp_tui.protocol import utf8
from cgp_tui.protocol.budget import cost_of, token_cost
from cgp_tui.protocol.capability import dimension
from cgp_tui.protocol.digest import is_digest, sha256_digest, sha256_of_text
from cgp_tui.protocol.frame import REPRESENTATIONS, ContextFrame
from cgp_tui.protocol.requirements import REQUIREMENTS, Finding
from cgp_tui.protocol.timestamp import parse
from cgp_tui.protocol.vocabulary import rel_word
from cgp_tui.wire.memo import FrameMemo

_TIMES: Final = ("valid_from", "valid_to", "recorded_at")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_DIGEST: Final = "sha256: and 64 lower-case hex digits"
SPELL_TIME: Final = REQUIREMENTS["F4"].fix
_BLANK: Final = "fails its suite: blanks count as empty"


class _Shape(NamedTuple):
    """What a representation must carry and must not (SPEC 6.4)."""

    needs: tuple[str, ...]
    bars: tuple[str, ...] = ()


_SHAPES: Final = {
    "full": _Shape(("content",), ("content_ref", "transform", "canonical_content_hash")),
    "compact": _Shape(("content", "content_digest", "canonical_content_hash", "transform", "content_ref")),
    "reference": _Shape(("content_ref", "canonical_content_hash"), ("content", "content_digest", "transform")),
}

Breaches = Sequence[Breach]


# Two comparisons recognise a sound frame; only a broken one is looked at member by member.
_NEEDED: Final = {name: attrgetter("id", *shape.needs) for name, shape in _SHAPES.items()}
_BARRED: Final = {name: attrgetter("id", *shape.bars) for name, shape in _SHAPES.items() if shape.bars}


_Part = Literal["relations", "provenance", "embedding", "handle", "digest", "times"]


class Row(NamedTuple):
    """One check: its anchor, its sentence, its test. `part` and `only` tell which frames need not be asked, because the
    test would find nothing: those without that part, and those of another representation (an unknown one is "").
    """

    anchor: str
    sentence: str
    test: Callable[[ContextFrame], Breaches]
    part: _Part | None = None
    only: tuple[str, ...] = ()


def named(path: str, text: str | None) -> Breaches:
    """A label for people that must not be empty."""
    if text and not text.isspace():
        return ()
    if text:
        return (Breach(path, "a text to read", said(text), level="advice", reference=_BLANK),)
    return (Breach(path, "a text that is not empty", said(text)),)


def _score(frame: ContextFrame) -> Breaches:
    # NaN compares false with everything, so it fails here too.
    return () if 0.0 <= frame.score <= 1.0 else (Breach("/score", "0 to 1", said(frame.score)),)


def _title(frame: ContextFrame) -> Breaches:
    return () if frame.title and not frame.title.isspace() else named("/title", frame.title)


def _citation(frame: ContextFrame) -> Breaches:
    text = frame.citation_label
    return () if text and not text.isspace() else named("/citation_label", text)


def _times(frame: ContextFrame) -> Breaches:
    if _is_time(frame.valid_from) and _is_time(frame.valid_to) and _is_time(frame.recorded_at):
        return ()
    wrong = [name for name in _TIMES if not _is_time(getattr(frame, name))]
    return [Breach(f"/{name}", "YYYY-MM-DDTHH:MM:SSZ", said(getattr(frame, name))) for name in wrong]


def _is_time(text: str | None) -> bool:
    return text is None or parse(text) is not None


def _window(frame: ContextFrame) -> Breaches:
    if frame.valid_from is None or frame.valid_to is None:
        return ()
    begin, end = parse(frame.valid_from), parse(frame.valid_to)
    if begin is None or end is None or begin <= end:
        return ()
    expected, fix = said(f"not before {frame.valid_from}"), "Set valid_to to a time after valid_from, or leave it out."
    return (Breach("/valid_to", expected, said(frame.valid_to), reference="accepted", fix=fix),)


def _expiry(frame: ContextFrame) -> Breaches:
    text = None if frame.content_ref is None else frame.content_ref.expires_at
    if text is None or parse(text) is not None:
        return ()
    return (Breach("/content_ref/expires_at", "YYYY-MM-DDTHH:MM:SSZ", said(text), reference="accepted", fix=SPELL_TIME),)


def _nameless(frame: ContextFrame) -> Breaches:
    return () if frame.id else (Breach("/id", "an id", said(frame.id), reference="accepted"),)


def _vector(frame: ContextFrame) -> Breaches:
    embedding = frame.embedding
    length = None if embedding is None or embedding.vector is None else dimension(embedding.fingerprint)
    if embedding is None or embedding.vector is None or length is None or len(embedding.vector) == length:
        return ()
    expected = f"{length} numbers, for {said(embedding.fingerprint)}"
    found, fix = f"{len(embedding.vector)} numbers", "Send a vector as long as its fingerprint says, or none."
    return (Breach("/embedding/vector", expected, found, level="advice", reference="accepted", fix=fix),)


def _file_digests(frame: ContextFrame) -> Breaches:
    wrong = [place for place, link in enumerate(frame.provenance) if link.kind == "file" and not _is_digest(link.digest)]
    return [Breach(f"/provenance/{place}/digest", _DIGEST, said(frame.provenance[place].digest)) for place in wrong]


def _is_digest(text: str | None) -> bool:
    return text is not None and is_digest(text)


def _digest(frame: ContextFrame) -> Breaches:
    digest = frame.content_digest
    return () if digest is None or is_digest(digest) else (Breach("/content_digest", _DIGEST, said(digest)),)


def _digest_of_content(frame: ContextFrame) -> Breaches:
    digest, content = frame.content_digest, frame.content
    if digest is None or content is None:
        return ()
    actual = sha256_digest(_utf8(content)) if len(content) <= utf8.SLICE else sha256_of_text(content)
    return () if actual == digest or not is_digest(digest) else (Breach("/content_digest", actual, digest),)


def _carries(representation: str, frame: ContextFrame) -> Breaches:
    if frame.representation != representation:
        return ()
    needs, bars = _SHAPES[representation]
    carried = _BARRED[representation](frame)[1:] if bars else ()
    if None not in _NEEDED[representation](frame) and carried == (None,) * len(bars):
        return ()
    missing = [
        Breach(f"/{name}", name, "nothing", f"A {representation} frame must carry {name}.")
        for name in needs
        if getattr(frame, name) is None
    ]
    extra = [
        Breach(f"/{name}", f"no {name}", name, f"A {representation} frame must not carry {name}.")
        for name in bars
        if getattr(frame, name) is not None
    ]
    return missing + extra


def _representation(frame: ContextFrame) -> Breaches:
    if frame.representation in REPRESENTATIONS:
        return ()
    expected = ", ".join(REPRESENTATIONS)
    fix, lost = "Send the frame as full or as compact.", "loses the line"
    return (Breach("/representation", expected, said(frame.representation), level="advice", reference=lost, fix=fix),)


def _source_hash(representation: str, frame: ContextFrame) -> Breaches:
    """The grammar of 6.2 is prose for this member: advice, under the row that asks for it."""
    text = frame.canonical_content_hash
    if text is None or frame.representation != representation or is_digest(text):
        return ()
    fix = "Write sha256: and 64 lower-case hex digits over the whole source."
    return (Breach("/canonical_content_hash", _DIGEST, said(text), level="advice", reference="accepted", fix=fix),)


def _by_handle(frame: ContextFrame) -> Breaches:
    if frame.representation != "reference":
        return ()
    fix = "Send compact or full frames over stdio and HTTP."
    return (Breach("/representation", "compact or full, over a transport", "reference", level="advice", fix=fix),)


def _source_cost(frame: ContextFrame) -> bool:
    """Whether a compact frame declares what its source costs instead of its own content."""
    return frame.representation == "compact" and frame.token_cost == frame.canonical_token_cost


class _Utf8:
    """The UTF-8 bytes of a content. Its cost and its digest are both taken of them, so the last ones are kept."""

    def __init__(self) -> None:
        self._last = "", b""

    def __call__(self, content: str) -> bytes:
        last, encoded = self._last
        if last is not content:
            encoded = content.encode("utf-8", "surrogatepass")
            self._last = content, encoded
        return encoded


_utf8: Final = _Utf8()


def _cost(frame: ContextFrame) -> Breaches:
    if frame.content is None or frame.representation == "reference":
        return ()
    size = len(_utf8(frame.content)) if len(frame.content) <= utf8.SLICE else utf8.size(frame.content)
    counted = cost_of(size)
    if frame.token_cost == counted or _source_cost(frame):
        return ()
    return (Breach("/token_cost", f"{counted}, for {size} bytes", said(frame.token_cost)),)


def _inline_cost(frame: ContextFrame) -> Breaches:
    if frame.representation == "reference":
        honest = token_cost(frame.content)
        return () if frame.token_cost in (0, honest) else (Breach("/token_cost", "0", said(frame.token_cost)),)
    if not _source_cost(frame) or frame.content is None or frame.token_cost == token_cost(frame.content):
        return ()
    expected = f"{token_cost(frame.content)}, the cost of the content here"
    return (Breach("/token_cost", expected, f"{frame.token_cost}, the cost of the source"),)


def _edge_names(frame: ContextFrame) -> Breaches:
    if not frame.relations:
        return ()
    return [
        breach
        for place, relation in enumerate(frame.relations)
        for breach in named(f"/relations/{place}/display_name", relation.display_name)
    ]


def _edge_targets(frame: ContextFrame) -> Breaches:
    if not frame.relations:
        return ()
    return [
        breach
        for place, relation in enumerate(frame.relations)
        for breach in _target(f"/relations/{place}/target_uri", relation.target_uri)
    ]


def _edge_words(frame: ContextFrame) -> Breaches:
    if not frame.relations:
        return ()
    return [
        breach
        for place, relation in enumerate(frame.relations)
        for breach in own_word(f"/relations/{place}/rel", relation.rel, rel_word(relation.rel))
    ]


def _target(path: str, uri: str) -> Breaches:
    if not uri:
        return (Breach(path, "a URI", said(uri)),)
    if _SCHEME.match(uri) is not None:
        return ()
    # Whether a bare path is a URI at all is arguable, and graphs in the field use them.
    return (Breach(path, "a URI with a scheme", said(uri), level="advice", reference="accepted unless blank"),)


ROWS: Final = (
    Row("F1", "The score is not between 0 and 1.", _score),
    Row("F2", "The frame has no title.", _title),
    Row("F3", "The frame has no citation_label.", _citation),
    Row("F4", "This is not a valid timestamp.", _times, "times"),
    Row("6.1", "The frame's valid_to is before its valid_from.", _window, "times"),
    Row("6.1", "The expires_at of content_ref is not a valid timestamp.", _expiry, "handle"),
    Row("F5", "A file link carries no digest.", _file_digests, "provenance"),
    Row("D1", "The content_digest is malformed.", _digest, "digest"),
    Row("6.3", "The content_digest is not that of the content.", _digest_of_content, "digest"),
    Row("6.3", "The frame has an empty id.", _nameless),
    Row("P1", "A full frame carries the wrong members.", partial(_carries, "full"), only=("full",)),
    Row("P2", "A compact frame lacks a member.", partial(_carries, "compact"), only=("compact",)),
    Row("P3", "A reference frame carries the wrong members.", partial(_carries, "reference"), only=("reference",)),
    Row("P2", "The canonical_content_hash is malformed.", partial(_source_hash, "compact"), only=("compact",)),
    Row("P3", "The canonical_content_hash is malformed.", partial(_source_hash, "reference"), only=("reference",)),
    Row("6.4", "No host can fetch what a reference frame leaves out.", _by_handle, only=("reference",)),
    Row("6.4", "This representation is not one of contextgraph/1.0.", _representation, only=("",)),
    Row("B3", "The declared cost is not the counted one.", _cost, only=("full", "compact", "")),
    Row("P4", "The declared cost is not that of the inline content.", _inline_cost, only=("compact", "reference")),
    Row("G1", "A relation has no display_name.", _edge_names, "relations"),
    Row("G2", "A relation has no valid target_uri.", _edge_targets, "relations"),
    Row("U3", "The relation is not one of contextgraph/1.0.", _edge_words, "relations"),
    Row("E1", "The embedding's length does not match its fingerprint.", _vector, "embedding"),
)


_Look = tuple[str, bool, bool, bool, bool, bool, bool]
"""What the choice of rows goes by: the representation, then which of `_PARTS` the frame has."""

_PARTS: Final[tuple[_Part, ...]] = ("relations", "provenance", "embedding", "handle", "digest", "times")
_KNOWN: Final = {name: name for name in REPRESENTATIONS}


def _look(frame: ContextFrame) -> _Look:
    return (
        # All unknown representations count as one: a peer that invents many must not fill the table of looks.
        _KNOWN.get(frame.representation, ""),
        bool(frame.relations),
        bool(frame.provenance),
        frame.embedding is not None,
        frame.content_ref is not None,
        frame.content_digest is not None,
        not (frame.valid_from is None and frame.valid_to is None and frame.recorded_at is None),
    )


class _Chosen(dict[_Look, tuple[Row, ...]]):
    """The rows to ask a frame of each look, in their order."""

    def __init__(self, rows: tuple[Row, ...]) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, look: _Look) -> tuple[Row, ...]:
        representation, *has = look
        absent = {part for part, there in zip(_PARTS, has, strict=True) if not there}
        rows = (row for row in self._rows if row.part not in absent and (not row.only or representation in row.only))
        self[look] = chosen = tuple(rows)
        return chosen

    def __call__(self, frame: ContextFrame) -> Sequence[_Broken]:
        """What is wrong with a frame, wherever it stands."""
        broken: list[_Broken] | None = None
        for row in self[_look(frame)]:
            breaches = row[2](frame)  # by its place: most frames are sound, and then that is all that is needed of a row
            if breaches:
                broken = [] if broken is None else broken
                broken += [(row.anchor, row.sentence, breach) for breach in breaches]
        return () if broken is None else tuple(broken)


_Broken = tuple[str, str, Breach]
"""A row's anchor and sentence, and what it found."""

_chosen = lru_cache(maxsize=4)(_Chosen)
_STANDARD: Final = _chosen(ROWS)


def judge_frames(
    frames: Sequence[ContextFrame],
    place: Callable[[int], int],
    charge: Charge,
    rows: Iterable[Row] = ROWS,
    memo: FrameMemo | None = None,
) -> list[Finding]:
    """The findings about each frame; `place` turns an index among them into the position on the wire. A frame that the
    `memo` remembers is not judged again."""
    chosen = _STANDARD if rows is ROWS else _chosen(tuple(rows))
    if len(frames) > limits.FINDINGS_ALIKE:
        return few(
            charge.find(anchor, sentence, breach, f"/result/frames/{place(index)}", frame.id)
            for index, frame in enumerate(frames)
            for anchor, sentence, breach in chosen(frame)
        )
    findings: list[Finding] = []
    told = list(map(chosen, frames)) if memo is None else memo.told(frames, chosen)
    for index, broken in enumerate(told) if any(told) else ():
        if broken:
            base, name = f"/result/frames/{place(index)}", frames[index].id
            findings += [charge.find(anchor, sentence, breach, base, name) for anchor, sentence, breach in broken]
    return few(findings)


def judge_frame(frame: ContextFrame, place: int, charge: Charge, rows: Iterable[Row] = ROWS) -> list[Finding]:
    """The findings about one frame; `place` is its position on the wire."""
    return judge_frames((frame,), lambda _: place, charge, rows)
