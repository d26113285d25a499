"""The names of what can go wrong between a host and one provider; a caller tells them apart by class or by `code`.

Each is also one of `PeerError`, `OurError`, `InputError`, `RefusedError`: whose fault it is decides what to do about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from cgp_tui.checks.types import Outcome, Problem
from cgp_tui.errors import Error, InputError, PeerError, RefusedError

if TYPE_CHECKING:
    from cgp_tui.protocol.capability import DataFlow


class HostError(Error):
    """Any of them. `id` is our own id of the provider, empty where there is none; `outcome` what came of the request."""

    def __init__(self, problem: Problem, id: str = "", outcome: Outcome | None = None) -> None:
        super().__init__(problem.code, problem.message, problem.fix)
        self.id = id
        self.provider_code = problem.provider_code
        self.outcome = outcome if outcome is not None else Outcome("failed", None, problem=problem)


class Spawn(HostError, InputError):
    """The program cannot be run."""


class UnknownProvider(HostError, InputError):
    """No connection has this id."""


class VersionMismatch(HostError, PeerError):
    """The provider speaks another major version (H3)."""


class ScopeRefused(HostError, PeerError):
    """The declared scopes contradict `egress: false` (C5), or one of them can never be consented to."""


class UnexpectedEnvelope(HostError, PeerError):
    """A message that the protocol does not allow here, or a line that is no message."""


class CorrelationMismatch(HostError, PeerError):
    """The only reply that can be meant carries another id than the request (H4)."""


class Wire(HostError, PeerError):
    """A line that cannot be decoded: its `code` says why."""


class Transport(HostError, PeerError):
    """The stream itself cannot be used any more: a line over the cap, or a flood nobody asked for."""


class ProviderCrashed(HostError, PeerError):
    """The process ended, or closed its end of a pipe."""


class Timeout(HostError, PeerError):
    """No reply in time; `stalled` where the provider did not even read the request."""


class Poisoned(HostError, PeerError):
    """An earlier failure left this connection in a state where no reply could be told from another."""


class KeepsFailing(HostError, PeerError):
    """It was started again and again, and never answered; only a restart that somebody asks for tries it once more."""


class Provider(HostError, PeerError):
    """The provider answered with an `error`; `provider_code` is its code as spelled, None where it gave none (X2)."""


class ConsentRequired(HostError, RefusedError):
    """The gate said no; nothing was sent. `data_flow` is what the provider declared; `outcome.needs` names each reason."""

    data_flow: DataFlow | None = None


class ConsentScopeRequired(ConsentRequired):
    """The same where off-machine scopes lack a receipt (C6)."""

    @property
    def scopes(self) -> tuple[str, ...]:
        return tuple(need.scope for need in self.outcome.needs if need.basis == "scope")


_WIRE: Final = ("invalid_utf8", "not_json", "not_one_object", "too_deep", "duplicate_member")
BY_CODE: Final[Mapping[str, type[HostError]]] = {
    "spawn_failed": Spawn,
    "version_mismatch": VersionMismatch,
    "scope_contradiction": ScopeRefused,
    "scope_malformed": ScopeRefused,
    "unexpected_envelope": UnexpectedEnvelope,
    "correlation_mismatch": CorrelationMismatch,
    "line_too_long": Transport,
    "flood": Transport,
    "provider_crashed": ProviderCrashed,
    "timeout": Timeout,
    "stalled": Timeout,
    "poisoned": Poisoned,
    "keeps_failing": KeepsFailing,
    "provider_error": Provider,
    "consent_required": ConsentRequired,
    **dict.fromkeys(_WIRE, Wire),
}
"""Which name a failure's code has; an unlisted code is an UnexpectedEnvelope, the most general fault of a peer."""


def failure(problem: Problem, id: str, outcome: Outcome | None = None) -> HostError:
    """The error for a problem with the provider `id`."""
    return BY_CODE.get(problem.code, UnexpectedEnvelope)(problem, id, outcome)
