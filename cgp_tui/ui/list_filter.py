"""What the traffic list shows: the last valid filter typed, for one connection or all, unless it is suspended."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cgp_tui.analysis.filter import Filter, FilterError
    from cgp_tui.analysis.filtering import FilterRun
    from cgp_tui.store.filters import Filters
    from cgp_tui.ui.source import Source

HISTORY = 100
"""How many filters are remembered."""


class ListFilter:
    """`text` is the content of the filter bar. While it is not a filter (`error`), the one before it applies; a suspended
    one is kept but hides nothing. `connection` is the only one shown, None for all."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.shelf: Callable[[], Filters] | None = None
        """Gives the saved filters; None where none are kept beyond this run."""
        self.text = ""
        self.error: FilterError | None = None
        self.suspended = False
        self.sift: FilterRun | None = None
        self.connection: int | None = None
        self.history: list[str] = []
        self._filter: Filter | None = None
        self._place = 0

    @cached_property
    def saved(self) -> Filters:
        """The filters saved under a name, read when first needed."""
        from cgp_tui.store.filters import Filters

        return Filters() if self.shelf is None else self.shelf()

    @property
    def filter(self) -> Filter | None:
        """The filter that was last understood; None where everything is shown."""
        return self._filter

    @property
    def taken(self) -> FilterRun | None:
        """What the list shows, None for everything."""
        return None if self.suspended else self.sift

    def type(self, text: str) -> bool:
        """Take the content of the bar. Returns whether another filter applies now."""
        from cgp_tui.analysis.filter import NONE_SAVED, FilterError, compile_filter

        self.text = text
        try:
            filter = compile_filter(text, self.saved.texts if "@" in text else NONE_SAVED)
        except FilterError as error:
            self.error = error
            return False
        self.error = None
        if text.strip() == ("" if self.filter is None else self.filter.text.strip()):
            return False
        self.suspended = False
        self._filter = filter if text.strip() else None
        self._renew()
        return True

    def only(self, connection: int | None) -> None:
        """Show one connection's records, None for those of all."""
        self.connection, self.suspended = connection, False
        self._renew()

    def _renew(self) -> None:
        """Start over with what is to be shown now."""
        from cgp_tui.analysis.filter import compile_filter
        from cgp_tui.analysis.filtering import FilterRun

        analysis = self._source.analysis
        if self.connection is None:
            self.sift = None if self._filter is None else FilterRun(self._filter, analysis)
            return
        one = compile_filter(f"connection:{self.connection}")
        self.sift = FilterRun(one if self._filter is None else _both(one, self._filter), analysis)

    def keep(self) -> None:
        """Add the filter that applies to the history, newest last."""
        if self.filter is not None:
            text = self.filter.text.strip()
            self.history = [*(one for one in self.history if one != text), text][-HISTORY:]
        self._place = len(self.history)

    def clear(self) -> bool:
        """Remove the filter. Returns whether that changes anything. What was typed stays in the history."""
        self.keep()
        self.text, self.error = "", None
        if self._filter is None:
            return False
        self._filter, self.suspended = None, False
        self._renew()
        return True

    def suspend(self) -> bool:
        """Suspend the filter, or resume it. Returns whether there is one."""
        if self.sift is None:
            return False
        self.suspended = not self.suspended
        return True

    def older(self, by: int = 1) -> str | None:
        """The filter used before the one in the bar (`by` 1) or after it (-1); None where there is none."""
        place = self._place - by
        if not 0 <= place < len(self.history):
            return None
        self._place = place
        return self.history[place]

    def advance(self, seconds: float) -> bool:
        """Look at more of the transcript; whether there is more."""
        return self.taken is not None and self.taken.advance(seconds)


def _both(one: Filter, other: Filter) -> Filter:
    from cgp_tui.analysis.filter import Filter

    return Filter(other.text, one.fields | other.fields, lambda record: one.test(record) and other.test(record))
