"""A tiny language in which the traffic of one connection reads as a dialogue, and the ways to play one.

    >> handshake
    << ack correlation
    >> query q1 {"max_tokens":10}
    << frames q1 f1 f2{"score":2}
    note gave_up q1

`>>` is said by the host, `<<` by the provider. After a message type come its id (`-` for none) where it may have one, then
words of that type, then a JSON object without blanks whose members go over the usual ones: into the query of a `query`, into
the envelope of the others. Frames are named by their ids. `raw` takes the rest of the line as it stands. A note names an
exchange by number, or by the id or kind of its latest request. Empty lines and `#` comments are skipped.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from cgp_tui.checks import judge, judge_line, judge_remark, once
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.messages import FROM_HOST, FROM_PROVIDER
from cgp_tui.protocol.requirements import Finding, Party
from cgp_tui.protocol.timestamp import Instant
from cgp_tui.session import Exchange, Session
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.record import Damaged
from cgp_tui.transcript.writer import Writer
from cgp_tui.wire import note as notes
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from cgp_tui.wire.peek import peek

PROVIDER = "docs"
_WORD = re.compile(r"(?P<name>[^\s{]+)?(?P<members>\{\S*\})?")
_WITH_ID = ("query", "frames", "verify", "verified", "error")


class Said(NamedTuple):
    """One line of a dialogue: who, and the bytes."""

    sender: Party
    raw: bytes


Step = Said | Callable[[dict[str, int]], notes.KnownNote]


def frame(name: str, members: dict[str, Any] | None = None) -> dict[str, Any]:
    """A small legal frame; members given as None are left out."""
    base = {"id": name, "kind": "doc", "title": f"T {name}", "content": "text", "score": 0.5, "token_cost": 1}
    made = {**base, "citation_label": f"c {name}", **(members or {})}
    return {key: value for key, value in made.items() if value is not None or key in ("content_digest", "uri")}


def _handshake(words: list[tuple[str, Any]]) -> dict[str, Any]:
    return {"type": "handshake", "protocol_version": "contextgraph/1.0"}


def _ack(words: list[tuple[str, Any]]) -> dict[str, Any]:
    """`ack correlation verify graph egress`: the words are what is declared."""
    declared = {word for word, _ in words}
    flow = {"reads": True, "writes": False, "egress": "egress" in declared}
    capabilities: dict[str, Any] = {"query": {"kinds": ["doc"]}}
    capabilities |= {word: True for word in ("correlation", "verify", "graph", "resolve") if word in declared}
    return {
        "type": "handshake_ack",
        "protocol_version": "contextgraph/1.0",
        "provider": {"name": PROVIDER, "version": "1.0", "data_flow": flow},
        "capabilities": capabilities,
    }


def _query(words: list[tuple[str, Any]]) -> dict[str, Any]:
    return {"type": "query", "query": {"goal": "why", "max_frames": 8, "max_tokens": 2000}}


def _frames(words: list[tuple[str, Any]]) -> dict[str, Any]:
    return {"type": "frames", "result": {"frames": [frame(name, members) for name, members in words], "truncated": False}}


def _identity(name: str) -> dict[str, Any]:
    return {"provider_id": PROVIDER, "frame_id": name, "content_digest": f"sha256:{0:064x}"}


def _verify(words: list[tuple[str, Any]]) -> dict[str, Any]:
    return {"type": "verify", "request": {"frames": [_identity(name) for name, _ in words]}}


def _verified(words: list[tuple[str, Any]]) -> dict[str, Any]:
    """`verified - f1=valid f2=gone`"""
    verdicts = [word.split("=") for word, _ in words]
    return {
        "type": "verified",
        "response": {"verdicts": [{"frame": _identity(f), "status": status} for f, status in verdicts]},
    }


def _error(words: list[tuple[str, Any]]) -> dict[str, Any]:
    """`error q1 bad_request`"""
    return {"type": "error", "message": "no", **({"code": words[0][0]} if words else {})}


def _shutdown(words: list[tuple[str, Any]]) -> dict[str, Any]:
    return {"type": "shutdown"}


_MESSAGES: dict[str, Callable[[list[tuple[str, Any]]], dict[str, Any]]] = {
    "handshake": _handshake,
    "ack": _ack,
    "query": _query,
    "frames": _frames,
    "verify": _verify,
    "verified": _verified,
    "error": _error,
    "shutdown": _shutdown,
}


def message(text: str) -> bytes:
    """The bytes of one message, as `query q1 {"max_tokens":10}` spells it."""
    kind, _, rest = text.partition(" ")
    if kind == "raw":
        return rest.encode()
    words = rest.split()
    ident = words.pop(0) if kind in _WITH_ID else "-"
    split = [
        (match["name"] or "", json.loads(match["members"] or "null")) for word in words if (match := _WORD.fullmatch(word))
    ]
    over = {key: value for name, members in split if not name for key, value in (members or {}).items()}
    made = _MESSAGES[kind]([(name, members) for name, members in split if name])
    target = made["query"] if kind == "query" else made
    target |= over
    if ident != "-":
        made["id"] = ident
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")).encode()


def _note(text: str) -> Callable[[dict[str, int]], notes.KnownNote]:
    kind, *words = text.split()

    def exchange(known: dict[str, int]) -> int:
        return known[words[0]] if words[0] in known else int(words[0])

    seconds = float(words[1]) if kind == "gave_up" and words[1:] else 30.0
    made: dict[str, Callable[[dict[str, int]], notes.KnownNote]] = {
        "gave_up": lambda known: notes.GaveUp(t=0, connection=1, exchange=exchange(known), after_s=seconds),
        "cut": lambda known: notes.Cut(t=0, connection=1, exchange=exchange(known), bytes=64),
        "send_failed": lambda known: notes.SendFailed(
            t=0, connection=1, exchange=exchange(known), reason=words[1] if words[1:] else ""
        ),
        "exit": lambda known: notes.Exit(
            t=0,
            connection=1,
            code=int(words[0]) if words else 1,
            signal=int(words[1]) if words[1:] else None,
            ours="ours" in words,
        ),
        "poisoned": lambda known: notes.Poisoned(t=0, connection=1, reason=words[0] if words else ""),
        "refused": lambda known: notes.Refused(t=0, connection=1, line=int(words[0]), fault=words[1]),
        "dropped": lambda known: notes.Dropped(t=0, connection=1, lines=int(words[0])),
        "stderr": lambda known: notes.Stderr(t=0, connection=1, text=" ".join(words)),
    }
    return made[kind]


def script(text: str) -> list[Step]:
    """The steps of a dialogue."""
    steps: list[Step] = []
    for spoken in map(str.strip, text.splitlines()):
        if not spoken or spoken.startswith("#"):
            continue
        who, _, rest = spoken.partition(" ")
        steps.append(_note(rest) if who == "note" else Said({">>": "host", "<<": "provider"}[who], message(rest)))  # type: ignore[arg-type]
    return steps


class Played(NamedTuple):
    """What came of a dialogue: every change of an exchange in order, and the findings, each once."""

    changes: tuple[Exchange, ...]
    findings: tuple[Finding, ...]
    session: Session

    @property
    def states(self) -> list[str]:
        """Each exchange in its last state, as `q1 answered` or `query failed timeout`; strays where they came."""
        last: dict[object, Exchange] = {}
        for stray, change in enumerate(self.changes):
            last[change.number or f"stray {stray}"] = change
        return [" ".join(filter(None, (name(change), change.state, change.why))) for change in last.values()]

    @property
    def broken(self) -> list[str]:
        """The findings as `B3 line 4 f1`; levels other than violation are said."""
        return [
            " ".join(
                filter(
                    None,
                    (
                        found.anchor,
                        "" if found.level == "violation" else found.level,
                        f"line {found.line}",
                        found.frame_id,
                    ),
                )
            )
            for found in self.findings
        ]


def name(exchange: Exchange) -> str:
    """An exchange by the id of its request, else of its stray reply, else by its kind."""
    seen = exchange.request or exchange.reply
    return (seen.decoded.id if seen is not None else None) or exchange.kind


def play(
    items: Iterable[Seen | notes.AnyNote],
    keys: Iterable[TrustedKey] = (),
    now: Instant | None = None,
) -> Played:
    """Feed one connection and judge whatever changes."""
    session = Session(1, itertools.count(1))
    changes: list[Exchange] = []
    findings: list[Finding] = []
    for item in items:
        changed = session.feed(item)
        changes += changed
        for remark in session.remarks:
            if remark.seen is item:
                findings += judge_line(remark.seen, None, remark.past)
            else:
                findings += judge_remark(remark)
        for exchange in changed:
            findings += judge(exchange, tuple(keys), now).findings
    return Played(tuple(changes), once(findings), session)


class Clock:
    """Dialogue time: a quarter of a second a step."""

    def __init__(self) -> None:
        self.steps = 0

    def __call__(self) -> float:
        return self.steps / 4


def live(steps: Iterable[Step], writer: Writer, clock: Clock) -> Iterator[Seen | notes.AnyNote]:
    """A dialogue as a host lives it: each line and note is recorded, then acted on."""
    connection, requests = writer.connection(), itertools.count(1)
    known: dict[str, int] = {}
    for step in steps:
        if isinstance(step, Said):
            decoded = decode(step.raw)
            if step.sender == "host" and decoded.type in ("handshake", "query", "verify"):
                known[decoded.id or decoded.type] = next(requests)
            yield Seen(writer.line(connection, step.sender, step.raw), decoded)
        else:
            note = msgspec.structs.replace(step(known), t=writer.now(), connection=connection)
            writer.note(note)
            yield note
        clock.steps += 1


def recorded(path: Path) -> Iterator[Seen | notes.AnyNote]:
    """The same as a reader finds it in the file."""
    transcript = Transcript.open(path)
    try:
        for record in transcript.records():
            assert not isinstance(record, Damaged)
            yield Seen(record, decode(record.raw)) if isinstance(record, Line) else record
    finally:
        transcript.close()


def tell(text: str, keys: Iterable[TrustedKey] = (), now: Instant | None = None) -> Played:
    """Play a dialogue live, and again from its recording: both must come to the same exchanges and findings.

    Where the bare lines alone say who speaks, a file of them must tell the same story, times and notes apart.
    """
    steps, keys = script(text), tuple(keys)
    with tempfile.TemporaryDirectory() as folder:
        path, clock = Path(folder) / "session.ndjson", Clock()
        writer = Writer(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "dialogue", clock=clock, started=0.0)
        try:
            played = play(live(steps, writer, clock), keys, now)
        finally:
            writer.close()
        again = play(recorded(path), keys, now)
        assert again.changes == played.changes
        assert again.findings == played.findings
        if _stands_alone(steps):
            path.write_bytes(b"".join(step.raw + b"\n" for step in steps if isinstance(step, Said)))
            bare = play(recorded(path), keys, now)
            assert (bare.states, bare.broken) == (played.states, played.broken)
    return played


def _stands_alone(steps: Iterable[Step]) -> bool:
    """Whether a bare file holds all of it: no notes, one connection, and every line's type tells its sender."""
    senders = {**dict.fromkeys(FROM_HOST, "host"), **dict.fromkeys(FROM_PROVIDER, "provider")}
    for place, step in enumerate(steps):
        if not isinstance(step, Said):
            return False
        kind = peek(step.raw).type
        if senders.get(kind or "") != step.sender or (kind == "handshake" and place):
            return False
    return any(isinstance(step, Said) for step in steps)
