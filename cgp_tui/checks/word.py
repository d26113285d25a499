"""Private words in an open vocabulary (U3): a relation, an error code, an egress scope."""

from __future__ import annotations

from collections.abc import Sequence

from cgp_tui.checks.breach import Breach, said
from cgp_tui.protocol.vocabulary import Word


def own_word(path: str, text: str, kind: Word, reference: str | None = None) -> Sequence[Breach]:
    """What is wrong with a word of this `kind`; nothing where it is a base word or a vendor's. A receiver must accept it all
    the same (U2).

    A word without a colon belongs to the protocol, which may define it in a later minor: advice. A colon with nothing on one
    side names nobody's vocabulary. `reference` is what the reference does where that differs from U3's row.
    """
    if kind == "unprefixed":
        return (Breach(path, "a base word, or vendor:name", said(text), level="advice", reference=reference),)
    if kind == "malformed":
        return (Breach(path, "vendor:name, both parts non-empty", said(text), level="violation", reference=reference),)
    return ()
