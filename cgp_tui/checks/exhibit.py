"""Evidence taken out of its answer: what a verifier needs of one frame, or of all of them, and nothing else.

An exhibit holds frames, their entries, the signature over the root and the published keys. It is a `frames` line of the
wire, so that it is decoded and appraised like any other answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import msgspec

from cgp_tui.checks.attestation import Evidence
from cgp_tui.checks.types import Appraisal, Judged, RootAppraisal
from cgp_tui.protocol.attestation import FrameAttestation, Proof, TrustedKey
from cgp_tui.protocol.capability import AttesterKey, Capabilities, DataFlow, ProviderInfo
from cgp_tui.protocol.envelope import ContextQueryResult, Frames, HandshakeAck
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.timestamp import Instant
from cgp_tui.protocol.version import PROTOCOL_VERSION
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Decoded

_HOLDS: Final = frozenset({"attested", "signer_unknown", "signer_not_for_provider"})
"""Standings of evidence that holds over the content, whoever made it."""


class Proven(msgspec.Struct, frozen=True):
    """What an exhibit amounts to: an appraisal for each frame, and that of the root where the whole answer is at hand."""

    appraisals: tuple[Appraisal, ...]
    root: RootAppraisal | None

    @property
    def holds(self) -> bool:
        """Whether all of it is built correctly and covers the content, whoever signed it."""
        return self._all(_HOLDS)

    @property
    def attested(self) -> bool:
        """Whether every frame, and the root where there is one, was signed by somebody whom the person trusts for it."""
        return self._all(frozenset({"attested"}))

    def _all(self, standings: frozenset[str]) -> bool:
        """A proof that leads nowhere costs a frame with a good signature nothing, but is no evidence to hand on (F13)."""
        frames = all(one.standing in standings and one.proof in ("", Proof.INCLUDED) for one in self.appraisals)
        return frames and (self.root is None or self.root.standing in standings)


class Exhibit:
    """The evidence of the frames in `line`, a `frames` envelope as the wire carries it, from the provider that declares the
    name `provider` and publishes `keys`. Unless it is the `whole` answer it holds one frame."""

    def __init__(self, line: bytes, provider: str, keys: tuple[AttesterKey, ...], *, whole: bool) -> None:
        self.line = line
        self.provider = provider
        self.keys = keys
        self.whole = whole

    @cached_property
    def decoded(self) -> Decoded:
        return decode(self.line)

    @property
    def result(self) -> ContextQueryResult:
        """The answer; `decoded` must have found one."""
        assert isinstance(self.decoded.envelope, Frames)  # noqa: S101 - whoever makes an exhibit has looked
        return self.decoded.envelope.result

    def siblings(self, name: FrameId) -> int:
        """How many hashes of other frames the proof of this one discloses."""
        entry = next((one for one in self.result.frame_attestations if one.frame == name), None)
        return 0 if entry is None or entry.inclusion_proof is None else len(entry.inclusion_proof.path)

    def evidence(self, trusted: Sequence[TrustedKey] = (), now: Instant | None = None) -> Evidence:
        """What the frames and their entries make together."""
        info = ProviderInfo(self.provider, "", DataFlow())
        ack = HandshakeAck(PROTOCOL_VERSION, info, Capabilities(), self.keys)
        return Evidence(ack, self.result, trusted, now, whole=self.whole)

    def appraise(self, trusted: Sequence[TrustedKey] = (), now: Instant | None = None) -> Proven:
        """The evidence, judged with the keys that the person trusts; their windows are judged at `now`."""
        evidence = self.evidence(trusted, now)
        weighed = evidence.weigh()
        return Proven(evidence.appraisals(weighed), evidence.root_appraisal() if self.whole else None)


def exhibit(judged: Judged, place: int | None) -> Exhibit:
    """The evidence of the frame at `place` in an answer, or of all its frames where `place` is None.

    Raises ValueError, with a sentence for people, where there is no evidence to hand on.
    """
    reply, ack = judged.exchange.reply, judged.exchange.ack
    answer = None if reply is None else reply.decoded.envelope
    if reply is None or ack is None or not isinstance(answer, Frames):
        raise ValueError("No answer follows a handshake, so the name of the signing provider is unknown.")
    if place is None and reply.decoded.bad_frames:
        raise ValueError("A frame of the answer cannot be read, so its root cannot be computed.")
    names = [frame.identity(ack.provider.name) for frame in answer.result.frames]
    taken = [index for index in range(len(names)) if place is None or reply.decoded.place(index) == place]
    wanted = {names[index] for index in taken}
    entries: dict[FrameId, FrameAttestation] = {}
    for entry in answer.result.frame_attestations:
        if entry.frame in wanted:
            entries.setdefault(entry.frame, entry)
    root = answer.result.result_attestation
    if place is not None and not any(entry.inclusion_proof for entry in entries.values()):
        root = None
    signatures = [root, *(entry.attestation for entry in entries.values())]
    if not any(signatures):
        raise ValueError("Nothing here is signed, so there is no evidence to export.")
    used = {signature.key_id for signature in signatures if signature is not None}
    raw = frames_of(reply.line.raw)
    line = line_of(
        [raw[reply.decoded.place(index)] for index in taken],
        _JSON(tuple(entries.values())),
        None if root is None else _JSON(root),
    )
    keys = tuple(key for key in ack.attester_keys if key.key_id in used)
    return Exhibit(line, ack.provider.name, keys, whole=place is None)


def agrees(
    shown: Exhibit,
    judged: Judged,
    place: int | None,
    trusted: Sequence[TrustedKey] = (),
    now: Instant | None = None,
) -> bool:
    """Whether the exhibit, by itself, says of its frames what the transcript says, judged by the same keys and time.

    It does not where only the answer's other frames reveal a fault: a root that differs from the signed one, or one
    identity with two contents.
    """
    there = [one for one in judged.appraisals if place is None or one.place == place]
    pairs = zip(shown.appraise(trusted, now).appraisals, there, strict=True)
    return all(_said(here) == _said(one) for here, one in pairs)


def _said(one: Appraisal) -> tuple[str, str, str, str | None]:
    return one.verdict, one.proof, one.standing, one.public_key


class _Result(msgspec.Struct):
    frames: list[msgspec.Raw]


class _Answer(msgspec.Struct):
    result: _Result


_JSON: Final = msgspec.json.Encoder().encode
_RAW: Final = msgspec.json.Decoder(_Answer).decode


def frames_of(line: bytes) -> list[bytes]:
    """The frames of a `frames` line as they are written. Raises ValueError where half a surrogate pair stands in it."""
    try:
        return [bytes(raw) for raw in _RAW(line).result.frames]
    except msgspec.DecodeError as error:
        raise ValueError(f"The answer holds text that is not Unicode: {error}.") from None


def line_of(frames: Sequence[bytes], entries: bytes, root: bytes | None) -> bytes:
    """The parts of an answer, each valid JSON, as a `frames` line."""
    signed = b"" if root is None else b',"result_attestation":' + root
    body = b'{"frames":[' + b",".join(frames) + b'],"truncated":false,"frame_attestations":' + entries
    return b'{"type":"frames","result":' + body + signed + b"}}"
