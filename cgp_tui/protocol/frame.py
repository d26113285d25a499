"""The unit of exchange (SPEC 6): what it is, where it came from, what it costs, when it was true, how to cite it."""

from collections.abc import Container
from typing import Final

import msgspec

from cgp_tui.protocol.identity import FrameId

KINDS: Final = ("snippet", "symbol", "fact", "doc", "memory", "episode", "graph")
"""The base vocabulary of contextgraph/1; other kinds are legal and opaque (U2)."""

REPRESENTATIONS: Final = ("full", "compact", "reference")


class Provenance(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, rename={"kind": "type"}):
    """One link of the chain, source first. `kind` is the wire's `type`: file, derivation, episode, or another."""

    kind: str
    uri: str | None = None
    range: str | None = None
    digest: str | None = None
    method: str | None = None
    by: str | None = None


class Relation(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A labelled edge to `target_uri` (SPEC 8)."""

    rel: str
    target_uri: str
    display_name: str | None = None


class ContentRef(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """An opaque handle to the full source; no operation of 1.0 resolves it (SPEC 6.4.1)."""

    provider_id: str
    uri: str
    expires_at: str | None = None


class Transform(msgspec.Struct, frozen=True, gc=False):
    """How a compact frame rendered its source."""

    method: str
    implementation: str
    version: str


class FrameEmbedding(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The fingerprint of an embedding (E1), and its vector where that is not left out."""

    fingerprint: str
    vector: tuple[float, ...] | None = None


class ContextFrame(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One frame as the wire carries it. `content` is untrusted data (R3); without `representation` it is full."""

    id: str
    kind: str
    title: str
    score: float
    token_cost: int
    content: str | None = None
    content_digest: str | None = None
    uri: str | None = None
    representation: str = "full"
    content_fidelity: str | None = None
    canonical_content_hash: str | None = None
    content_ref: ContentRef | None = None
    transform: Transform | None = None
    minimum_content_fidelity: str | None = None
    inline_content_requirement: str | None = None
    canonical_token_cost: int | None = None
    tokenizer_ref: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    recorded_at: str | None = None
    provenance: tuple[Provenance, ...] = ()
    citation_label: str | None = None
    embedding: FrameEmbedding | None = None
    relations: tuple[Relation, ...] = ()

    def anchored_by(self, anchors: Container[str]) -> bool:
        """Whether an anchor is this frame's own uri or the target of one of its relations (G4)."""
        if self.uri is not None and self.uri in anchors:
            return True
        return any(relation.target_uri in anchors for relation in self.relations)

    def identity(self, provider_name: str) -> FrameId:
        """The identity of this frame under the provider's declared name (SPEC 6.3)."""
        return FrameId(provider_name, self.id, self.content_digest)
