"""Whether a connection has come to rest."""

from __future__ import annotations

from cgp_tui.session.machine import Session


def settled(session: Session) -> bool:
    """Whether what follows is judged as if nothing but the handshake had come before, as long as every later reply answers a
    later request: nothing is in flight, given up, owed or spoiled, no junk waits for its error, `shutdown` was not sent, and
    no memory of what was served is kept."""
    if session.ack is None or session.shut or session._shutdown is not None or session._lossy:
        return False
    offers = session.ack.capabilities
    if offers.graph or offers.verify:
        return False
    open_ends = (session._pending, session._failed, session._owed, session._unserved)
    return session._spoiled is None and not any(open_ends)
