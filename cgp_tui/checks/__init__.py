"""What is wrong with what was seen?

Laws:
- Pure: no clock, no file, no event loop. The host and the analysis judge by the same tables.
- A check is a row: an anchor, a sentence, a test. Each rule lives in one row of one module; `protocol.requirements` says
  what it means, whom it binds and how to mend it.
- One cause, one finding. A finding is charged to the reply's line; a fault of the request, or a reply that never came, to
  the request's line. It is a violation only where the transcript itself proves that a bold MUST of the SPEC was broken.
- What the SPEC tells a receiver to accept is never a violation: unknown kinds and types are not reported, nor are unknown
  members, except that one spelled almost like an absent one is advice, and so is a private word without a vendor prefix
  (U1, U2, U3).
- Evidence never costs a frame its place (F9), and what cannot be checked is never called good or bad (F8).
- One unreadable member hides nothing else: the rest of its frame is judged (`mended`), and so is every sibling.
- Time and memory are linear in the line. For each requirement a line lists at most `limits.FINDINGS_ALIKE` findings and
  counts the rest.

Modules:
- One exchange in its parts: `line` (ENV, SHAPE; `nearly`: what stands there instead), `alike` (slips in the names of
  optional members), `handshake` (H1-H3, C5), `query` (P5, F4), `frame` (F1-F5, D1, P1-P4, B3, G1, G2), `mended` (what can
  be read of a bad frame), `answer` (Q1, B1, B4, G4), `verify` (V1-V4), `reply` (H4, silence), `course` (order: 3.2, R2),
  `usage` (UR1), `word` (U3).
- Evidence: `evidence` (F6-F8, F11-F13, 6.5.4), `attestation` (which entry counts), `signer`, `steps`, `exhibit`.
- Around them: `tables` (all rows), `judge`, `outcome`, `breach`, `chosen`, `types`, `schema`.

`judge` takes an exchange, `judge_line` a line that belongs to none, `judge_remark` what a later item reveals about a line
already judged; `outcome` says what a host does with an exchange; `tables` holds every row. Called by host and analysis;
report, present, ui and cli read what it found, and open evidence through `exhibit`. It imports `session`, `wire`,
`protocol` and `limits`.
"""

from cgp_tui.checks.attestation import appraise
from cgp_tui.checks.judge import judge, judge_line, judge_remark, once
from cgp_tui.checks.outcome import outcome, problem
from cgp_tui.checks.types import Appraisal, Judged, Outcome

__all__ = ["Appraisal", "Judged", "Outcome", "appraise", "judge", "judge_line", "judge_remark", "once", "outcome", "problem"]
