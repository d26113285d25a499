"""What a query cost, traceable to the frames behind the number (SPEC 7.3, UR1)."""

from __future__ import annotations

import msgspec

from cgp_tui.protocol.identity import FrameId


class ServedFrame(msgspec.Struct, frozen=True):
    """A frame that was served, and the cost that it declared, in budget tokens (SPEC 7)."""

    frame: FrameId
    token_cost: int


class ProviderUsage(msgspec.Struct, frozen=True, omit_defaults=True):
    """One provider's part. `provider_id` is the host's local id; costs are the declared ones."""

    provider_id: str
    frames_served: int
    frames_rejected: int
    token_cost: int
    served_frames: tuple[ServedFrame, ...] = ()


class UsageReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """`budget_consumed` is the sum of the served frames' `token_cost` (UR1); `as_of` is an F4 timestamp."""

    budget_requested: int
    budget_consumed: int
    as_of: str
    providers: tuple[ProviderUsage, ...] = ()
