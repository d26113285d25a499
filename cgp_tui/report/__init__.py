"""What do machines get to read?

Laws:
- Every JSON shape of a command stands here once, a function each; it gives builtins and Structs, `cli/output` the bytes.
- A document has the same members on success and on failure; a failure adds `error` with code, message and fix.
- Values are the wire's own, never shortened or made visible: escaping is the encoder's part.

Called by cli, and by ui for the bundle that it writes; it calls `analysis`, `consent` and everything below.
"""
