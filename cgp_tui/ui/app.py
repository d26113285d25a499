"""The app: one inspector over one transcript, its themes, its commands, its ways out."""

from __future__ import annotations

from cgp_tui.store.settings import Settings
from cgp_tui.ui.base_app import BaseApp
from cgp_tui.ui.screens.inspector import InspectorScreen


class CgpApp(BaseApp):
    """Shows one inspector."""

    def __init__(self, inspector: InspectorScreen, *, theme: str | None = None, settings: Settings | None = None) -> None:
        super().__init__(inspector, inspector.symbols, theme, settings)
        self.inspector = inspector

    @property
    def answers(self) -> tuple[str, ...]:
        return self.inspector.answers

    def on_mount(self) -> None:
        self.watch_signals()

    async def end_session(self) -> None:
        await self.inspector.end()

    async def action_app_leave(self) -> None:
        if self.covered:
            self.pop_screen()
        elif self.inspector.running:
            # Loaded when it is asked: the first paint does not wait for it.
            from cgp_tui.ui.screens.leave import LeaveScreen

            self.push_screen(LeaveScreen(self.symbols), self._leave_if)
        else:
            await self.leave()

    async def _leave_if(self, wanted: bool | None) -> None:
        if wanted:
            await self.leave()
