"""The question before leaving would stop a provider. The safe answer has the focus."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from cgp_tui.text import own
from cgp_tui.ui.content import plain
from cgp_tui.ui.keys import SIDEWAYS, bindings
from cgp_tui.ui.screens.front import Front
from cgp_tui.ui.stylesheets import stylesheet


class LeaveScreen(Front[bool]):
    """True for leaving, False for staying."""

    CSS = stylesheet("leave")
    AUTO_FOCUS = "#stay"
    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("screen") if binding.id == "app.back"],
        *SIDEWAYS,
    ]

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(own("A provider is still running. Leaving stops all that run; the recording is kept.")))
            with Horizontal():
                yield Button(plain(own("Stay")), id="stay", compact=True)
                yield Button(plain(own("Leave")), id="leave", compact=True)

    @on(Button.Pressed)
    def _answered(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "leave")

    def action_app_back(self) -> None:
        self.dismiss(False)
