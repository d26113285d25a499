"""Choosing before there is a session: an app of one menu, whose answer is what the chosen entry stands for."""

from __future__ import annotations

from typing import Generic

from textual import on

from cgp_tui.present.symbols import Symbols
from cgp_tui.store import paths
from cgp_tui.store.settings import Settings, read
from cgp_tui.ui import crash, themes
from cgp_tui.ui.base_app import BaseApp
from cgp_tui.ui.screens.entries import Answer, EntriesScreen, Menu


class Entrance(BaseApp, Generic[Answer]):
    """`chosen` is the answer, None where the person left."""

    def __init__(
        self, menu: Menu[Answer], symbols: Symbols, theme: str | None = None, settings: Settings | None = None
    ) -> None:
        super().__init__(EntriesScreen(menu, symbols), symbols, theme, settings)
        self.chosen: Answer | None = None
        self._menu = menu

    def on_mount(self) -> None:
        self.watch_signals()

    @on(EntriesScreen.Chosen)
    async def _chosen(self, event: EntriesScreen.Chosen) -> None:
        self.chosen = self._menu.answer(event.place)
        await self.leave()

    async def action_app_leave(self) -> None:
        if self.covered:
            self.pop_screen()
        else:
            await self.leave()


def ask(menu: Menu[Answer]) -> Answer | int:
    """Show a menu on the terminal: the answer, or the exit code where none was chosen.

    Raises InputError no_terminal, and whatever made the app fail.
    """
    settings = read(paths.settings_path())
    app = Entrance(menu, themes.alphabet(settings.symbols), settings=settings)
    code = crash.run(app)
    return code if app.chosen is None else app.chosen
