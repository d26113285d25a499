"""Suggestions for what is typed to jump: forms, rules, providers, frames, marks, and ids found by a search."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice
from typing import Final, NamedTuple

from cgp_tui.protocol.envelope import Frames
from cgp_tui.protocol.requirements import REQUIREMENTS
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.ui.jump import FORMS, LONGEST, Landing, form_of, without_colon
from cgp_tui.ui.parties import parties
from cgp_tui.ui.source import Source
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line

MARKS: Final = 1000
"""How many marks are looked at for suggestions."""
PARTIES: Final = 100
"""How many connections are looked at."""
MET: Final = 12
"""How many ids found by the search are offered."""
LOOKED: Final = 20_000
"""How many records the search goes through."""
LOOKED_BYTES: Final = 256 * 1024
"""The search does not look into a longer answer."""


class Offer(NamedTuple):
    """One suggestion: its name, a sentence, and where it is, if known. The name of something with a known place is
    foreign."""

    text: str
    sentence: Shown
    landing: Landing | None = None

    @property
    def target(self) -> str | Landing:
        """What to jump to."""
        return self.text if self.landing is None else self.landing

    @property
    def typed(self) -> str | None:
        """How it is written as a target; None for a name that cannot be written: it has hidden characters or is too long."""
        form = form_of(self.text)
        text = self.text if self.landing is None or (form is not None and form[0].id == "name") else f'"{self.text}"'
        plain = len(text) <= LONGEST and show(text, LONGEST) == text and form_of(text) is not None
        return text if plain else None


def offers(source: Source, text: str, frames: tuple[tuple[str, Landing], ...] = ()) -> list[Offer]:
    """The suggestions for a typed text that need no search: all forms, or the text's own; then the broken rules, providers,
    frames (of the selected answer) and marked lines whose name contains it."""
    text = without_colon(text)
    found = form_of(text)
    made = [Offer(form.example, own(form.sentence)) for form in FORMS if not text]
    made += [] if found is None else [Offer(text, own(found[0].sentence))]
    begun = text.casefold()
    rules = dict.fromkeys(finding.anchor for finding in source.analysis.findings if finding.level != "note")
    known = [Offer(rule, own(REQUIREMENTS[rule].meaning)) for rule in sorted(rules)]
    ids = {name: Offer(name, own("A frame of the selected answer."), landing) for name, landing in reversed(frames)}
    known += [ids[name] for name in dict.fromkeys(name for name, _ in frames)]
    made += [one for one in known if one.text.casefold().startswith(begun) and one.text != text]
    made += _providers(source, text)
    marks = [(str(line), comment) for line, comment in islice(source.marks_at_hand(), MARKS)]
    noted = [Offer(line, own("A line you marked.") if not comment else show(comment, 120)) for line, comment in marks]
    return [*made, *(one for one in noted if one.text.startswith(begun) or begun in one.sentence.casefold())]


def _providers(source: Source, text: str) -> Iterator[Offer]:
    """Connections with this number, or whose provider's name contains the text; all of them where nothing is typed."""
    called = text.removeprefix("@").strip()
    for party in islice(parties(source), PARTIES):
        numbered = text.startswith("@") and str(party.connection).startswith(called)
        if (numbered or party.is_called(called)) and text != f"@{party.connection}":
            yield Offer(f"@{party.connection}", party.said or own("A connection."))


def met(source: Source, text: str, cursor: int) -> Generator[Offer | None]:
    """Ids of messages and frames that contain a text, from record `cursor` on, wrapping around; None after each record that
    was looked at. It ends after `MET` ids or `LOOKED` records."""
    begun = without_colon(text).strip('"').casefold()
    needle, seen = begun.encode("utf-8", "surrogatepass"), set[str]()
    for step in range(min(source.count, LOOKED) if begun else 0):
        at = (cursor + step) % source.count
        for offer in _ids(source, at, begun, needle):
            if offer.text not in seen:
                seen.add(offer.text)
                yield offer
                if len(seen) == MET:
                    return
        yield None


def _ids(source: Source, at: int, begun: str, needle: bytes) -> Iterator[Offer]:
    row = source.transcript.row(at)
    line = row.n or 0
    if row.id is not None and begun in row.id.casefold():
        kind = own("message") if row.type is None else show(row.type, 40)
        yield Offer(row.id, compose("{kind}, line {line}", kind=kind, line=line), Landing(at))
    if row.type != "frames" or row.size > LOOKED_BYTES:
        return
    raw = source.transcript.raw(at)
    if needle not in raw.lower() and b"\\" not in raw:
        return
    record = source.transcript.record(at)
    decoded = decode(record.raw) if isinstance(record, Line) else None
    if decoded is None or not isinstance(decoded.envelope, Frames):
        return
    for index, frame in enumerate(decoded.envelope.result.frames):
        if begun in frame.id.casefold():
            yield Offer(frame.id, own(f"A frame of line {line:,}."), Landing(at, decoded.place(index)))
