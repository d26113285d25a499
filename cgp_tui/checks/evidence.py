"""Findings about evidence: F6, F7, F8, F11, F12, F13, 6.5.4.

A row is an anchor, its sentence, and a test over the evidence of one answer; a row about a verdict says what that verdict
breaks, for single frames, for the signed root, or for both. A missing or malformed key is one cause however many signatures
name it: it is reported once a line, at the first of them. A signed root that differs from the frames' root breaks F12
alone; a proof breaks F13 only where it leads neither to the signed root nor to that of the frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, Literal, NamedTuple

import msgspec

from cgp_tui.checks.attestation import Evidence, Weighed
from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.checks.frame import SPELL_TIME
from cgp_tui.protocol.attestation import FrameAttestation, Proof, ProvenanceAttestation, Verdict
from cgp_tui.protocol.requirements import Finding, Level
from cgp_tui.protocol.timestamp import parse
from cgp_tui.wire import slices, surrogates
from cgp_tui.wire.line import Seen

Found = tuple[str | None, Breach]

_ENTRIES: Final = "/result/frame_attestations"
_ROOT: Final = "/result/result_attestation"
_FIXES: Final = {
    Verdict.UNKNOWN_ALGORITHM: "Sign with ed25519, the one algorithm that contextgraph/1.0 defines.",
    Verdict.UNKNOWN_KEY: "Publish exactly one ed25519 key with this key_id in attester_keys of the handshake_ack.",
    Verdict.MALFORMED_COMMITMENT: "Write signed_commitment as sha256: and 64 lower-case hex digits.",
    Verdict.MALFORMED_KEY: "Publish a generated Ed25519 key as 64 lower-case hex digits.",
    Verdict.MALFORMED_SIGNATURE: "Write the signature as 128 lower-case hex digits.",
}
"""The fix for a verdict, where the requirement's own fix speaks of something else."""

_BY_KEY: Final = frozenset({Verdict.MALFORMED_KEY, Verdict.UNKNOWN_KEY})


class View(NamedTuple):
    """The evidence of one answer, what it came to, and the line that brought it."""

    evidence: Evidence
    weighed: tuple[Weighed, ...]
    seen: Seen

    @property
    def entries(self) -> tuple[FrameAttestation, ...]:
        return self.evidence.result.frame_attestations

    def own(self) -> Iterator[tuple[int, Weighed, FrameAttestation, str]]:
        """The frames that have an entry under the declared name: index, result, the entry and its path."""
        for index, one in enumerate(self.weighed):
            if one.entry is not None and self.entries[one.entry].frame == self.evidence.identities[index]:
                yield index, one, self.entries[one.entry], f"{_ENTRIES}/{one.entry}"

    def signatures(self) -> Iterator[tuple[Verdict, ProvenanceAttestation, str, str, str | None]]:
        """Every signature that was judged: verdict, signature, its path, the commitment expected, the frame or None."""
        for index, one, entry, path in self.own():
            if entry.attestation is not None:
                expected = f"sha256:{self.evidence.commitments[index].hex()}"
                yield one.verdict, entry.attestation, f"{path}/attestation", expected, entry.frame.frame_id
        signature, root, tree = self.evidence.result.result_attestation, self.evidence.root, self.evidence.tree
        if signature is not None and root is not None:
            yield root.verdict, signature, _ROOT, "" if tree is None else f"sha256:{tree.root.hex()}", None


class Row(NamedTuple):
    """One check of the evidence of an answer."""

    anchor: str
    sentence: str
    test: Callable[[View], Iterable[Found]]


def _verdict(
    verdict: Verdict, member: str, of: Literal["frame", "root", "both"], level: Level | None, view: View
) -> Iterator[Found]:
    keys: set[str] = set()
    for judged, signature, path, expected, frame_id in view.signatures():
        if judged != verdict or of == ("frame" if frame_id is None else "root"):
            continue
        if verdict in _BY_KEY:
            if signature.key_id in keys:
                continue
            keys.add(signature.key_id)
        wanted = expected if member == "signed_commitment" else ""
        yield (
            frame_id,
            Breach(f"{path}/{member}", wanted, said(getattr(signature, member)), level=level, fix=_FIXES.get(verdict)),
        )


def _strangers(view: View) -> Iterator[Found]:
    """F11: every entry names a frame of this answer."""
    unread = {bad.frame_id for bad in view.evidence.bad_frames}
    for place, entry in enumerate(view.entries):
        name = entry.frame
        if name not in view.evidence.counts and name.frame_id not in unread:
            parts = [name.provider_id, name.frame_id, *(() if name.content_digest is None else (name.content_digest,))]
            expected = "provider name, id and digest of a served frame"
            yield name.frame_id, Breach(f"{_ENTRIES}/{place}/frame", expected, said(" ".join(parts)))


def _silent(view: View) -> Iterator[Found]:
    for place, entry in enumerate(view.entries):
        named = entry.frame in view.evidence.counts or entry.frame.frame_id in {
            bad.frame_id for bad in view.evidence.bad_frames
        }
        if named and entry.attestation is None and entry.inclusion_proof is None:
            breach = Breach(f"{_ENTRIES}/{place}", "attestation or inclusion_proof", "neither", level="advice")
            yield entry.frame.frame_id, breach


def _identity_only(view: View) -> Iterator[Found]:
    fix = "Set content_digest on the frame before you sign it."
    for _, one, entry, path in view.own():
        if one.verdict == Verdict.VALID_IDENTITY_ONLY and one.proof != Proof.PROOF_INVALID:
            breach = Breach(path, "content_digest", "nothing", level="advice", fix=fix, reference="failed by its suite")
            yield entry.frame.frame_id, breach


def _rootless(view: View) -> Iterator[Found]:
    if view.evidence.result.result_attestation is None:
        for _, _, entry, path in view.own():
            if entry.inclusion_proof is not None:
                yield entry.frame.frame_id, Breach(f"{path}/inclusion_proof", "result_attestation", "nothing")


def _astray(view: View) -> Iterator[Found]:
    if view.evidence.result.result_attestation is None:
        return
    for index, one, entry, path in view.own():
        if entry.inclusion_proof is not None and one.proof == Proof.PROOF_INVALID:
            fault = view.evidence.proof_fault(index, entry.inclusion_proof) or "another hash"
            yield entry.frame.frame_id, Breach(f"{path}/inclusion_proof", "the signed root", fault)


def _issued(view: View) -> Iterator[Found]:
    for _, signature, path, _, frame_id in view.signatures():
        if parse(signature.issued_at) is None:
            found, expected = said(signature.issued_at), "YYYY-MM-DDTHH:MM:SSZ"
            yield frame_id, Breach(f"{path}/issued_at", expected, found, reference="accepted", fix=SPELL_TIME)


# Evidence where it does not belong: no type of ours keeps those members, so the raw line is read for their names.

_Member = msgspec.Raw | msgspec.UnsetType


class _Carrier(msgspec.Struct):
    """What must not carry evidence, and the names of evidence."""

    attestation: _Member = msgspec.UNSET
    attestations: _Member = msgspec.UNSET
    frame_attestations: _Member = msgspec.UNSET
    result_attestation: _Member = msgspec.UNSET
    inclusion_proof: _Member = msgspec.UNSET

    def found(self) -> Iterator[str]:
        """The names under which evidence stands here."""
        for name in _NAMES:
            value = getattr(self, name)
            if not isinstance(value, msgspec.UnsetType) and bytes(value).lstrip()[:1] in (b"{", b"["):
                yield name


class _InFrame(_Carrier):
    provenance: _Member = msgspec.UNSET

    def links(self) -> list[_Carrier]:
        """The links, where they can be read at all."""
        try:
            return [] if isinstance(self.provenance, msgspec.UnsetType) else _LINKS(self.provenance)
        except (msgspec.DecodeError, RecursionError):
            return []


class _InResult(msgspec.Struct):
    frames: list[msgspec.Raw]


class _InLine(msgspec.Struct):
    result: _InResult
    attestations: _Member = msgspec.UNSET


_DECODE: Final = msgspec.json.Decoder(_InLine).decode
_FRAME: Final = msgspec.json.Decoder(_InFrame).decode
_LINKS: Final = msgspec.json.Decoder(list[_Carrier]).decode
_SPELLED: Final = (b"attest", b"inclusion_proof", b"\\u")
"""A line without any of these holds no evidence beyond what our types keep."""

_NAMES: Final = _Carrier.__struct_fields__


def _line(view: View) -> _InLine | None:
    """The line, read for members that no type of ours keeps; None where it cannot hold any."""
    raw = view.seen.line.raw
    if not view.seen.decoded.extras or not any(slices.holds(raw, word) for word in _SPELLED):
        return None
    # A lone surrogate hides nothing, wherever it stands; a line with too many of them was not read as an answer.
    replaced = surrogates.replace(raw)
    return None if replaced is None else _DECODE(replaced.text)


def _beside(view: View) -> Iterator[Found]:
    """Evidence where an early draft put it, which receivers ignore."""
    line = _line(view)
    if line is not None and not isinstance(line.attestations, msgspec.UnsetType):
        found = Breach("/attestations", "result.frame_attestations", "attestations of the envelope", level="advice")
        yield None, found


def _inside(view: View) -> Iterator[Found]:
    line, decoded = _line(view), view.seen.decoded
    if line is None:
        return
    names = {bad.place: bad.frame_id for bad in decoded.bad_frames}
    names |= {decoded.place(index): frame.id for index, frame in enumerate(view.evidence.result.frames)}
    for place, raw in enumerate(line.result.frames):
        try:
            frame = _FRAME(raw)
        except msgspec.DecodeError:
            # A link that is no object carries nothing, and must not hide what its siblings carry.
            continue
        held = list(frame.found())
        held += [f"provenance/{at}/{name}" for at, link in enumerate(frame.links()) for name in link.found()]
        for name in held:
            yield names.get(place), Breach(f"/result/frames/{place}/{name}", "no evidence inside a frame", name)


def _of(verdict: Verdict, member: str, of: Literal["frame", "root", "both"] = "both", level: Level | None = None) -> _Test:
    return partial(_verdict, verdict, member, of, level)


_Test = Callable[[View], Iterable[Found]]
_NO_DIGEST: Final = "The signed_commitment is malformed."
_MISMATCH: Final = "The signed commitment does not match what was served."

ROWS: Final = (
    Row("F11", "Evidence outside the result is ignored.", _beside),
    Row("F6", "A frame carries its own evidence.", _inside),
)
"""The rows for any answer."""

SIGNED_ROWS: Final = (
    Row("F11", "The entry names no frame of this answer.", _strangers),
    Row("F11", "The entry has neither a signature nor a proof.", _silent),
    Row("F7", _NO_DIGEST, _of(Verdict.MALFORMED_COMMITMENT, "signed_commitment", "frame")),
    Row("F7", _MISMATCH, _of(Verdict.COMMITMENT_MISMATCH, "signed_commitment", "frame")),
    Row("F12", _NO_DIGEST, _of(Verdict.MALFORMED_COMMITMENT, "signed_commitment", "root")),
    Row("F12", _MISMATCH, _of(Verdict.COMMITMENT_MISMATCH, "signed_commitment", "root")),
    Row("6.5.4", "A strict verifier rejects the published key.", _of(Verdict.MALFORMED_KEY, "key_id")),
    Row("6.5.4", "The signature is malformed.", _of(Verdict.MALFORMED_SIGNATURE, "signature")),
    Row("6.5.4", "The signature does not verify under its key.", _of(Verdict.BAD_SIGNATURE, "signature")),
    Row(
        "6.5.4",
        "The handshake publishes no key with this id, or more than one.",
        _of(Verdict.UNKNOWN_KEY, "key_id", level="note"),
    ),
    Row(
        "F8", "The algorithm is unknown, so this is uncheckable.", _of(Verdict.UNKNOWN_ALGORITHM, "algorithm", level="note")
    ),
    Row("6.5.4", "The signature covers no content: the frame has no content_digest.", _identity_only),
    Row("F13", "The answer has no signed root to prove against.", _rootless),
    Row("F13", "The proof does not lead to the signed root.", _astray),
    Row("6.1", "The signature's issued_at is not a valid timestamp.", _issued),
)
"""The rows for an answer with evidence, from a provider whose name is known."""


def judge_evidence(
    evidence: Evidence,
    weighed: Iterable[Weighed],
    seen: Seen,
    charge: Charge,
    *,
    rows: Iterable[Row] = ROWS,
    signed_rows: Iterable[Row] = SIGNED_ROWS,
) -> list[Finding]:
    """The findings about the evidence of one answer; `weighed` is what `evidence.weigh()` gave."""
    signed = evidence.provider is not None and (evidence.result.frame_attestations or evidence.result.result_attestation)
    if not signed and not seen.decoded.extras:
        return []
    view = View(evidence, tuple(weighed), seen)
    return [
        charge.find(row.anchor, row.sentence, breach, frame_id=frame_id)
        for row in (*rows, *(signed_rows if signed else ()))
        for frame_id, breach in row.test(view)
    ]
