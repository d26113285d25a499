"""One answer judged four times: as `check` and the pane do, as `prove` exports it, as `verify-bundle` reads it."""

from __future__ import annotations

from cgp_tui.checks.exhibit import agrees, exhibit
from cgp_tui.checks.types import Appraisal
from cgp_tui.present.evidence import walk
from cgp_tui.protocol.envelope import ContextQueryResult, HandshakeAck
from cgp_tui.report.bundle import bundle_document
from cgp_tui.report.documents import attested
from cgp_tui.report.proven import read
from tests.checks.signed import sent, trusted
from tests.report.written import written

KEYS = (trusted(),)


def disagreement(result: ContextQueryResult, greeting: HandshakeAck) -> str | None:
    """Where two of the four say something different of a frame; None where they agree."""
    judged = sent(result, KEYS, greeting=greeting)
    checked = {(one.frame_id, one.standing, one.verdict, one.proof or "") for one in attested(judged) if one.frame_id}
    places: list[int | None] = [one.place for one in judged.appraisals]
    for place in (*places, None):
        there = [one for one in judged.appraisals if place in (None, one.place)]
        for one in there:
            if one.standing != "unattested" and (one.frame.frame_id, *_said(one)) not in checked:
                return f"check and pane, frame {one.place}"
        try:
            shown = exhibit(judged, place)
        except ValueError:
            continue
        if not agrees(shown, judged, place, KEYS):
            continue
        proven = read(written(bundle_document(shown))).appraise(KEYS)
        for one, other in zip(there, proven.appraisals, strict=True):
            if _said(one) != _said(other):
                return f"frame {one.place}: {_said(one)} in the transcript, {_said(other)} in the bundle"
            if {step.name for step in walk(one)} != {step.name for step in walk(other)}:
                return f"frame {one.place}: other steps"
    return None


def _said(one: Appraisal) -> tuple[str, str, str]:
    return one.standing, one.verdict, one.proof
