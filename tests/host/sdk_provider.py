"""A provider as its author writes it: with the package `contextgraph-sdk`, and nothing of ours."""

from __future__ import annotations

import hashlib
from typing import Any

from contextgraph_sdk import ProviderError, budget_tokens, run_stdio_provider

PAGES = {
    "frm_retry": ("net.py L120-160", "The retry loop gives up after four attempts: the counter is never reset — see #12."),
    "frm_limit": ("limits.py L1-9", "Four attempts are the limit."),
}


def digest(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


class Pages:
    def info(self) -> dict[str, Any]:
        flow = {"reads": True, "writes": False, "egress": False, "egress_scopes": ["local-only"]}
        return {"name": "pages", "version": "0.3.1", "data_flow": flow}

    def capabilities(self) -> dict[str, Any]:
        return {"query": {"kinds": ["snippet"]}, "correlation": True, "verify": True}

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        if query["goal"] == "refuse":
            raise ProviderError("nothing of that kind here", code="unsupported_kind")
        frames = [
            {
                "id": name,
                "kind": "snippet",
                "title": title,
                "content": text,
                "content_digest": digest(text),
                "score": 0.5,
                "token_cost": budget_tokens(text),
                "citation_label": title,
                "provenance": [{"type": "file", "uri": f"file:///repo/{name}", "digest": digest(title)}],
            }
            for name, (title, text) in PAGES.items()
        ]
        return {"frames": frames[: query["max_frames"]], "truncated": query["max_frames"] < len(frames)}

    def verify(self, request: dict[str, Any]) -> dict[str, Any]:
        verdicts = []
        for frame in request["frames"]:
            page = PAGES.get(frame["frame_id"])
            status = "gone" if page is None else "valid" if frame.get("content_digest") == digest(page[1]) else "stale"
            verdicts.append({"frame": frame, "status": status})
        return {"verdicts": verdicts}


if __name__ == "__main__":
    run_stdio_provider(Pages())
