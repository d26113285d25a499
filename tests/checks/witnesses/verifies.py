"""Witnesses of the table about verify and its answers."""

from __future__ import annotations

from typing import Any

from cgp_tui.protocol.digest import sha256_digest
from tests.checks.witnesses import Witness
from tests.checks.witnesses.sessions import OPEN, PLAIN, compact

ZERO = f"sha256:{0:064x}"
ONE = f"sha256:{1:064x}"


def identity(name: str = "f", **members: Any) -> dict[str, Any]:
    return {"provider_id": "docs", "frame_id": name, "content_digest": ZERO, **members}


def asked(*frames: dict[str, Any]) -> str:
    return OPEN + asking(*frames)


def asking(*frames: dict[str, Any]) -> str:
    return f">> raw {compact({'type': 'verify', 'request': {'frames': list(frames)}})}\n"


def told(*verdicts: dict[str, Any]) -> str:
    return f"<< raw {compact({'type': 'verified', 'response': {'verdicts': list(verdicts)}})}"


def verdict(name: str = "f", status: str = "valid", **members: Any) -> dict[str, Any]:
    return {"frame": identity(name), "status": status, **members}


BOTH = OPEN + ">> verify - f g\n"
TEXT = sha256_digest(b"text")
SERVED = OPEN + '>> query q1\n<< frames q1 f{"content_digest":"' + TEXT + '"}\n'
MUTATED = ZERO + "-mutated"

VERIFIES = (
    Witness("V1 line 3 f", asked(identity(full_content="x")), asked(identity(x_rank=1))),
    Witness("V1 advice line 3 f", asked({"provider_id": "docs", "frame_id": "f"}), asked(identity())),
    Witness("V1 advice line 3 f", asked(identity(provider_id="local")), asked(identity(provider_id="docs"))),
    Witness("9 advice line 3", PLAIN + ">> verify - f", OPEN + ">> verify - f"),
    Witness("V2 line 4", BOTH + "<< verified -", BOTH + "<< verified - f=unknown g=gone"),
    Witness("V2 advice line 4", BOTH + "<< error - internal", PLAIN + ">> query -\n<< error - internal"),
    Witness("V2 advice line 4 h", BOTH + "<< verified - f=valid g=valid h=valid", BOTH + "<< verified - g=valid f=valid"),
    Witness(
        "V2 line 4 f",
        asked(identity(content_digest=MUTATED)) + told({"frame": identity(content_digest=MUTATED), "status": "valid"}),
        asked(identity(content_digest=MUTATED)) + told({"frame": identity(content_digest=MUTATED), "status": "stale"}),
    ),
    Witness(
        "V2 advice line 6",
        SERVED + asking(identity(content_digest=TEXT)) + told({"frame": identity(content_digest=TEXT), "status": "unknown"}),
        SERVED + asking(identity(content_digest=ONE)) + told({"frame": identity(content_digest=ONE), "status": "unknown"}),
    ),
    Witness("9 advice line 4", BOTH + "<< verified - f=valid", BOTH + "<< verified - f=valid g=unknown"),
    Witness(
        "9 advice line 4 f", BOTH + "<< verified - f=valid g=gone f=stale", BOTH + "<< verified - f=valid g=gone f=valid"
    ),
    Witness("V3 line 4 f", BOTH + "<< verified - f=fresh g=valid", BOTH + "<< verified - f=stale g=valid"),
    Witness(
        "V4 line 4 f",
        asked(identity()) + told(verdict(status="stale", replacement_digest="abc")),
        asked(identity()) + told(verdict(status="stale", replacement_digest=ONE)),
    ),
    Witness("V4 line 4 f", asked(identity()) + told(verdict(body="x")), asked(identity()) + told(verdict(x_note="x"))),
)
