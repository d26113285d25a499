"""What may come when: the order of a session (3.2, R2), going on after a refused ack (H3, C5), bad lines (R1), keys (6.5.4).

A row is an anchor, its sentence, who sent the line it looks at, and a test over that line and its past. Where a line shows
a fault of the other side, the row names the party it blames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.protocol.envelope import ErrorReply, HandshakeAck
from cgp_tui.protocol.messages import FROM_HOST, FROM_PROVIDER
from cgp_tui.protocol.requirements import Finding, Level, Party
from cgp_tui.session.past import NOTHING, Past
from cgp_tui.session.spoken import sender
from cgp_tui.wire.line import Seen


class Row(NamedTuple):
    """One check of a line in the light of what came before it or, where the line ended something, after it."""

    anchor: str
    sentence: str
    by: Party | None
    test: Callable[[Seen, Past], Iterable[Breach]]
    blames: Party | None = None


def _direction(seen: Seen, past: Past) -> Iterable[Breach]:
    theirs = {"host": FROM_PROVIDER, "provider": FROM_HOST}.get(seen.line.sender or "", ())
    if seen.decoded.type not in theirs:
        return ()
    other = "provider" if seen.line.sender == "host" else "host"
    expected, fix = f"sent by the {other} only", "Leave this message to the other side, or record the sender correctly."
    return (Breach("/type", expected, said(seen.decoded.type), level="advice", fix=fix),)


def _early(seen: Seen, past: Past) -> Iterable[Breach]:
    expected = "handshake_ack before it"
    return (
        (Breach("/type", expected, said(seen.decoded.type), level="advice", fix="Wait for the handshake_ack."),)
        if past.early
        else ()
    )


def _reused(seen: Seen, past: Past) -> Iterable[Breach]:
    fix = "Choose an id that no unanswered request has."
    expected = "an id that no request in flight has"
    return (Breach("/id", expected, said(seen.decoded.id), fix=fix),) if past.reuses_id else ()


def _after_end(fix: str | None, seen: Seen, past: Past) -> Iterable[Breach]:
    if not past.after_shutdown:
        return ()
    return (Breach("", "nothing after shutdown", said(seen.decoded.type), level="advice", fix=fix),)


def _refused(codes: tuple[str, ...], seen: Seen, past: Past) -> Iterable[Breach]:
    if past.refused not in codes:
        return ()
    fix = "Refuse such a handshake_ack with a named error and close the connection."
    return (Breach("", "the end of the connection", said(seen.decoded.type), level="advice", fix=fix),)


def _foreign_ack(seen: Seen, past: Past) -> Iterable[Breach]:
    return _refused(("version_mismatch",), seen, past)


def _contradicted_ack(seen: Seen, past: Past) -> Iterable[Breach]:
    return _refused(("scope_contradiction", "scope_malformed"), seen, past)


def _mislabelled(seen: Seen, past: Past) -> Iterable[Breach]:
    answer = seen.decoded.envelope
    if past.unserved is None or not isinstance(answer, ErrorReply) or answer.code == "bad_request":
        return ()
    return (Breach("/code", f"bad_request, for line {past.unserved}", said(answer.code), level="advice"),)


def _killed(seen: Seen, past: Past) -> Iterable[Breach]:
    return (Breach("", "error bad_request", "the end of the process"),) if past.ended_here else ()


def _untidy(seen: Seen, past: Past) -> Iterable[Breach]:
    # That it hangs is told of the request that was given up: one cause.
    level: Level | None = "advice" if past.hung else None
    return (Breach("", "exit status 0", said(past.exit), level=level),) if past.exit else ()


def _other_keys(seen: Seen, past: Past) -> Iterator[Breach]:
    ack = seen.decoded.envelope
    if not past.changed_keys or not isinstance(ack, HandshakeAck):
        return
    for place, key in enumerate(ack.attester_keys):
        if key.key_id in past.changed_keys:
            path = f"/attester_keys/{place}/public_key"
            expected = said(f"the bytes that {key.key_id} had before, or another key_id")
            fix = "Publish a new key under a new key_id."
            yield Breach(path, expected, said(key.public_key), level="advice", reference="", fix=fix)


ROWS: Final = (
    Row("3.2", "Only the other side sends this type of message.", None, _direction),
    Row("3.2", "A request is sent before the handshake_ack.", "host", _early),
    Row("3.2", "Another request in flight has this id.", "host", _reused),
    Row(
        "3.2",
        "The host sends more after its own shutdown.",
        "host",
        partial(_after_end, "Open another connection before you ask again."),
    ),
    Row("R2", "The provider sends more after shutdown.", "provider", partial(_after_end, None)),
    Row("H3", "The host continues with a provider of another version family.", "host", _foreign_ack),
    Row("C5", "The host continues despite contradictory egress scopes.", "host", _contradicted_ack),
    Row("R1", "An unusable line is answered with a code other than bad_request.", "provider", _mislabelled),
    Row("R1", "The provider exited at a line that it could not use.", "host", _killed, "provider"),
    Row("R2", "The provider did not exit cleanly.", "host", _untidy, "provider"),
    Row("6.5.4", "This provider published a different key under this key_id before.", "provider", _other_keys),
)


def judge_course(seen: Seen, past: Past, exchange: int | None = None, rows: Iterable[Row] = ROWS) -> list[Finding]:
    """The findings about when a line came; `exchange` is the number of its request, where it is known."""
    if past is NOTHING and is_own(seen):
        return []
    party = sender(seen)
    return [
        Charge(seen.line.n, exchange, row.blames or party).find(row.anchor, row.sentence, breach)
        for row in rows
        if row.by is None or row.by == party
        for breach in row.test(seen, past)
    ]


_OWN: Final[dict[Party, tuple[str, ...]]] = {"host": FROM_HOST, "provider": FROM_PROVIDER}
"""The message types that each side may send."""


def is_own(seen: Seen) -> bool:
    """Whether the line's type is one that its sender may send; true where nobody knows the sender."""
    return seen.line.sender is None or seen.decoded.type in _OWN[seen.line.sender]
