"""One connection for people: who the provider says it is, what was started, its state, the end of its stderr."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from cgp_tui.present.layout import labelled, quoted
from cgp_tui.present.message import ack_rows
from cgp_tui.present.note import summary
from cgp_tui.present.spans import EMPTY, Jump, Row, Rows, Span, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.text import Shown, compose, join, own, show, show_lines
from cgp_tui.wire.note import Connect, Exit, Poisoned, Spawn, Stderr

LINES: Final = 12
"""How many of the last stderr lines are shown; the traffic has all that was recorded."""


class Card(msgspec.Struct, frozen=True):
    """What the transcript tells about one connection, `number` of `count`; None for what it does not tell. `ack_record` is
    the record of the acknowledgement, from 0; `bare` says that the file holds only lines."""

    number: int
    count: int
    connect: Connect | None = None
    spawn: Spawn | None = None
    ack: HandshakeAck | None = None
    ack_record: int | None = None
    poisoned: Poisoned | None = None
    exit: Exit | None = None
    stderr: tuple[Stderr, ...] = ()
    bare: bool = False


def card_title(card: Card) -> Shown:
    """`Provider: repo-graph`: our own name for it, else the one it declares."""
    if card.connect is not None:
        return compose("Provider: {who}", who=show(card.connect.provider_id, 60))
    if card.ack is not None:
        return compose("Provider: {who}, it says", who=show(card.ack.provider.name, 60))
    return own("Provider")


def card_aside(card: Card, look: Look) -> Shown:
    """The right end of the title."""
    more = look.say(" ({connection.next} the next)") if card.count > 1 else own("")
    return compose("connection {number:,} of {count:,}{more}", number=card.number, count=card.count, more=more)


def card_rows(card: Card, look: Look) -> Rows:
    """The connection's state, what the provider declares, what was started, what it wrote to stderr."""
    yield from labelled("stands", look, *_standing(card, look))
    yield EMPTY
    if card.ack is None:
        yield row(span("Its handshake is not finished: nothing is known of what it declares.", "muted"))
    else:
        jump = None if card.ack_record is None else Jump(place=card.ack_record)
        for made in ack_rows(card.ack, look):
            yield msgspec.structs.replace(made, jump=jump)
    yield EMPTY
    yield from _target_rows(card, look)
    yield from _process_rows(card, look)
    yield EMPTY
    yield from _stderr_rows(card, look)


def _standing(card: Card, look: Look) -> Iterator[Span]:
    if card.exit is not None:
        yield from summary(card.exit)
    elif card.spawn is not None:
        yield span("started; no end is on record")
    elif card.bare:
        yield span("this file keeps messages alone: nothing of the process is on record", "muted")
    else:
        yield span("not started, or not on record", "muted")
    if card.poisoned is not None:
        yield span(f"  {look.symbols.bad} ", "bad")
        yield from summary(card.poisoned)


def _target_rows(card: Card, look: Look) -> Rows:
    if card.connect is None:
        return
    target = card.connect.target
    yield from labelled("target", look, Span(join(" ", (show(part) for part in target.shown))))
    yield from labelled("digest", look, Span(show(target.digest)))
    yield from labelled("code", look, Span(show(target.code)) if target.code else span("not pinned", "muted"))


def _process_rows(card: Card, look: Look) -> Rows:
    if card.spawn is not None:
        yield from labelled("process", look, span(f"pid {card.spawn.pid}"))
        yield from labelled("sandbox", look, Span(show(card.spawn.sandbox)))


def _stderr_rows(card: Card, look: Look) -> Rows:
    lines = [line for note in card.stderr for line in show_lines(note.text) if line.strip()]
    if not lines:
        yield from labelled("stderr", look, span("nothing on record", "muted"))
        return
    said = "the last lines" if len(lines) > LINES else "all of it"
    yield Row((span("stderr"), span(f"      {said}; it is the provider's word", "muted")))
    yield from quoted(lines[-LINES:], look)
