"""Where a session is recorded: a new file of its own, named by the person or by time, provider and process."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from cgp_tui.errors import InputError, OurError

if TYPE_CHECKING:
    from cgp_tui.transcript.writer import Writer
    from cgp_tui.wire.note import LedgerMark


def unrecorded(recorder: str, ledger: LedgerMark | None) -> tuple[Path, Writer]:
    """What a screen draws from where nothing is to be recorded: a file without a name, gone with this process however that
    ends, under the path by which this process alone finds it. Raises OurError unrecordable."""
    from cgp_tui.store import files
    from cgp_tui.transcript.writer import Writer

    try:
        descriptor = files.create_nameless()
    except OSError as error:
        reason = error.strerror or str(error)
        raise OurError("unrecordable", f"No passing file can be made: {reason}.", "Make room where TMPDIR is.") from None
    return Path(f"/dev/fd/{descriptor}"), Writer(descriptor, recorder, ledger=ledger)


def one_record(record: Path | None, no_record: bool) -> None:
    """Refuse a line that asks for a recording and for none. Raises InputError usage."""
    if no_record and record is not None:
        raise InputError("usage", "--no-record and --record contradict each other.", "Give one of them.")


def recording(path: Path | None, provider_id: str, recorder: str, ledger: LedgerMark | None) -> tuple[Path, Writer]:
    """A new recording at `path`, by default in the transcripts' folder, and the writer that owns it.

    Raises InputError usage for a file that is there already, OurError unrecordable where none can be made.
    """
    from cgp_tui.store import files, paths
    from cgp_tui.transcript.writer import Writer

    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    place = path or paths.transcripts_dir() / f"{stamp}-{provider_id}-{os.getpid()}.ndjson"
    try:
        # Asked in here: a name that is too long is an error of the system's as well.
        if path is not None and path.is_dir():
            what = "names no file" if path == Path() else f"names {path}, a folder"
            raise InputError("usage", f"--record {what}.", "Name a new file, as in --record session.ndjson.")
        if path is not None and not path.absolute().parent.is_dir():
            raise InputError("usage", f"There is no folder {path.absolute().parent} to record in.", "Make it first.")
        descriptor = files.create_private(place)
    except FileExistsError:
        raise InputError(
            "usage", f"{place} is there already; a recording never writes to an existing file.", "Name a new file."
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise OurError("unrecordable", f"{place} cannot be made: {reason}.", "Name another file with --record.") from None
    return place, Writer(descriptor, recorder, ledger=ledger)
