"""How often the inspector looks at things, how long it lets a key wait, and from which sizes on it does so differently."""

from __future__ import annotations

from typing import Final

LOOK_SECONDS: Final = 0.05
"""How often the transcript is asked whether it has grown."""
LOOK_BYTES: Final = 1024 * 1024
"""How much of it is counted between two looks at the clock: about a millisecond's worth."""
FIRST_RECORDS: Final = 256
"""So many are judged before a file is counted to its end: what stands on the first screen, and a little more."""
AT_ONCE_SECONDS: Final = 0.001
"""How soon work in slices goes on, once keys have been looked at: counting a file, laying out rows, searching them."""
COUNTING_SECONDS: Final = 0.2
"""How often it is shown meanwhile how far that has come."""
STANDS_SECONDS: Final = 1.0
"""By then whatever could be painted first is painted."""
LEAVES_SECONDS: Final = 0.05
"""The first screen's bytes leave by another thread, which modules that are being loaded must not hold up."""
WORK_SECONDS: Final = 0.03
"""How often the analysis gets a slice while it has something to do."""
SLICE_SECONDS: Final = 0.015
"""The slice: what a key may have to wait for."""
SETTLE_SECONDS: Final = 0.08
"""The detail follows the selection after this long without another move."""
FOLLOW_SECONDS: Final = 0.25
"""While the list follows the end, the detail is drawn no more often than this."""
SHORT_RECORDS: Final = 10_000
"""Up to this many records whatever is new is drawn at the next look."""
SAY_SECONDS: Final = 0.1
"""Of a long transcript the bars are brought up to date no more often than this."""
OVERVIEW_SECONDS: Final = 0.25
"""The overview of a session that goes on is drawn no more often than this: it looks over all of it."""
TOUCHED_SECONDS: Final = 0.25
"""A person who pressed a key is likely to press the next one within this."""
BRIEF_SECONDS: Final = 0.002
"""The slice of the analysis meanwhile."""
STATE_SECONDS: Final = 0.2
"""How often the session is asked for its state."""
LARGE_BYTES: Final = 1_000_000
"""A line longer than this is read outside the app's loop, a sentence holding its place."""
LOW_ROWS: Final = 20
"""Below this height only the pane with the focus is shown."""
FEW_ROWS: Final = 10
"""Below this height the bars that only help are left out."""
WIDE_CELLS: Final = 110
"""From this width on the panes stand side by side."""
