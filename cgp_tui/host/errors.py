"""The names of what can go wrong between a host and one provider; a caller tells them apart by class or by `code`.

Each is also one of `PeerError`, `OurError`, `InputError`, `RefusedError`: whose fault it is decides what to do about it.
"""

from __future__ import annotations

from cgp_tui.errors import Error, InputError


class HostError(Error):
    """Any of them. `exchange` is the number of the request in the transcript, None where nothing was sent."""

    exchange: int | None = None


class Spawn(HostError, InputError):
    """The program cannot be run."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__("spawn_failed", message, fix)
