"""Words of one's own in an open vocabulary (U3): a relation, an error code, an egress scope."""

from __future__ import annotations

from collections.abc import Sequence

from cgp_tui.checks.breach import Breach, said
from cgp_tui.protocol.vocabulary import Word


def own_word(path: str, text: str, kind: Word, reference: str | None = None) -> Sequence[Breach]:
    """What is to be said of a word that no base vocabulary holds. A receiver takes it all the same (U2).

    A word without a colon belongs to the protocol, which may define it in a later minor: advice. A colon with an empty side
    is no name in anybody's space. `reference` is what the reference does, where it differs from U3's.
    """
    if kind == "unprefixed":
        return (Breach(path, "a base word, or vendor:name", said(text), level="advice", reference=reference),)
    if kind == "malformed":
        return (Breach(path, "vendor:name, both sides filled", said(text), level="violation", reference=reference),)
    return ()
