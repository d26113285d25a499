"""A container that scrolls by itself to keep the focused field in view when there is not enough room."""

from __future__ import annotations

from textual.containers import Vertical


class Scrolled(Vertical):
    """It has no keys of its own: the keys that scroll belong to its screen, which knows what is to be read."""

    def on_resize(self) -> None:
        self._keep_in_view()

    def watch_virtual_size(self) -> None:
        # The scrollbar takes a cell, and what is folded becomes longer: of that no resize tells.
        self._keep_in_view()

    def _keep_in_view(self) -> None:
        field = self.screen.focused if self.is_attached else None
        if field is not None and self in field.ancestors:
            self.call_after_refresh(field.scroll_visible, animate=False, immediate=True)
