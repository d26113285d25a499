"""Trusting a key: what it signs for, its full fingerprint, which the person types as the yes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec
from textual import on
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Button, Input

from cgp_tui.checks.signer import GOOD
from cgp_tui.checks.types import Appraisal, RootAppraisal
from cgp_tui.present.consent import name_warnings
from cgp_tui.present.spans import Row, Rows, Span, row, span
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.store.trust import LABEL_CHARS, TYPED_FINGERPRINT, agrees, fingerprint
from cgp_tui.text import Shown, own, show
from cgp_tui.ui.content import plain
from cgp_tui.ui.desk import Said, Truster
from cgp_tui.ui.pasting import JOINS
from cgp_tui.ui.screens.question import Question
from cgp_tui.ui.widgets.bars import Line, PaneTitle

if TYPE_CHECKING:
    from cgp_tui.ui.screens.inspector import InspectorScreen


_WORDS: Final = (
    "This key came from the party that it vouches for. Ask its owner for the fingerprint through another channel, and type "
    "what they tell you. A signature says who vouched for it, not that the content is true."
)
_COLUMN: Final = 13


class Candidate(msgspec.Struct, frozen=True):
    """A key that made a good signature: the declared name it signed for, its id in the evidence, and where that was seen."""

    public_key: bytes
    provider_name: str
    key_id: str
    where: str


def candidate(subject: Subject | None, place: int | None) -> Candidate | Shown:
    """The key that signed the selected frame, or a whole answer; or why there is none to trust."""
    if subject is None or subject.judged is None or subject.frames is None:
        return own("Select an answer, or a frame of one: its signature names the key.")
    evidence: list[Appraisal | RootAppraisal] = []
    if place is not None:
        evidence += [one for one in (subject.appraisal(place),) if one is not None]
    else:
        evidence += [one for one in (subject.judged.root, *subject.judged.appraisals) if one is not None]
    if all(one.standing == "unattested" for one in evidence):
        return own("Nothing is signed here.")
    found = next((one for one in evidence if one.verdict in GOOD and one.public_key and one.key_id), None)
    if found is None or found.public_key is None or found.key_id is None or subject.provider_name is None:
        return own("No signature here verifies under a known key, so there is none to trust.")
    if found.standing == "attested":
        return own("You trust this key already.")
    where = f"screen: fingerprint typed; line {subject.line.n} of a transcript"
    return Candidate(bytes.fromhex(found.public_key), subject.provider_name, found.key_id, where)


def ask(inspector: InspectorScreen) -> None:
    """Ask the person about the key that signed the selection; the result is shown at the foot."""
    truster = inspector.truster
    found = candidate(*_selected(inspector))
    if not isinstance(found, Candidate):
        inspector.foot.tell(found)
        return
    if truster is None:
        inspector.foot.tell(own("No key can be trusted here: there is no trust store."))
        return

    def told(said: Said | None) -> None:
        if said is not None:
            inspector.foot.tell(said.text)
            inspector.look_anew()

    inspector.app.push_screen(TrustScreen(found, truster, inspector.symbols), told)


def _selected(inspector: InspectorScreen) -> tuple[Subject | None, int | None]:
    """The line under the cursor and the frame of it that is open; only the line if the detail has not followed yet."""
    if inspector.settled:
        record, place = inspector.detail.record, inspector.detail.place.frame
    else:
        record, place = inspector.source.records.at(inspector.traffic.cursor) if inspector.source.count else None, None
    return record if isinstance(record, Subject) else None, place


class TrustScreen(Question[Said]):
    """Its result says what was done if the person agreed; None where they left."""

    AUTO_FOCUS = "#label"
    no = "Not now"
    goes_on: ClassVar = ("Go on", "To the next field; once the fingerprint agrees, trust the key.")
    goes_to: ClassVar = ("Next", "To the next field or answer.")

    def __init__(self, found: Candidate, truster: Truster, symbols: Symbols) -> None:
        super().__init__(symbols)
        self._found = found
        self._truster = truster
        self._title = PaneTitle(symbols, "Trust this key?")
        self._label = Input("", "whose key it is, in your words", id="label", max_length=LABEL_CHARS, compact=True)
        self._typed = Input("", f"its first {TYPED_FINGERPRINT} digits or more", id="typed", classes=JOINS, compact=True)
        self._state = Line(symbols, id="state")
        self._yes = Button(plain(own("Trust")), id="yes", compact=True, disabled=True)
        self._busy = False
        self.ask(*candidate_rows(found, Look(symbols, 70)))

    def title_bar(self) -> Sequence[Widget]:
        return (self._title,)

    def fields(self) -> Sequence[Widget]:
        return tuple(
            Horizontal(self._line(span(name.ljust(_COLUMN), "muted")), field, classes="field")
            for name, field in (("signer", self._label), ("fingerprint", self._typed))
        )

    def above(self) -> Sequence[Widget]:
        return (self._state,)

    def answers(self) -> Sequence[Button]:
        return (self._yes, Button(plain(own("Not now")), id="no", compact=True))

    def _line(self, *spans: Span) -> Line:
        line = Line(self.symbols)
        line.say(spans)
        return line

    def on_mount(self) -> None:
        self._title.focused(True)
        self._look()

    @property
    def _agreed(self) -> bool:
        return agrees(self._typed.value, self._found.public_key)

    def _look(self) -> None:
        """What is still missing."""
        ready = bool(self._label.value.strip()) and self._agreed
        self._yes.disabled = not ready or self._busy
        if ready:
            self._state.say((span(f"{self.symbols.good} agrees; enter or Trust puts it on record in the ledger", "good"),))
        elif not self._label.value.strip():
            self._state.say((span("Say whose key it is.", "muted"),))
        elif self._label.has_focus:
            self._state.say((span("Then enter, and the fingerprint.", "muted"),))
        elif len(self._typed.value.replace(" ", "")) < TYPED_FINGERPRINT:
            self._state.say((span("Type the fingerprint.", "muted"),))
        else:
            self._state.say((span(f"{self.symbols.bad} That is not this key's fingerprint.", "bad"),))

    def on_descendant_focus(self) -> None:
        self._look()

    @on(Input.Changed)
    def _changed(self) -> None:
        self._look()

    @on(Input.Submitted)
    async def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input is self._label and not self._agreed:
            self._typed.focus()
        else:
            await self._trust()

    @on(Button.Pressed)
    async def _answered(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button is self._yes:
            await self._trust()
        else:
            self.dismiss(None)

    async def _trust(self) -> None:
        label = self._label.value.strip()
        if self._busy or self.answered or not label or not self._agreed:
            self._look()
            return
        self._busy = True
        found = self._found
        self.dismiss(await self._truster.trust(found.public_key, label, found.provider_name, found.where))

    def action_app_back(self) -> None:
        # While it is being written the screen stays, to say the result.
        if not self._busy:
            self.dismiss(None)


def candidate_rows(found: Candidate, look: Look) -> Rows:
    """What to know before agreeing: for whom, the id in the evidence, the full fingerprint."""
    yield from _labelled("for", Span(show(found.provider_name, 60), "strong"), span("  and no other name"))
    yield from name_warnings("name", found.provider_name, look)
    yield from _labelled("key id", Span(show(found.key_id, 60)), span("  a claim: nothing binds it", "muted"))
    for label, digits in zip(("SHA-256", "of the key"), _grouped(found.public_key), strict=True):
        yield from _labelled(label, Span(digits, "strong"))
    yield row(span(_WORDS))


def _labelled(label: str, *spans: Span) -> Rows:
    yield Row(spans, lead=span(label.ljust(_COLUMN), "muted"), rest=span(" " * _COLUMN))


def _grouped(public_key: bytes) -> tuple[Shown, Shown]:
    """A fingerprint in two lines of groups of four."""
    bare = fingerprint(public_key).removeprefix("sha256:")
    groups = [bare[at : at + 4] for at in range(0, 64, 4)]
    return own(" ".join(groups[:8])), own(" ".join(groups[8:]))
