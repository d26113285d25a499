"""How do we ask providers, safely?

Laws:
- Every line is recorded first, then decoded, paired and acted on. Whatever ends an exchange is recorded too, so that a
  replay arrives at the same exchanges.
- No payload leaves without the gate's live permit (C1, C2, C6): `Link.send_payload` is the only way out, and a reply is
  handed on only after the gate has been asked again. What cannot be recorded is not sent.
- A reply reaches the caller whose request it answers, or nobody (H4). Only a provider that declared correlation gets an id
  (SPEC 3.2); without ids one exchange is in flight at a time, and a verify is always alone.
- Every wait has a deadline. A provider that dies, floods, stops reading or sends what cannot be read fails every waiting
  caller at once, by name. After half a message nothing more is written.
- After a lock-step timeout the provider is restarted, as a new connection, before the next question; one that never answers
  is not restarted for ever. A provider that has received something is stopped when its consent is taken back, idle or not.
- A frame is used again only after a yes about its whole identity. Each frame that is asked about is either kept or dropped
  (V2, V3, D3).
- If the requested sandbox cannot be put around a provider, the provider is not started.
- A provider gets three pipes and a short environment, and everything it started ends with it, however this program ends.

Modules:
- The front door: `host` (all providers), `connection` (one, from handshake to shutdown), `facts`, `deadlines`, `restarts`.
- A request's way out and back: `problems` (why it may not be made), `sending`, `lookout`, `inbox`, `journal`, `results`,
  `errors`, `reuse` (V1-V4).
- The provider's process: `link`, `stdio`, `process`, `guard` (runs in a process of its own), `protect`, `sandbox`.

Called by `ui.live`, cli and programs that embed it. It imports `consent`, `checks`, `session`, `store`, `transcript`, `wire`
and below.
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
