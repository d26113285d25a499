"""When a provider is started anew: whenever somebody asks for it, and before the next question where nothing else helps.

A request that timed out in lock-step leaves a connection on which no reply could be told from another; one whose consent
was taken back was stopped, and may have been given consent again since. Both are started anew without being asked to, as a
new connection: nothing of the old one is carried over, its program is looked at again, and so is its consent. Whatever
else ended a connection would only end the next one, so there somebody has to ask.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable

import msgspec

from cgp_tui import limits
from cgp_tui.checks.types import Problem
from cgp_tui.consent.types import Denial
from cgp_tui.errors import InputError
from cgp_tui.host.connection import Connection
from cgp_tui.host.errors import HostError, KeepsFailing, Spawn
from cgp_tui.host.problems import CLOSED, WITHDRAWN, unusable
from cgp_tui.session.states import TIMEOUT
from cgp_tui.target import Target, stdio_target


class Restarts:
    """The restarts of one host. `find` is its present connection of an id, `start` connects one anew."""

    def __init__(
        self, find: Callable[[str], Connection], start: Callable[[Connection, Target], Awaitable[Connection]]
    ) -> None:
        self._find = find
        self._start = start
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._unasked: defaultdict[str, int] = defaultdict(int)
        self._over = False

    async def on_request(self, id: str) -> Connection:
        """A new connection, whatever became of the last one."""
        self._find(id)
        async with self._locks[id]:
            self._unasked.pop(id, None)
            return await self._anew(self._find(id))

    async def ready(self, id: str) -> Connection:
        """The connection to ask: the present one, or a new one where the present one can only be replaced.

        Raises KeepsFailing where that was tried `limits.RESTARTS` times in a row without an answer, Spawn where its program
        or a file that its command line names is gone.
        """
        connection = self._find(id)
        if connection.alive or not await self._replaceable(connection):
            return connection
        async with self._locks[id]:
            connection = self._find(id)
            if not await self._replaceable(connection):
                return connection  # somebody else who asked has replaced it meanwhile
            if connection.answered:
                self._unasked.pop(id, None)
            if self._unasked[id] >= limits.RESTARTS:
                raise KeepsFailing(_kept_failing(limits.RESTARTS), id)
            self._unasked[id] += 1
            return await self._anew(connection)

    def forget(self, id: str) -> None:
        """Whoever has this id next is somebody else."""
        self._unasked.pop(id, None)

    def stop(self) -> None:
        """The host closes: nobody is started any more."""
        self._over = True

    async def _replaceable(self, connection: Connection) -> bool:
        if self._over or not connection.greeted:
            return False
        if connection.ended_by == WITHDRAWN:
            return not isinstance(await connection.question.answer(), Denial)
        return connection.ended_by == TIMEOUT

    async def _anew(self, connection: Connection) -> Connection:
        await connection.close()
        old = connection.target
        # Its files may have changed: what is started now is what consent is asked about.
        try:
            found = await asyncio.to_thread(stdio_target, old.argv, env=old.env_names, cwd=old.cwd)
        except InputError as error:
            raise Spawn(Problem(error.code, error.message, error.fix), connection.provider_id) from error
        self._must_be_open(connection.provider_id)
        made = await self._start(connection, msgspec.structs.replace(found, named=old.named))
        try:
            self._must_be_open(connection.provider_id)
        except HostError:
            await made.close()
            raise
        return made

    def _must_be_open(self, id: str) -> None:
        if self._over:
            raise unusable(CLOSED, id)


def _kept_failing(times: int) -> Problem:
    return Problem(
        "keeps_failing",
        f"The provider was started again {times} times in a row and answered nothing.",
        "Check its stderr, fix it, and restart it yourself; it is not restarted automatically.",
    )
