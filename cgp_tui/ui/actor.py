"""What a screen may know about, and ask of, the one room that acts (`live`). A replay has no actor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from cgp_tui.present.subject import Subject
from cgp_tui.text import Shown

if TYPE_CHECKING:
    from cgp_tui.ui.app import CgpApp


class ActorState(msgspec.Struct, frozen=True):
    """What the bars say about the session.

    `word` is LIVE, or ENDED, when `warning` says why. `waiting` is the clock of a request in flight (`q4 pending 2.1 of
    30 s`), `recording` the bytes written so far, None where nothing is recorded. `gate` names the gate and the ledger's
    state. `consent` is the bar of a provider that waits for consent, `warning` what has to stay in view, `hint` what to
    press next, `empty` what the list shows while it has no line, `hang` what is known about a provider that keeps a request
    waiting. `running` says whether leaving stops a provider.
    """

    word: Literal["LIVE", "ENDED"]
    gate: Shown
    waiting: Shown | None = None
    recording: int | None = None
    consent: Shown | None = None
    warning: Shown | None = None
    hint: Shown | None = None
    empty: Shown | None = None
    hang: Shown | None = None
    running: bool = True


class Actor(Protocol):
    """A session that can be asked to act. Actions are the `live` rows of the key table, by id."""

    async def begin(self, app: CgpApp) -> None:
        """Start; called once, when the screen stands."""
        ...

    def state(self) -> ActorState:
        """The session as it is now; called several times a second, so it must not block."""
        ...

    async def act(self, action: str, subject: Subject | None) -> None:
        """Do `action` (`query.compose`, `consent.open` …) on what is selected; the result appears in the transcript."""
        ...

    async def end(self) -> None:
        """Shut every provider down; returns when the recording is whole. Later calls wait for the first."""
        ...
