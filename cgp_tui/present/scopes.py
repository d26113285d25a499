"""Where data goes by a scope, in words: the same in the handshake and where a person decides (SPEC 4.1)."""

from __future__ import annotations

from typing import Final

from cgp_tui.protocol.capability import LOCAL_ONLY
from cgp_tui.text import Shown, compose, own, show

BASE: Final = {
    LOCAL_ONLY: "stays on this machine",
    "org-tenant": "a service of your organisation gets it",
    "third-party-index": "another company keeps it to search it",
    "third-party-model": "another company's model reads it",
}
"""What each base scope means."""


def scope_meaning(scope: str) -> Shown:
    """What a well-formed scope means: of its author's own ones only that they are theirs."""
    if scope in BASE:
        return own(BASE[scope])
    vendor, colon, name = scope.partition(":")
    if colon:
        return compose(
            '{vendor}\'s own word "{name}": only {vendor} knows what it means', vendor=show(vendor), name=show(name)
        )
    return own("a word the SPEC does not list; it leaves this machine all the same (U2)")
