"""How does a program become a provider? A kit to write one with, and the two that are bundled.

Laws:
- No line crashes a provider (R1): one that cannot be read is answered with `bad_request`, a fault of the provider's own with
  `internal`, and the traceback stays on its side.
- An id is echoed on whatever answers it (H4); a notification and a reply are never answered (SPEC 2.1).
- Only envelopes reach stdout, one a line; after `shutdown` nothing does (R2).
- The bundled providers are deterministic and honest: true costs (B3), true digests (D4, F5), answers within the budget
  (B1, B4), the kinds (Q1) and the instant asked for. They open no connection and write no file.
- A commitment holds the declared name (SPEC 6.5.2); verdicts go by frame id and digest, and the identity is echoed (V2).

Modules:
- The kit: `kit` (one line in, one line out), `stdio` (over this process's pipes), `signer`.
- The bundled ones: `example_docs` with `corpus` (its pages and their frames), `example_index`.

Called by cli, and by anybody's own provider. It imports `wire`, `protocol`, `text` and `errors`.
"""

from cgp_tui.providers.kit import Provider, Refusal
from cgp_tui.providers.signer import Signer
from cgp_tui.providers.stdio import run_stdio

__all__ = ["Provider", "Refusal", "Signer", "run_stdio"]
