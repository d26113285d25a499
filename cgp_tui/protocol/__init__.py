"""What does the SPEC say? Shapes, grammars, arithmetic and hashes, a module a section.

Laws:
- Types only: a struct here decodes whatever shape the wire may carry. Lengths, ranges and patterns are checks, one floor
  up, never decode errors. Unknown members are ignored (U1); unknown kinds, rels, scopes, codes and algorithms are kept
  verbatim (U2).
- Everything is a frozen value or a pure function: no file, no clock, no event loop.
- The annotations of what a line is decoded into are types, not strings: no module of such structs defers them. The decoder
  is made before the first line is drawn, and reading each string as a type took it two thirds of its time.
- Names are the wire's names. A module quotes the SPEC section it implements.

Anybody may call it; it calls nobody above `errors`, `limits`, `text` and `target`.
"""
