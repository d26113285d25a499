"""Every way to fail, by whose fault it is. An error carries a stable code, what happened, and the next step."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SCARCE: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOBUFS))
"""What the system says where it has no more to give: descriptors, memory, processes."""


class Error(Exception):
    """A named failure. `code` is one of `CODES`; `fix` is the next step for a person."""

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


def folder_gone() -> InputError:
    """In place of the FileNotFoundError that a relative path, or the question for the current folder, ends in there."""
    return InputError("unreadable", "The current folder no longer exists.", "Change to another folder.")


def os_reason(error: OSError | ValueError) -> str:
    """What the system says of a failure, without the file: `No space left on device`."""
    return getattr(error, "strerror", None) or str(error) or "no reason is given"


CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # What was given to us.
        "usage": "A command line, an option or an argument cannot be used.",
        "unreadable": "A file or a key cannot be read, or is not what it should be.",
        "not_a_transcript": "A file is neither a recording nor CGP envelopes.",
        "not_a_bundle": "A file is not an evidence bundle that this version reads.",
        "no_evidence": "A frame carries nothing that could be proved.",
        "no_terminal": "A screen needs a terminal.",
        "identity_unrepresentable": "A name or a word cannot be written in a record: no UTF-8, or too long.",
        # The provider.
        "spawn_failed": "The program cannot be started.",
        "sandbox_unavailable": "This system cannot make the requested sandbox.",
        "version_mismatch": "The provider speaks another major version (H3).",
        "scope_contradiction": "The provider declares egress: false and a scope off this machine (C5).",
        "scope_malformed": "A scope is not one.",
        "timeout": "No reply came in time.",
        "stalled": "The provider does not read its stdin.",
        "provider_crashed": "The provider ended before it answered.",
        "provider_error": "The provider answered with an error; `provider_code` is its code.",
        "unexpected_envelope": "A line is no message that answers the request.",
        "correlation_mismatch": "A reply does not carry the id of its request (H4).",
        "invalid_utf8": "A line is not UTF-8.",
        "not_json": "A line is not JSON.",
        "not_one_object": "A line is not one JSON object.",
        "too_deep": "A line is nested too deeply.",
        "duplicate_member": "A line gives a member twice.",
        "line_too_long": "A line is longer than the limit.",
        "flood": "Far more lines came than were asked for.",
        "poisoned": "No reply on this connection can be told from another any more.",
        "dropped": "A reply may be among lines that are missing from the recording.",
        "closed": "The provider was shut down by us.",
        "keeps_failing": "The provider was restarted several times in a row without an answer.",
        # Consent and trust.
        "consent_required": "A need is not granted; `needs` says which, and why.",
        "spent": "A grant for one use was used by somebody else just now.",
        "project_untrusted": "A project's providers file is not trusted as it is now.",
        "unrecordable": "What has to be recorded first could not be written.",
        "lock_timeout": "A lock was not to be had in time.",
        "clock_behind": "The clock is before the newest record of the ledger.",
        "fresh": "There is no ledger yet.",
        "torn": "The last record of the ledger was cut off.",
        "adopt": "The ledger holds more than its head covers.",
        "head_missing": "The head of the ledger is missing.",
        "head_damaged": "The head of the ledger cannot be read.",
        "shortened": "The ledger is shorter than its head remembers.",
        "forked": "The ledger is another one than its head remembers.",
        "damaged": "The file cannot be read to its end.",
        "tampered": "The file was changed after it was written.",
        "newer_format": "A newer version wrote the file.",
        "store_unsafe": "The file or its folder is not safe to use.",
        # This machine.
        "not_saved": "A file of ours could not be written, or somebody else changed it meanwhile.",
        "unwritable": "The output could not be written.",
        "exhausted": "The system is out of memory, descriptors or processes.",
        "interrupted": "A signal ended the run.",
        "terminal_lost": "The terminal can no longer be read.",
        "styles_missing": "A style sheet is not installed.",
        "defect": "An error of this program.",
    }
)
"""Every code that an error can have, with what it says. A code keeps its meaning; a later version may add some."""
