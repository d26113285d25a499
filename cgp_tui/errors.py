"""Every way to fail, by whose fault it is. An error carries a stable code, what happened, and the next step."""

from __future__ import annotations

import errno
from typing import Final

SCARCE: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOBUFS))
"""What the system says where it has no more to give: descriptors, memory, processes."""


class Error(Exception):
    """A named failure. `code` is one of the codes of the command contract; `fix` is the next step for a person."""

    def __init__(self, code: str, message: str, fix: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message} {self.fix}".rstrip()


class PeerError(Error):
    """The peer broke the protocol, died or stayed silent."""


class OurError(Error):
    """We could not do our part: a disk, a lock, a process limit."""


class InputError(Error):
    """What the person gave us cannot be used: a wrong option, a file that is no transcript."""


class RefusedError(Error):
    """We decline to act: consent is missing, or the ledger does not answer."""


def os_reason(error: OSError | ValueError) -> str:
    """What the system says of a failure, without the file: `No space left on device`."""
    return getattr(error, "strerror", None) or str(error) or "no reason is given"
