"""Revoking everything, from any screen: asked once, carried out, and explained in full where it is not confirmed."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import App

from cgp_tui.present.consent_lines import what
from cgp_tui.present.symbols import Symbols
from cgp_tui.present.withdrawal import withdrawn_rows
from cgp_tui.text import compose, own, show
from cgp_tui.ui.desk import Decider, Said
from cgp_tui.ui.screens.confirm import ConfirmScreen
from cgp_tui.ui.screens.reader import Reader


def ask_revoke_all(app: App[object], decider: Decider, symbols: Symbols, tell: Callable[[Said], None]) -> None:
    """List what is in force and ask; `tell` gets the result if the answer was yes."""
    in_force = [entry.receipt for entry in decider.ledger().listed if entry.status in ("in_force", "not_in_force")]
    lines = [
        compose("{what}  from {who}  #{seq}", what=what(one), who=show(one.provider_id), seq=one.seq) for one in in_force
    ]
    question = own("Revoke everything, from every provider?" if lines else "Nothing is in force. Revoke everything anyway?")

    async def answered(wanted: bool | None) -> None:
        if wanted:
            said = await decider.revoke_all()
            tell(said)
            explain(app, said, symbols)

    app.push_screen(ConfirmScreen(question, lines, "Revoke all", "Keep", symbols), answered)


def explain(app: App[object], said: Said, symbols: Symbols) -> None:
    """Show a withdrawal that is not confirmed in front of everything, where a line could be overlooked."""
    done, recover = said.withdrawn, said.recover
    if done is not None and done.outcome != "confirmed":
        app.push_screen(Reader(own("Not confirmed"), lambda look: withdrawn_rows(done, recover, look), symbols))
