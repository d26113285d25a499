"""What is drawn? The Textual app: one inspector over one transcript, live or recorded.

Laws:
- A screen draws only what the transcript holds; it notices growth by looking at the file, and no callback crosses over.
- Only `live` acts: it alone reaches a provider or writes to the ledger or the trust store. Everything else sees it as the
  Protocols in `actor` and `desk`, so a replay, which has no actor, cannot start a process or open a connection.
- Widgets take `Shown` spans from `present`, never a plain foreign string; nothing is parsed as markup. A line filter
  behind all of them lets no control character, link or action through.
- The first paint shows the lines and waits for nothing else. Whatever it does not draw is imported inside the function that
  uses it; once the screen stands, `preload` loads it in the background, and `Source.begin` prepares to judge the lines
  there.
- Nothing moves or opens by itself, nothing is told by colour alone, and a key's id, label and sentence live in `keys`.
- A key does what the table says, or what the person has set instead (`keymap`). A setting that would take a key from
  something else on the same screen is named and not applied.

Modules:
- `screens`, `widgets`; `live` acts, as `actor` and `desk` describe it.
- The apps, each class built on the one before: `crash`, `tokens`, `typeahead`, `base_app`; on that one `app`, and `entrance`
  with `home` and `picker`; `ours` (the app behind a screen).
- The terminal: `driver`, `incoming`, `content` (the last check), `themes`, `stylesheets`, `pace`, `preload`; `toolkit`
  (Textual's private names).
- Keys and typing: `keys`, `keymap`, `palette`, `pasting`, `jump`, `offers`.
- One transcript: `source`, `records` (one of them as a whole), `list_filter` (the filter), `player`, `parties`, `status`.

Called by `cli`. Textual is imported here and nowhere else.
"""
