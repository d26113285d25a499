"""What does a transcript say, as far as it has grown?

Laws:
- One pass in file order drives the same session and checks as the live host: live and replay cannot drift apart.
- Memory is columns: some twenty bytes a record, findings, and what is in flight. An exchange is decoded and judged again
  where somebody looks at it.
- What is known beyond the lines (trusted keys, cited files, earlier sightings, keys of earlier runs) comes through `around`.
  It never changes what the lines themselves break; a file that differs and a frame met before are told, no findings.
- A part of a file is judged by itself only where that is proved to come to what the whole comes to (`share`).
- Work is done in slices of time, so that a screen stays alive; nothing here knows a clock but the caller's slice.

Called by ui, cli, report and present; it calls `transcript`, `session`, `checks`, and `store` for files of the person.
"""

from cgp_tui.analysis.analysis import Analysis, RowFacts
from cgp_tui.analysis.replay import Replay
from cgp_tui.analysis.told import News

__all__ = ["Analysis", "News", "Replay", "RowFacts"]
