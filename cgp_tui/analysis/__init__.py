"""What does a transcript say, as far as it has grown?

Laws:
- One pass in file order drives the same session and checks as the live host: live and replay cannot drift apart.
- Memory is columns: about twenty bytes a record, plus findings and what is in flight. An exchange is decoded and judged
  again when somebody looks at it.
- What is known beyond the lines (trusted keys, cited files, earlier sightings, keys of earlier runs) comes through
  `background`. It never changes what the lines themselves break: a cited file that differs, or a frame seen before,
  is reported but is no finding.
- A part of a file is judged by itself only where that provably gives what a pass over the whole gives (`part_pass`).
- Work is done in slices of time, so that a screen stays responsive; the only clock here measures the caller's slice.

Modules:
- The pass: `analysis`, `pairing`, `columns`, `connections`, `findings`; `reread` (one exchange again). Over a whole file:
  `full_pass`, `part_pass`.
- Beyond the lines: `background` (all of it), `history`, `keywatch`, `targets`, `cited_files`.
- For a reader: `filter` and `language`, `filtering`, `replay`.

Called by ui, cli, report and present. It imports `transcript`, `session`, `checks`, `store` for the person's files, and
below.
"""

from typing import TYPE_CHECKING

from cgp_tui.analysis.analysis import Analysis, RowFacts
from cgp_tui.analysis.findings import FindingsChange
from cgp_tui.analysis.replay import Replay
from cgp_tui.doors import door

if TYPE_CHECKING:
    from cgp_tui.analysis.filter import compile_filter
else:
    __getattr__ = door(__name__, compile_filter="filter")

__all__ = ["Analysis", "FindingsChange", "Replay", "RowFacts", "compile_filter"]
