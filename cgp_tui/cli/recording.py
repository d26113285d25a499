"""Where a session is recorded: a new file of its own, named by the person or by time, provider and process."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from cgp_tui.errors import InputError, OurError, os_reason

if TYPE_CHECKING:
    from cgp_tui.transcript.writer import Writer
    from cgp_tui.wire.note import LedgerMark


Kept = Literal["whole", "digests", "nothing"]
"""What stays of a session: all of it, its lines as digests, or nothing."""


class Recording(NamedTuple):
    """`shown` is the file that holds every line and is looked at while the session lasts, `kept` the one that stays: the
    same, one with digests, or none."""

    shown: Path
    kept: Path | None
    writer: Writer


def kept_of(record: Path | None, no_record: bool, no_payload: bool) -> Kept:
    """What the options ask to keep. Raises InputError usage where they contradict each other."""
    if no_record and (no_payload or record is not None):
        other = "--no-payload" if no_payload else "--record"
        raise InputError("usage", f"--no-record and {other} contradict each other.", "Give one of them.")
    return "nothing" if no_record else "digests" if no_payload else "whole"


def recording(
    path: Path | None, provider_id: str, recorder: str, ledger: LedgerMark | None, kept: Kept = "whole"
) -> Recording:
    """A new recording at `path`, by default in the transcripts' folder. What is looked at and does not stay is in a file
    without a name, gone with this process however that ends, under the path by which this process alone finds it.

    Raises InputError usage for a file that is there already, OurError unrecordable where none can be made.
    """
    from cgp_tui.transcript.writer import Writer

    if kept == "whole":
        place, descriptor = _named(path, provider_id)
        return Recording(place, place, Writer(descriptor, recorder, ledger=ledger))
    passing = _nameless()
    shown = Path(f"/dev/fd/{passing}")
    if kept == "nothing":
        return Recording(shown, None, Writer(passing, recorder, ledger=ledger))
    from cgp_tui.transcript.digests import DigestWriter

    place, descriptor = _named(path, provider_id)
    return Recording(shown, place, DigestWriter(passing, descriptor, recorder, ledger=ledger))


def _nameless() -> int:
    from cgp_tui.store import files

    try:
        return files.create_nameless()
    except OSError as error:
        reason = os_reason(error)
        raise OurError(
            "unrecordable", f"No temporary file can be created: {reason}.", "Make room where TMPDIR is."
        ) from None


def _named(path: Path | None, provider_id: str) -> tuple[Path, int]:
    from cgp_tui.store import files, paths

    stem = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{provider_id}-{os.getpid()}"
    place = path or paths.transcripts_dir() / f"{stem}.ndjson"
    try:
        # Asked in here: a name that is too long is an error of the system's as well.
        if path is not None and path.is_dir():
            what = "names no file" if path == Path() else f"names {path}, a folder"
            raise InputError("usage", f"--record {what}.", "Name a new file, as in --record session.ndjson.")
        if path is not None and not path.absolute().parent.is_dir():
            raise InputError("usage", f"There is no folder {path.absolute().parent} to record in.", "Make it first.")
        number = 1
        while True:
            try:
                return place, files.create_private(place)
            except FileExistsError:
                if path is not None:
                    raise
            # Begun in the same second under the same process number, by this process or in another container.
            number += 1
            place = place.with_name(f"{stem}-{number}.ndjson")
    except FileExistsError:
        raise InputError(
            "usage", f"{place} already exists; a recording never writes to an existing file.", "Name a new file."
        ) from None
    except OSError as error:
        reason = os_reason(error)
        raise OurError("unrecordable", f"{place} cannot be created: {reason}.", "Name another file with --record.") from None
