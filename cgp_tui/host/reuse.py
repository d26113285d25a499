"""Which frames held from earlier answers may be used again (SPEC 9, D3, D4): the providers are asked, and only a yes counts.

Every frame that is asked about is kept or dropped, never both and never neither, whatever comes back: kept is what has
exactly one answer, `valid`, under its whole identity. All else is dropped with its reason, and to be asked for anew.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Literal

import msgspec

from cgp_tui.checks.types import Judged
from cgp_tui.errors import Error, RefusedError
from cgp_tui.host.connection import Connection
from cgp_tui.host.errors import UnknownProvider
from cgp_tui.protocol.digest import is_digest
from cgp_tui.protocol.envelope import Verified
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.verify import FrameVerdict, VerifyRequest

VALID: Final = "valid"

DropReason = Literal[
    "unknown_provider",
    "not_declared",
    "other_provider",
    "no_digest",
    "consent_required",
    "provider_failed",
    "stale",
    "gone",
    "unknown",
    "no_verdict",
    "other_digest",
    "no_such_verdict",
    "contradicted",
]
"""Why a frame may not be used again. The first four are known without asking: no connection of that id; a provider that
does not declare verify (SPEC 9); an identity under another name than the one it declares; nothing to compare (V1). Then:
the gate said no, or nothing usable came back. `other_digest`: its verdict is about other bytes of the same frame (V4);
`no_such_verdict`: a status that is none (V3); `contradicted`: two verdicts, or a valid one that names a replacement."""


class Held(msgspec.Struct, frozen=True):
    """A frame that somebody has kept: whom it came from by our own id, and its identity under the declared name."""

    provider_id: str
    frame: FrameId


class Dropped(msgspec.Struct, frozen=True):
    """`replacement_digest` is what a stale frame has now, as the provider says; `code` and `message` are of the error where
    the gate or the provider failed it."""

    held: Held
    reason: DropReason
    replacement_digest: str | None = None
    code: str = ""
    message: str = ""

    @property
    def ask_anew(self) -> bool:
        """Whether a new query may bring it, or what stands in its place."""
        return self.reason != "gone"


class Reuse(msgspec.Struct, frozen=True):
    """`retained` and `dropped` share out the frames that were asked about, each once, in the order of asking. `unasked` are
    answers about frames that nobody asked about: they count for nothing. `exchanges` are numbers in the transcript."""

    retained: tuple[Held, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unasked: tuple[Held, ...] = ()
    findings: tuple[Finding, ...] = ()
    exchanges: tuple[int, ...] = ()


class Verification(msgspec.Struct, frozen=True):
    """What came of a verify: one verdict for each identity asked about, in that order, `unknown` where the provider gave
    none (V2) or contradicted itself. `exchange` is its number in the transcript, None where nothing was asked."""

    exchange: int | None
    verdicts: tuple[FrameVerdict, ...]
    findings: tuple[Finding, ...] = ()


def verification(asked: Sequence[FrameId], judged: Judged) -> Verification:
    """The verdicts of an exchange, by the identity that each echoes, never by its place."""
    found = _by_identity(_given(judged))
    verdicts = (found.get(frame) or FrameVerdict(frame, "unknown") for frame in asked)
    return Verification(judged.exchange.number, tuple(verdicts), judged.findings)


def _fate(held: Held, found: Mapping[FrameId, FrameVerdict | None], spoken_of: frozenset[tuple[str, str]]) -> Dropped | None:
    """Why a frame is dropped by what its provider answered; None where it is kept."""
    frame = held.frame
    if frame not in found:
        other = (frame.provider_id, frame.frame_id) in spoken_of
        return Dropped(held, "other_digest" if other else "no_verdict")
    verdict = found[frame]
    if verdict is None:
        return Dropped(held, "contradicted")
    if verdict.status == VALID:
        moved = verdict.replacement_digest not in (None, frame.content_digest)
        return Dropped(held, "contradicted", verdict.replacement_digest) if moved else None
    return Dropped(held, _ANSWERED.get(verdict.status, "no_such_verdict"), verdict.replacement_digest)


_ANSWERED: Final[Mapping[str, DropReason]] = {"stale": "stale", "gone": "gone", "unknown": "unknown"}


async def reuse(frames: Mapping[str, Sequence[FrameId]], ready: Callable[[str], Awaitable[Connection]]) -> Reuse:
    """Ask each provider about the frames that are held from it, all providers at the same time. `ready` is the connection
    to ask, by our id. Raises nothing for a provider: what it could not answer is dropped."""
    parts = await asyncio.gather(*(_one(id, tuple(dict.fromkeys(held)), ready) for id, held in frames.items()))
    joined = (
        tuple(itertools.chain.from_iterable(getattr(part, name) for part in parts)) for name in Reuse.__struct_fields__
    )
    return Reuse(*joined)


async def _one(id: str, asked: Sequence[FrameId], ready: Callable[[str], Awaitable[Connection]]) -> Reuse:
    held = [Held(id, frame) for frame in asked]
    known: dict[Held, DropReason] = {}
    try:
        connection = await ready(id) if held else None
        if connection is None:
            return Reuse()
        known = {one: reason for one in held if (reason := _unaskable(one.frame, connection)) is not None}
        sent = tuple(one.frame for one in held if one not in known)
        judged = await connection.verify(VerifyRequest(sent)) if sent else None
    except Error as error:
        reason = _failed(error)
        return Reuse(
            dropped=tuple(
                Dropped(one, known[one]) if one in known else Dropped(one, reason, None, error.code, error.message)
                for one in held
            )
        )
    given = () if judged is None else _given(judged)
    found, spoken_of = _by_identity(given), _spoken_of(given)
    fates = [Dropped(one, known[one]) if one in known else _fate(one, found, spoken_of) for one in held]
    unasked = dict.fromkeys(verdict.frame for verdict in given if verdict.frame not in sent)
    return Reuse(
        retained=tuple(one for one, fate in zip(held, fates, strict=True) if fate is None),
        dropped=tuple(fate for fate in fates if fate is not None),
        unasked=tuple(Held(id, frame) for frame in unasked),
        findings=() if judged is None else judged.findings,
        exchanges=() if judged is None or judged.exchange.number is None else (judged.exchange.number,),
    )


def _unaskable(frame: FrameId, connection: Connection) -> DropReason | None:
    """Why there is no asking about this frame on this connection; the reasons that hold for all of its frames first."""
    if not connection.greeted:
        return "provider_failed"
    if not connection.ack.capabilities.verify:
        return "not_declared"
    if frame.provider_id != connection.ack.provider.name:
        return "other_provider"
    return None if frame.content_digest is not None and is_digest(frame.content_digest) else "no_digest"


def _failed(error: Error) -> DropReason:
    if isinstance(error, UnknownProvider):
        return "unknown_provider"
    return "consent_required" if isinstance(error, RefusedError) else "provider_failed"


def _given(judged: Judged) -> tuple[FrameVerdict, ...]:
    reply = None if judged.exchange.reply is None else judged.exchange.reply.decoded.envelope
    return reply.response.verdicts if isinstance(reply, Verified) else ()


def _by_identity(given: Sequence[FrameVerdict]) -> dict[FrameId, FrameVerdict | None]:
    """The verdict on each identity that was echoed; None where there are two that differ."""
    found: dict[FrameId, FrameVerdict | None] = {}
    for verdict in given:
        if found.setdefault(verdict.frame, verdict) != verdict:
            found[verdict.frame] = None
    return found


def _spoken_of(given: Sequence[FrameVerdict]) -> frozenset[tuple[str, str]]:
    """The frames that verdicts are about, whatever the digest."""
    return frozenset((verdict.frame.provider_id, verdict.frame.frame_id) for verdict in given)
