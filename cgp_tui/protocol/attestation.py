"""Detached signatures over what a frame is and where it came from (SPEC 6.5).

A commitment hashes the declared provider name, the frame's id, its content digest and its chain of provenance. Every
string is preceded by its length, and every optional one by a byte that says whether it is there, so that two different
chains never feed the same bytes to the hash.

A string with a lone surrogate has no UTF-8 form. It is hashed in a form that no other string has: the frame that carries
it is refused elsewhere, and hashing must not fail before that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from hashlib import sha256
from typing import Final

import msgspec

from cgp_tui.protocol import ed25519
from cgp_tui.protocol.digest import digest_bytes
from cgp_tui.protocol.evidence import FrameAttestation, InclusionProof, InclusionStep, ProvenanceAttestation
from cgp_tui.protocol.frame import Provenance
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.merkle import Proof, inclusion_proof, merkle_root, verify_inclusion

__all__ = [
    "ALGORITHM",
    "GENESIS",
    "FrameAttestation",
    "InclusionProof",
    "InclusionStep",
    "Proof",
    "ProvenanceAttestation",
    "TrustedKey",
    "Verdict",
    "chain_head",
    "chain_heads",
    "commitment_bytes",
    "encode_link",
    "frame_commitment",
    "inclusion_proof",
    "link_bytes",
    "merkle_root",
    "verify_commitment",
    "verify_inclusion",
]

ALGORITHM: Final = "ed25519"
"""The only algorithm of contextgraph/1.0; any other cannot be checked (F8)."""

GENESIS: Final = sha256(b"contextgraph/attest/1/genesis").digest()
"""The chain head of a frame that claims no provenance."""

_LINK: Final = b"contextgraph/attest/1/link"
_FRAME: Final = b"contextgraph/attest/1/frame"
_ABSENT: Final = b"\x00"


class _Prefixes(dict[int, bytes]):
    """By length in bytes: what precedes a string, which is `mark` and the length. Short lengths are kept."""

    def __init__(self, mark: bytes) -> None:
        self._mark = mark
        super().__init__((length, self[length]) for length in range(256))

    def __missing__(self, length: int) -> bytes:
        return self._mark + length.to_bytes(4, "big")


_LENGTH: Final = _Prefixes(b"")
_PRESENT: Final = _Prefixes(b"\x01")

_KEY: Final = re.compile(r"[0-9a-f]{64}")
_SIGNATURE: Final = re.compile(r"[0-9a-f]{128}")


class TrustedKey(msgspec.Struct, frozen=True, gc=False):
    """A key whose signer a person knows, found by its 32 raw bytes; `label` names the signer.

    It vouches only for the declared names in `provider_names`, and only from `not_before` to `not_after` (F4 timestamps;
    None leaves that side open).
    """

    public_key: bytes
    label: str
    provider_names: tuple[str, ...]
    not_before: str | None = None
    not_after: str | None = None


class Verdict(StrEnum):
    """What a verifier finds. What cannot be checked is kept apart from what was checked and found good or bad (F8)."""

    VALID = "valid"
    VALID_IDENTITY_ONLY = "valid_identity_only"
    UNATTESTED = "unattested"
    UNKNOWN_ALGORITHM = "unknown_algorithm"
    UNKNOWN_KEY = "unknown_key"
    MALFORMED_COMMITMENT = "malformed_commitment"
    MALFORMED_KEY = "malformed_key"
    MALFORMED_SIGNATURE = "malformed_signature"
    COMMITMENT_MISMATCH = "commitment_mismatch"
    BAD_SIGNATURE = "bad_signature"


def encode_link(link: Provenance) -> bytes:
    """One link as the hash sees it: type, uri, range, digest, method, by, each with its length (SPEC 6.5.1)."""
    return b"".join(
        (
            _string(link.kind),
            _optional(link.uri),
            _optional(link.range),
            _optional(link.digest),
            _optional(link.method),
            _optional(link.by),
        )
    )


def chain_head(links: Iterable[Provenance], after: bytes = GENESIS) -> bytes:
    """The 32-byte head over `links`, source first, continuing the chain whose head is `after` (SPEC 6.5.2)."""
    head = after
    for link in links:
        head = sha256(_LINK + head + encode_link(link)).digest()
    return head


def chain_heads(links: Iterable[Provenance]) -> tuple[bytes, ...]:
    """The 32-byte head after no link, after the first, and so on."""
    heads = [GENESIS]
    for link in links:
        heads.append(chain_head((link,), heads[-1]))
    return tuple(heads)


def frame_commitment(provider_id: str, frame_id: str, content_digest: str | None, links: Iterable[Provenance]) -> bytes:
    """The 32 bytes that an attestation of one frame signs (SPEC 6.5.2).

    `provider_id` is the declared name from the handshake. `content_digest` is hashed as it is spelled.
    """
    identity = _string(provider_id) + _string(frame_id) + _optional(content_digest)
    return sha256(_FRAME + identity + chain_head(links)).digest()


def link_bytes(head: bytes, link: Provenance) -> bytes:
    """The bytes to hash for the chain head after `link`; `head` (32 bytes) is the one before it (SPEC 6.5.2)."""
    return _LINK + head + encode_link(link)


def commitment_bytes(identity: FrameId, head: bytes) -> bytes:
    """The bytes to hash for the commitment of a frame with the chain head `head` (32 bytes, SPEC 6.5.2)."""
    name = _string(identity.provider_id) + _string(identity.frame_id) + _optional(identity.content_digest)
    return _FRAME + name + head


def verify_commitment(
    expected: bytes,
    attestation: ProvenanceAttestation,
    public_key: bytes | str | None,
    *,
    covers_content: bool = True,
) -> Verdict:
    """Judge one signature in the order of SPEC 6.5.4: what was signed, before who signed it.

    `expected` is the commitment or root recomputed from what is at hand, 32 bytes. `public_key` is 32 raw bytes, or their
    64 lowercase hex digits as `attester_keys` carries them, or None where the key is not known. `covers_content` is False
    for a frame without a content digest (D3): its signature binds a name and a chain but no content, so a good one is
    `valid_identity_only`.

    A changed frame is reported as such even where the key is missing. A key that a strict verifier rejects is
    `malformed_key`.
    """
    if attestation.algorithm != ALGORITHM:
        return Verdict.UNKNOWN_ALGORITHM
    signed = digest_bytes(attestation.signed_commitment)
    if signed is None:
        return Verdict.MALFORMED_COMMITMENT
    if signed != expected:
        return Verdict.COMMITMENT_MISMATCH
    if public_key is None:
        return Verdict.UNKNOWN_KEY
    key = _key(public_key) if isinstance(public_key, str) else public_key
    if key is None or ed25519.key_fault(key) is not None:
        return Verdict.MALFORMED_KEY
    if _SIGNATURE.fullmatch(attestation.signature) is None:
        return Verdict.MALFORMED_SIGNATURE
    if not ed25519.verify(key, bytes.fromhex(attestation.signature), signed):
        return Verdict.BAD_SIGNATURE
    return Verdict.VALID if covers_content else Verdict.VALID_IDENTITY_ONLY


def _key(text: str) -> bytes | None:
    return bytes.fromhex(text) if _KEY.fullmatch(text) else None


def _string(text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = text.encode("utf-8", "surrogatepass")
    return _LENGTH[len(data)] + data


def _optional(text: str | None) -> bytes:
    if text is None:
        return _ABSENT
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = text.encode("utf-8", "surrogatepass")
    return _PRESENT[len(data)] + data
