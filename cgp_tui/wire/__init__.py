"""How do bytes become values, and values bytes? One parser for live traffic and files.

Laws:
- A line is the bytes between two LF, nothing else splits (SPEC 2); every byte is kept.
- Strict UTF-8, bounded depth, no duplicate known member, finite numbers: a line that breaks one is a `Fault`, with its
  raw bytes beside it. One bad frame never costs its siblings (F-rows are checks, not decode errors).
- A long line says the same as a short one, but is read in `portions`: no step of it keeps another thread waiting.
- `peek` feeds only what is drawn; whatever pairs, judges or acts takes `decode`.

No clock, no file, no event loop. Called by session, transcript, checks, host, providers and everything above.
"""
