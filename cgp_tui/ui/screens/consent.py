"""Who may have, who had what: each need with its decision, every receipt and use, and the ways to grant, deny, revoke."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size

from cgp_tui.consent.sighting import known_target
from cgp_tui.consent.types import Binding, Need, Reason
from cgp_tui.consent.usage import Used, total
from cgp_tui.present.consent import Case
from cgp_tui.present.decisions import Item, heading, provider_items, receipt_rows
from cgp_tui.present.envelope import json_rows
from cgp_tui.present.numbers import exact_bytes
from cgp_tui.present.refusal import UNDECIDABLE, ledger_rows, ledger_titles
from cgp_tui.present.spans import GAP, Row, Span, row, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.present.timeline import Past, reasons_of, refused_title, timeline_items
from cgp_tui.present.uses import sum_words
from cgp_tui.protocol import timestamp
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.ui.desk import Decider, Said
from cgp_tui.ui.keymap import spoken
from cgp_tui.ui.keys import CONSENT, SEARCH, bindings, by_id, hints
from cgp_tui.ui.ours import our_app
from cgp_tui.ui.screens.copying import offer, save_picture, shown_items
from cgp_tui.ui.screens.modal import LOW_ROWS
from cgp_tui.ui.screens.prompt import Prompt
from cgp_tui.ui.screens.reader import Reader, promise
from cgp_tui.ui.screens.why import Asked, why
from cgp_tui.ui.screens.withdrawal import ask_revoke, ask_revoke_all, explain, needs_of
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.toolkit import RestingScreen
from cgp_tui.ui.widgets.bars import KeyLine, Line, PaneTitle
from cgp_tui.ui.widgets.findbar import SearchBar, Searching
from cgp_tui.ui.widgets.folded import Folded
from cgp_tui.ui.widgets.halves import STEP, Halves
from cgp_tui.ui.widgets.items import ItemsView

_LOOK_SECONDS: Final = 0.5
_FOLLOW_SECONDS: Final = 0.08
"""How soon the timeline follows the cursor."""

_LEAST_ROWS: Final = 8
"""Below this height there is no room for a title either."""

_DAYS: Final = 7
_DAY: Final = 86_400


_OPEN: Final = "{nav.open} on a need decides. Nothing is granted without its prompt."
_SHUT: Final = "Nothing can be granted until the ledger answers; {nav.open} on a need says why."
"""What is said at first."""


class ConsentScreen(Searching, RestingScreen[None]):
    """Two lists over the ledger. Nothing here changes by itself but what another process writes to the ledger."""

    CSS = stylesheet("consent")
    AUTO_FOCUS = "#needs"
    answers: ClassVar[tuple[str, ...]] = CONSENT
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(*(here for here in CONSENT if here != "list"))]

    def __init__(self, decider: Decider, symbols: Symbols) -> None:
        super().__init__()
        self.decider = decider
        self.symbols = symbols
        self._title = PaneTitle(symbols, "Consent", id="needs-title")
        self._heading = Line(symbols, id="needs-heading")
        self.needs = ItemsView(symbols=symbols, id="needs")
        self._history_title = PaneTitle(symbols, "Timeline", id="history-title")
        self.history = ItemsView(symbols=symbols, id="history")
        self._halves = Halves(self, self.needs, self.history)
        self.search = SearchBar(symbols, self.history)
        self._whose = Folded(symbols, id="whose")
        self._said = Folded(symbols, id="said")
        self._keys = KeyLine(symbols, id="consent-keys")
        self._drawn: object = None
        self._whom = ""
        self._looked_back = False

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._title
            yield self._heading
            yield self.needs
            yield self._history_title
            yield self.history
        yield self.search
        yield self._whose
        yield self._said
        yield self._keys

    async def on_mount(self) -> None:
        shown = [*hints(("list",))[:1], *hints(("consent",)), by_id("consent.revoke-all"), SEARCH, *hints(("app",))]
        self._keys.say(shown)
        await self.decider.look_again()
        first = _OPEN if self.decider.ledger().answers else _SHUT
        self._said.say_rows(row(Span(spoken(self, first), "muted")))
        self.draw()
        self._stand_where_it_matters()
        self.set_interval(_LOOK_SECONDS, self.look_again)
        self.set_interval(_FOLLOW_SECONDS, self._follow)
        # Old recordings may be many: they are read beside the screen, which does not wait for them.
        self.run_worker(self._look_back())

    def fit_to(self, size: Size) -> None:
        self.set_class(size.height < LOW_ROWS, "-low")
        self._halves.place(cramped=size.height < LOW_ROWS)
        self.set_class(size.height < _LEAST_ROWS, "-least")

    # -- drawing

    async def look_again(self) -> None:
        """Take in what another process wrote."""
        await self.decider.look_again()
        if self._looked_back:
            await self.decider.look_back(False)
        self.draw()

    async def _look_back(self) -> None:
        await self.decider.look_back(True)
        self._looked_back = True
        self.draw()

    def _follow(self) -> None:
        """Draw the timeline of whomever the cursor is on now, and the heading as wide as its columns."""
        self._heading.say((span(" "), *heading(self.needs.look)))
        if self.needs.item is not None and self.needs.item.provider_id != self._whom:
            self._draw_timeline()

    def draw(self) -> None:
        """Draw anew where anything changed."""
        ledger, cases = self.decider.ledger(), self.decider.cases()
        shown = (ledger, cases)
        if shown == self._drawn:
            return
        self._drawn = shown
        self._title.say(own("Consent"), *ledger_titles(ledger.state, ledger.head, ledger.path, self.symbols))
        look = Look(self.symbols, 200)
        trouble = [] if ledger.answers else [*ledger_rows(ledger.state, ledger.detail, ledger.fix, look)]
        whose = [] if ledger.own is None else [row(Span(ledger.own, "doubt"))]
        self._whose.say_rows(*(trouble or whose))
        self._whose.display = bool(trouble or whose)
        nobody = own("No provider is connected and none is on record.")
        self.needs.show_items(lambda look: provider_items(cases, ledger.listed, ledger.uses, look), nobody)
        self._draw_timeline()

    def _draw_timeline(self) -> None:
        ledger, item = self.decider.ledger(), self.needs.item
        self._whom = whom = "" if item is None else item.provider_id
        past = Past(ledger.receipts, ledger.uses, ledger.ledger_id)
        nothing = own("No receipt yet: nothing that needs consent has left through cgp-tui.")
        if not ledger.answers:
            nothing = own("No receipt can be read until the ledger answers.")
        self.history.show_items(lambda look: timeline_items(past, whom, look), nothing)
        since = timestamp.utc_text(self.decider.now() - _DAYS * _DAY)
        summed = total((used for used in ledger.uses if used.provider_id == whom or not whom), since)
        title = compose("Timeline: {who}", who=show(whom)) if whom else own("Timeline")
        self._history_title.say(title, sum_words(summed, _DAYS, ledger.left_out))

    def _stand_where_it_matters(self) -> None:
        """On the first need that stands open, else on the first need."""
        cases = self.decider.cases()
        opened = {one.need for case in cases for one in case.open}
        ledger = self.decider.ledger()
        items = list(provider_items(cases, ledger.listed, ledger.uses, self.needs.look))
        needs = [index for index, item in enumerate(items) if item.need is not None]
        found = [index for index in needs if items[index].need in opened] or needs
        if found:
            self.needs.move_to(found[0])

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._title.focused(self.needs.has_focus)
        self._history_title.focused(self.history.has_focus)
        if self.needs.has_focus or self.history.has_focus:
            self._halves.bring(second=self.history.has_focus)
        if not self.search.field.has_focus:
            self.search.turn_to(self.history if self.history.has_focus else self.needs)

    def say(self, said: Said) -> None:
        """Tell what came of an act, and draw what it changed."""
        sign = self.symbols.good if said.good else self.symbols.bad
        told = span(f"{sign} ", "good" if said.good else "bad")
        self._said.say_rows(Row((Span(said.text),), lead=told, rest=GAP))
        self.draw()

    # -- acts

    def _case(self, provider_id: str) -> Case | None:
        return next((case for case in self.decider.cases() if case.binding.provider_id == provider_id), None)

    def _chosen(self) -> tuple[Item, Case | None] | None:
        """The item that an act is about: the one under the cursor of the list of needs."""
        item = self.needs.item
        return None if item is None else (item, self._case(item.provider_id))

    @on(ItemsView.Chosen)
    async def _opened(self, event: ItemsView.Chosen) -> None:
        event.stop()
        item, case = event.item, self._case(event.item.provider_id)
        if item.used is not None:
            await self._open_use(item.used)
        elif event.from_history or case is None:
            self._read(item)
        elif self._can_decide(case, item.need):
            self._decide(case, item.need)
        elif any(item.need in (None, one.need) for one in case.open):
            self._explain(case)
        else:
            self._read(item)

    @staticmethod
    def _can_decide(case: Case, need: Need | None) -> bool:
        stuck = [one.reason for one in case.open if need in (None, one.need)]
        return any(reason is not None and reason.reason not in UNDECIDABLE for reason in stuck)

    def _decide(self, case: Case, need: Need | None) -> None:
        self.app.push_screen(Prompt(self.decider, case, self.symbols, need), self._decided)

    async def _open_use(self, used: Used) -> None:
        """What left, as it left; or why it did not."""
        if not used.allowed:
            self._explain_use(used)
            return
        line = await self.decider.payload_of(used)
        if line is None:
            self.say(Said(compose("{file} no longer has that line.", file=show(str(used.transcript))), False))
            return
        title = compose(
            "{asked} to {who}: line {n}, {size}",
            asked=own(used.asked),
            who=show(used.provider_id, 40),
            n=line.n,
            size=own(exact_bytes(len(line.raw))),
        )
        self.app.push_screen(Reader(title, partial(json_rows, line.raw), self.symbols))

    def _read(self, item: Item) -> None:
        receipt = item.receipt
        if receipt is not None:
            self.app.push_screen(Reader(own(f"Receipt #{receipt.seq}"), partial(receipt_rows, receipt), self.symbols))

    def _explain(self, case: Case) -> None:
        reasons = tuple(one.reason for one in case.open if one.reason is not None)
        title = compose("Why nothing goes to {who}", who=show(case.binding.provider_id))
        self._why(title, reasons, case.binding, case)

    def _explain_use(self, used: Used) -> None:
        """Why a payload was refused then; the prompt is about now."""
        case = self._case(used.provider_id)
        then = Binding(used.provider_id, "", "", known_target(used.target, "", used.shown, used.kind))
        self._why(refused_title(used), reasons_of(used), then, case)

    def _why(self, title: Shown, reasons: tuple[Reason, ...], whom: Binding, case: Case | None) -> None:
        able = case is not None and self._can_decide(case, None)
        decide = partial(self._decide, case, None) if case is not None and able else None
        self.app.push_screen(why(self.decider, self.symbols, Asked(title, reasons, whom, case is not None), decide))

    def _decided(self, said: Said | None) -> None:
        if said is not None:
            self.say(said)

    async def action_consent_deny(self) -> None:
        chosen = self._chosen()
        if chosen is None:
            return
        item, case = chosen
        if case is None:
            self.say(
                Said(spoken(self, "It is not connected; what is on record can be revoked with {consent.revoke}."), False)
            )
            return
        needs = [item.need] if item.need is not None else [one.need for one in case.open]
        if not needs:
            self.say(Said(own("There is nothing to deny: no need is open."), False))
            return
        said = await self.decider.deny(case, needs)
        self.say(said)
        explain(self.app, said, self.symbols)

    def action_consent_revoke(self) -> None:
        chosen = self._chosen()
        if chosen is None:
            return
        item, case = chosen
        needs = needs_of(item, case, self.decider)
        if not needs:
            self.say(Said(own("There is nothing to revoke here."), False))
            return
        ask_revoke(self.app, self.decider, self.symbols, needs, self.say)

    def action_live_act(self, key: str) -> None:
        """Of the rows of a session this screen answers to one: to revoke everything."""
        if key == "consent.revoke-all":
            ask_revoke_all(self.app, self.decider, self.symbols, self.say)

    def action_consent_why(self) -> None:
        item = self.history.item if self.history.has_focus else self.needs.item
        case = None if item is None else self._case(item.provider_id)
        if item is not None and item.used is not None and not item.used.allowed:
            self._explain_use(item.used)
        elif item is not None and item.reason is not None and case is None:
            title = compose("Why this is not in force for {who}", who=show(item.provider_id))
            nobody = Binding(item.provider_id, "", "", known_target("", "", ()))
            self._why(title, (item.reason,), nobody, None)
        elif self.needs.has_focus and item is not None and case is not None and self._refused(case, item):
            self._explain(case)
        else:
            self.app.push_screen(promise(self.symbols))

    @staticmethod
    def _refused(case: Case, item: Item) -> bool:
        return any(item.need in (None, one.need) for one in case.open)

    def action_app_copy(self) -> None:
        view = self.history if self.history.has_focus else self.needs
        offer(self, self.symbols, shown_items(self, view, self.decider), lambda said: self.say(Said(said, True)))

    def action_app_save(self) -> None:
        self.say(Said(save_picture(self.app), True))

    async def _leave_for(self, view: str) -> None:
        self.dismiss()
        await self.app.screen_stack[0].run_action(view)

    async def action_view_traffic(self) -> None:
        await self._leave_for("view_traffic")

    async def action_view_findings(self) -> None:
        await self._leave_for("view_findings")

    async def action_view_provider(self) -> None:
        await self._leave_for("view_provider")

    def action_pane_next(self) -> None:
        other = self.history if self.needs.has_focus else self.needs
        self._halves.bring(second=other is self.history)
        other.focus()

    def action_pane_next_back(self) -> None:
        self.action_pane_next()

    def action_pane_zoom(self) -> None:
        self._halves.zoom()

    def action_pane_grow(self) -> None:
        self._give(STEP)

    def action_pane_shrink(self) -> None:
        self._give(-STEP)

    def _give(self, percent: int) -> None:
        said = self._halves.give(percent)
        if said is not None:
            self._said.say_rows(row(Span(said, "muted")))

    def action_app_back(self) -> None:
        if self.search.leave():
            return
        if self._halves.zoomed:
            self._halves.zoom()
        else:
            self.dismiss()

    @on(KeyLine.Pressed)
    async def _pressed(self, event: KeyLine.Pressed) -> None:
        event.stop()
        await our_app(self).run_row(event.key)
