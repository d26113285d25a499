"""The question that only a person may answer: may this provider receive queries?

Nobody says yes by accident, and nobody can be made to. The focus stands on Deny; what was typed before the question was
on screen for half a second is dropped; the mouse cannot grant; Grant is dim until a scope is ticked and the text was read
to its end. What is shown is made from the very records that a grant writes.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Sequence
from time import monotonic
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.geometry import Size
from textual.message import Message
from textual.widgets import Button, Input

from cgp_tui.consent.drafts import Terms, turned
from cgp_tui.consent.receipt import NEVER, Draft
from cgp_tui.consent.types import Need
from cgp_tui.consent.until import parse_until
from cgp_tui.errors import InputError
from cgp_tui.present.choices import choices
from cgp_tui.present.consent import Case, prompt_rows, scope_words
from cgp_tui.present.numbers import plural
from cgp_tui.present.refusal import UNDECIDABLE, need_name
from cgp_tui.present.spans import GAP, Rows, Span, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.present.until import offered, until_meaning
from cgp_tui.text import Shown, own, show
from cgp_tui.ui.content import plain
from cgp_tui.ui.desk import Decider, Said
from cgp_tui.ui.keys import bindings, by_id
from cgp_tui.ui.screens.modal import Modal
from cgp_tui.ui.screens.reader import promise
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import KeyLine, Line, PaneTitle
from cgp_tui.ui.widgets.fitted import Fitted
from cgp_tui.ui.widgets.oneof import OneOf
from cgp_tui.ui.widgets.rows import RowsView
from cgp_tui.ui.widgets.scrolled import Scrolled
from cgp_tui.ui.widgets.tick import Tick

GUARD_SECONDS: Final = 0.5
"""How long the prompt must have been on screen before a key counts."""


_LATER: Final = "Not now"
_SET_ASIDE: Final = "not declared any more: tick to set it aside"


class _Guarded:
    """Drops keys and pastes that were made before the prompt had been seen."""

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.Paste)):
            screen = self.screen  # type: ignore[attr-defined]
            if isinstance(screen, Prompt) and event.time < screen.armed_at:
                event.stop()
                event.prevent_default()
                return
        await super().on_event(event)  # type: ignore[misc]


class _Answer(_Guarded, Button):
    """A button that only the keyboard presses, unless `by_mouse`."""

    def __init__(self, text: str, id: str, *, by_mouse: bool) -> None:
        super().__init__(plain(own(text)), id=id, compact=True)
        self._by_mouse = by_mouse

    def on_click(self, event: events.Click) -> None:
        if not self._by_mouse:
            event.prevent_default()
            event.stop()


class _Scope(_Guarded, Tick):
    """A need to be ticked, by the space bar."""


class _Choice(_Guarded, OneOf):
    """How often, which code, which version."""


class _Until(_Guarded, Input):
    """The end of the grant, as the person names it."""


class _Text(_Guarded, RowsView):
    """The text of the prompt; it scrolls by lines and remembers whether its end was seen."""

    class Read(Message):
        """The view moved, or the text is another one."""

    def mark(self, cursor: bool) -> Shown:
        return own(" ")

    @property
    def unread(self) -> int:
        """Lines below the view."""
        below = self.virtual_size.height - self.scroll_offset.y - self.scrollable_content_region.height
        return max(below, 0)

    def move_by(self, lines: int) -> None:
        self.scroll_relative(y=lines, animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Read())

    def on_resize(self) -> None:
        self.post_message(self.Read())

    def action_nav_down(self) -> None:
        self.move_by(1)

    def action_nav_up(self) -> None:
        self.move_by(-1)

    def action_nav_top(self) -> None:
        self.scroll_home(animate=False, immediate=True)

    def action_nav_bottom(self) -> None:
        self.scroll_end(animate=False, immediate=True)


class Prompt(Modal[Said | None]):
    """What came of the decision, or None for not now. `case` has at least one need that a person can decide; `chosen` is the
    need whose row led here, and stands ticked."""

    CSS = stylesheet("prompt")
    AUTO_FOCUS = "#deny"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("prompt", "app.back", "pane.next", "pane.next-back")]

    def __init__(self, decider: Decider, case: Case, symbols: Symbols, chosen: Need | None = None) -> None:
        super().__init__()
        self.decider = decider
        self.case = case
        self.symbols = symbols
        self.armed_at = float("inf")
        self.ended_by: str | None = None
        self.drafts: tuple[Draft, ...] = ()
        self._seen_for: tuple[int, int] | None = None
        self._payload = decider.payload(case.binding.provider_id)
        self._title = PaneTitle(symbols, "Consent")
        self.text = _Text(symbols=symbols, id="text")
        self._gone = {one.need for one in case.open if one.set_aside}
        self._open = [one.need for one in case.open if one.reason and one.reason.reason not in UNDECIDABLE]
        # A row stands for its need alone; who came without one finds what an import asks for.
        wanted = {need for need, _ in case.offered} if chosen is None else {chosen}
        self.ticks = [
            _Scope(symbols, f"{need.basis} {need.scope}", value=need in wanted, by_mouse=False) for need in self._open
        ]
        self.terms = Terms()
        self.choices = [_Choice(symbols, choice, id=f"choice-{choice.field}") for choice in choices(case.binding)]
        self.until = _Until(self._end_offered(chosen), id="until", compact=True)
        self._until_words = Line(symbols, id="until-words")
        self._missing = Line(symbols, id="missing")
        self._terms = Scrolled(id="terms")
        self._grant = _Answer("Grant", "grant", by_mouse=False)
        self._keys = KeyLine(symbols)
        self._busy = False

    def compose(self) -> ComposeResult:
        with Fitted(self.text):
            yield self._title
            yield self.text
            yield self._missing
            with self._terms:
                with VerticalScroll(id="scopes", can_focus=False):
                    yield from self.ticks
                yield from self.choices
                with Horizontal(id="end"):
                    label = Line(self.symbols, id="until-label")
                    label.say((span(" Until", "muted"),))
                    yield label
                    yield self.until
                    yield self._until_words
                with Horizontal(id="answers"):
                    yield _Answer("Deny", "deny", by_mouse=True)
                    yield self._grant
                    yield _Answer(_LATER, "later", by_mouse=True)
            yield self._keys

    def _end_offered(self, chosen: Need | None) -> str:
        """What stands in the field at first: the end that an import asks for, but no end is only ever typed."""
        ends = [offer.until for need, offer in self.case.offered if need == chosen or chosen is None]
        return next((end for end in sorted(ends) if end != NEVER), None) or offered(self.case.binding.target)

    def on_mount(self) -> None:
        _drain()
        self._title.focused(True)
        for tick, need in zip(self.ticks, self._open, strict=True):
            words = span(_SET_ASIDE, "doubt") if need in self._gone else Span(scope_words(need), "muted")
            tick.say((Span(need_name(need), "strong"), GAP, words))
        self._look_again()
        self.set_interval(0.25, self._say_missing)
        self.call_after_refresh(self._arm)

    def _arm(self) -> None:
        self.armed_at = monotonic() + GUARD_SECONDS

    # -- what is shown and what a grant would write are the same

    def _look_again(self) -> None:
        """Make the records anew from what is ticked and the end that is named, and say what is still missing."""
        now = self.decider.now()
        problem = own("")
        try:
            self.ended_by = parse_until(self.until.value, now)
        except InputError as error:
            self.ended_by, problem = None, show(str(error))
        needs = self.ticked() or self._open[:1]
        end = self.ended_by or parse_until(offered(self.case.binding.target), now)
        made = self.decider.drafts(self.case, needs, end, self.terms)
        if made != self.drafts:
            top = self.text.scroll_offset.y
            self.drafts = made
            self.text.show(self._rows)
            self.text.begin_at(top)
        self._until_words.say(self._end_spans(problem))
        self._say_missing()

    def _rows(self, look: Look) -> Rows:
        return prompt_rows(self.case, self._payload, self.drafts, look)

    def ticked(self) -> list[Need]:
        """The needs that a grant would cover."""
        return [need for tick, need in zip(self.ticks, self._open, strict=True) if tick.value]

    def _end_spans(self, problem: Shown) -> tuple[Span, ...]:
        if self.ended_by is None:
            return (span(f"{self.symbols.bad} ", "bad"), Span(problem, "bad"))
        return (Span(until_meaning(self.ended_by, self.decider.now()), "doubt" if self.ended_by == "never" else None),)

    def _say_missing(self) -> None:
        """Remember that the end was seen at this size, and dim or light Grant."""
        here = (self.text.size.width, self.text.size.height)
        if self._seen_for != here:
            # After a resize the text is for a moment still the one that was folded to the width before.
            whole = self.text.size.height and not self.text.busy and self.text.folded_to == self.text.look.width
            self._seen_for = here if whole and not self.text.unread else None
        lacks: list[str] = []
        if self._seen_for is None:
            lacks.append(f"read {plural(self.text.unread, 'more line')} (pgdn)")
        if not self.ticked():
            lacks.append("tick a scope (tab, space)")
        if self.ended_by is None:
            lacks.append("choose an end")
        self._grant.disabled = bool(lacks) or self._busy
        if lacks:
            self._missing.say((span(f" {self.symbols.doubt} To grant: {'; '.join(lacks)}", "doubt"),))
        else:
            self._missing.say((span(f" {self.symbols.good} Read to its end. Grant writes the records shown.", "good"),))
        self._say_keys()

    def _say_keys(self) -> None:
        """What the keys do; where the end is in view there is nothing to read on."""
        reads = [by_id("prompt.on")] if self.text.unread else []
        moves, leaves = by_id("pane.next"), by_id("app.back")
        self._keys.say(
            [
                *reads,
                by_id("prompt.promise"),
                by_id("item.tick"),
                moves._replace(label="Next", sentence="To the next choice or answer."),
                leaves._replace(label=_LATER, sentence="Not now: nothing is put on record."),
            ]
        )

    def fit_to(self, size: Size) -> None:
        super().fit_to(size)
        # Beside two lines of the text, what is missing, and the keys.
        self._terms.styles.max_height = max(min(size.height // 2, size.height - 4), 1) if self.has_class("-low") else None

    @on(_Text.Read)
    def _moved(self) -> None:
        self._say_missing()

    @on(Tick.Changed)
    def _ticked_anew(self) -> None:
        self._look_again()

    @on(OneOf.Changed)
    def _chose(self, event: OneOf.Changed) -> None:
        line = event.line
        self.terms = turned(self.terms, self.case.binding.target, **{line.choice.field: line.value})
        for other in self.choices:
            other.at = other.choice.of(self.terms)
        self._look_again()

    @on(Input.Changed)
    def _named_an_end(self) -> None:
        self._look_again()

    @on(Input.Submitted)
    def _past_the_end(self, event: Input.Submitted) -> None:
        event.stop()
        if not self._grant.disabled:
            self._grant.focus()

    # -- answers

    @on(Button.Pressed)
    async def _answered(self, event: Button.Pressed) -> None:
        event.stop()
        if self._busy or self.answered:
            return
        if event.button.id == "later":
            self.dismiss(None)
        elif event.button.id == "deny":
            await self._decide(self.decider.deny(self.case, self._to_deny()))
        elif event.button.id == "grant" and not self._grant.disabled:
            await self._decide(self.decider.grant(self.case, self.drafts))

    async def _decide(self, deed: Awaitable[Said]) -> None:
        self._busy = True
        self._grant.disabled = True
        self.dismiss(await deed)

    def _to_deny(self) -> Sequence[Need]:
        """What is ticked, else everything that is declared and stands open."""
        return self.ticked() or [one.need for one in self.case.open if not one.set_aside] or self._open

    def action_prompt_on(self) -> None:
        """A page on, with a line of the page before; or all that is left, where one page holds it."""
        unread = self.text.unread
        self.text.move_by(unread if unread <= self.text.page + 1 else self.text.page)

    def action_prompt_back(self) -> None:
        """A page back, as they go on."""
        read = self.text.scroll_offset.y
        self.text.move_by(-(read if read <= self.text.page + 1 else self.text.page))

    def action_pane_next(self) -> None:
        self.focus_next()

    def action_pane_next_back(self) -> None:
        self.focus_previous()

    def action_prompt_promise(self) -> None:
        self.app.push_screen(promise(self.symbols))

    def action_app_back(self) -> None:
        # What is being written is told once it stands.
        if not self._busy:
            self.dismiss(None)

    @on(KeyLine.Pressed)
    async def _pressed(self, event: KeyLine.Pressed) -> None:
        event.stop()
        await self.run_action(event.key.action)


def _drain() -> None:
    """Throw away what was typed ahead and is still in the terminal."""
    try:
        import termios

        termios.tcflush(sys.__stdin__.fileno() if sys.__stdin__ else 0, termios.TCIFLUSH)
    except (ImportError, OSError, ValueError):
        return
    except termios.error:
        return
