"""The first moments of a session: the screen stands before anything heavy is loaded or any provider is started."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from cgp_tui.text import own
from cgp_tui.ui.actor import ActorState

if TYPE_CHECKING:
    from cgp_tui.present.subject import Subject
    from cgp_tui.ui.app import CgpApp
    from cgp_tui.ui.live.session import Live

_AFTER_PAINT: Final = 0.05
_STARTING: Final = ActorState(word="LIVE", gate=own("gate on"), recording=0, empty=own("Starting…"), running=False)


class Opening:
    """An actor that becomes the session made by `make`, which runs in the background once the first screen is painted."""

    def __init__(self, make: Callable[[], Live]) -> None:
        self._make = make
        self._live: Live | None = None
        self._begun: asyncio.Task[None] | None = None
        self._painted = asyncio.Event()
        self._app: CgpApp | None = None

    async def begin(self, app: CgpApp) -> None:
        self._app = app
        self._begun = asyncio.create_task(self._open(app))

    async def _open(self, app: CgpApp) -> None:
        try:
            await self._until_painted(app)
            live = await asyncio.to_thread(self._make)
            await live.begin(app)
            self._live = live
        except Exception as error:
            app.fail(error)

    async def _until_painted(self, app: CgpApp) -> None:
        """Wait: the painted bytes leave by another thread, which must not compete with the loading of modules."""
        app.inspector.call_after_refresh(self._painted.set)
        await self._painted.wait()
        await asyncio.sleep(_AFTER_PAINT)

    def state(self) -> ActorState:
        return _STARTING if self._live is None else self._live.state()

    async def act(self, action: str, subject: Subject | None) -> None:
        if self._live is not None:
            await self._live.act(action, subject)
        elif self._app is not None:
            self._app.inspector.foot.tell(own("Nothing to act on yet: the session is being started."))

    async def end(self) -> None:
        """Leave nothing half begun: whatever is being started is waited for, then ended."""
        if self._begun is not None:
            if not self._painted.is_set():
                self._begun.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._begun
        if self._live is not None:
            await self._live.end()
