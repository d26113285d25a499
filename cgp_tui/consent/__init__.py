"""May it leave? Receipts, what needs one, and the gate that reads them before each send.

Laws:
- No payload goes to a provider that needs consent before a receipt for every need stands in the ledger (C1, C2, C6).
  Reaching another machine is a need whatever the provider declares (C4), and declaring less never undoes a revocation.
- The last word on a need decides, for exactly the target, name, version and code it was given for. Any doubt denies:
  only a whole, chained ledger that its remembered head covers can answer yes.
- Who was seen last, and what an import or an earlier ledger would ask for, help a person to decide. They take away or
  fill in; they never permit.
- A receipt is never changed or removed. Withdrawing is a new record, and it is on disk before it counts; where it can
  reach no disk, it still shuts the gate of the process that asked for it.
- A permit is alive only while the shared send lock is held, so that a confirmed revocation is the last write.
- Refusals are values with one reason a need, a state, and the one command that leads out.

Called by host, report, present, cli and the acting part of the app. It calls `store`, `transcript`,
`protocol`, `target` and below.
"""
