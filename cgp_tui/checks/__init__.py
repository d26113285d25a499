"""What is wrong with what was seen?

Laws:
- Pure: no clock, no file, no event loop. The host and the analysis judge by the same tables.
- A check is a row: an anchor, a sentence, a test. A rule lives in one row of one module; what it means, whom it binds and
  how to mend it stand in `protocol.requirements`.
- One cause, one finding. The reply's line is charged; a faulty request's own; the request's for a missing reply. A level
  is a violation only where a bold MUST of the SPEC breaks on the transcript's own evidence.
- Whatever the SPEC tells a receiver to accept breaks nothing: unknown members, kinds and types are no finding, a word of
  one's own without a vendor in front is advice (U1, U2, U3).
- Evidence never costs a frame its place (F9), and what cannot be checked is never called good or bad (F8).
- One unreadable member hides nothing: the rest of its frame is judged (`mended`), and its siblings always.
- Time and memory are linear in the line. Of one requirement a thousand findings are told of a line, the others counted.

`judge` takes an exchange, `judge_line` a line without one, `judge_remark` what a later item shows of it, `outcome` says
what a host does about it; `tables` holds every row. Called by host and analysis; what they found is read by report, present,
ui and cli. It calls `session`, `wire` and `protocol`.
"""

from cgp_tui.checks.attestation import appraise
from cgp_tui.checks.judge import judge, judge_line, judge_remark, once
from cgp_tui.checks.outcome import outcome, problem
from cgp_tui.checks.types import Appraisal, Judged, Outcome

__all__ = ["Appraisal", "Judged", "Outcome", "appraise", "judge", "judge_line", "judge_remark", "once", "outcome", "problem"]
