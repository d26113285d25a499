"""How are our small files kept safely? Private recordings, locks, and the chained log that consent is written in.

Laws:
- A file of ours is used only if it is a regular file with a single name, owned by the person, and nobody else may write to
  it or to its folder. Any other is refused with the command that mends it; nothing is mended silently.
- Acknowledged means: on the disk, and covered by the head. What is acknowledged is never changed or removed here, and a
  ledger that vanishes as a whole is noticed, by the head that its id leads to.
- A failed sync is final: the record is taken back or everything is stopped; it is not tried again until it seems to work.
- The trust store carries a hash of its whole content: one that is cut, changed, unsafe or newer trusts nobody.
- The person's files are read beneath a folder they opened and nowhere else: no link is followed, only regular files are
  opened, nothing is waited for, and what one run reads is bounded.
- A project's providers file is only data until the person has trusted its exact bytes; an edit of ours keeps every other
  byte.
- What is merely remembered between runs, and the settings of the screens, permit nothing: they may be lost, and whatever
  cannot be read or used is named and left out.
- A whole ledger is read before its lock is taken, and under it only what changed meanwhile: revocations do not queue.
- Lock files are never removed. Nothing here waits in the kernel. Where there is no folder for a lock, none is made for
  whoever only sends: a sign is shown instead, as it is with the lock, whose file somebody else may remove.

Modules:
- Any file of ours: `paths` (where), `files` (safely), `locks`, `presence`.
- The ledger's file: `canon` (spelling), `chain`, `head`, `heads`, `states`, `log`, `place` (of the next record).
- Trust and providers: `trust`, `providers`, `registry`, `handwritten`, `roots` (the person's cited files).
- Remembered, permits nothing: `shelf` and `keepsake` (how), `seen`, `keys`, `glances`, `marks`, `queries`, `filters`,
  `views`, `settings`.

Called by consent, host, analysis (for cited files), cli and ui, and by report and present, which show what was read. It
imports `wire` (for its notes), `protocol`, `target`, `text`, `errors` and `limits`.
"""

from typing import TYPE_CHECKING

from cgp_tui.doors import door

if TYPE_CHECKING:
    from cgp_tui.store.log import Log
    from cgp_tui.store.providers import ProviderSpec
    from cgp_tui.store.roots import Roots
    from cgp_tui.store.settings import Settings
    from cgp_tui.store.trust import TrustStore
else:
    __getattr__ = door(__name__, Log="log", ProviderSpec="providers", Roots="roots", Settings="settings", TrustStore="trust")

__all__ = ["Log", "ProviderSpec", "Roots", "Settings", "TrustStore"]
