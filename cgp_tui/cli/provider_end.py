"""What a failed provider left behind: how it ended, if it did, and the end of its stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from cgp_tui.text import show, show_lines

if TYPE_CHECKING:
    from cgp_tui.checks.types import Problem
    from cgp_tui.host.connection import Connection
    from cgp_tui.host.errors import HostError
    from cgp_tui.host.process import Exited

_LINES: Final = 3
_CHARS: Final = 160
_BYTES: Final = 4096


def with_end(problem: Problem, connection: Connection | None) -> Problem:
    """The same problem; if it is the provider's, with the last lines of its stderr, made visible and bounded, and if it
    died, with its exit status or signal."""
    if connection is None or not _is_the_provider_s(problem):
        return problem
    message = problem.message.removesuffix(".")
    how = _how(connection.exited) if problem.code == "provider_crashed" else ""
    tail = connection.stderr_tail[-_BYTES:].decode("utf-8", "backslashreplace")
    lines = [show(line.strip(), _CHARS) for line in show_lines(tail) if line.strip()][-_LINES:]
    said = f" Last on stderr: {' | '.join(lines).removesuffix('.')}." if lines else ""
    return msgspec.structs.replace(problem, message=f"{message}{how}.{said}") if how or said else problem


def _is_the_provider_s(problem: Problem) -> bool:
    from cgp_tui.errors import PeerError
    from cgp_tui.host.errors import BY_CODE, HostError

    return issubclass(BY_CODE.get(problem.code, HostError), PeerError)


def told(error: HostError, connection: Connection | None) -> HostError:
    """The same error with what `with_end` adds."""
    from cgp_tui.checks.types import Problem
    from cgp_tui.host.errors import failure

    problem = Problem(error.code, error.message, error.fix, provider_code=error.provider_code)
    better = with_end(problem, connection)
    return error if better == problem else failure(better, error.id, error.outcome)


def _how(exited: Exited | None) -> str:
    if exited is not None and exited.ours:
        return ": it closed its end of a pipe, and cgp-tui stopped it"
    if exited is None or (exited.code is None and exited.signal is None):
        return ""
    return f": exit status {exited.code}" if exited.signal is None else f": ended by signal {exited.signal}"
