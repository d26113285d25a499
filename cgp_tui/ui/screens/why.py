"""Why something is refused: the rule, each need with its reason, the next step; from here to the prompt, or the command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import msgspec
from textual.binding import BindingType

from cgp_tui.consent.types import Binding, Reason
from cgp_tui.present.refusal import Whose, decidable, why_rows
from cgp_tui.present.spans import Rows
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown, own
from cgp_tui.ui.desk import Decider
from cgp_tui.ui.keys import Key, bindings, by_id
from cgp_tui.ui.screens.reader import Reader


class Asked(msgspec.Struct, frozen=True):
    """What the question why is about: the title, the reasons, the provider, and whether that is connected now."""

    title: Shown
    reasons: tuple[Reason, ...]
    whom: Binding
    connected: bool


def why(decider: Decider, symbols: Symbols, asked: Asked, decide: Callable[[], None] | None) -> Why:
    """The answer. `decide` opens the prompt, None where no prompt helps now."""
    whose = Whose(asked.whom, {receipt.receipt_id: receipt for receipt in decider.ledger().receipts})
    fix = decider.advice(asked.whom.provider_id) if asked.connected else own("")

    def rows(look: Look) -> Rows:
        here: Shown | None = None
        if not asked.connected:
            again = "Start it again: what it is then can be decided. What is on record can be revoked with {consent.revoke}."
            here = look.say(again)
        elif decide is None and decidable(asked.reasons):
            here = fix or own("Nothing: it may receive queries now.")
        return why_rows(asked.reasons, whose, fix, look, here)

    return Why(asked.title, rows, symbols, decide, fix if decide is not None else own(""))


class Why(Reader):
    """`decide` opens the prompt, None where no prompt helps; `command` decides the same, empty where there is none."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("why")]

    def __init__(
        self,
        title: Shown,
        make: Callable[[Look], Rows],
        symbols: Symbols,
        decide: Callable[[], None] | None,
        command: Shown,
    ) -> None:
        super().__init__(title, make, symbols)
        self._decide = decide
        self._command = command

    def offers(self) -> Sequence[Key]:
        able = [("why.decide", self._decide), ("why.copy", self._command)]
        return [*(by_id(name) for name, there in able if there), *super().offers()]

    def action_why_decide(self) -> None:
        if self._decide is not None:
            self.dismiss()
            self._decide()

    def action_why_copy(self) -> None:
        if self._command:
            self.app.copy_to_clipboard(self._command)
