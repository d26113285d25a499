"""Signed answers, whole and damaged, drawn at random: what evidence may look like when it arrives."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from cgp_tui.protocol.attestation import FrameAttestation
from cgp_tui.protocol.capability import AttesterKey
from cgp_tui.protocol.envelope import ContextQueryResult, HandshakeAck
from cgp_tui.protocol.frame import Provenance
from cgp_tui.protocol.identity import FrameId
from tests.checks.signed import FORGER, SIGNER, ack, answer, by_root, entry, frame, one_by_one, replace

Draw = random.Random


def drawn(chance: Draw) -> ContextQueryResult:
    """A good answer of one to nine frames, signed in one of the three ways."""
    make = chance.choice([answer, by_root, one_by_one])
    return make(*(_frame(chance, f"frm_{number}") for number in range(chance.randint(1, 9))))


def _frame(chance: Draw, name: str) -> Any:
    content = chance.choice(["text", "", "Größe\n\u202e", "x" * 300, None])
    digest = chance.choice(["", "", None])
    links = tuple(
        Provenance(
            chance.choice(["file", "derivation"]), chance.choice([None, "", "file:///a"]), by=chance.choice([None, "x"])
        )
        for _ in range(chance.randint(1, 3))
    )
    return frame(name, content, digest, provenance=links)


def _digit(chance: Draw, text: str) -> str:
    at = chance.randrange(len(text))
    return text[:at] + chance.choice("0123456789abcdefXg") + text[at + 1 :]


def _some(result: ContextQueryResult, chance: Draw, wanted: Callable[[FrameAttestation], object]) -> int | None:
    places = [place for place, one in enumerate(result.frame_attestations) if wanted(one)]
    return chance.choice(places) if places else None


def _signature(result: ContextQueryResult, chance: Draw) -> ContextQueryResult:
    place = _some(result, chance, lambda one: one.attestation)
    what = chance.choice(["signature", "signed_commitment", "key_id", "algorithm"])
    if place is None:
        signature = result.result_attestation
        return replace(result, result_attestation=replace(signature, **{what: _digit(chance, getattr(signature, what))}))  # type: ignore[no-any-return]
    old = getattr(result.frame_attestations[place].attestation, what)
    return entry(result, place, **{f"attestation__{what}": _digit(chance, old)})


def _root(result: ContextQueryResult, chance: Draw) -> ContextQueryResult:
    signature = result.result_attestation
    if signature is None:
        return result
    what = chance.choice(["signature", "signed_commitment"])
    changed = replace(signature, **{what: _digit(chance, getattr(signature, what))})
    return replace(result, result_attestation=chance.choice([None, changed]))  # type: ignore[no-any-return]


def _proof(result: ContextQueryResult, chance: Draw) -> ContextQueryResult:
    place = _some(result, chance, lambda one: one.inclusion_proof)
    if place is None:
        return result
    proof = result.frame_attestations[place].inclusion_proof
    assert proof is not None
    changes: list[Any] = [
        replace(proof, leaf_index=proof.leaf_index + 1),
        replace(proof, leaf_count=proof.leaf_count + 1),
        replace(proof, path=proof.path[:-1]),
    ]
    if proof.path:
        at = chance.randrange(len(proof.path))
        step = proof.path[at]
        for changed in (
            replace(step, sibling=_digit(chance, step.sibling)),
            replace(step, sibling_is_left=not step.sibling_is_left),
        ):
            changes.append(replace(proof, path=(*proof.path[:at], changed, *proof.path[at + 1 :])))
    return entry(result, place, inclusion_proof=chance.choice(changes))


def _content(result: ContextQueryResult, chance: Draw) -> ContextQueryResult:
    at = chance.randrange(len(result.frames))
    old = result.frames[at]
    changed = chance.choice(
        [
            replace(old, content="other"),
            replace(old, content_digest="sha256:" + "0" * 64),
            replace(old, provenance=(*old.provenance, Provenance("file", "file:///b"))),
            replace(old, id=old.id + "x"),
        ]
    )
    return replace(result, frames=(*result.frames[:at], changed, *result.frames[at + 1 :]))  # type: ignore[no-any-return]


def _twice(result: ContextQueryResult, chance: Draw) -> ContextQueryResult:
    old = chance.choice(result.frames)
    return replace(result, frames=(*result.frames, replace(old, content=chance.choice([old.content, "other"]))))  # type: ignore[no-any-return]


def _entries(result: ContextQueryResult, chance: Draw) -> ContextQueryResult:
    place = chance.randrange(len(result.frame_attestations))
    old = result.frame_attestations
    changed = chance.choice(
        [
            old[:place] + old[place + 1 :],
            (*old, FrameAttestation(old[place].frame)),
            (FrameAttestation(old[place].frame), *old),
            (*old[:place], replace(old[place], frame=FrameId("other", old[place].frame.frame_id)), *old[place + 1 :]),
            (*old[:place], replace(old[place], frame=replace(old[place].frame, provider_id="other")), *old[place + 1 :]),
        ]
    )
    return replace(result, frame_attestations=changed)  # type: ignore[no-any-return]


DAMAGES: Final = (_signature, _root, _proof, _content, _twice, _entries)
"""What may have happened to a good answer, a function each; some of it is harmless."""


def greeting(chance: Draw) -> HandshakeAck:
    """The ack before it: mostly with the signer's key, now and then without, with another's, or with two of one id."""
    keys = chance.choice([(SIGNER.key,)] * 5 + [(FORGER.key,), (SIGNER.key, FORGER.key), (_small(),)])
    return replace(ack(*keys), attester_keys=keys if chance.random() < 0.95 else ())  # type: ignore[no-any-return]


def _small() -> AttesterKey:
    return replace(SIGNER.key, public_key="01" + "00" * 31)  # type: ignore[no-any-return]
