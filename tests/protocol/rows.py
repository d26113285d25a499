"""The rows of the SPEC's tables, and what a row of ours must be next to them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, get_args

from cgp_tui.protocol.anchors import Level, Party, Requirement, Where

_SUBJECT: Final = re.compile(
    r"(?:^|, )[Aa] (?:(host|provider)(?:'s HTTP transport)? MUST|(provider) declaring [\w.: ]+ (?:MUST|SHOULD))"
)


def spec_rows(shared: Path) -> dict[str, str]:
    """Anchor to text of every row in the tables of the SPEC, in its order."""
    (spec,) = (shared / "spec").glob("000_*.txt")
    return dict(re.findall(r"^\| ([A-Z]{1,2}[0-9]+) \| (.*)$", spec.read_text("utf-8"), re.MULTILINE))


def subject(text: str) -> str | None:
    """Whom the text of a row in the SPEC orders, where it names one."""
    found = _SUBJECT.search(text)
    return None if found is None else found[1] or found[2]


def groups(rows: Iterable[Requirement]) -> list[str]:
    """The letters of the anchors of some rows, in the order in which they begin."""
    return list(dict.fromkeys(row.anchor.rstrip("0123456789") for row in rows if row.anchor[0].isalpha()))


def must_be_whole(row: Requirement) -> None:
    """A row has a sentence and an order for one line of a terminal each, and words of the vocabularies only."""
    for text in (row.meaning, row.fix):
        assert text.endswith(".")
        assert text.isascii()
        assert text.isprintable()
        assert len(text) <= 125
    assert row.meaning != row.fix
    assert row.level in get_args(Level)
    assert row.where in get_args(Where)
    assert row.binds is None or row.binds in get_args(Party)
    assert (row.where in ("inapplicable", "unobservable")) == bool(row.why)


def must_follow(rows: tuple[Requirement, ...], spec: dict[str, str]) -> None:
    """Rows stand once each and as the SPEC orders them, and whom its sentence orders is bound by ours."""
    anchors = [row.anchor for row in rows]
    assert len(set(anchors)) == len(anchors)
    theirs = list(spec)
    taken = [anchor for anchor in anchors if anchor in spec]
    assert taken == sorted(taken, key=theirs.index)
    for row in rows:
        ordered = subject(spec.get(row.anchor, ""))
        assert ordered is None or row.binds in (ordered, None), row.anchor
