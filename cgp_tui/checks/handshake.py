"""The handshake: H1, H2, H3, C5, and when a host must not go on with an ack.

A row is an anchor, its sentence, and a test over the host's version and the ack. H3 is seen from the provider's side: a
refusal of a foreign version family that does not say so. The host's side of it (a foreign ack is refused by name) is
`refusal`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.checks.frame import named
from cgp_tui.protocol.capability import is_malformed_scope, off_machine_scopes, scopes_consistent
from cgp_tui.protocol.envelope import ErrorReply, HandshakeAck
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.version import PROTOCOL_VERSION, family, interoperate, is_version


class Row(NamedTuple):
    """One check of an ack against the version the host offered."""

    anchor: str
    sentence: str
    test: Callable[[str, HandshakeAck], Iterable[Breach]]


def _version(ours: str, ack: HandshakeAck) -> Iterable[Breach]:
    theirs = ack.protocol_version
    if interoperate(ours, theirs):
        return ()
    accepted = "accepted" if family(ours) == family(theirs) else None
    expected = f"a version of {family(ours)}" if is_version(theirs) else f"a version such as {PROTOCOL_VERSION}"
    return (Breach("/protocol_version", expected, said(theirs), reference=accepted),)


def _names(ours: str, ack: HandshakeAck) -> Iterator[Breach]:
    yield from named("/provider/name", ack.provider.name)
    yield from named("/provider/version", ack.provider.version)


def _posture(ours: str, ack: HandshakeAck) -> Iterable[Breach]:
    flow = ack.provider.data_flow
    if scopes_consistent(flow):
        return ()
    scopes = said(", ".join(off_machine_scopes(flow)))
    return (Breach("/provider/data_flow/egress_scopes", "egress: true beside them", scopes),)


ROWS: Final = (
    Row("H1", "The ack's version is not of the host's family.", _version),
    Row("H2", "The provider does not say who it is.", _names),
    Row("C5", "Scopes off the machine stand beside egress: false.", _posture),
)


def judge_ack(ours: str, ack: HandshakeAck, charge: Charge, rows: Iterable[Row] = ROWS) -> list[Finding]:
    """The findings about an ack; `ours` is the version in the handshake."""
    return [charge.find(row.anchor, row.sentence, breach) for row in rows for breach in row.test(ours, ack)]


def judge_error(ours: str, error: ErrorReply, charge: Charge) -> list[Finding]:
    """H3: a refused handshake of a foreign family must be named. Of our own family nobody can say why it was refused."""
    if error.code == "incompatible_version" or (is_version(ours) and family(ours) == family(PROTOCOL_VERSION)):
        return []
    breach = Breach("/code", "incompatible_version", said(error.code), level="advice")
    return [charge.find("H3", "A foreign version is refused without saying so.", breach)]


def refusal(ours: str, ack: HandshakeAck) -> str | None:
    """The error code by which a host refuses this ack; None where it may go on.

    `version_mismatch` (H3), `scope_contradiction` (C5), `scope_malformed` for a scope that nobody can ever consent to.
    """
    flow = ack.provider.data_flow
    if not interoperate(ours, ack.protocol_version):
        return "version_mismatch"
    if any(is_malformed_scope(scope) for scope in flow.egress_scopes):
        return "scope_malformed"
    return None if scopes_consistent(flow) else "scope_contradiction"
