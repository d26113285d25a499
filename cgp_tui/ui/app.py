"""The app: one inspector over one transcript, its themes, its commands, its ways out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.command import CommandPalette
from textual.filter import LineFilter
from textual.scrollbar import ScrollBar, ScrollBarRender

from cgp_tui.present.symbols import ASCII
from cgp_tui.ui import themes
from cgp_tui.ui.content import SecondNet
from cgp_tui.ui.keys import Key, bindings
from cgp_tui.ui.palette import KeyCommands, ThemeCommands
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.tokens import TokenApp


class CgpApp(TokenApp):
    """Shows one inspector. Everything it draws passes the second net."""

    TITLE = "cgp-tui"
    ENABLE_COMMAND_PALETTE = False
    COMMANDS = {KeyCommands, ThemeCommands}  # noqa: RUF012 - the base class's own form
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]

    def __init__(self, inspector: InspectorScreen, *, theme: str | None = None) -> None:
        super().__init__()
        self.animation_level = "none"
        self.register_theme(themes.OWN)
        self.theme = theme or self._asked_for() or themes.DEFAULT
        self.inspector = inspector
        self.set_class(inspector.symbols is ASCII, "-ascii")
        ScrollBar.renderer = themes.AsciiScrollBar if inspector.symbols is ASCII else ScrollBarRender
        self._net = SecondNet()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The stock filters, and the net behind them."""
        return [*super().get_line_filters(), self._net]

    def _asked_for(self) -> str | None:
        """The theme that TEXTUAL_THEME names, else the terminal's own 16 colours where it says that it has no more."""
        wanted = os.environ.get("TEXTUAL_THEME")
        if wanted in self.available_themes:
            return wanted
        return "ansi-dark" if os.environ.get("TERM") in ("linux", "vt100") else None

    async def on_mount(self) -> None:
        self.watch_signals()
        await self.push_screen(self.inspector)

    async def end_session(self) -> None:
        await self.inspector.end()

    async def run_row(self, row: Key) -> None:
        """Do what a row of the key table names, from the command list or the key line."""
        for target in (self.focused, self.screen, self):
            if target is not None and hasattr(target, f"action_{row.action.partition('(')[0]}"):
                await self.run_action(row.action, default_namespace=target)
                return

    def action_app_palette(self) -> None:
        if not CommandPalette.is_open(self):
            self.push_screen(CommandPalette(placeholder="a command, a key's name or a theme"))

    def action_app_help(self) -> None:
        # Loaded when they are asked for, as the question below: the first paint does not wait for them.
        from cgp_tui.ui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.inspector.symbols, self.inspector.answers))

    async def action_app_leave(self) -> None:
        if len(self.screen_stack) > 2:
            self.pop_screen()
        elif self.inspector.running:
            from cgp_tui.ui.screens.leave import LeaveScreen

            self.push_screen(LeaveScreen(), self._leave_if)
        else:
            await self.leave()

    async def _leave_if(self, wanted: bool | None) -> None:
        if wanted:
            await self.leave()
