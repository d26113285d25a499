"""A requirement for people: whom it binds, what it means, how to mend it, where it is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from cgp_tui.protocol.requirements import Party, Requirement, Where
from cgp_tui.text import Shown, compose, own

BINDS: Final[Mapping[Party | None, str]] = {"host": "the host", "provider": "the provider", None: "both sides"}

WHERE: Final[Mapping[Where, str]] = {
    "wire": "in transcripts, live and recorded",
    "host": "not in transcripts; this program complies when it is the host",
    "conformance": "not in transcripts; only conformance probes show it",
    "inapplicable": "not in transcripts; does not apply to this program",
    "unobservable": "nowhere",
}


def requirement_lines(row: Requirement) -> Iterator[Shown]:
    """Everything that a row says, a line for each."""
    yield compose("{anchor}: {meaning}", anchor=own(row.anchor), meaning=own(row.meaning))
    yield compose("  binds      {binds}", binds=own(BINDS[row.binds]))
    yield compose("  level      {level}", level=own(row.level))
    yield compose("  fix        {fix}", fix=own(row.fix))
    why = f": {row.why}" if row.why else ""
    yield compose("  checked    {where}{why}", where=own(WHERE[row.where]), why=own(why))
    if row.reference:
        yield compose("  reference  {reference}", reference=own(row.reference))
