"""May it leave? Receipts, what needs one, and the gate that reads them before each send.

Laws:
- No payload goes to a provider that needs consent before the ledger holds a receipt for every need (C1, C2, C6). Reaching
  another machine is a need whatever the provider declares (C4), and declaring less never undoes a revocation.
- The last word on a need decides, for exactly the target, name, version and code it was given for. Any doubt denies:
  only a whole, chained ledger that its remembered head covers can answer yes.
- Earlier sightings of a provider, and the wishes of an import or an earlier ledger, help a person to decide. They can take
  a grant out of force or fill in a prompt; they never permit.
- A receipt is never changed or removed. A withdrawal is a new record and on the disk before it counts; where it cannot
  reach the disk, it still shuts the gate of the process that asked for it.
- A permit is alive only while the shared send lock is held or, before there is a folder for it, a sign is shown, so that
  nothing is written after a confirmed revocation. Where a sign can be had it is shown with the lock too, so that a lock file
  which was removed or moved away meanwhile hides nobody.
- Refusals are values: a reason for each need, the ledger's state, and the one command that leads out.

Modules:
- The question: `needs`, `decision` (what the records say), `gate` (the answer at a write), `types`.
- The ledger: `receipt`, `ledger`, `drafts`, `until`, `checkpoint`, `kept`, `archive`, `trusting`.
- For people: `listing`, `sighting`, `usage`, `egress` (the audit), `offers`, `interchange`, `promise`.

At the front door `needs` is the function, not the module that it is in.

Called by host, report, present, cli and ui; of ui, only `live` writes. It imports `store`, `transcript`, `wire`,
`protocol`, `target` and below.
"""

from typing import TYPE_CHECKING

from cgp_tui.doors import door

if TYPE_CHECKING:
    from cgp_tui.consent.gate import Gate
    from cgp_tui.consent.ledger import Ledger
    from cgp_tui.consent.needs import needs
    from cgp_tui.consent.receipt import Receipt
    from cgp_tui.consent.types import Denial, Permit
else:
    __getattr__ = door(
        __name__, Denial="types", Gate="gate", Ledger="ledger", Permit="types", Receipt="receipt", needs="needs"
    )

__all__ = ["Denial", "Gate", "Ledger", "Permit", "Receipt", "needs"]
