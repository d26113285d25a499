"""What the checks hand up: judgements, appraisals, outcomes."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.usage import UsageReport
from cgp_tui.session.exchange import Exchange

Standing = Literal[
    "attested",
    "signer_unknown",
    "signer_not_for_provider",
    "identity_only",
    "content_mismatch",
    "mismatch",
    "invalid",
    "uncheckable",
    "unattested",
]
"""What we say of a frame's evidence; only `attested` vouches for the content."""


NEVER_COVERED: Final = (
    "title",
    "citation_label",
    "kind",
    "uri",
    "score",
    "dates",
    "relations",
    "attester_id",
    "issued_at",
)
"""What no signature covers, whatever its verdict (SPEC 6.5.2)."""


class ProofStep(msgspec.Struct, frozen=True, gc=False):
    """One hash on the way to the verdict. `left` and `right` are what is hashed, in hex; `expected` is null where there is
    nothing to compare with; `ok` is None for a step that was not reached."""

    name: Literal["commitment", "leaf", "node", "compare", "signature", "signer"]
    ok: bool | None
    left: str = ""
    right: str = ""
    expected: str | None = None
    computed: str | None = None
    detail: str = ""


class Appraisal(msgspec.Struct, frozen=True, gc=False):
    """What one frame's evidence amounts to. `verdict` and `proof` are SPEC 6.5 words; `proof` is empty where the frame
    carries none. For a frame without a signature of its own the verdict is that of the signed root. `covers` is what the
    signature binds, `heads` the chain hash after each provenance link, in hex, genesis first; both are empty where nothing
    was signed."""

    frame: FrameId
    place: int
    verdict: str
    proof: str
    standing: Standing
    key_id: str | None = None
    attester_id: str | None = None
    signer: str | None = None
    public_key: str | None = None
    covers: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    steps: tuple[ProofStep, ...] = ()
    path: tuple[ProofStep, ...] = ()
    """The hashes of a proof that stands beside the frame's own signature: shown, although only the signature counts."""


class RootAppraisal(msgspec.Struct, frozen=True, gc=False):
    """What the signature over a whole answer amounts to. `computed` is the root over the frames in hand, in hex, and empty
    where one of them could not be read; `leaf_count` is the number of frames in the answer."""

    verdict: str
    standing: Standing
    leaf_count: int
    computed: str
    key_id: str
    attester_id: str
    signer: str | None = None
    public_key: str | None = None
    steps: tuple[ProofStep, ...] = ()


class Judged(msgspec.Struct, frozen=True, gc=False):
    """An exchange with everything found about it. `root` is set where the answer as a whole is signed."""

    exchange: Exchange
    findings: tuple[Finding, ...]
    appraisals: tuple[Appraisal, ...] = ()
    root: RootAppraisal | None = None


OutcomeKind = Literal["frames", "budget_lie", "frame_flood", "consent_required", "failed"]


class Problem(msgspec.Struct, frozen=True, gc=False):
    """A failure for machine and person: a code of the command contract, what happened, the next step."""

    code: str
    message: str
    fix: str = ""
    provider_code: str | None = None


class RefusedNeed(msgspec.Struct, frozen=True, gc=False):
    """A need that no receipt satisfied, with the gate's reason, and what was and what is where an identity changed."""

    basis: str
    scope: str
    reason: str
    field: str = ""
    old: str = ""
    new: str = ""


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What a host does with one query. There are frames only where `kind` is `frames`. `exchange` is the query's number in
    the transcript, None where nothing was sent. `usage` is what it cost, None where nothing was sent or nobody counted."""

    kind: OutcomeKind
    exchange: int | None
    frames: tuple[ContextFrame, ...] = ()
    truncated: bool = False
    findings: tuple[Finding, ...] = ()
    appraisals: tuple[Appraisal, ...] = ()
    problem: Problem | None = None
    needs: tuple[RefusedNeed, ...] = ()
    usage: UsageReport | None = None
