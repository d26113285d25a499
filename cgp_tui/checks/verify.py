"""Asking whether frames still hold, and the answer: V1, V2, V3, V4, and the prose of SPEC 9.

A row is an anchor, its sentence, the line it charges, and a test that yields breaches with the frame each is about. The
members that no type of ours keeps are read from the raw line, only where some may stand there. What a verdict must repeat
is charged to the request: an identity that was asked with a body in it is no fault of the echo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Final, Literal, NamedTuple

import msgspec

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.protocol.digest import is_digest
from cgp_tui.protocol.envelope import ErrorReply, Verified, Verify
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.verify import STATUSES, FrameVerdict
from cgp_tui.session.exchange import Exchange
from cgp_tui.session.machine import sender
from cgp_tui.wire.line import Seen

Found = tuple[str | None, Breach]

_BODIES: Final = ("content", "body", "text", "frame")
"""What the name of a member that carries a body has in it."""

_NAMED: Final = 3
"""How many missing identities a finding names."""

_IDENTITY: Final = frozenset(FrameId.__struct_fields__)
_VERDICT: Final = frozenset(FrameVerdict.__struct_fields__)


class _Asked(msgspec.Struct):
    frames: list[dict[str, msgspec.Raw]] = []


class _VerifyLine(msgspec.Struct):
    request: _Asked


class _Answered(msgspec.Struct):
    verdicts: list[dict[str, msgspec.Raw]] = []


class _VerifiedLine(msgspec.Struct):
    response: _Answered


_VERIFY: Final = msgspec.json.Decoder(_VerifyLine).decode
_VERIFIED: Final = msgspec.json.Decoder(_VerifiedLine).decode
_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_IDENTITY_OF: Final = msgspec.json.Decoder(FrameId).decode


class Pair(NamedTuple):
    """A verify exchange, whichever of its lines can be read."""

    exchange: Exchange

    @property
    def asked(self) -> Verify | None:
        seen = self.exchange.request
        return seen.decoded.envelope if seen is not None and isinstance(seen.decoded.envelope, Verify) else None

    @property
    def answered(self) -> Verified | None:
        seen = self.exchange.reply
        return seen.decoded.envelope if seen is not None and isinstance(seen.decoded.envelope, Verified) else None

    @property
    def verdicts(self) -> tuple[FrameVerdict, ...]:
        return () if self.answered is None else self.answered.response.verdicts
