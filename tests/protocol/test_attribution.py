"""What frames did, reconciled with what they cost."""

from __future__ import annotations

import itertools

import pytest

from cgp_tui.protocol.attribution import AttributionReport, FrameUse
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.usage import ProviderUsage, ServedFrame, UsageReport

BILLED = FrameId("docs", "f1", "sha256:" + "01" * 32)


def usage(*frames: FrameId) -> UsageReport:
    served = tuple(ServedFrame(frame, 10) for frame in frames)
    provider = ProviderUsage("docs", len(served), 0, 10 * len(served), served)
    return UsageReport(2000, 10 * len(served), "2026-08-29T12:00:00Z", (provider,))


@pytest.mark.parametrize(("selected", "rendered", "cited"), itertools.product((False, True), repeat=3))
def test_each_observation_needs_the_one_before(selected: bool, rendered: bool, cited: bool) -> None:
    coherent = (selected, rendered, cited) in {
        (False, False, False),
        (True, False, False),
        (True, True, False),
        (True, True, True),
    }
    use = FrameUse(BILLED, selected, rendered, cited)
    assert use.is_coherent() is coherent
    assert AttributionReport((use,), usage(BILLED)).is_reconcilable() is coherent


@pytest.mark.parametrize(
    "frame",
    [
        FrameId("docs", "f1"),
        FrameId("docs", "f2", BILLED.content_digest),
        FrameId("other", "f1", BILLED.content_digest),
        FrameId("docs", "f1", "sha256:" + "02" * 32),
    ],
)
def test_only_a_billed_identity_can_be_attributed(frame: FrameId) -> None:
    use = FrameUse(frame, True, True, True)
    assert not AttributionReport((use,), usage(BILLED)).is_reconcilable()
    assert AttributionReport((use,), usage(BILLED, frame)).is_reconcilable()


def test_nothing_reported_is_reconcilable() -> None:
    assert AttributionReport((), usage()).is_reconcilable()
    assert AttributionReport((), UsageReport(1, 0, "2026-08-29T12:00:00Z")).is_reconcilable()
