"""How do we ask providers, safely?

Laws:
- Recorded first, then decoded, paired and acted on; what ends an exchange is in the recording as well, so that a replay
  comes to the same exchanges.
- No payload leaves without the gate's live permit (C1, C2, C6): `Link.send_payload` is the only way out, and a reply is
  handed on only after the gate was asked again. What cannot be recorded is not sent.
- A reply reaches the caller whose request it answers or nobody (H4). An id goes only to a provider that declared
  correlation (SPEC 3.2); without one, one exchange is in flight at a time, and a verify never has a second beside it.
- Every wait has a deadline. A provider that dies, floods, stops reading or sends what cannot be read fails everybody who
  waits at once, by name; half a message is never followed by another.
- After a lock-step timeout the provider is started anew before the next question, as a new connection; a provider that
  never answers is not started for ever. Who was given something and had its consent taken back is stopped, idle or not.
- A frame is used again only on a yes about its whole identity; what is asked about is kept or dropped, once (V2, V3, D3).
- A sandbox that was asked for stands around the provider, or it is not started.
- A provider gets three pipes and a short environment, and everything it started ends with it, however we end.

`Host` is the front door; `Connection` is one provider. Called by the acting part of the app, by cli and other
programs. It calls `consent`, `checks`, `session`, `transcript`, `wire` and below.
"""

from cgp_tui.host.connection import Connection
from cgp_tui.host.deadlines import Deadlines
from cgp_tui.host.errors import (
    ConsentRequired,
    ConsentScopeRequired,
    CorrelationMismatch,
    HostError,
    KeepsFailing,
    Poisoned,
    Provider,
    ProviderCrashed,
    ScopeRefused,
    Spawn,
    Timeout,
    Transport,
    UnexpectedEnvelope,
    UnknownProvider,
    VersionMismatch,
    Wire,
)
from cgp_tui.host.host import Host
from cgp_tui.host.link import Link
from cgp_tui.host.reuse import Dropped, Held, Reuse, Verification

__all__ = [
    "Connection",
    "ConsentRequired",
    "ConsentScopeRequired",
    "CorrelationMismatch",
    "Deadlines",
    "Dropped",
    "Held",
    "Host",
    "HostError",
    "KeepsFailing",
    "Link",
    "Poisoned",
    "Provider",
    "ProviderCrashed",
    "Reuse",
    "ScopeRefused",
    "Spawn",
    "Timeout",
    "Transport",
    "UnexpectedEnvelope",
    "UnknownProvider",
    "Verification",
    "VersionMismatch",
    "Wire",
]
