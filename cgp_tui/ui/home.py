"""Choosing where to begin: an app of one screen, whose answer is what to do."""

from __future__ import annotations

from textual import on

from cgp_tui.present.home import Choice, Home
from cgp_tui.present.symbols import Symbols
from cgp_tui.store import paths
from cgp_tui.store.settings import Settings, read
from cgp_tui.ui import crash, themes
from cgp_tui.ui.framed import FramedApp
from cgp_tui.ui.keys import Where
from cgp_tui.ui.screens.home import HomeScreen


class HomeApp(FramedApp):
    """`chosen` is what the person wants to do, None where they left."""

    def __init__(self, home: Home, symbols: Symbols, theme: str | None = None, settings: Settings | None = None) -> None:
        super().__init__(symbols, theme, settings)
        self.chosen: Choice | None = None
        self._home = home

    @property
    def answers(self) -> tuple[Where, ...]:
        return HomeScreen.answers

    async def on_mount(self) -> None:
        self.watch_signals()
        await self.push_screen(HomeScreen(self._home, self.symbols))

    @on(HomeScreen.Chosen)
    async def _chosen(self, event: HomeScreen.Chosen) -> None:
        self.chosen = event.choice
        await self.leave()

    async def action_app_leave(self) -> None:
        if len(self.screen_stack) > 2:
            self.pop_screen()
        else:
            await self.leave()


def choose(home: Home) -> Choice | int:
    """Show the home screen on the terminal: what was chosen, or the exit code where nothing was.

    Raises InputError no_terminal, and whatever made the app fail.
    """
    settings = read(paths.settings_path())
    app = HomeApp(home, themes.alphabet(settings.symbols), settings=settings)
    code = crash.run(app)
    return code if app.chosen is None else app.chosen
