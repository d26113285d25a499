"""The question form: what is asked, and before it is sent, what would leave, to whom, and who would be refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Input

from cgp_tui.present.copying import query_item
from cgp_tui.present.form import FIELDS, Form, form_of, kinds_of, one_kind_less, read
from cgp_tui.present.numbers import exact_bytes, plural
from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.text import Shown, clip, compose, join, own, show
from cgp_tui.ui.desk import Addressee, Asker
from cgp_tui.ui.keymap import spoken
from cgp_tui.ui.keys import FORM, bindings, by_id, hints
from cgp_tui.ui.ours import our_app
from cgp_tui.ui.pasting import JOINS
from cgp_tui.ui.screens.modal import Modal
from cgp_tui.ui.screens.presets import NameScreen, PresetScreen
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import KeyLine, Line, PaneTitle
from cgp_tui.ui.widgets.tick import Tick

LABELS: Final = {
    "goal": "goal",
    "query_text": "query text",
    "kinds": "kinds",
    "anchors": "anchors",
    "max_frames": "max frames",
    "max_tokens": "max tokens",
    "as_of": "as of",
}
_PLACEHOLDERS: Final = {
    "goal": own("what the context is for"),
    "query_text": own("words to search for; none: the goal"),
    "anchors": own("file:///... urn:..., blanks between"),
    "as_of": own("2026-07-01T00:00:00Z; none: now"),
}
_JOINED: Final = ("goal", "query_text", "kinds", "anchors")
"""Fields of which several lines make one text, or one list."""
_LABEL_CELLS: Final = 12
_MORE: Final = ("query.presets", "query.keep", "query.command", "query.less")
"""Rows of the key line below the first."""


class Composer(Modal[bool]):
    """True where something was sent. The text stays in the asker's form whichever way this closes."""

    CSS = stylesheet("composer")
    AUTO_FOCUS = "#goal"
    takes_text: ClassVar = True
    answers: ClassVar[tuple[str, ...]] = FORM
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("ask", "app.back", "app.help")]

    def __init__(self, asker: Asker, symbols: Symbols) -> None:
        super().__init__()
        self.asker = asker
        self.symbols = symbols
        self._title = PaneTitle(symbols, "Query")
        self.addressees: tuple[Addressee, ...] = asker.addressees()
        hints_ = {**_PLACEHOLDERS, "kinds": _kinds_hint(self.addressees)}
        self._inputs = {
            name: Input(getattr(asker.form, name), hints_.get(name, ""), id=name, compact=True) for name in FIELDS
        }
        for name in _JOINED:
            self._inputs[name].add_class(JOINS)
        self._faults = {name: Line(symbols, id=f"fault-{name}") for name in FIELDS}
        for line in self._faults.values():
            line.add_class("fault")
        self.ticks = {one.provider_id: Tick(symbols, one.provider_id, value=True) for one in self.addressees}
        self._sum = Line(symbols, id="sum")
        self._keys = KeyLine(symbols, id="ask-keys")
        self._more = KeyLine(symbols, id="ask-more")
        self._whole: tuple[str, ...] = ()
        self._place = len(asker.asked())
        self._tried = False

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._title
            with VerticalScroll(can_focus=False):
                for name in FIELDS:
                    with Horizontal(classes="field"):
                        label = Line(self.symbols, id=f"label-{name}")
                        label.say((span(LABELS[name].ljust(_LABEL_CELLS), "muted"),))
                        yield label
                        yield self._inputs[name]
                        yield self._faults[name]
                yield from self.ticks.values()
            yield self._sum
            yield self._keys
            yield self._more

    def on_mount(self) -> None:
        self._title.focused(True)
        self._say()
        for field in self._inputs.values():
            field.cursor_position = len(field.value)
        shown = hints(("ask", "tick"))
        self._keys.say([*[row for row in shown if row.id not in _MORE], by_id("app.back")])
        self._more.say([*map(by_id, _MORE)])
        self.set_interval(0.5, self.look_again)
        self.look_again()

    def _say(self, said: Shown | None = None) -> None:
        """The title, and beside it what came of the last key."""
        problem = self.asker.queries.problem
        aside = said or (show(problem, 120) if problem else spoken(self, "{query.earlier}, {query.later}: earlier queries"))
        self._title.say(own("Query"), aside)

    # -- what would happen

    @property
    def form(self) -> Form:
        return Form(**{name: field.value for name, field in self._inputs.items()})

    def look_again(self) -> None:
        """Say anew what would be sent to whom; a grant elsewhere or a provider's end changes it."""
        self.addressees = self.asker.addressees()
        query, wrong = read(self.form)
        for one in self.addressees:
            tick = self.ticks.get(one.provider_id)
            if tick is not None:
                tick.say((Span(show(one.provider_id), "strong"), span("  "), *one.said))
        for name, line in self._faults.items():
            said = wrong.get(name) if self._tried or name != "goal" else None
            line.say(() if said is None else (span(f"{self.symbols.bad} ", "bad"), Span(said, "bad")))
            line.set_class(said is not None, "-said")
        self._sum.say(self._summary(query, wrong))

    def _ticked(self) -> list[Addressee]:
        return [one for one in self.addressees if one.provider_id in self.ticks and self.ticks[one.provider_id].value]

    def _summary(self, query: ContextQuery | None, wrong: Mapping[str, Shown]) -> tuple[Span, ...]:
        ticked = self._ticked()
        if not self.addressees:
            return (span("No provider is running, so there is none to ask.", "doubt"),)
        if not ticked:
            return (span("No provider is ticked: nothing would be sent.", "doubt"),)
        if query is None:
            if not self._tried and [*wrong] == ["goal"]:
                return (span("Nothing to send yet. goal: ", "doubt"), Span(wrong["goal"], "doubt"))
            # What is wrong with a field stands beside it.
            return (span(f"Nothing to send yet: see {', '.join(LABELS[name] for name in wrong)}.", "doubt"),)
        sends = [one for one in ticked if one.sends]
        refused = join(", ", (clip(show(one.provider_id), 24) for one in ticked if not one.sends))
        nothing = compose("nothing to {names}", names=refused) if refused else own("")
        if not sends:
            return (Span(compose("Sends {nothing}: asking puts the refusal on record.", nothing=nothing), "doubt"),)
        size = max(self.asker.size(query, one.provider_id) for one in sends)
        to = own(f"Sends {exact_bytes(size)} to {len(sends)} of {plural(len(self.addressees), 'provider')}")
        return (Span(to), Span(compose("; {nothing}.", nothing=nothing), "doubt") if nothing else span("."))

    @on(Input.Changed)
    def _typed(self) -> None:
        self.asker.form = self.form
        self.look_again()

    @on(Tick.Changed)
    def _ticked_anew(self) -> None:
        self.look_again()

    # -- acts

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_query_send()

    def action_query_send(self) -> None:
        query, ticked = self._read(), self._ticked()
        if query is None or not ticked or self.answered:
            return
        self.asker.form = self.form
        self.asker.send(query, [one.provider_id for one in ticked])
        self.dismiss(True)

    def _read(self) -> ContextQuery | None:
        """The query of the form; None where there is none, which is said beside the fields."""
        self._tried = True
        query, wrong = read(self.form)
        self.look_again()
        if query is None:
            self._inputs[next(name for name in FIELDS if name in wrong)].focus()
        return query

    def action_query_presets(self) -> None:
        self.app.push_screen(PresetScreen(self.asker.queries, self.symbols), self._filled)

    def _filled(self, query: ContextQuery | None) -> None:
        if query is not None:
            self._fill(form_of(query))

    def action_query_keep(self) -> None:
        query = self._read()
        if query is None:
            return

        def named(name: str | None) -> None:
            if name:
                kept = self.asker.queries.save(name, query)
                self._say(
                    compose("saved as {name}", name=show(name, 40)) if kept else own("not saved: too large, or too many")
                )

        self.app.push_screen(NameScreen(self.symbols), named)

    def action_query_command(self) -> None:
        query, ticked = self._read(), self._ticked()
        if query is not None and ticked:
            from cgp_tui.ui.screens.copying import offer

            item = query_item([self.asker.command(query, one.provider_id) for one in ticked])
            offer(self, self.symbols, [item], self._say)

    def action_query_less(self) -> None:
        """The kinds that were asked for at first, or where none were all that are declared, less another one each time."""
        now = kinds_of(self.form)
        if not set(now) < set(self._whole):
            declared = dict.fromkeys(kind for one in self._ticked() for kind in one.kinds)
            self._whole = now or tuple(declared)
        left = one_kind_less(self._whole, now or self._whole)
        if len(self._whole) < 2:
            self._say(own("there is only one kind, which cannot be left out"))
            return
        self._inputs["kinds"].value = " ".join(left)
        gone = [kind for kind in self._whole if kind not in left]
        self._say(compose("without {kind}", kind=show(gone[0], 40)) if gone else own("all kinds again"))

    def _recall(self, step: int) -> None:
        asked = self.asker.asked()
        if not asked:
            return
        self._place = max(0, min(self._place + step, len(asked)))
        self._fill(Form() if self._place == len(asked) else form_of(asked[self._place]))

    def _fill(self, form: Form) -> None:
        for name, text in zip(FIELDS, msgspec.structs.astuple(form), strict=True):
            self._inputs[name].value = text
            self._inputs[name].cursor_position = len(text)

    def action_query_earlier(self) -> None:
        self._recall(-1)

    def action_query_later(self) -> None:
        self._recall(1)

    def action_app_back(self) -> None:
        self.asker.form = self.form
        self.dismiss(False)

    def action_app_help(self) -> None:
        our_app(self).action_app_help()

    @on(KeyLine.Pressed)
    async def _pressed(self, event: KeyLine.Pressed) -> None:
        event.stop()
        await self.run_action(event.key.action)


def _kinds_hint(addressees: tuple[Addressee, ...]) -> Shown:
    """What to ask for: the kinds that the providers declare."""
    kinds = dict.fromkeys(kind for one in addressees for kind in one.kinds)
    named = join(" ", (show(kind, 40) for kind in kinds))
    return compose("none: any kind; declared: {named}", named=clip(named, 80)) if named else own("none: any kind")
