"""What answers what? One connection's lines and notes, paired into exchanges.

Laws:
- Pure: no clock, no file, no event loop. The host and the analysis drive the same machine.
- A reply goes to the request whose id it echoes where the provider declared correlation (H4), else to the one request in
  flight (lock-step); never to another caller.
- The first ack stands for the connection. Ids, pending requests and capabilities do not outlive it.
- Whatever earlier lines say about a line travels with it (`past`): bounded in memory, and the same live and replayed.
- Where lines are known to be missing, what is in flight in lock-step fails: no reply is matched to a request by guesswork.
- Which step may follow which is a table (`states`), not branches.

Modules:
- The machine: `machine` (lines and notes in, exchanges out), `states` (the theory and its tables), `exchange` (the result).
- What it keeps: `memory` (of what was served, and published keys), `unserved` (lines that nothing answered yet).
- What it says of a line: `past` (what came before it), `spoken` (who sent it, and its fault).

Called by host and analysis, which drive it; its exchanges are read by checks, present and ui. It imports `wire`, `protocol`
and `limits`.
"""

from cgp_tui.session.exchange import Exchange
from cgp_tui.session.machine import Session
from cgp_tui.session.memory import Keys
from cgp_tui.session.past import Past, Remark

__all__ = ["Exchange", "Keys", "Past", "Remark", "Session"]
