"""The inspector: traffic and the selected line, over a transcript that may still grow."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType

from cgp_tui.present.subject import Subject
from cgp_tui.text import Shown, own, show
from cgp_tui.ui import pace, preload
from cgp_tui.ui.actor import Actor, ActorState
from cgp_tui.ui.keymap import keymap_of, spoken
from cgp_tui.ui.keys import SEARCH, Where, bindings, by_id, hints
from cgp_tui.ui.ours import our_app
from cgp_tui.ui.screens.selecting import Selecting
from cgp_tui.ui.source import Source
from cgp_tui.ui.status import Progress, replay_spans, status_spans, title_spans
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import KeyLine
from cgp_tui.ui.widgets.traffic import TrafficList

if TYPE_CHECKING:
    from cgp_tui.ui.desk import Truster
    from cgp_tui.ui.player import Player


class InspectorScreen(Selecting):
    """Draws a source; `actor` is None where nothing can be sent, as in a replay. `at` is the wire line to begin on, `where`
    the filter to begin with."""

    CSS = stylesheet("inspector")
    AUTO_FOCUS = "#traffic"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("screen", "live", "replay")]

    def __init__(self, source: Source, actor: Actor | None = None, *, at: int | None = None, where: str = "") -> None:
        super().__init__(source)
        self.actor = actor
        self.truster: Truster | None = None
        """Trusts keys; None where that is not possible."""
        self.player: Player | None = None
        # Elsewhere the bar of the replay says it.
        self.overview.numbered = actor is not None
        if actor is None:  # a recording
            from cgp_tui.ui.player import Player

            self.player = Player(source)
        self.state: ActorState | None = None
        self._at = at
        self._where = where
        self._asked = 0.0
        self._say_again = 0.0
        self._top_is_next = False
        self._placed = False
        self._begun = False
        self._beginning = asyncio.Lock()
        self._notice: Shown | None = None

    def compose(self) -> ComposeResult:
        # As it will look, so that no class changes before the first paint: each change would restyle whole panes.
        self.recall()
        self.place_panes(self.app.size, in_detail=False, update=False)
        self._say_foot()
        yield self.strip
        with self.panes:
            with self.left:
                yield self.head
                yield self.traffic
                yield self.overview
            yield self.detail
        yield self.foot

    # -- what answers here

    @property
    def answers(self) -> tuple[Where, ...]:
        """The kinds of keys that do something here."""
        return (*self.in_list, "screen", "replay" if self.actor is None else "live", "app")

    @property
    def running(self) -> bool:
        """Whether leaving would stop a provider."""
        return self.actor is not None and self.actor.state().running

    async def end(self) -> None:
        """Complete the session before the app ends, and keep how it was looked at."""
        if self.is_mounted:
            self.keep_view(place=self.actor is None)
        if self.actor is not None:
            await self.actor.end()

    def view_changed(self) -> None:
        """Show the keys that do something here and now."""
        stopped = self.state is not None and not self.state.running
        if self.in_find:
            self.foot.offer([*(hints(("find",)) if self.find.completes else ()), by_id("app.back")])
            return
        rows = hints(self.answers, self.idle | ({"query.compose"} if stopped else set()))
        self.foot.offer([SEARCH if row.id == SEARCH.id and self.text is not None else row for row in rows])

    # -- time

    async def on_mount(self) -> None:
        self.view_changed()
        self.traffic.following = self.actor is not None
        if self.actor is not None:
            await self.actor.begin(self.app)  # type: ignore[arg-type]
        self._say()
        self.set_timer(pace.STANDS_SECONDS, self.begin)

    @on(TrafficList.FirstPaint)
    def _leave_it_time(self) -> None:
        """Wait: the painted bytes leave first if everything else still has to be loaded."""
        self.set_timer(pace.AT_ONCE_SECONDS if self.source.begun else pace.LEAVES_SECONDS, self.begin)

    async def begin(self) -> None:
        """The screen stands, or a key came first: from now on look at the file, judge it, and load what was not painted."""
        # A second caller waits until all of it is done.
        async with self._beginning:
            if self._begun or not self.is_mounted:
                return
            self._begun = True
            our_app(self).dress()
            await self.mount(self.find, before=self.foot)
        self._tick()
        self._work()
        self._recall_marks()
        self.set_interval(pace.WORK_SECONDS, self._work)
        if not self.source.begun:
            self._load()
        if self._where:
            self.filter_by(self._where)
        self._take_place()

    def _recall_marks(self) -> None:
        from cgp_tui.ui.screens import marking

        marking.recall(self)

    @work(thread=True)
    def _load(self) -> None:
        preload.load()
        self.source.begin()

    def _take_place(self) -> None:
        """Go to the requested line, or to where this was left, once that much of the file is counted. A person who has moved
        meanwhile is left alone."""
        transcript, touched = self.source.transcript, our_app(self).touched
        self._placed = transcript.indexed or (self._at is not None and transcript.lines >= self._at)
        if not self._placed:
            return
        if self._at is not None:
            self.go_to_line(self._at)
        elif not self._where and not touched:
            self.resume(place=self.actor is None)

    def _tick(self) -> None:
        """Look at the file again and again, more often until it is counted to its end."""
        self._look()
        behind = not self.reading and not self.source.transcript.indexed
        self.set_timer(pace.AT_ONCE_SECONDS if behind else pace.LOOK_SECONDS, self._tick)

    def _look(self) -> None:
        """One look at the file, and the changes that can be seen."""
        if self.reading:
            self._say()
            return
        self._look_at_file()
        now = monotonic()
        counting = not self.source.transcript.indexed
        if counting and self.traffic.known and now < self._say_again:
            return  # a file is counted faster if that is not shown at every step
        self.traffic.look_again()
        if not self._placed:
            self._take_place()
        if self.player is not None and (index := self.player.tick(now)) is not None:
            self._stand_on(index)
        if self.source.count > pace.SHORT_RECORDS and now < self._say_again:
            return
        self._say_again = now + (pace.COUNTING_SECONDS if counting else pace.SAY_SECONDS / 2)
        if self.source.count <= pace.SHORT_RECORDS:
            self._say()
        else:
            # Not at once: between two places that are repainted together everything is composed again.
            self._top_is_next = not self._top_is_next
            (self._say_top if self._top_is_next else self._say_foot)()

    def _look_at_file(self) -> None:
        """Take in what the file has gained, and note what has become of it."""
        if self.source.refresh(self.slice_seconds):
            self.forget_drawn()
            self.traffic.start_over()
            self._work()
            self._notice = own("The file was replaced: it is read again.")
        elif self.source.transcript.event == "gone":
            self._notice = own("The file is gone or no longer a transcript: nothing new is read.")
        elif self._notice is None and (trouble := self.source.transcript.trouble) is not None:
            self._notice = show(f"{trouble.message} {trouble.fix}")

    def _work(self) -> None:
        """One slice of analysis, if there is anything to analyse, and the changes that can be seen."""
        source = self.source
        if self.reading or not source.begun:
            return
        source.records.tidy()
        self.sift_on()
        counting = source.done >= pace.FIRST_RECORDS and not source.transcript.indexed
        if counting or (source.done == source.count and not source.waiting):
            return
        if source.next_size > pace.LARGE_BYTES:
            self.aside(lambda: source.advance(0.0), lambda _: self.draw_detail())
            return
        source.advance(self.slice_seconds)
        source.sum_up_waiting()
        self.draw_first()
        self.renew_detail()
        self.traffic.repaint_news()

    def _say(self) -> None:
        """Bring the bars up to date; a bar repaints only where its words changed."""
        self._say_foot()
        self._say_top()

    def _say_foot(self) -> None:
        source, traffic, foot = self.source, self.traffic, self.foot
        now = monotonic()
        if self.actor is not None and now - self._asked >= pace.STATE_SECONDS:
            self._asked = now
            self.state = self.actor.state()
            foot.ask(self.state.consent)
            foot.suggest(self.state.hint)
            self.traffic.say_empty(self.state.empty)
            foot.report(self.state.hang)
            self.view_changed()
        complaint = our_app(self).complaint
        foot.warn(self._notice or (None if self.state is None else self.state.warning) or source.warning or complaint)
        self.overview.look(traffic.cursor)
        violations, advice, _ = source.found
        progress = Progress(source.count, source.done, violations, advice)
        header = source.transcript.header
        day = own("") if header is None else show(header.started_at[:10], 10)
        foot.status.say(status_spans(source.name, day, progress, self.state, self.symbols))
        if self.player is not None:
            foot.play(replay_spans(self.player.place(traffic.cursor), source.start, keymap_of(self).names))
        if self.in_find:
            self.say_found()

    def _say_top(self) -> None:
        traffic, source = self.traffic, self.source
        self.strip.say(self.view_tabs(live=self.actor is not None), title_spans(source.name, *source.counts)[1:])
        new = f"held, {traffic.fresh:,} new ({{traffic.follow}})" if self.actor else ""
        held = own("following") if traffic.following else spoken(self, new)
        self.head.say(self.traffic_title, held)

    # -- the playhead

    @on(TrafficList.Moved)
    def _take_along(self) -> None:
        if self.player is not None and self.player.take_along(self.traffic.cursor) and self.traffic.after is not None:
            self.traffic.after = None
            self.traffic.refresh()

    def _stand_on(self, index: int) -> None:
        """Put the playhead and the cursor on a record."""
        self.traffic.after = index
        self.traffic.move_to(index)
        self.traffic.refresh()

    # -- in and out

    @on(KeyLine.Pressed)
    async def _key_pressed(self, event: KeyLine.Pressed) -> None:
        await our_app(self).run_row(event.key)

    async def action_app_back(self) -> None:
        """One step: out of the line that is typed in, out of the zoom, from a frame to its line, from the detail to the
        list, out of the filter and the one connection, from another view to the traffic, then a word on leaving."""
        if self.in_find:
            self.leave_find()
        elif self.leave_zoom():
            return
        elif self.detail.view.has_focus:
            if not self.detail.up():
                self.focus_pane(detail=False)
        elif not (self.leave_half() or self.drop_filter() or self.drop_connection() or await self.leave_view()):
            self.foot.tell(spoken(self, "{app.leave} leaves"))

    # -- steps

    def action_step_on(self) -> None:
        self._step(1)

    def action_step_back(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        if self.detail.view.has_focus and self.detail.in_proof:
            self.detail.step(by)
        elif self.player is not None:
            self.player.take_along(self.traffic.cursor)
            self._stand_on(self.player.step(by))
        else:
            self.traffic.move_to(self.traffic.cursor + by)

    def action_app_jump(self) -> None:
        from cgp_tui.ui.screens.jumping import open_jump

        open_jump(self)

    async def jump_to(self, text: str) -> None:
        """Go to what a text names: a line, a place, a time, a rule, a frame or a message."""
        from cgp_tui.ui.screens.jumping import jump_to

        await jump_to(self, text)

    def action_trust_key(self) -> None:
        from cgp_tui.ui.screens.trust import ask

        ask(self)

    def action_proof_bundle(self) -> None:
        from cgp_tui.ui.screens.proving import export

        export(self)

    def action_app_copy(self) -> None:
        from cgp_tui.ui.screens.copying import open_copy

        open_copy(self)

    def action_app_save(self) -> None:
        from cgp_tui.ui.screens.copying import save_picture

        self.foot.tell(save_picture(self.app))

    def action_traffic_follow(self) -> None:
        self.traffic.following = True

    def follow_if(self, wanted: object) -> None:
        """Follow the newest line where a dialog came back with something."""
        if wanted:
            self.traffic.following = True

    def action_session_run(self) -> None:
        """Play or pause a recording; in a session there is nothing to play, so it follows."""
        if self.player is None:
            self.traffic.following = True
            return
        self.player.take_along(self.traffic.cursor)
        self.player.toggle(monotonic())
        self._say()

    def action_step_more(self) -> None:
        if self.player is not None:
            self.player.faster()
            self._say()

    def action_step_less(self) -> None:
        if self.player is not None:
            self.player.slower()
            self._say()

    async def action_live_act(self, key: str) -> None:
        """What only a session can do; `key` is the row's id."""
        if self.actor is None:
            self.foot.tell(own("Nothing can be sent here: this is a recording."))
            return
        shown = self.source.records.at(self.traffic.cursor) if self.source.count else None
        await self.actor.act(key, shown if isinstance(shown, Subject) else None)
