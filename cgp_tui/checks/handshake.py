"""The handshake: H1, H2, H3, C5, declarations that contradict themselves (6.4, E1), and private words in them (U3).

A row is an anchor, its sentence, and a test over the ack and the version that the host offered. Where no handshake was
seen that version is None, and no row speaks of it. H3 is here for the provider's part: refusing a foreign version family
without saying so. The host's part, to refuse a foreign ack by name, is `protocol.admission`; a host that goes on all the
same is judged in `course`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.checks.frame import named
from cgp_tui.checks.word import own_word
from cgp_tui.protocol.anchors import SUITE_ONLY
from cgp_tui.protocol.capability import dimension, off_machine_scopes, scopes_consistent
from cgp_tui.protocol.envelope import ErrorReply, Handshake, HandshakeAck
from cgp_tui.protocol.frame import REPRESENTATIONS
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.version import PROTOCOL_VERSION, family, interoperate, is_version
from cgp_tui.protocol.vocabulary import SCOPES, word


class Row(NamedTuple):
    """One check of an ack against the version the host offered."""

    anchor: str
    sentence: str
    test: Callable[[str | None, HandshakeAck], Iterable[Breach]]


def _version(ours: str | None, ack: HandshakeAck) -> Iterable[Breach]:
    theirs = ack.protocol_version
    if ours is None or interoperate(ours, theirs):
        return ()
    accepted = "accepted" if family(ours) == family(theirs) else None
    expected = f"a version of {family(ours)}" if is_version(theirs) else f"a version such as {PROTOCOL_VERSION}"
    return (Breach("/protocol_version", expected, said(theirs), reference=accepted),)


def _names(ours: str | None, ack: HandshakeAck) -> Iterator[Breach]:
    yield from named("/provider/name", ack.provider.name)
    yield from named("/provider/version", ack.provider.version)


def _posture(ours: str | None, ack: HandshakeAck) -> Iterable[Breach]:
    flow = ack.provider.data_flow
    if scopes_consistent(flow):
        return ()
    scopes = said(", ".join(off_machine_scopes(flow)))
    return (Breach("/provider/data_flow/egress_scopes", "egress: true with them", scopes),)


def _resolve(ours: str | None, ack: HandshakeAck) -> Iterable[Breach]:
    offered = [name for name in ack.capabilities.representations if name in ("compact", "reference")]
    if not offered or ack.capabilities.resolve:
        return ()
    found = said(f"false, beside {', '.join(dict.fromkeys(offered))}")
    return (Breach("/capabilities/resolve", "true", found, fix="Set capabilities.resolve to true, or offer full alone."),)


def _representations(ours: str | None, ack: HandshakeAck) -> Iterator[Breach]:
    """A later minor may have others (6.4)."""
    for place, name in enumerate(ack.capabilities.representations):
        if name not in REPRESENTATIONS:
            path = f"/capabilities/representations/{place}"
            fix, expected = "Offer full, compact or reference.", ", ".join(REPRESENTATIONS)
            yield Breach(path, expected, said(name), level="advice", reference="loses the line", fix=fix)


def _fingerprint(ours: str | None, ack: HandshakeAck) -> Iterable[Breach]:
    declared = ack.capabilities.embeddings_fingerprint
    if declared is None or dimension(declared) is not None:
        return ()
    expected = "a model, its dimension and perhaps a normalization, such as m/384/l2"
    fix = "Spell it model/dimension or model/dimension/normalization, or leave it out."
    path = "/capabilities/embeddings_fingerprint"
    return (Breach(path, expected, said(declared), level="advice", reference="accepted", fix=fix),)


def _scopes(ours: str | None, ack: HandshakeAck) -> Iterator[Breach]:
    for place, scope in enumerate(ack.provider.data_flow.egress_scopes):
        yield from own_word(f"/provider/data_flow/egress_scopes/{place}", scope, word(scope, SCOPES), SUITE_ONLY)


ROWS: Final = (
    Row("H1", "The handshake_ack's version is of another family.", _version),
    Row("H2", "The provider's name or version is empty.", _names),
    Row("C5", "Off-machine scopes are declared with egress: false.", _posture),
    Row("6.4", "Compact or reference frames are offered without resolve.", _resolve),
    Row("6.4", "The representation offered is not one of contextgraph/1.0.", _representations),
    Row("E1", "The embedding fingerprint names no dimension.", _fingerprint),
    Row("U3", "The scope is not one of contextgraph/1.0.", _scopes),
)


def judge_ack(ours: str | None, ack: HandshakeAck, charge: Charge, rows: Iterable[Row] = ROWS) -> list[Finding]:
    """The findings about an ack; `ours` is the version in the handshake, None where there was none."""
    return [charge.find(row.anchor, row.sentence, breach) for row in rows for breach in row.test(ours, ack)]


class Refusal(NamedTuple):
    """One check of an error in place of the ack, against the version the host offered."""

    anchor: str
    sentence: str
    test: Callable[[str, ErrorReply], Iterable[Breach]]


def _familiar(ours: str) -> bool:
    return is_version(ours) and family(ours) == family(PROTOCOL_VERSION)


def _unnamed(ours: str, error: ErrorReply) -> Iterable[Breach]:
    if error.code == "incompatible_version" or _familiar(ours):
        return ()
    return (Breach("/code", "incompatible_version", said(error.code), level="advice"),)


def _no_ack(ours: str, error: ErrorReply) -> Iterable[Breach]:
    """Nobody can tell why a fitting version was refused, so this is merely doubtful."""
    if not _familiar(ours):
        return ()
    return (Breach("/type", "handshake_ack", said(f"error {error.code or ''}".strip()), level="advice"),)


REFUSALS: Final = (
    Refusal("H3", "Another version family is refused without saying so.", _unnamed),
    Refusal("H1", "A handshake of this family is refused.", _no_ack),
)


def judge_error(ours: str, error: ErrorReply, charge: Charge, rows: Iterable[Refusal] = REFUSALS) -> list[Finding]:
    """The findings about an error in place of the ack; `ours` is the version in the handshake."""
    return [charge.find(row.anchor, row.sentence, breach) for row in rows for breach in row.test(ours, error)]


class Offer(NamedTuple):
    """One check of what the host opens with."""

    anchor: str
    sentence: str
    test: Callable[[Handshake], Iterable[Breach]]


def _grammar(offer: Handshake) -> Iterable[Breach]:
    ours = offer.protocol_version
    fix = f"Offer a version that is spelled like {PROTOCOL_VERSION}."
    return () if is_version(ours) else (Breach("/protocol_version", PROTOCOL_VERSION, said(ours), level="advice", fix=fix),)


OFFERS: Final = (Offer("H1", "The host offers a malformed version.", _grammar),)


def judge_offer(offer: Handshake, charge: Charge, rows: Iterable[Offer] = OFFERS) -> list[Finding]:
    """The findings about a handshake, charged to its host."""
    return [charge.find(row.anchor, row.sentence, breach) for row in rows for breach in row.test(offer)]
