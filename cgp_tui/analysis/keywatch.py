"""Keys that come back with other bytes: the key ids of an ack compared with those met before, in earlier runs too.

Within one transcript the checks see a change by themselves; this module adds the earlier runs. A key is remembered by where
it was met: the target's digest in a recording, the declared name in a file that tells no target. The first key stays the
one that counts, and the alarm stays, until the person trusts another key for this name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from cgp_tui import limits
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.attestation import ALGORITHM, TrustedKey
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.protocol.requirements import Finding, finding
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.note import Connect

_BACK: Final = 64
"""How many records before an ack are searched for the note that names its target."""

_MESSAGE: Final = "This key_id had a different key when this provider was first seen here."
_FIX: Final = "Ask its owner through another channel whether it was changed. If so, trust the new one: cgp-tui trust add"


class Known(Protocol):
    """A key that was met before."""

    @property
    def public_key(self) -> str: ...

    @property
    def at(self) -> str: ...


class Memory(Protocol):
    """The keys that were met, by where and by id."""

    def first(self, target: str, key_id: str) -> Known | None: ...

    def add(self, target: str, key_id: str, public_key: str, at: str, *, anew: bool = False) -> None: ...


def changed(memory: Memory, target: str, ack: HandshakeAck, keys: Sequence[TrustedKey] = ()) -> dict[str, Known]:
    """The ids of an ack's keys that had other bytes before at `target`, with what was known. A key that the person trusts
    for this name is not among them."""
    found: dict[str, Known] = {}
    for key_id, public_key in _published(ack).items():
        known = memory.first(target, key_id)
        if known is not None and known.public_key != public_key and not _trusted(public_key, ack, keys):
            found[key_id] = known
    return found


def remember(memory: Memory, target: str, ack: HandshakeAck, keys: Sequence[TrustedKey], at: str) -> None:
    """Remember an ack's keys that were never met, and a key that the person trusts in place of an older one."""
    for key_id, public_key in _published(ack).items():
        memory.add(target, key_id, public_key, at, anew=_trusted(public_key, ack, keys))


class KeyWatch:
    """Watches the handshakes of one transcript; `keys` are trusted, `at` is the time to remember for a new key."""

    def __init__(self, transcript: Transcript, memory: Memory, keys: Sequence[TrustedKey], at: str) -> None:
        self._transcript = transcript
        self._memory = memory
        self._keys = keys
        self._at = at
        self._said: dict[int, tuple[Finding, ...]] = {}
        self._changed: dict[int, frozenset[str]] = {}

    def changed(self, connection: int) -> frozenset[str]:
        """The ids of this connection's keys that were met with other bytes, in this transcript or an earlier run."""
        return self._changed.get(connection, frozenset())

    def judge(self, judged: Judged) -> tuple[Finding, ...]:
        """The findings about the keys of a handshake; the same however often it is judged."""
        exchange = judged.exchange
        if exchange.reply is None:
            return ()
        ack = exchange.reply.decoded.envelope
        if not isinstance(ack, HandshakeAck) or not ack.attester_keys:
            return ()
        line = exchange.reply.line
        if line.n not in self._said and len(self._said) < limits.REMEMBERED:
            target = target_of(self._transcript, line.n, line.connection) or f"name:{ack.provider.name}"
            others = changed(self._memory, target, ack, self._keys)
            remember(self._memory, target, ack, self._keys, self._at)
            self._said[line.n] = tuple(self._findings(ack, others, line.n, exchange.number))
            if exchange.ack is None or exchange.ack == ack:
                self._changed[line.connection] = frozenset(others) | frozenset(exchange.past.changed_keys)
        return self._said.get(line.n, ())

    @staticmethod
    def _findings(ack: HandshakeAck, others: dict[str, Known], line: int, exchange: int | None) -> list[Finding]:
        return [
            finding(
                "6.5.4",
                line=line,
                exchange=exchange,
                path=f"/attester_keys/{place}/public_key",
                message=_MESSAGE,
                expected=f"{others[key.key_id].public_key}, met on {others[key.key_id].at}, or another key_id",
                found=key.public_key[: limits.KEY_ID_CHARS],
                level="advice",
                fix=_FIX,
                reference="",
            )
            for place, key in enumerate(ack.attester_keys[: limits.REMEMBERED])
            if key.key_id in others
        ]


def target_of(transcript: Transcript, line: int, connection: int) -> str | None:
    """The digest of a connection's target, from the note before its handshake; None where there is no such note."""
    place = transcript.place(line)
    if place is None:
        return None
    for at in range(place, max(place - _BACK, -1), -1):
        if transcript.row(at).kind == "note":
            record = transcript.record(at)
            if isinstance(record, Connect) and record.connection == connection:
                return record.target.digest
    return None


def _published(ack: HandshakeAck) -> dict[str, str]:
    """The keys by id, without ids that stand for more than one."""
    found: dict[str, str] = {}
    doubled: set[str] = set()
    for key in ack.attester_keys[: limits.REMEMBERED]:
        if key.algorithm == ALGORITHM and found.setdefault(key.key_id, key.public_key) != key.public_key:
            doubled.add(key.key_id)
    return {key_id: public_key for key_id, public_key in found.items() if key_id not in doubled}


def _trusted(public_key: str, ack: HandshakeAck, keys: Sequence[TrustedKey]) -> bool:
    return any(key.public_key.hex() == public_key and ack.provider.name in key.provider_names for key in keys)
