"""What does the SPEC say? Shapes, grammars, arithmetic and hashes, a module a section.

Laws:
- Types only: a struct here decodes whatever shape the wire may carry. Lengths, ranges and patterns are checks, one floor
  up, never decode errors. Unknown members are ignored (U1); unknown kinds, rels, scopes, codes and algorithms are kept
  verbatim (U2).
- Everything is a frozen value or a pure function: no file, no clock, no event loop.
- Modules of wire structs do not defer their annotations (`from __future__ import annotations`): the decoder is built before
  the first line is drawn, and evaluating each annotation from a string took two thirds of that time.
- Names are the wire's names. A module quotes the SPEC section it implements.

Modules, by SPEC section:
- 2-4: `messages`, `envelope`, `version`, `capability`, `admission`. 5: `query`.
- 6: `frame`, `timestamp`, `digest`, `identity`, `linerange`, `evidence`, `attestation`, `ed25519`, `merkle`.
- 7-14: `budget`, `usage`, `vocabulary`, `verify`, `error`, `attribution`.
- The requirements as a table: `requirements`, from `anchors` and `frame_anchors`. Plain bytes: `utf8`.

Every room may call it; it imports no other room.
"""
