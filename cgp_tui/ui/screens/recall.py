"""What is shown of a transcript or a provider, and how (one connection or all, which time), remembered for the next time."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, get_args

from cgp_tui.present.traffic import COLUMNS, TIME_WORDS
from cgp_tui.store.settings import TimeMode
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.ui.ours import our_app
from cgp_tui.ui.screens.panes import Paned
from cgp_tui.ui.source import Source

if TYPE_CHECKING:
    from cgp_tui.store.views import View, Views

NOTES: Final = 2000
"""How many notes are read for a connection's name, so that no key waits for more."""

TIMES: Final[tuple[TimeMode, ...]] = get_args(TimeMode)


class Recalling(Paned):
    """`views` keeps how the panes were left; None where nothing is kept."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.views: Views | None = None
        self.traffic_title = own("Traffic")
        self._left_as: View | None = None
        self._unread = ""

    # -- from the last time, and for the next

    def recall(self) -> None:
        """Take the panes and columns from the settings or, if this was looked at before, from that time."""
        settings = our_app(self).settings
        view, self._unread = (None, "") if self.views is None else self.views.get()
        self._left_as = view
        kept = settings if view is None else view
        self.turned, self.shares = kept.panes, {True: kept.beside, False: kept.stacked}
        self.traffic.show_time(kept.time)
        self.traffic.hide(settings.hidden_columns if view is None else view.hidden)

    def resume(self, *, place: bool) -> None:
        """Restore the filter of that time, and with `place` the line."""
        view = self._left_as
        if self._unread:
            self.foot.tell(compose("The last view is not known: {why}", why=show(self._unread, 200)))
        if view is None:
            return
        if view.connection is not None and view.connection <= self.source.connections:
            self._only(view.connection)
        if view.filter:
            self.filter_by(view.filter)
            if view.suspended:
                self.action_find_suspend()
        at = None if not place or view.line is None else self.source.transcript.place(view.line)
        if at is not None:
            self.traffic.aim(at)

    def keep_view(self, *, place: bool) -> None:
        """Keep how it is looked at now, with `place` also the line that the cursor is on."""
        if self.views is None:
            return
        from cgp_tui.store.views import View

        list_filter, line = self.list_filter, self.source.line_of(self.traffic.cursor) if self.source.count else 0
        self.views.put(
            View(
                self.views.target,
                self.turned,
                self.shares[True],
                self.shares[False],
                self.traffic.time,
                "" if list_filter.filter is None else list_filter.filter.text,
                list_filter.suspended,
                list_filter.connection,
                line if place and line else None,
                tuple(name for name in COLUMNS if name in self.traffic.hidden),
            )
        )

    # -- which columns, which time

    def action_list_columns(self) -> None:
        from cgp_tui.ui.screens.columns import ColumnScreen

        self.app.push_screen(ColumnScreen(self.traffic, self.symbols))

    def action_time_mode(self) -> None:
        """The next way to show time: time of day, since the start, since the record before."""
        traffic = self.traffic
        traffic.show_time(TIMES[(TIMES.index(traffic.time) + 1) % len(TIMES)])
        room = "" if traffic.shows_time else "; this pane is too narrow to show it"
        self.foot.tell(own(f"{TIME_WORDS[traffic.time]}{room}."))

    # -- which connection

    def action_connection_next(self) -> None:
        self._turn_connection(1)

    def action_connection_next_back(self) -> None:
        self._turn_connection(-1)

    def _turn_connection(self, by: int) -> None:
        """All connections, then each by itself, then all again."""
        count = self.source.connections
        if count < 2:
            self.foot.tell(own("There is one connection."))
            return
        at = ((self.list_filter.connection or 0) + by) % (count + 1)
        self._only(at or None)
        self.foot.tell(own(f"Only connection {at} of {count}." if at else f"All {count} connections."))

    def _only(self, connection: int | None) -> None:
        self.traffic_title = own("Traffic") if connection is None else self._named(connection)
        self.list_filter.only(connection)
        self.sift_anew()

    def _named(self, connection: int) -> Shown:
        """The list's title where it shows one connection: its number and our id of its provider."""
        from cgp_tui.wire.note import Connect

        notes = (note for _, note in islice(self.source.transcript.notes(), NOTES))
        name = next((note.provider_id for note in notes if isinstance(note, Connect) and note.connection == connection), "")
        return compose("Traffic: {number} {name}", number=connection, name=show(name, 60) if name else own("connection"))

    def drop_connection(self) -> bool:
        """Show all connections again. Returns whether only one was shown."""
        if self.list_filter.connection is None:
            return False
        self._only(None)
        return True
