"""What acts? The session behind a live screen: it starts providers, asks them, and writes decisions to the ledger.

Laws:
- Every act leaves its trace in the recording, which the screens draw; acts return numbers and sentences, never callbacks.
- Nothing else in the app reaches a process or writes to the ledger, so a screen without a session can do neither.
- However the app ends, the providers' process trees end, the recording is whole, and the terminal is restored.
- The screen comes first: `opening` loads the rest of this room, and whatever it needs, after the first paint.

Modules:
- `opening` (the first moments), `session` (its life, and what the keys do) over `condition` (what waits, hangs or is lost).
- `peer` (one provider), `deciding` (consent), `trusting` (keys), `memory` (what is kept between runs).

Called by `cli`, which hands it to the inspector as its actor.
"""
