"""What the question form and the consent screens may know about, and ask of, the one room that acts (`live`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from cgp_tui.text import Shown, own

if TYPE_CHECKING:
    from cgp_tui.consent.drafts import Terms
    from cgp_tui.consent.ledger import Revoked
    from cgp_tui.consent.listing import Listed
    from cgp_tui.consent.receipt import Draft, Receipt
    from cgp_tui.consent.types import Need
    from cgp_tui.consent.usage import Used
    from cgp_tui.present.consent import Case, Payload
    from cgp_tui.present.form import Form
    from cgp_tui.present.spans import Span
    from cgp_tui.protocol.query import ContextQuery
    from cgp_tui.store.queries import Queries
    from cgp_tui.wire.line import Line
    from cgp_tui.wire.note import LedgerMark


class Addressee(msgspec.Struct, frozen=True):
    """A provider that a question could go to. `said` tells what would become of the question, `sends` whether it would
    leave; `kinds` are the frame kinds that the provider declares."""

    provider_id: str
    said: tuple[Span, ...]
    sends: bool
    kinds: tuple[str, ...] = ()


class LedgerView(msgspec.Struct, frozen=True):
    """The ledger as the screens show it: its state and whether it answers, its place, what is wrong and what leads out, all
    receipts and the standing of each decision; `uses` are those noted in recordings, `left_out` is the number of recordings
    not read. `own` says whose ledger it is where it is not the person's."""

    state: str
    answers: bool
    path: Shown
    detail: Shown
    fix: Shown
    head: LedgerMark | None = None
    receipts: tuple[Receipt, ...] = ()
    own: Shown | None = None
    ledger_id: str = ""
    listed: tuple[Listed, ...] = ()
    uses: tuple[Used, ...] = ()
    left_out: int = 0


class Said(msgspec.Struct, frozen=True):
    """The result of an act of consent, in a sentence; `good` where it is on record and in force. `withdrawn` is the full
    outcome of a withdrawal, `recover` the command that leads out of an emergency stop."""

    text: Shown
    good: bool
    withdrawn: Revoked | None = None
    recover: Shown = own("")


class Truster(Protocol):
    """Adds keys to the person's trust store."""

    async def trust(self, public_key: bytes, label: str, provider_name: str, how: str) -> Said:
        """Trust a key for one declared name, on record in the ledger, and judge by it from now on. The person has agreed to
        it by its fingerprint."""
        ...


class Asker(Protocol):
    """Sends questions."""

    form: Form
    """The form as it was left."""

    queries: Queries
    """What was asked, and the saved queries."""

    def addressees(self) -> tuple[Addressee, ...]:
        """Every provider of the session, in order of connection."""
        ...

    def size(self, query: ContextQuery, provider_id: str) -> int:
        """The bytes of the line that would carry `query` to that provider."""
        ...

    def asked(self) -> Sequence[ContextQuery]:
        """What was asked in this session and before, oldest first."""
        ...

    def command(self, query: ContextQuery, provider_id: str) -> str:
        """The command that asks that provider the same, for a shell."""
        ...

    def send(self, query: ContextQuery, provider_ids: Sequence[str]) -> None:
        """Send `query`; the request, or the refusal, appears in the transcript."""
        ...


class Decider(Protocol):
    """Reads the ledger and writes to it."""

    def cases(self) -> tuple[Case, ...]:
        """Every connection as consent sees it."""
        ...

    def ledger(self) -> LedgerView: ...

    def now(self) -> float:
        """The time that expiry is judged by, in seconds since 1970."""
        ...

    async def look_again(self) -> None:
        """Read the ledger anew, where it changed."""
        ...

    async def look_back(self, everywhere: bool) -> None:
        """Read what this session has noted since, and with `everywhere` what earlier ones and others have."""
        ...

    async def payload_of(self, used: Used) -> Line | None:
        """The line that left then; None where its recording no longer has it."""
        ...

    def payload(self, provider_id: str) -> Payload | None:
        """The query that was last refused to that provider, None where none was."""
        ...

    def advice(self, provider_id: str) -> Shown:
        """The step that leads out of the gate's last refusal; empty where it allowed."""
        ...

    def drafts(self, case: Case, needs: Sequence[Need], expires_at: str, terms: Terms) -> tuple[Draft, ...]:
        """The records that a yes to `needs` would write, one a need; a need that is no longer declared is set aside."""
        ...

    async def grant(self, case: Case, drafts: Sequence[Draft]) -> Said: ...

    async def deny(self, case: Case, needs: Sequence[Need]) -> Said: ...

    async def revoke(self, provider_id: str, needs: Sequence[Need]) -> Said:
        """Withdraw needs from a provider, whatever command they were granted for."""
        ...

    async def revoke_all(self) -> Said:
        """Withdraw everything from everyone."""
        ...
