"""The query form as text, and the query it makes, or what is wrong by field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from cgp_tui.present.layout import cell_width, cut, fit
from cgp_tui.present.spans import GAP, Jump, Rows, Span, row
from cgp_tui.present.symbols import Look
from cgp_tui.protocol import timestamp
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.utf8 import halved
from cgp_tui.text import Shown, compose, join, own, show
from cgp_tui.wire.ranges import U32

MAX_FRAMES: Final = 8
MAX_TOKENS: Final = 2000

_WHOLE: Final = re.compile(r"[0-9]{1,10}")


class Form(msgspec.Struct, frozen=True):
    """The fields as typed. Kinds are separated by blanks or commas, anchors by blanks; a blank field is left out."""

    goal: str = ""
    query_text: str = ""
    kinds: str = ""
    anchors: str = ""
    max_frames: str = str(MAX_FRAMES)
    max_tokens: str = str(MAX_TOKENS)
    as_of: str = ""


FIELDS: Final = Form.__struct_fields__


def _whole(text: str) -> tuple[int, Shown | None]:
    if not _WHOLE.fullmatch(text.strip()) or int(text) > U32:
        return 0, own(f"a whole number up to {U32}")
    return int(text), None


def read(form: Form) -> tuple[ContextQuery | None, Mapping[str, Shown]]:
    """The query that the form makes, or None with what is wrong by field.

    Limits are those of the wire: `goal` is not empty, counts are 32-bit, `as_of` is of the one time format (F4).
    """
    wrong: dict[str, Shown] = {}
    if not form.goal.strip():
        wrong["goal"] = own("say what the context is for")
    frames, wrong_frames = _whole(form.max_frames)
    tokens, wrong_tokens = _whole(form.max_tokens)
    if wrong_frames is not None:
        wrong["max_frames"] = wrong_frames
    if wrong_tokens is not None:
        wrong["max_tokens"] = wrong_tokens
    as_of = form.as_of.strip()
    if as_of and timestamp.parse(as_of) is None:
        wrong["as_of"] = own("UTC, as 2026-07-01T00:00:00Z (F4)")
    for name, text in zip(FIELDS, msgspec.structs.astuple(form), strict=True):
        if halved(text):
            wrong[name] = own("holds half a character, which no JSON line can carry")
    if wrong:
        return None, wrong
    query = ContextQuery(
        goal=form.goal.strip(),
        max_frames=frames,
        max_tokens=tokens,
        query_text=form.query_text.strip() or None,
        kinds=kinds_of(form),
        anchors=tuple(form.anchors.split()),
        as_of=as_of or None,
    )
    return query, {}


def form_of(query: ContextQuery) -> Form:
    """A query as a form again, to be sent once more or changed."""
    return Form(
        goal=query.goal,
        query_text=query.query_text or "",
        kinds=" ".join(query.kinds),
        anchors=" ".join(query.anchors),
        max_frames=str(query.max_frames),
        max_tokens=str(query.max_tokens),
        as_of=query.as_of or "",
    )


def one_kind_less(kinds: Sequence[str], current: Sequence[str]) -> tuple[str, ...]:
    """The next choice after `current` among all `kinds` asked for, each leaving out another one: first the last kind, then
    the one before it, and so on; after the first kind, all again. Unchanged where there is at most one kind."""
    whole = tuple(kinds)
    if len(whole) < 2:
        return tuple(current)
    ways = [whole, *(whole[:at] + whole[at + 1 :] for at in range(len(whole) - 1, -1, -1))]
    at = ways.index(tuple(current)) if tuple(current) in ways else 0
    return ways[(at + 1) % len(ways)]


def kinds_of(form: Form) -> tuple[str, ...]:
    """The kinds as typed, each once."""
    return tuple(dict.fromkeys(re.findall(r"[^\s,]+", form.kinds)))


def query_words(query: ContextQuery) -> Shown:
    """A query in a line, for lists: its goal, and what narrows it."""
    kinds = compose("  [{kinds}]", kinds=join(" ", (show(kind, 40) for kind in query.kinds))) if query.kinds else own("")
    anchors = compose("  {n} anchors", n=len(query.anchors)) if query.anchors else own("")
    return compose("{goal}{kinds}{anchors}", goal=show(query.goal, 200), kinds=kinds, anchors=anchors)


def preset_rows(presets: Mapping[str, ContextQuery], look: Look) -> Rows:
    """A row for each saved query: its name, and what it asks."""
    for place, (name, query) in enumerate(presets.items()):
        label = fit(show(name), min(max(look.width // 3, 8), 24), look.symbols)
        room = max(look.width - cell_width(label) - 2, 8)
        yield row(Span(label, "strong"), GAP, Span(cut(query_words(query), room, look.symbols)), jump=Jump(place=place))
    if not presets:
        yield row(Span(look.say("No query is saved. In the form, {query.keep} saves the one that is typed there."), "muted"))
