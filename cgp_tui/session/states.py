"""What may follow what on one connection, as tables.

Theory of operation. A host sends requests, a provider sends replies; nothing on the wire says which reply belongs to which
request except an `id`, and only where the provider declared `capabilities.correlation` (SPEC 3.2, H4). So every provider
line is given to the first of these that claims it:

1. The handshake, while it is unanswered: no other message may come before the ack (SPEC 3).
2. The request whose id the line carries, where ids count: correlation is declared, or no ack was seen at all. A request
   that has failed still claims its reply (it is late), so that no other caller gets it.
3. The oldest request in lock-step that this type of message can answer: requests without id, and every request of a
   provider without correlation, whose ids say nothing. A request that was given up keeps its place, because a provider that
   answers in order owes that reply first.
4. The only request in flight, where no given-up one is owed a reply. The line cannot be the answer as it stands (it has no
   id, a foreign one, the wrong type, or cannot be read), yet it can belong to nobody else: that request fails at once, by
   that name, and does not wait. A second ack belongs to no request; it never fails one.

A reply that nobody claims is an orphan, or a duplicate where its request has been answered before. What is ignored
altogether: a message of a type this revision does not know, unless it carries the id of a request in flight (SPEC 2.1); an
unreadable line while several requests are in flight; and, for each host line that no provider could serve, one `error`
(R1 asks for it, and no exchange stands behind it). A bare file does not say who sent a line without a known type, so there
one `error` that nobody else claims may be the reply to it.

An exchange moves only along `NEXT`. Notes end exchanges along `ENDINGS`; they are part of the transcript, so a replay comes
to the same states. Where lines are missing, what is in flight in lock-step ends too: its reply may be among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from cgp_tui.session.exchange import ExchangeKind, State
from cgp_tui.wire.note import Cut, Exit, GaveUp, Poisoned, SendFailed

Event = Literal["reply", "misfit", "ending", "refusal"]
"""reply: a message that answers. misfit: a line that can only belong here and does not answer. ending: a note or the end of
the connection. refusal: the host's note that it did not accept this ack."""

NEXT: Final[Mapping[tuple[State, Event], State]] = {
    ("pending", "reply"): "answered",
    ("pending", "misfit"): "failed",
    ("pending", "ending"): "failed",
    ("failed", "reply"): "late",
    ("answered", "refusal"): "failed",
    ("answered", "reply"): "duplicate",
    ("late", "reply"): "duplicate",
}
"""Every step an exchange can take. A pair that is not here changes nothing."""

REQUESTS: Final[Mapping[str, ExchangeKind]] = {"handshake": "handshake", "query": "query", "verify": "verify"}
"""The message types that open an exchange."""

ANSWERS: Final[Mapping[str, tuple[ExchangeKind, ...]]] = {
    "handshake_ack": ("handshake",),
    "frames": ("query",),
    "verified": ("verify",),
    "error": ("query", "verify", "handshake"),
}
"""What each reply type can answer; the first kind is what an orphan of that type is called."""

TIMEOUT: Final = "timeout"
"""The code of a request whose reply nobody waits for any more: it was given up, or the transcript ends without the reply."""

ENDINGS: Final[Mapping[type, tuple[Literal["one", "all"], str]]] = {
    GaveUp: ("one", TIMEOUT),
    Cut: ("one", "consent_required"),
    SendFailed: ("one", "provider_crashed"),
    Exit: ("all", "provider_crashed"),
    Poisoned: ("all", "poisoned"),
}
"""Which notes end one exchange or all of them, and the code that says why where the note names none."""

FAULTS: Final[Mapping[str, str]] = {"no_type": "unexpected_envelope", "shape": "unexpected_envelope"}
"""Faults whose code is not one of the command contract, with the one that stands for them."""
