"""What answers what? One connection's lines and notes, paired into exchanges.

Laws:
- Pure: no clock, no file, no event loop. The host and the analysis drive the same machine.
- A reply goes to the request whose id it echoes where the provider declared correlation (H4), else to the one request in
  flight (lock-step); never to another caller.
- The first ack stands for the connection. Ids, pending requests and capabilities do not outlive it.
- What came before a line and bears on it travels with it (`past`): bounded in memory, the same live and replayed.
- Where lines are known to be missing, what is in flight in lock-step fails: no reply is given to a request by guesswork.
- What may follow what is a table (`states`), not branches.

Driven by host and analysis; its exchanges are read by checks, present and ui. It calls `wire` and `protocol`.
"""

from cgp_tui.session.exchange import Exchange
from cgp_tui.session.machine import Session
from cgp_tui.session.memory import Keys
from cgp_tui.session.past import Past, Remark

__all__ = ["Exchange", "Keys", "Past", "Remark", "Session"]
