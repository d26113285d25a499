"""The records of a transcript, each given to the session of its connection."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from cgp_tui.analysis.connections import Connections
from cgp_tui.session import Exchange, Keys, Remark, Session
from cgp_tui.session.states import TIMEOUT
from cgp_tui.transcript.record import Damaged, Record
from cgp_tui.wire.line import Line, Seen

Paired = tuple[Exchange | Remark, int, Seen | None]
"""What is to be judged: with the record that showed it, and the line where that is one."""


class Pairing:
    """The sessions of one transcript, `bare` or a recording. What it tells of its connections goes to `connections`."""

    def __init__(self, bare: bool, connections: Connections) -> None:
        self._bare = bare
        self._connections = connections
        self.sessions: dict[int, Session] = {}
        """The connections that are not over, or not known to be."""
        self.lines = 0
        """The wire lines so far; in a bare file its physical lines."""
        self.lost = 0
        """Wire lines whose numbers are missing."""
        self.damaged = 0
        """Records that cannot be read."""
        self._last_n = 0
        self._numbers = itertools.count(1)
        self._published = Keys()

    def pair(self, at: int, record: Record, seen: Seen | None) -> list[Paired]:
        """Take record `at`, the next one, and what it changes; `seen` is None where it is no line, or a blank one of a bare
        file."""
        if isinstance(record, Damaged):
            self.damaged += 1
            return []
        made: list[Paired] = []
        session = self._session(record.connection, at, made)
        if not isinstance(record, Line):
            self._connections.note(at, record)
            _add(made, session.feed(record), at, None)
            _add(made, session.remarks, at, None)
            return made
        self.lines += 1
        if record.n > self._last_n:
            if record.n > self._last_n + 1 and not self._bare:  # there it is only a part of a file
                self.lost += record.n - self._last_n - 1
                for known in self.sessions.values():  # whose line it was is lost with it
                    _add(made, known.lose(), at, None)
            self._last_n = record.n
        if seen is None:
            return made
        changed = session.feed(seen)
        if session.ack is not None and record.connection not in self._connections.acks:
            self._connections.acks[record.connection] = at
        _add(made, changed, at, seen)
        _add(made, session.remarks, at, seen)
        return made

    def end(self, at: int) -> list[Paired]:
        """Nothing more comes, record `at` was the last one."""
        made: list[Paired] = []
        for session in self.sessions.values():
            self._end(session, at, made)
        return made

    def _session(self, connection: int, at: int, made: list[Paired]) -> Session:
        found = self.sessions.get(connection)
        if found is None:
            if self._bare:  # there a new connection is the end of the one before
                for before in self.sessions.values():
                    self._end(before, at, made)
                self.sessions.clear()
            found = self.sessions[connection] = Session(connection, self._numbers, self._published)
        return found

    def _end(self, session: Session, at: int, made: list[Paired]) -> None:
        """Nothing more comes on this connection. A recording without the end of one was cut off: there nobody knows."""
        if session.shut or self._bare:
            _add(made, session.end(TIMEOUT), at, None)


def _add(made: list[Paired], changed: Sequence[Exchange | Remark], at: int, seen: Seen | None) -> None:
    made += [(what, at, seen) for what in changed]
