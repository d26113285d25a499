"""What do machines get to read?

Laws:
- Every JSON shape of a command is defined here once, in a function that gives builtins and Structs; `cli/output` makes the
  bytes.
- A document has the same members on success and on failure; a failure adds `error` with code, message and fix.
- Values are the wire's own, never shortened or made visible: escaping is left to the encoder.

Modules:
- Of a command each: `documents` and `lookups` (check), `query`, `consent`, `egress` (consent audit), `trust`, `providers`.
- Findings in the forms of others: `junit`, `sarif`. Evidence for somebody else: `bundle` (made), `proven` (read back).
- `schema` (the JSON Schema of these documents), `problem` (how each says that it failed), `lazy` (written while it is made).

Called by cli, and by ui for the bundle that it writes. It imports `analysis`, `consent` and everything below.
"""
