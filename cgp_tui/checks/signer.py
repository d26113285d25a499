"""Whose signature is it? Keys the handshake publishes, keys the person trusts, and what each of them settles.

A published key settles whether evidence is well built, never who signed it: the key comes from the party under audit. So
the keys that the person trusts for this declared name are tried wherever the published one does not fit. An id that stands
for two published keys names neither. Windows are judged by the time handed in; without one, a key with a window vouches for
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from cgp_tui.checks.types import Standing
from cgp_tui.protocol.attestation import ALGORITHM, ProvenanceAttestation, TrustedKey, Verdict, verify_commitment
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.protocol.timestamp import Instant, parse

GOOD: Final = frozenset({Verdict.VALID, Verdict.VALID_IDENTITY_ONLY})
"""The signature holds, over the content or without it."""

_KEY_MATTERS: Final = frozenset({Verdict.UNKNOWN_KEY, Verdict.MALFORMED_KEY, Verdict.BAD_SIGNATURE})
"""Verdicts that another key may turn into a good one."""


class Signed(NamedTuple):
    """A judged signature: its verdict, and the key it was judged by, in hex as its source spells it."""

    verdict: Verdict
    public_key: str | None


class Keyring:
    """The keys that count for one provider: those its ack publishes, and those the person trusts."""

    def __init__(self, ack: HandshakeAck | None, keys: Sequence[TrustedKey] = (), now: Instant | None = None) -> None:
        self.provider = None if ack is None else ack.provider.name
        self._keys = keys
        self._now = now
        self._published: dict[str, str | None] = {}
        for key in () if ack is None else ack.attester_keys:
            if key.algorithm == ALGORITHM:
                known = self._published.setdefault(key.key_id, key.public_key)
                self._published[key.key_id] = known if known == key.public_key else None

    def check(self, expected: bytes, signature: ProvenanceAttestation, *, covers_content: bool = True) -> Signed:
        """Judge a signature over `expected` (32 bytes) in the order of SPEC 6.5.4."""
        published = self._published.get(signature.key_id)
        verdict = verify_commitment(expected, signature, published, covers_content=covers_content)
        ambiguous = published is None and signature.key_id in self._published
        if verdict in _KEY_MATTERS and not ambiguous:
            for key in self._keys:
                if self.provider in key.provider_names:
                    other = verify_commitment(expected, signature, key.public_key, covers_content=covers_content)
                    if other in GOOD:
                        return Signed(other, key.public_key.hex())
        return Signed(verdict, published)

    def signer(self, signed: Signed) -> tuple[Standing, str | None]:
        """Who made a good signature, as far as the person knows: a trust entry's label, never the evidence's own claim."""
        if signed.verdict not in GOOD:
            return "unattested", None
        known = [key for key in self._keys if key.public_key.hex() == signed.public_key]
        for key in known:
            if self.provider in key.provider_names and in_window(key, self._now):
                return "attested", key.label
        return ("signer_not_for_provider", known[0].label) if known else ("signer_unknown", None)


def in_window(key: TrustedKey, now: Instant | None) -> bool:
    """Whether `key` vouches at `now`, bounds included. A key with an unreadable bound never vouches."""
    for bound, early in ((key.not_before, True), (key.not_after, False)):
        if bound is None:
            continue
        limit = parse(bound)
        if limit is None or now is None or (now < limit if early else limit < now):
            return False
    return True
