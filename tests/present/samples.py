"""Dialogues to look at: real lines through the real decoder, session and judge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from cgp_tui.checks.judge import judge, judge_line
from cgp_tui.checks.types import Judged
from cgp_tui.present.layout import fold
from cgp_tui.present.spans import Rows
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.messages import FROM_HOST
from cgp_tui.protocol.requirements import Party
from cgp_tui.session.machine import Session
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen

HANDSHAKE = {"type": "handshake", "protocol_version": "contextgraph/1.0"}

ROOT_SIGNATURE = (
    "1afe9bca1d05835f06e00e59e6623ad61cfb53d5a77ee93576d7edadd355c87f"
    "72620030888e1cd5cedbb7503c5cd09fb633a0c27cac63e49e18c68e88d5f90f"
)
FRAME_SIGNATURE = (
    "7794b4b9438757ff7d2eedfcc2b39a72f5042bb932e81599a05daa52a6ac3b69"
    "8f4fb524881f32550e45eb885a0ba434711bcb4a057f6a744f577e6a75dacc05"
)
ROOT = "a6eb9a20c7ef7b4fb633d073c3ca917253fa925a663a0176915c0643de7e75ed"
COMMITMENT = "7951637413208edb0ade6e2a26d3a4cae01cc7b89ff5274529551a417b7f442d"
SIBLING_OF_FIRST = "516b096c17a42fdf136c075707c125a3afbebda2511e1d53c7c7e65c088e7233"
SIBLING_OF_SECOND = "274026c23d58d52a61f965ced41577bfe53199c75fb1f68f3ad91abc4ac0c4f3"
KEY = "197f6b23e16c8532c6abc838facd5ea789be0c76b2920334039bfa8b3d368d61"


def ack(name: str = "repo-graph", **more: Any) -> dict[str, Any]:
    """An acknowledgement; `more` replaces or adds members."""
    flow = {"reads": True, "writes": False, "egress": False}
    provider = {"name": name, "version": "0.2.0", "data_flow": flow}
    able = {"query": {"kinds": ["doc", "symbol"]}, "correlation": True, "verify": True}
    return {
        "type": "handshake_ack",
        "protocol_version": "contextgraph/1.0",
        "provider": provider,
        "capabilities": able,
    } | more


def query(number: int, goal: str = "why does the retry loop give up", **more: Any) -> dict[str, Any]:
    asked = {"goal": goal, "max_frames": 8, "max_tokens": 2000} | more
    return {"type": "query", "query": asked, "id": f"q{number}"}


def frame(name: str, content: str = "Retries stop.", **more: Any) -> dict[str, Any]:
    """A conformant frame; `more` replaces or adds members, and a value of None leaves one out."""
    made = {
        "id": name,
        "kind": "doc",
        "title": f"title of {name}",
        "content": content,
        "score": 0.5,
        "token_cost": (len(content.encode()) + 3) // 4,
        "citation_label": f"{name}.md L1",
        "provenance": [{"type": "derivation", "method": "summary", "by": "repo-graph"}],
    } | more
    return {member: value for member, value in made.items() if value is not None}


def frames(number: int, *served: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "frames", "result": {"frames": list(served), "truncated": False} | more, "id": f"q{number}"}


def attested_answer() -> list[dict[str, Any]]:
    """The published attested answer: two frames under one root, the first one signed as well (reference vectors)."""
    first = frame(
        "repo-graph:retry-doc",
        content_digest="sha256:9f2c3e7a1b",
        provenance=[_link("docs/retry.md", "L1-20", "01", "file-read")],
    )
    second = frame(
        "repo-graph:retry-sym",
        content_digest="sha256:1a2b3c4d5e",
        provenance=[_link("src/config.rs", "L42-44", "08", "tree-sitter-symbol-extraction")],
    )
    entries = [
        {
            "frame": _identity(first),
            "attestation": _signature(COMMITMENT, FRAME_SIGNATURE),
            "inclusion_proof": _proof(0, SIBLING_OF_FIRST, left=False),
        },
        {"frame": _identity(second), "inclusion_proof": _proof(1, SIBLING_OF_SECOND, left=True)},
    ]
    root = _signature(ROOT, ROOT_SIGNATURE)
    return [HANDSHAKE, ack(), query(1), frames(1, first, second, frame_attestations=entries, result_attestation=root)]


def _link(path: str, lines: str, byte: str, method: str) -> dict[str, str]:
    uri = f"file:///repo/{path}"
    return {
        "type": "file",
        "uri": uri,
        "range": lines,
        "digest": f"sha256:{byte * 32}",
        "method": method,
        "by": "repo-graph",
    }


def _identity(served: dict[str, Any]) -> dict[str, str]:
    return {"provider_id": "repo-graph", "frame_id": served["id"], "content_digest": served["content_digest"]}


def _signature(commitment: str, signature: str) -> dict[str, str]:
    named = {"key_id": "repo-graph-2026-08", "algorithm": "ed25519", "attester_id": "repo-graph"}
    return named | {
        "signed_commitment": f"sha256:{commitment}",
        "signature": signature,
        "issued_at": "2026-08-29T12:00:00Z",
    }


def _proof(leaf: int, sibling: str, *, left: bool) -> dict[str, Any]:
    path = [{"sibling": f"sha256:{sibling}", "sibling_is_left": left}]
    return {"leaf_index": leaf, "leaf_count": 2, "path": path}


def trusted(label: str = "the repo team", provider: str = "repo-graph") -> TrustedKey:
    return TrustedKey(bytes.fromhex(KEY), label, (provider,))


def raw_lines(messages: Sequence[dict[str, Any] | bytes]) -> list[bytes]:
    return [one if isinstance(one, bytes) else json.dumps(one, ensure_ascii=False).encode() for one in messages]


def read(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def subjects(messages: Sequence[dict[str, Any] | bytes], keys: Sequence[TrustedKey] = ()) -> list[Subject]:
    """One subject a line, each as it stands when the dialogue is over."""
    session = Session(1, count(1))
    seen: list[Seen] = []
    belongs: dict[int, Judged] = {}
    pairs: dict[int, int] = {}
    for number, raw in enumerate(raw_lines(messages), 1):
        decoded = decode(raw)
        party: Party = "host" if decoded.type in FROM_HOST else "provider"
        seen.append(Seen(Line(number, 1, party, number / 100, raw), decoded))
        for exchange in session.feed(seen[-1]):
            judged = judge(exchange, keys)
            lines = [part.line.n for part in (exchange.request, exchange.reply) if part is not None]
            belongs |= dict.fromkeys(lines, judged)
            if len(lines) == 2:
                pairs |= {lines[0]: lines[1], lines[1]: lines[0]}
    return [_subject(one, belongs.get(one.line.n), pairs.get(one.line.n)) for one in seen]


def _subject(seen: Seen, judged: Judged | None, pair: int | None) -> Subject:
    found = judge_line(seen) if judged is None else judged.findings
    mine = tuple(finding for finding in found if finding.line == seen.line.n)
    return Subject(seen.line, seen.decoded, judged, mine, pair)


def text(rows: Rows, width: int = 78) -> str:
    """Rows as a screen of `width` cells would show them, blanks at line ends cut."""
    lines = ("".join(span.text for span in line).rstrip() for row in rows for line in fold(row, width))
    return "\n".join(lines)


KEYS = {
    "app.back": "esc",
    "connection.next": "}",
    "consent.open": "c",
    "consent.revoke": "x",
    "hop.pair": "p",
    "item.withdraw": "x",
    "list.order": "o",
    "nav.open": "enter",
    "query.again": "r",
    "session.restart": "R",
    "session.run": "space",
    "step.back": ",",
    "step.less": "-",
    "step.more": "+",
    "step.on": ".",
    "trust.key": "T",
    "view.findings": "2",
    "view.provider": "7",
    "why.copy": "y",
}
"""Keys as somebody might have them."""

LOOK = Look(width=78, keys=KEYS)
