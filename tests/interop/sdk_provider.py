"""A provider as the `contextgraph-sdk` package has people write one: dicts in, dicts out."""

from __future__ import annotations

import hashlib
from typing import Any

from contextgraph_sdk import ProviderError, budget_tokens, run_stdio_provider

PAGES = {
    "retry": "Retries stop after three attempts. There is no back-off.",
    "timeout": "A request without an answer is given up after thirty seconds.",
    "größe": "Größe, naïveté, 日本語: bytes are counted, not characters.",
}


def frame(name: str, text: str) -> dict[str, Any]:
    return {
        "id": name,
        "kind": "doc",
        "title": name,
        "content": text,
        "content_digest": "sha256:" + hashlib.sha256(text.encode()).hexdigest(),
        "score": 0.5,
        "token_cost": budget_tokens(text),
        "citation_label": f"{name}.md",
        "provenance": [{"type": "derivation", "method": "read", "by": "sdk-notes"}],
    }


class Notes:
    def info(self) -> dict[str, Any]:
        return {"name": "sdk-notes", "version": "0.3.0", "data_flow": {"reads": True, "writes": False, "egress": False}}

    def capabilities(self) -> dict[str, Any]:
        return {"query": {"kinds": ["doc"]}, "correlation": True, "verify": True}

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        if query.get("kinds") and "doc" not in query["kinds"]:
            raise ProviderError("these notes are docs", "unsupported_kind")
        frames: list[dict[str, Any]] = []
        left = query["max_tokens"]
        for made in (frame(name, text) for name, text in PAGES.items()):
            if len(frames) < query["max_frames"] and made["token_cost"] <= left:
                frames.append(made)
                left -= made["token_cost"]
        return {"frames": frames, "truncated": len(frames) < len(PAGES)}

    def verify(self, request: dict[str, Any]) -> dict[str, Any]:
        now = {name: frame(name, text)["content_digest"] for name, text in PAGES.items()}
        return {
            "verdicts": [
                {"frame": one, "status": "valid" if now.get(one["frame_id"]) == one.get("content_digest") else "unknown"}
                for one in request["frames"]
            ]
        }


if __name__ == "__main__":
    run_stdio_provider(Notes())
