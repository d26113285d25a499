"""The query form as text, and the query it makes: what is wrong stands beside its field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from cgp_tui.protocol import timestamp
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.text import Shown, own

MAX_FRAMES: Final = "8"
MAX_TOKENS: Final = "2000"

_U32: Final = 2**32 - 1
_WHOLE: Final = re.compile(r"[0-9]{1,10}")


class Form(msgspec.Struct, frozen=True):
    """The fields as typed. Kinds are separated by blanks or commas, anchors by blanks; a blank field is left out."""

    goal: str = ""
    query_text: str = ""
    kinds: str = ""
    anchors: str = ""
    max_frames: str = MAX_FRAMES
    max_tokens: str = MAX_TOKENS
    as_of: str = ""


FIELDS: Final = Form.__struct_fields__


def _whole(text: str, what: str) -> tuple[int, Shown | None]:
    if not _WHOLE.fullmatch(text.strip()) or int(text) > _U32:
        return 0, own(f"a whole number of {what}, up to 4294967295")
    return int(text), None


def read(form: Form) -> tuple[ContextQuery | None, Mapping[str, Shown]]:
    """The query that the form makes, or None with what is wrong by field.

    Limits are those of the wire: `goal` is not empty, counts are 32-bit, `as_of` is of the one time format (F4).
    """
    wrong: dict[str, Shown] = {}
    if not form.goal.strip():
        wrong["goal"] = own("say what the context is for")
    frames, wrong_frames = _whole(form.max_frames, "frames")
    tokens, wrong_tokens = _whole(form.max_tokens, "tokens")
    if wrong_frames is not None:
        wrong["max_frames"] = wrong_frames
    if wrong_tokens is not None:
        wrong["max_tokens"] = wrong_tokens
    as_of = form.as_of.strip()
    if as_of and timestamp.parse(as_of) is None:
        wrong["as_of"] = own("UTC, as 2026-07-01T00:00:00Z (F4)")
    for name, text in zip(FIELDS, msgspec.structs.astuple(form), strict=True):
        if any("\ud800" <= char <= "\udfff" for char in text):
            wrong[name] = own("holds half a character, which no JSON line can carry")
    if wrong:
        return None, wrong
    query = ContextQuery(
        goal=form.goal.strip(),
        max_frames=frames,
        max_tokens=tokens,
        query_text=form.query_text.strip() or None,
        kinds=tuple(dict.fromkeys(re.findall(r"[^\s,]+", form.kinds))),
        anchors=tuple(form.anchors.split()),
        as_of=as_of or None,
    )
    return query, {}


def form_of(query: ContextQuery) -> Form:
    """A query back as a form, to be sent again or changed."""
    return Form(
        goal=query.goal,
        query_text=query.query_text or "",
        kinds=" ".join(query.kinds),
        anchors=" ".join(query.anchors),
        max_frames=str(query.max_frames),
        max_tokens=str(query.max_tokens),
        as_of=query.as_of or "",
    )
