"""Who was last met, as consent sees it: with nobody connected, a grant is compared with that.

A sighting can take a grant out of force but never permits anything. Granting is a meeting too, as the prompt and the command
line do a handshake first, so an older sighting says nothing about a grant.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from cgp_tui.consent.decision import changed, started_otherwise
from cgp_tui.consent.receipt import Receipt
from cgp_tui.consent.types import Binding, Need, Reason
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.store.seen import Sighting
from cgp_tui.target import Target


def sighting(binding: Binding, now: float) -> Sighting:
    """A provider whose handshake is just done, to be remembered; `now` is in seconds since 1970."""
    target = binding.target
    return Sighting(
        binding.provider_id,
        binding.provider_name,
        binding.provider_version,
        target.kind,
        target.digest,
        target.code,
        target.shown,
        utc_text(now),
    )


def binding_of(seen: Sighting) -> Binding:
    """The binding that the gate would be asked about; nothing can be started from it."""
    target = known_target(seen.target, seen.code, seen.target_shown, seen.target_kind)
    return Binding(seen.provider_id, seen.provider_name, seen.provider_version, target)


def known_target(digest: str, code: str, shown: tuple[str, ...], kind: Literal["stdio", "http"] = "stdio") -> Target:
    """A target of which only the digests and the masked line are known; nothing can be started from it."""
    return Target(kind, shown, "", "", Path(), (), digest, code, (), shown)


def counts(seen: Sighting | None, grant: Receipt) -> bool:
    """Whether a sighting says anything about a grant: it is of the same provider and not older."""
    return seen is not None and seen.provider_id == grant.provider_id and seen.at >= grant.granted_at


def against(grant: Receipt, present: Binding) -> Reason | None:
    """How the present provider differs from the one that a grant was given to, None where the gate would permit it."""
    need = Need(grant.provider_id, "scope" if grant.basis == "scope" else "boolean", grant.scope)
    if grant.target != present.target.digest:
        return started_otherwise(grant, present.target, need)
    return changed(grant, present, need)
