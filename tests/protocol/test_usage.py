"""Usage reports as they are written for a warehouse."""

from __future__ import annotations

import json

import msgspec

from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.usage import ProviderUsage, ServedFrame, UsageReport


def test_the_shape_of_a_report() -> None:
    served = ServedFrame(FrameId("docs", "f1"), 10)
    report = UsageReport(2000, 10, "2026-08-29T12:00:00Z", (ProviderUsage("local", 1, 0, 10, (served,)),))
    assert json.loads(msgspec.json.encode(report)) == {
        "budget_requested": 2000,
        "budget_consumed": 10,
        "as_of": "2026-08-29T12:00:00Z",
        "providers": [
            {
                "provider_id": "local",
                "frames_served": 1,
                "frames_rejected": 0,
                "token_cost": 10,
                "served_frames": [{"frame": {"provider_id": "docs", "frame_id": "f1"}, "token_cost": 10}],
            }
        ],
    }
    assert msgspec.json.decode(msgspec.json.encode(report), type=UsageReport) == report


def test_empty_lists_are_left_out() -> None:
    report = UsageReport(2000, 0, "2026-08-29T12:00:00Z", (ProviderUsage("local", 0, 3, 0),))
    assert b"served_frames" not in msgspec.json.encode(report)
    assert b"providers" not in msgspec.json.encode(UsageReport(2000, 0, "2026-08-29T12:00:00Z"))
