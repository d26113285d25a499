"""Who a provider is, what it may do with data, and what it offers (SPEC 3, 4)."""

import re
from typing import Final

import msgspec

OFF_MACHINE_SCOPES: Final = ("org-tenant", "third-party-index", "third-party-model")
"""The base scopes that leave the machine (SPEC 4.1)."""

LOCAL_ONLY: Final = "local-only"

_DIMENSION: Final = r"[^/]+/([0-9]+)(?:/[^/]+)?"
_DIMENSION_DIGITS: Final = 10
"""No vector is as long as a number of more digits says, and a number of very many digits is costly to compute."""

_CONTROL: Final = r"[\x00-\x1f\x7f-\x9f]"


class DataFlow(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What the provider declares to read, keep and send away: consent is asked for exactly this.

    The three booleans may be absent on the wire and are then False; we always write them, as the schema requires.
    """

    # A default made by a factory is written even with `omit_defaults`.
    reads: bool = msgspec.field(default_factory=bool)
    writes: bool = msgspec.field(default_factory=bool)
    egress: bool = msgspec.field(default_factory=bool)
    egress_scopes: tuple[str, ...] = ()


class ProviderInfo(msgspec.Struct, frozen=True, gc=False):
    """`name` is the declared name, the only one both ends of the wire know (SPEC 6.5.2)."""

    name: str
    version: str
    data_flow: DataFlow


class QueryCapability(msgspec.Struct, frozen=True, gc=False):
    """The kinds that the provider says it serves."""

    kinds: tuple[str, ...] = ()


class Capabilities(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What a provider offers. `correlation` binds it to echo ids (H4); `resolve` is a promise without an operation."""

    # As with the booleans of DataFlow: a default made by a factory is always written, and the schema requires this one.
    query: QueryCapability = msgspec.field(default_factory=QueryCapability)
    correlation: bool = False
    graph: bool = False
    embeddings_fingerprint: str | None = None
    verify: bool = False
    representations: tuple[str, ...] = ()
    resolve: bool = False


class AttesterKey(msgspec.Struct, frozen=True, gc=False):
    """A public key a provider publishes: it settles how evidence is built, never who signed (SPEC 6.5.2)."""

    key_id: str
    algorithm: str
    public_key: str


def dimension(fingerprint: str) -> int | None:
    """The vector length that an embedding fingerprint states (E1), None where it states none."""
    match = re.fullmatch(_DIMENSION, fingerprint)
    return int(match[1]) if match is not None and len(match[1]) <= _DIMENSION_DIGITS else None


def is_off_machine(scope: str) -> bool:
    """Whether content under `scope` leaves the machine: true of every scope but exactly `local-only`, malformed or not."""
    return scope != LOCAL_ONLY


def is_malformed_scope(scope: str) -> bool:
    """Whether nobody can consent to `scope`: it is empty, has nothing on one side of its first `:`, or holds control
    characters.

    A name without `:` that the SPEC does not list is well-formed and off-machine (U2, SPEC 4.1).
    """
    if not scope or re.search(_CONTROL, scope):
        return True
    vendor, colon, name = scope.partition(":")
    return bool(colon) and not (vendor and name)


def off_machine_scopes(data_flow: DataFlow) -> tuple[str, ...]:
    """The declared scopes that leave the machine, in declared order, each once."""
    return tuple(dict.fromkeys(scope for scope in data_flow.egress_scopes if is_off_machine(scope)))


def scopes_consistent(data_flow: DataFlow) -> bool:
    """C5: no off-machine scope beside `egress: false`."""
    return data_flow.egress or not off_machine_scopes(data_flow)
