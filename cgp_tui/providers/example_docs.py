"""`example-docs`: a small but real search over the bundled pages, to try the inspector on and as a model for a provider.

Local, correlating, verifying, graph-aware. On request it signs with a published key, so its signatures show how evidence is
built and vouch for nobody. The same query always gets the same bytes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

import msgspec

from cgp_tui.protocol.capability import LOCAL_ONLY, Capabilities, DataFlow, ProviderInfo, QueryCapability
from cgp_tui.protocol.envelope import ContextQueryResult
from cgp_tui.protocol.frame import KINDS, ContextFrame
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.timestamp import Instant, parse
from cgp_tui.protocol.verify import FrameVerdict, VerifyRequest, VerifyResponse
from cgp_tui.providers import corpus
from cgp_tui.providers.kit import Provider, Refusal
from cgp_tui.providers.signer import Signer

NAME: Final = "example-docs"
KEY_ID: Final = "example-docs-ed25519-1"
SEED: Final = bytes([0x2A]) * 32
"""The seed of the published fixture key: anybody can sign with it, which is the point."""
ISSUED_AT: Final = "2026-09-15T08:00:00Z"

_WORD: Final = re.compile(r"[a-z0-9_]+")
_ENDING: Final = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|e|s)$")
_COMMON: Final = frozenset(
    _WORD.findall(
        "a an and are as at be by do does for from how in is it its of on or that the this to what when which why with"
    )
)


class ExampleDocs(Provider):
    """The provider; `signer` signs every answer (SPEC 6.5), None signs nothing and publishes no key."""

    info = ProviderInfo(NAME, "1.0.0", DataFlow(reads=True, egress_scopes=(LOCAL_ONLY,)))
    capabilities = Capabilities(QueryCapability(KINDS), correlation=True, graph=True, verify=True)

    def __init__(self, signer: Signer | None = None) -> None:
        self._signer = signer
        self.attester_keys = () if signer is None else (signer.key,)
        self._frames = corpus.frames()
        self._index = [Counter(_words(f"{frame.title} {frame.title} {frame.content}")) for frame in self._frames]
        self._known = Counter(word for words in self._index for word in words)

    def query(self, query: ContextQuery) -> ContextQueryResult:
        """The best frames that fit; what was left out is counted in `dropped_estimate`.

        Refuses `unsupported_kind` where none of the kinds asked for exists here, `bad_request` for an `as_of` that is no
        instant, `budget_unsatisfiable` where not even the cheapest match fits.
        """
        if query.kinds and not set(query.kinds) & set(KINDS):
            raise Refusal("unsupported_kind", f"this provider serves {', '.join(KINDS)}")
        matches = self._rank(query)
        chosen: list[ContextFrame] = []
        left = query.max_tokens
        for frame in matches:
            if len(chosen) < query.max_frames and frame.token_cost <= left:
                chosen.append(frame)
                left -= frame.token_cost
        if matches and not chosen and query.max_frames:
            cheapest = min(frame.token_cost for frame in matches)
            raise Refusal("budget_unsatisfiable", f"the cheapest match costs {cheapest} tokens")
        dropped = len(matches) - len(chosen)
        result = ContextQueryResult(tuple(chosen), dropped > 0, dropped or None)
        if self._signer is None:
            return result
        return self._signer.attest(result, NAME, ISSUED_AT, lambda frame: frame.kind != "doc")

    def verify(self, request: VerifyRequest) -> VerifyResponse:
        """A verdict by frame id and digest; the provider id is the asking host's business and is only echoed."""
        current = {frame.id: frame.content_digest for frame in self._frames}
        return VerifyResponse(tuple(_verdict(asked, current) for asked in request.frames))

    def _rank(self, query: ContextQuery) -> list[ContextFrame]:
        """The eligible frames that match, best first; anchored ones match even without a common word and come first (G4)."""
        pin = _pin(query.as_of)
        words = Counter([*_words(query.goal), *_words(query.query_text or "") * 2])
        anchors = frozenset(query.anchors)
        ranked = []
        for frame, index in zip(self._frames, self._index, strict=True):
            if (query.kinds and frame.kind not in query.kinds) or not _holds(frame, pin):
                continue
            relevance = self._relevance(words, index)
            anchored = frame.uri in anchors or any(relation.target_uri in anchors for relation in frame.relations)
            if anchored or relevance:
                score = (anchored + relevance) / 2 if anchors else relevance
                ranked.append(msgspec.structs.replace(frame, score=round(score, 4)))
        return sorted(ranked, key=lambda frame: (-frame.score, frame.id))

    def _relevance(self, words: Counter[str], index: Counter[str]) -> float:
        """From 0 for no word in common towards 1: rare words weigh more, repeated ones ever less."""
        total = sum(
            weight * math.log(1 + len(self._frames) / self._known[word]) * index[word] / (index[word] + 1.5)
            for word, weight in words.items()
            if index[word]
        )
        return total / (total + 3)


def example_docs(*, sign: bool = False) -> ExampleDocs:
    """The provider as `serve example-docs` runs it, signing with the published key where `sign` is set."""
    return ExampleDocs(Signer(SEED, KEY_ID) if sign else None)


def _words(text: str) -> list[str]:
    """The words that tell pages apart, reduced to stems: counted, counting and counts are one."""
    return [_ENDING.sub("", word) for word in _WORD.findall(text.lower()) if word not in _COMMON]


def _pin(as_of: str | None) -> Instant | None:
    if as_of is None:
        return None
    pin = parse(as_of)
    if pin is None:
        raise Refusal("bad_request", "as_of is not an instant of the form 2026-01-31T00:00:00Z (F4)")
    return pin


def _holds(frame: ContextFrame, pin: Instant | None) -> bool:
    """Whether the content was true at `pin`, its end not included; without a pin, whether it still is."""
    if pin is None:
        return frame.valid_to is None
    begin, end = (parse(text) if text else None for text in (frame.valid_from, frame.valid_to))
    return (begin is None or begin <= pin) and (end is None or pin < end)


def _verdict(asked: FrameId, current: dict[str, str | None]) -> FrameVerdict:
    if asked.frame_id in corpus.RETIRED:
        return FrameVerdict(asked, "gone")
    digest = current.get(asked.frame_id)
    if digest is None or asked.content_digest is None:
        return FrameVerdict(asked, "unknown")
    if asked.content_digest == digest:
        return FrameVerdict(asked, "valid")
    return FrameVerdict(asked, "stale", digest)
