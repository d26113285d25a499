"""One message under way, and whether it still may be: another process may withdraw the consent while nobody writes.

The gate is asked at every write and before a reply is handed out. Between the two stands the wait for a provider that
does not read, or does not answer; a revocation is not to wait for either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cgp_tui import limits
from cgp_tui.consent.types import Denial
from cgp_tui.host.sending import Message, Question


class Lookout:
    """Asks again every `limits.LOOK_SECONDS` from `watch` to `stop`; `cut` is called once, with the first no.

    A ledger that is only busy is no no: whatever comes of it, the next write and the reply are judged anyway.
    """

    def __init__(self, question: Question) -> None:
        self._question = question
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def watch(self, message: Message, cut: Callable[[Denial], None]) -> None:
        """Look after `message` from now on."""
        # A timer costs next to nothing, and most replies are there before it ends.
        self._timer = asyncio.get_running_loop().call_later(limits.LOOK_SECONDS, self._begin, message, cut)

    def _begin(self, message: Message, cut: Callable[[Denial], None]) -> None:
        self._task = asyncio.create_task(self._look(message, cut))

    async def _look(self, message: Message, cut: Callable[[Denial], None]) -> None:
        while True:
            answer = await self._question.answer(message.spends)
            if isinstance(answer, Denial) and answer.code != "lock_timeout":
                cut(answer)
                return
            await asyncio.sleep(limits.LOOK_SECONDS)

    def stop(self) -> None:
        """The message is over."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
