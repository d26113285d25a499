"""Taking consent back, some of it or all: asked once, carried out, and explained in full where it is not confirmed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from textual.app import App

from cgp_tui.consent.types import Need
from cgp_tui.present.consent import Case
from cgp_tui.present.consent_lines import what
from cgp_tui.present.decisions import Item, provider_items
from cgp_tui.present.refusal import need_name
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.present.withdrawal import withdrawn_rows
from cgp_tui.text import compose, own, show
from cgp_tui.ui.desk import Decider, Said
from cgp_tui.ui.screens.confirm import ConfirmScreen
from cgp_tui.ui.screens.reader import Reader

Tell = Callable[[Said], None]
"""Who is told what came of it."""


def needs_of(item: Item, case: Case | None, decider: Decider) -> list[Need]:
    """What revoking a row takes back: its need, else all needs of its provider, as it declares them now (`case`) or, where
    it is not connected, as they are on record."""
    if item.need is not None:
        return [item.need]
    if case is not None:
        return [one.need for one in case.needs]
    items = provider_items((), decider.ledger().listed, (), Look())
    mine = (other.need for other in items if other.provider_id == item.provider_id)
    return list(dict.fromkeys(need for need in mine if need is not None))


def ask_revoke(app: App[object], decider: Decider, symbols: Symbols, needs: Sequence[Need], tell: Tell) -> None:
    """List these needs of one provider, at least one, and ask; `tell` gets the result if the answer was yes."""
    provider_id = needs[0].provider_id
    lines = [compose("{scope}  from {who}", scope=need_name(need), who=show(provider_id)) for need in needs]
    sure = ConfirmScreen(own("Revoke, whatever it was granted for:"), lines, "Revoke", "Keep", symbols)
    app.push_screen(sure, _once_sure(app, lambda: decider.revoke(provider_id, needs), symbols, tell))


def ask_revoke_all(app: App[object], decider: Decider, symbols: Symbols, tell: Tell) -> None:
    """List what is in force and ask; `tell` gets the result if the answer was yes."""
    in_force = [entry.receipt for entry in decider.ledger().listed if entry.status in ("in_force", "not_in_force")]
    lines = [
        compose("{what}  from {who}  #{seq}", what=what(one), who=show(one.provider_id), seq=one.seq) for one in in_force
    ]
    question = own("Revoke everything, from every provider?" if lines else "Nothing is in force. Revoke everything anyway?")
    sure = ConfirmScreen(question, lines, "Revoke all", "Keep", symbols)
    app.push_screen(sure, _once_sure(app, decider.revoke_all, symbols, tell))


def _once_sure(
    app: App[object], revoke: Callable[[], Awaitable[Said]], symbols: Symbols, tell: Tell
) -> Callable[[bool | None], Awaitable[None]]:
    async def answered(wanted: bool | None) -> None:
        if wanted:
            said = await revoke()
            tell(said)
            explain(app, said, symbols)

    return answered


def explain(app: App[object], said: Said, symbols: Symbols) -> None:
    """Show a withdrawal that is not confirmed in front of everything, where a line could be overlooked."""
    done, recover = said.withdrawn, said.recover
    if done is not None and done.outcome != "confirmed":
        app.push_screen(Reader(own("Not confirmed"), lambda look: withdrawn_rows(done, recover, look), symbols))
