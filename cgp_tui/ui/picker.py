"""Picking a provider before there is a session: an app of one screen, whose answer is an id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on

from cgp_tui.present.providers import Offer, offer
from cgp_tui.store import paths
from cgp_tui.store.settings import Settings, read
from cgp_tui.ui import crash, themes
from cgp_tui.ui.framed import FramedApp
from cgp_tui.ui.keys import Where
from cgp_tui.ui.screens.providers import ProvidersScreen

if TYPE_CHECKING:
    from cgp_tui.present.symbols import Symbols
    from cgp_tui.store.registry import ProvidersFile


class PickerApp(FramedApp):
    """`picked` is the id of the entry to start, None where the person left."""

    def __init__(self, made: Offer, symbols: Symbols, theme: str | None = None, settings: Settings | None = None) -> None:
        super().__init__(symbols, theme, settings)
        self.picked: str | None = None
        self._offer = made

    @property
    def answers(self) -> tuple[Where, ...]:
        return ProvidersScreen.answers

    async def on_mount(self) -> None:
        self.watch_signals()
        await self.push_screen(ProvidersScreen(self._offer, self.symbols))

    @on(ProvidersScreen.Picked)
    async def _chosen(self, event: ProvidersScreen.Picked) -> None:
        self.picked = event.provider_id
        await self.leave()

    async def action_app_leave(self) -> None:
        if len(self.screen_stack) > 2:
            self.pop_screen()
        else:
            await self.leave()


def pick(files: Sequence[ProvidersFile]) -> str | int:
    """Offer the entries of these files on the terminal: the id that was picked, or the exit code where none was.

    Raises InputError no_terminal, and whatever made the app fail.
    """
    settings = read(paths.settings_path())
    app = PickerApp(offer(files), themes.alphabet(settings.symbols), settings=settings)
    code = crash.run(app)
    return code if app.picked is None else app.picked
