"""What is drawn? The Textual app: one inspector over one transcript, live or recorded.

Laws:
- A screen draws what the transcript holds and nothing else; growth is seen by looking at the file, no callback crosses.
- Only `live` acts: it alone reaches a provider or writes to the ledger or the trust store. Everything else sees it as the
  Protocols in `actor` and `desk`, so a replay, which has no actor, can start no process and open no connection.
- Widgets take `Shown` spans from `present`, never a plain foreign string; nothing is parsed as markup. A line filter
  stands behind them all and lets no control character, link or action through.
- The first paint shows the lines and waits for nothing else. What it does not draw is imported inside the function that uses
  it; `later` loads it beside the screen once that stands, and `Source.begin` finds out there what judges the lines.
- Nothing moves or opens by itself, nothing is told by colour alone, and a key's id, label and sentence live in `keys`.
- A key does what the table says, or what the person put in its place (`keymap`). A wish that would take a key from something
  else on the same screen is named and not granted.

Called by `cli`. Textual is imported here and nowhere else.
"""
