"""Witnesses of the tables about evidence, signed by our own signer."""

from __future__ import annotations

from cgp_tui.protocol.capability import AttesterKey
from cgp_tui.protocol.envelope import ContextQueryResult, Frames, HandshakeAck
from cgp_tui.wire.encode import encode
from tests.checks.signed import SIGNER, ack, answer, by_root, entry, frame, one_by_one, replace, root
from tests.checks.witnesses import Witness

A, B = frame("a"), frame("b")
SIGNED = one_by_one(A)
ROOTED = by_root(A, B)


def signed(result: ContextQueryResult, greeting: HandshakeAck | None = None, spoil: tuple[str, str] = ("", "")) -> str:
    """A session whose one answer is `result`; `spoil` replaces a piece of its text."""
    line = encode(Frames(result, "q1")).decode()
    old, new = spoil
    assert old in line
    line = line.replace(old, new, 1) if old else line
    return f">> handshake\n<< raw {encode(greeting or ack()).decode()}\n>> query q1\n<< raw {line}"


STRANGE_KEY = ack(AttesterKey("k1", "ed25519", "01" + "00" * 31))
BESIDE = ('"type":"frames"', '"attestations":[],"type":"frames"')
INSIDE = ('"kind":"doc"', '"attestation":{"signature":"00"},"kind":"doc"')
HARMLESS = ('"kind":"doc"', '"x_attested":"by nobody","kind":"doc"')
WRONG = f"sha256:{'ab' * 32}"
GOOD = signed(SIGNED)
ALL_GOOD = signed(ROOTED)

EVIDENCE = (
    Witness("F11 advice line 4", signed(SIGNED, spoil=BESIDE), signed(SIGNED, spoil=("", ""))),
    Witness("F6 line 4 a", signed(SIGNED, spoil=INSIDE), signed(SIGNED, spoil=HARMLESS)),
)

_NOWHERE = replace(SIGNED.frame_attestations[0], frame=B.identity("docs"))
_NO_DIGEST = one_by_one(frame("a", digest=None))

SIGNED_ROWS = (
    Witness("F11 line 4 b", signed(replace(SIGNED, frame_attestations=(*SIGNED.frame_attestations, _NOWHERE))), GOOD),
    Witness("F11 advice line 4 a", signed(entry(SIGNED, 0, attestation=None)), GOOD),
    Witness("F7 line 4 a", signed(entry(SIGNED, 0, attestation__signed_commitment=WRONG.upper())), GOOD),
    Witness("F7 line 4 a", signed(entry(SIGNED, 0, attestation__signed_commitment=WRONG)), GOOD),
    Witness("F12 line 4", signed(root(ROOTED, signed_commitment=WRONG.upper())), ALL_GOOD),
    Witness("F12 line 4", signed(replace(by_root(A, B), frames=(A,), frame_attestations=())), ALL_GOOD),
    Witness("6.5.4 line 4 a", signed(SIGNED, STRANGE_KEY), GOOD),
    Witness("6.5.4 line 4 a", signed(entry(SIGNED, 0, attestation__signature="AB" * 64)), GOOD),
    Witness("6.5.4 line 4 a", signed(entry(SIGNED, 0, attestation__signature="ab" * 64)), GOOD),
    Witness("6.5.4 note line 4 a", signed(entry(SIGNED, 0, attestation__key_id="k9")), GOOD),
    Witness("F8 note line 4 a", signed(entry(SIGNED, 0, attestation__algorithm="rsa")), GOOD),
    Witness("6.5.4 advice line 4 a", signed(_NO_DIGEST), signed(replace(_NO_DIGEST, frame_attestations=()))),
    Witness("F13 line 4 a", signed(replace(ROOTED, result_attestation=None)), signed(answer(A, B))),
    Witness(
        "F13 line 4 a", signed(entry(ROOTED, 0, inclusion_proof=ROOTED.frame_attestations[1].inclusion_proof)), ALL_GOOD
    ),
    Witness("6.1 advice line 4 a", signed(entry(SIGNED, 0, attestation__issued_at="2026-08-29")), GOOD),
)

__all__ = ["EVIDENCE", "SIGNED_ROWS", "SIGNER"]
