"""Who a provider is, what it may do with data, and what it offers (SPEC 3, 4)."""

import re
from typing import Final

import msgspec

OFF_MACHINE_SCOPES: Final = ("org-tenant", "third-party-index", "third-party-model")
"""The base scopes that leave the machine (SPEC 4.1)."""

LOCAL_ONLY: Final = "local-only"

_DIMENSION: Final = r"[^/]+/([0-9]+)(?:/[^/]+)?"

_CONTROL: Final = r"[\x00-\x1f\x7f-\x9f]"


class DataFlow(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The declaration that consent is asked for: what the provider sees, keeps and sends away.

    The three booleans may be absent on the wire and are then False; we always write them, since the schema wants them.
    """

    # A default from a factory is not left out by omit_defaults.
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
    kinds: tuple[str, ...] = ()


class Capabilities(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What a provider offers. `correlation` binds it to echo ids (H4); `resolve` is a promise without an operation."""

    # As with the booleans of DataFlow: a default from a factory is always written, and the schema wants this one.
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
    """The length of the vectors that an embedding fingerprint stands for (E1), None where it spells none."""
    match = re.fullmatch(_DIMENSION, fingerprint)
    # A number of many digits is the length of nothing, and costs more than it tells.
    return int(match[1]) if match is not None and len(match[1]) <= 10 else None


def is_off_machine(scope: str) -> bool:
    """Whether content under `scope` leaves the machine. All but exactly `local-only` does, malformed ones included."""
    return scope != LOCAL_ONLY


def is_malformed_scope(scope: str) -> bool:
    """Whether `scope` can never be consented to: empty, a side of the first `:` empty, or with control characters.

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
