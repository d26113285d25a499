"""Findings about evidence: F6, F7, F8, F11, F12, F13, 6.5.4.

The tables say what each verdict breaks and where. A key that is missing or malformed is one cause however many signatures
name it: reported once a line, at the first of them. A signed root that is not that of the frames is F12 alone; a proof
breaks F13 only where it leads neither to that root nor to the root of the frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from cgp_tui.checks.attestation import Evidence, Weighed
from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.protocol.attestation import Proof, ProvenanceAttestation, Verdict
from cgp_tui.protocol.requirements import Finding, Level
from cgp_tui.wire.line import Seen


class _Meaning(NamedTuple):
    """What a verdict breaks: the anchor for a frame and for a root, the member, the sentence."""

    frame: str
    root: str
    member: str
    sentence: str
    level: Level | None = None


_MEANINGS: Final = {
    Verdict.MALFORMED_COMMITMENT: _Meaning("F7", "F12", "signed_commitment", "The signed commitment is no digest."),
    Verdict.COMMITMENT_MISMATCH: _Meaning("F7", "F12", "signed_commitment", "What was signed is not what is here."),
    Verdict.MALFORMED_KEY: _Meaning("6.5.4", "6.5.4", "key_id", "No strict verifier takes the published key."),
    Verdict.MALFORMED_SIGNATURE: _Meaning("6.5.4", "6.5.4", "signature", "The signature is not spelled as one."),
    Verdict.BAD_SIGNATURE: _Meaning("6.5.4", "6.5.4", "signature", "The signature does not hold under its key."),
    Verdict.UNKNOWN_ALGORITHM: _Meaning("F8", "F8", "algorithm", "The algorithm is not known here: uncheckable.", "note"),
    Verdict.UNKNOWN_KEY: _Meaning("6.5.4", "6.5.4", "key_id", "The handshake publishes no one key with this id.", "note"),
}

_BY_KEY: Final = frozenset({Verdict.MALFORMED_KEY, Verdict.UNKNOWN_KEY})

_IDENTITY_ONLY: Final = "The signature covers no content: the frame has no content_digest."
_IDENTITY_ONLY_FIX: Final = "Set content_digest on the frame before you sign it."


def judge_evidence(evidence: Evidence, weighed: Iterable[Weighed], seen: Seen, charge: Charge) -> list[Finding]:
    """The findings about the evidence of one answer; `weighed` is what `evidence.weigh()` gave."""
    findings = list(_misplaced(seen, charge))
    if evidence.provider is not None and (evidence.result.frame_attestations or evidence.result.result_attestation):
        keys: set[tuple[Verdict, str]] = set()
        findings += _entries(evidence, charge)
        for index, one in enumerate(weighed):
            findings += _frame(evidence, index, one, charge, keys)
        findings += _root(evidence, charge, keys)
    return findings


def _entries(evidence: Evidence, charge: Charge) -> Iterator[Finding]:
    """F11: every entry names a frame of this answer, and says something about it."""
    unread = {bad.frame_id for bad in evidence.bad_frames}
    for place, entry in enumerate(evidence.result.frame_attestations):
        name = entry.frame
        base = f"/result/frame_attestations/{place}"
        if name not in evidence.counts and name.frame_id not in unread:
            parts = [name.provider_id, name.frame_id, *(() if name.content_digest is None else (name.content_digest,))]
            breach = Breach("/frame", "provider name, id and digest of a served frame", said(" ".join(parts)))
            yield charge.find("F11", "The entry names no frame of this answer.", breach, base, name.frame_id)
        elif entry.attestation is None and entry.inclusion_proof is None:
            breach = Breach("", "attestation or inclusion_proof", "neither", level="advice")
            yield charge.find("F11", "The entry asserts nothing.", breach, base, name.frame_id)


def _frame(
    evidence: Evidence, index: int, one: Weighed, charge: Charge, keys: set[tuple[Verdict, str]]
) -> Iterator[Finding]:
    if one.entry is None or evidence.result.frame_attestations[one.entry].frame != evidence.identities[index]:
        return
    entry = evidence.result.frame_attestations[one.entry]
    base = f"/result/frame_attestations/{one.entry}"
    name = entry.frame.frame_id
    if entry.attestation is not None:
        expected = f"sha256:{evidence.commitments[index].hex()}"
        yield from _signature(
            one.verdict, entry.attestation, charge, keys, commitment=expected, base=f"{base}/attestation", frame_id=name
        )
    if one.verdict == Verdict.VALID_IDENTITY_ONLY and one.proof != Proof.PROOF_INVALID:
        breach = Breach(
            "", "content_digest", "nothing", level="advice", fix=_IDENTITY_ONLY_FIX, reference="failed by its suite"
        )
        yield charge.find("6.5.4", _IDENTITY_ONLY, breach, base, name)
    rootless = evidence.result.result_attestation is None
    if entry.inclusion_proof is not None and (rootless or one.proof == Proof.PROOF_INVALID):
        sentence = (
            "The answer has no signed root to prove against." if rootless else "The proof does not lead to the signed root."
        )
        fault = "nothing" if rootless else evidence.proof_fault(index, entry.inclusion_proof) or "another hash"
        breach = Breach("/inclusion_proof", "result_attestation" if rootless else "the signed root", fault)
        yield charge.find("F13", sentence, breach, base, name)


def _root(evidence: Evidence, charge: Charge, keys: set[tuple[Verdict, str]]) -> Iterator[Finding]:
    signature, root = evidence.result.result_attestation, evidence.root
    if signature is not None and root is not None:
        expected = "" if evidence.tree is None else f"sha256:{evidence.tree.root.hex()}"
        yield from _signature(root.verdict, signature, charge, keys, commitment=expected, base="/result/result_attestation")


def _signature(
    verdict: Verdict,
    signature: ProvenanceAttestation,
    charge: Charge,
    keys: set[tuple[Verdict, str]],
    *,
    commitment: str,
    base: str,
    frame_id: str | None = None,
) -> Iterator[Finding]:
    meaning = _MEANINGS.get(verdict)
    if meaning is None:
        return
    if verdict in _BY_KEY:
        if (verdict, signature.key_id) in keys:
            return
        keys.add((verdict, signature.key_id))
    expected = commitment if meaning.member == "signed_commitment" else ""
    breach = Breach(f"/{meaning.member}", expected, said(getattr(signature, meaning.member)), level=meaning.level)
    yield charge.find(meaning.root if frame_id is None else meaning.frame, meaning.sentence, breach, base, frame_id)


# Evidence where it does not belong: no type of ours keeps those members, so the raw line is read for their names.

_Member = msgspec.Raw | msgspec.UnsetType


class _InFrame(msgspec.Struct):
    id: _Member = msgspec.UNSET
    attestation: _Member = msgspec.UNSET
    attestations: _Member = msgspec.UNSET
    frame_attestations: _Member = msgspec.UNSET
    result_attestation: _Member = msgspec.UNSET
    inclusion_proof: _Member = msgspec.UNSET


class _InResult(msgspec.Struct):
    frames: list[_InFrame] = []


class _InLine(msgspec.Struct):
    result: _InResult
    attestations: _Member = msgspec.UNSET


_DECODE: Final = msgspec.json.Decoder(_InLine).decode
_TEXT: Final = msgspec.json.Decoder(str).decode
_NAMES: Final = tuple(name for name in _InFrame.__struct_fields__ if name != "id")


def _misplaced(seen: Seen, charge: Charge) -> Iterator[Finding]:
    """F6: signatures inside frames. Beside the result, where an early draft put them, they are ignored: advice (F11)."""
    raw = seen.line.raw
    if b"attest" not in raw and b"inclusion_proof" not in raw:
        return
    try:
        line = _DECODE(raw)
    except (msgspec.DecodeError, RecursionError):
        return
    if not isinstance(line.attestations, msgspec.UnsetType):
        breach = Breach("/attestations", "result.frame_attestations", "attestations of the envelope", level="advice")
        yield charge.find("F11", "Evidence outside the result is ignored.", breach)
    for place, frame in enumerate(line.result.frames):
        for name in _NAMES:
            value = getattr(frame, name)
            if not isinstance(value, msgspec.UnsetType) and bytes(value).lstrip()[:1] in (b"{", b"["):
                breach = Breach(f"/{name}", "no evidence inside a frame", name)
                yield charge.find("F6", "A frame carries its own evidence.", breach, f"/result/frames/{place}", _name(frame))


def _name(frame: _InFrame) -> str | None:
    try:
        return None if isinstance(frame.id, msgspec.UnsetType) else _TEXT(frame.id)
    except msgspec.DecodeError:
        return None
