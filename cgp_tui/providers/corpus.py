"""The bundled library of `example-docs`: pages in `library/`, and the frames cut from them.

Every frame says where its bytes come from: a link to the page with the lines and their SHA-256, line ends included, so that
anybody with the page can check it. Where the content is not exactly those bytes, a derivation link says what was done.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from cgp_tui.protocol.budget import token_cost
from cgp_tui.protocol.digest import sha256_digest
from cgp_tui.protocol.frame import ContextFrame, Provenance, Relation

LIBRARY: Final = Path(__file__).parent / "library"
RECORDED_AT: Final = "2026-09-15T08:00:00Z"
RETIRED: Final = frozenset({"doc-draft-shapes"})
"""Frames that earlier releases served: a verify about them is answered with gone."""

_BY: Final = "example-docs/1.0.0"


class Entry(NamedTuple):
    """A frame in the making. `cut` is how its content is found on the page: the text under the heading `at`, the fenced code
    under it, the one line that contains it, or `at` itself where no page holds it."""

    id: str
    kind: str
    title: str
    page: str
    cut: Literal["section", "fence", "line", "inline"]
    at: str
    relations: tuple[tuple[str, str, str], ...] = ()
    valid_from: str | None = "2026-01-15T00:00:00Z"
    valid_to: str | None = None


def uri(page: str, anchor: str = "") -> str:
    """The name a person can use as an anchor: `docs://cgp/budgets#two-limits`."""
    return f"docs://cgp/{page}" + (f"#{anchor}" if anchor else "")


_ABOUT: Final = "doc.documents"
_FREEZE: Final = "2026-08-11T00:00:00Z"

ENTRIES: Final = (
    Entry("doc-frame", "doc", "What a frame is", "frames", "section", "What a frame is"),
    Entry(
        "doc-identity",
        "doc",
        "A frame's identity",
        "frames",
        "section",
        "Identity",
        ((_ABOUT, uri("frames", "what-a-frame-is"), "What a frame is"),),
    ),
    Entry("doc-kinds", "doc", "The kinds of frames", "frames", "section", "Kinds"),
    Entry("doc-time", "doc", "When a frame was true", "frames", "section", "Time"),
    Entry("doc-scores", "doc", "What a score means", "frames", "section", "Scores"),
    Entry("doc-tokens", "doc", "How tokens are counted", "budgets", "section", "Counting tokens"),
    Entry(
        "doc-limits",
        "doc",
        "The two limits of a query",
        "budgets",
        "section",
        "Two limits",
        ((_ABOUT, uri("budgets", "counting-tokens"), "How tokens are counted"),),
    ),
    Entry("doc-over-budget", "doc", "An answer over budget", "budgets", "section", "What a host does with a lie"),
    Entry(
        "snippet-token-cost",
        "snippet",
        "token_cost in three lines",
        "budgets",
        "fence",
        "What a host does with a lie",
        (
            (_ABOUT, uri("budgets", "counting-tokens"), "How tokens are counted"),
            ("code.defines", "symbol://example/token_cost", "token_cost"),
        ),
    ),
    Entry(
        "symbol-token-cost",
        "symbol",
        "token_cost(content)",
        "budgets",
        "line",
        "def token_cost",
        (("code.references", uri("budgets", "counting-tokens"), "How tokens are counted"),),
    ),
    Entry("doc-leave", "doc", "What may leave the machine", "consent", "section", "What may leave"),
    Entry(
        "doc-scopes",
        "doc",
        "Egress scopes",
        "consent",
        "section",
        "Scopes",
        ((_ABOUT, uri("consent", "what-may-leave"), "What may leave the machine"),),
    ),
    Entry(
        "doc-receipts",
        "doc",
        "Consent receipts and the gate",
        "consent",
        "section",
        "Receipts",
        ((_ABOUT, uri("consent", "what-may-leave"), "What may leave the machine"),),
    ),
    Entry("doc-chain", "doc", "The provenance chain", "provenance", "section", "The chain"),
    Entry(
        "doc-digests",
        "doc",
        "What a digest shows",
        "provenance",
        "section",
        "Digests",
        ((_ABOUT, uri("provenance", "the-chain"), "The provenance chain"),),
    ),
    Entry(
        "doc-signatures",
        "doc",
        "What a signature covers",
        "provenance",
        "section",
        "Signatures",
        ((_ABOUT, uri("provenance", "the-chain"), "The provenance chain"),),
    ),
    Entry(
        "doc-proofs",
        "doc",
        "Inclusion proofs",
        "provenance",
        "section",
        "Proofs",
        ((_ABOUT, uri("provenance", "signatures"), "What a signature covers"),),
    ),
    Entry("snippet-provider", "snippet", "Writing the smallest provider", "providers", "fence", "The smallest one"),
    Entry("doc-conformance", "doc", "What a conformance suite shows", "providers", "section", "Conformance"),
    Entry("doc-verifying", "doc", "Verifying held frames", "providers", "section", "Verifying"),
    Entry(
        "fact-draft",
        "fact",
        "Wire version before the freeze",
        "history",
        "line",
        "contextgraph/1.0-draft",
        valid_to=_FREEZE,
    ),
    Entry("fact-version", "fact", "Wire version", "history", "line", "every later 1.x", valid_from=_FREEZE),
    Entry(
        "episode-812",
        "episode",
        "Run 812: priced in characters",
        "history",
        "section",
        "Run 812 went red",
        ((_ABOUT, uri("budgets", "counting-tokens"), "How tokens are counted"),),
        valid_from="2026-03-02T10:20:00Z",
    ),
    Entry(
        "episode-815",
        "episode",
        "Run 815: two more pages",
        "history",
        "section",
        "Run 815 went green",
        (("episode.follows", uri("history", "run-812-went-red"), "Run 812: priced in characters"),),
        valid_from="2026-03-03T09:05:00Z",
    ),
    Entry(
        "memory-review",
        "memory",
        "Asked for in reviews",
        "memory",
        "inline",
        "Reviewers of this library ask for one example a page, and for prices counted in bytes, never in characters.",
        valid_from=None,
    ),
    Entry(
        "graph-budget",
        "graph",
        "What hangs on the byte count",
        "graph",
        "inline",
        "The byte count of a frame's content prices the frame; the prices add up to the budget; run 812 broke on it, and "
        "token_cost computes it.",
        (
            (_ABOUT, uri("budgets", "counting-tokens"), "How tokens are counted"),
            (_ABOUT, uri("budgets", "two-limits"), "The two limits of a query"),
            ("code.references", "symbol://example/token_cost", "token_cost"),
            ("episode.follows", uri("history", "run-812-went-red"), "Run 812: priced in characters"),
        ),
    ),
)


@cache
def frames() -> tuple[ContextFrame, ...]:
    """Every frame of the library, score 0, in the order of the table. The same on each call and in each process."""
    return tuple(_frame(entry) for entry in ENTRIES)


def _frame(entry: Entry) -> ContextFrame:
    content, label, links = _cut(entry)
    anchor = entry.at.lower().replace(" ", "-") if entry.cut == "section" else entry.id
    return ContextFrame(
        id=entry.id,
        kind=entry.kind,
        title=entry.title,
        score=0.0,
        token_cost=token_cost(content),
        content=content,
        content_digest=sha256_digest(content.encode()),
        uri=uri(entry.page, anchor),
        valid_from=entry.valid_from,
        valid_to=entry.valid_to,
        recorded_at=RECORDED_AT,
        provenance=links,
        citation_label=label,
        relations=tuple(Relation(*relation) for relation in entry.relations),
    )


def _cut(entry: Entry) -> tuple[str, str, tuple[Provenance, ...]]:
    """Content, citation label and chain of one entry."""
    if entry.cut == "inline":
        links = (Provenance("derivation", method="summary", by=_BY),) if entry.kind == "graph" else ()
        return entry.at, entry.title, links
    path = LIBRARY / f"{entry.page}.md"
    lines = path.read_bytes().splitlines(keepends=True)
    first, last = _find(entry, [line.decode() for line in lines])
    source = b"".join(lines[first - 1 : last])
    place = f"L{first}" if first == last else f"L{first}-{last}"
    link = Provenance("file", path.as_uri(), place, sha256_digest(source), "file-read", _BY)
    content = source.decode() if entry.cut == "fence" else source.decode().strip().removeprefix("- ")
    derived = Provenance("derivation", uri(entry.page), method=f"{entry.cut}-text", by=_BY)
    return content, f"{path.name} {place}", (link,) if entry.cut == "fence" else (link, derived)


def _find(entry: Entry, lines: list[str]) -> tuple[int, int]:
    """The first and last line of the content, from 1."""
    if entry.cut == "line":
        at = next(number for number, line in enumerate(lines, 1) if entry.at in line)
        return at, at
    start = lines.index(f"## {entry.at}\n") + 2
    after = range(start, len(lines) + 1)
    if entry.cut == "fence":
        opened = next(number for number in after if lines[number - 1].startswith("```"))
        closed = next(number for number in range(opened + 1, len(lines) + 1) if lines[number - 1].startswith("```"))
        return opened + 1, closed - 1
    end = next((number for number in after if lines[number - 1].startswith(("## ", "```"))), len(lines) + 1)
    return start, max(number for number in range(start, end) if lines[number - 1].strip())
