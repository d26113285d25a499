"""`example-index`: a provider that declares an off-machine destination, so that consent can be seen at work.

It opens no connection and writes no file: there is nothing behind the declaration, and its frames say so.
"""

from __future__ import annotations

from typing import Final

from cgp_tui.protocol.budget import token_cost
from cgp_tui.protocol.capability import Capabilities, DataFlow, ProviderInfo, QueryCapability
from cgp_tui.protocol.digest import sha256_digest
from cgp_tui.protocol.envelope import ContextQueryResult
from cgp_tui.protocol.frame import ContextFrame, Provenance
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.providers.kit import Provider, Refusal

NAME: Final = "example-index"

_TEXTS: Final = (
    (
        "index-nothing-sent",
        "Nothing was sent anywhere",
        "This provider declares that queries go to a third-party index, so that a host has to ask you first. It is a "
        "stand-in: it opens no connection and sends nothing anywhere.",
    ),
    (
        "index-what-you-agreed-to",
        "What your receipt allows",
        "A receipt for the scope third-party-index lets the host send queries to this provider under this name, version "
        "and command, until it ends or you revoke it. Change one of the three and the host asks again.",
    ),
)


class ExampleIndex(Provider):
    """Answers every query with what it would have sent: nothing. No verify, so held frames are asked for afresh."""

    info = ProviderInfo(NAME, "1.0.0", DataFlow(reads=True, egress=True, egress_scopes=("third-party-index",)))
    capabilities = Capabilities(QueryCapability(("doc",)), correlation=True)

    def query(self, query: ContextQuery) -> ContextQueryResult:
        """As many of its two frames as fit. Refuses `unsupported_kind` where `doc` is not asked for."""
        if query.kinds and "doc" not in query.kinds:
            raise Refusal("unsupported_kind", "this provider serves doc")
        chosen: list[ContextFrame] = []
        left = query.max_tokens
        for frame in _FRAMES:
            if len(chosen) < query.max_frames and frame.token_cost <= left:
                chosen.append(frame)
                left -= frame.token_cost
        return ContextQueryResult(tuple(chosen), len(chosen) < len(_FRAMES))


def _frame(place: int, id: str, title: str, content: str) -> ContextFrame:
    return ContextFrame(
        id=id,
        kind="doc",
        title=title,
        score=round(0.9 - place / 10, 1),
        token_cost=token_cost(content),
        content=content,
        content_digest=sha256_digest(content.encode()),
        uri=f"index://example/{id}",
        recorded_at="2026-09-15T08:00:00Z",
        provenance=(Provenance("derivation", f"index://example/{id}", method="written-in", by=f"{NAME}/1.0.0"),),
        citation_label=title,
    )


_FRAMES: Final = tuple(_frame(place, *text) for place, text in enumerate(_TEXTS))
