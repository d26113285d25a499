"""A list of rows that stand for something, as the consent screen has two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from textual.message import Message

from cgp_tui.present.decisions import Item
from cgp_tui.present.spans import Rows, Span, row
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown
from cgp_tui.ui.widgets.rows import RowsView


class ItemsView(RowsView):
    """Rows that stand for something: the item under the cursor can be asked for."""

    class Chosen(Message):
        """The person opened an item."""

        def __init__(self, item: Item, from_history: bool) -> None:
            super().__init__()
            self.item = item
            self.from_history = from_history

    def __init__(self, *, symbols: Symbols, id: str | None = None) -> None:
        super().__init__(symbols=symbols, id=id)
        self._items: list[Item] = []

    def show_items(self, make: Callable[[Look], Iterator[Item]], empty: Shown) -> None:
        """Draw other items; the cursor stays on the row it was on."""

        def rows(look: Look) -> Rows:
            self._items = []
            for item in make(look):
                self._items.append(item)
                yield item.row
            if not self._items:
                yield row(Span(empty, "muted"))

        top = self.scroll_offset.y
        self.show(rows, self.cursor)
        self.begin_at(top)

    @property
    def item(self) -> Item | None:
        return self._items[self.cursor] if self.cursor < len(self._items) else None

    def action_nav_open(self) -> None:
        if self.item is not None:
            self.post_message(self.Chosen(self.item, self.id == "history"))
