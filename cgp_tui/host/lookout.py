"""Whether what was consented to still is, while nobody writes: another process may withdraw the consent at any time.

The gate is asked at every write and before a reply is handed out. Between the two stands the wait for a provider that
does not read, or does not answer; a revocation is not to wait for either. Nor is it to wait for the next question: a
provider that holds what it was given is stopped when the consent to that is taken back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from cgp_tui import limits
from cgp_tui.consent.types import Answer, Denial
from cgp_tui.host.sending import Message, Question

_TAKEN_BACK: Final = frozenset({"revoked", "denied"})
_SHUT: Final = frozenset(
    {"head_missing", "head_damaged", "shortened", "damaged", "forked", "tampered", "newer_format", "store_unsafe"}
)
"""What shuts the whole ledger until a person does something; an emergency stop is one of them."""


def taken_back(denial: Denial) -> bool:
    """Whether somebody took a consent away, rather than a grant that ended by itself or was never there."""
    reasons = {reason.old or reason.reason for reason in denial.reasons if reason.reason != "identity_changed"}
    return not reasons.isdisjoint(_TAKEN_BACK) or denial.code in _SHUT


class Vigil:
    """Asks the gate every `limits.LOOK_SECONDS` about a connection on which nothing is under way; `end` is called once,
    when consent that it had is taken back. A message under way has a lookout of its own. `allowed` is whether there was
    such consent."""

    def __init__(self, question: Question, busy: Callable[[], bool], end: Callable[[], None]) -> None:
        self._question = question
        self._busy = busy
        self._end = end
        self.allowed = False
        self._task = asyncio.create_task(self._look())

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(limits.LOOK_SECONDS)
            answer = await self._question.answer()
            if not isinstance(answer, Denial):
                self.allowed = self.allowed or bool(answer.needs)
            elif self.allowed and not self._busy() and taken_back(answer):
                self._end()
                return

    def stop(self) -> None:
        """The connection is over."""
        self._task.cancel()


class Lookout:
    """Asks every `limits.LOOK_SECONDS` about a connection's messages that are under way, each from `watch` to `leave`.
    `cut` is called once for a message, with the first no.

    However many are under way, the gate is asked once for all that have used the same one-time grants. A ledger that is only
    busy is not a refusal: the next write and the reply are judged in any case.
    """

    def __init__(self, question: Question) -> None:
        self._question = question
        self._watched: dict[Message, Callable[[Denial], None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def watch(self, message: Message, cut: Callable[[Denial], None]) -> None:
        """Look after `message` from now on."""
        self._watched[message] = cut
        # It goes on running when a message leaves, and serves those that come before it ends.
        if self._timer is None and self._task is None:
            self._start()

    def leave(self, message: Message) -> None:
        """The message is over, if it was watched at all."""
        self._watched.pop(message, None)

    def _start(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(limits.LOOK_SECONDS, self._begin)

    def _begin(self) -> None:
        self._timer = None
        if self._watched:
            self._task = asyncio.create_task(self._look())

    async def _look(self) -> None:
        try:
            answers: dict[frozenset[str], Answer] = {}
            for message, cut in tuple(self._watched.items()):
                spends = message.spends
                if spends not in answers:
                    answers[spends] = await self._question.answer(spends)
                answer = answers[spends]
                # What is spent may be the message's own use, on record before the message knows of it.
                unsettled = message.spending or message.spends is not spends
                if unsettled or message not in self._watched:
                    continue
                if isinstance(answer, Denial) and answer.code != "lock_timeout":
                    self.leave(message)
                    cut(answer)
        finally:
            self._task = None
            if self._watched:
                self._start()

    def stop(self) -> None:
        """The connection is over."""
        self._watched.clear()
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
