"""Which providers are configured here: by the person's own file, and by that of the current folder.

A project's file comes with the project, from anybody. It is only data until the person has looked at it: what is trusted is
the digest of its exact bytes at its path, so that any change, and any copy elsewhere, has to be looked at again.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import msgspec

from cgp_tui import limits
from cgp_tui.errors import Error, InputError, OurError, RefusedError, folder_gone, os_reason
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.store import files, locks, paths
from cgp_tui.store.providers import EntryFault, ProviderSpec, parse

Kind = Literal["user", "project"]

_FORMAT: Final = "cgp-trusted/1"
_PATIENCE: Final = 5.0


class ProvidersFile(msgspec.Struct, frozen=True):
    """One file as it was read. `sha256` is the hex digest of its bytes, empty where it is missing or could not be read;
    `problem` says why it could not. The person's own file is trusted because it is theirs."""

    kind: Kind
    path: Path
    there: bool = False
    sha256: str = ""
    trusted: bool = False
    specs: tuple[ProviderSpec, ...] = ()
    faults: tuple[EntryFault, ...] = ()
    problem: Error | None = None


class Configured(msgspec.Struct, frozen=True):
    """An entry and its file. `folder` is where the provider is started: its `cwd`, taken relative to the file's folder, as
    are its `roots`."""

    spec: ProviderSpec
    file: ProvidersFile
    shadowed: bool = False

    @property
    def folder(self) -> Path:
        return self._counted(self.spec.cwd)

    @property
    def roots(self) -> tuple[Path, ...]:
        return tuple(map(self._counted, self.spec.roots))

    def _counted(self, path: str) -> Path:
        folder = self.file.path.parent
        try:
            return folder / Path(path).expanduser()
        except RuntimeError:  # `~name` of an unknown user
            return folder / path


class _Trusted(msgspec.Struct, frozen=True):
    format: str
    path: str
    sha256: str
    at: str


def path_of(kind: Kind) -> Path:
    """The path of the file of a kind, which may not exist. Raises InputError unreadable in a folder that is gone."""
    if kind == "user":
        return paths.providers_path()
    try:
        return paths.project_path()
    except FileNotFoundError:
        raise folder_gone() from None


def read(kind: Kind) -> ProvidersFile:
    """A file as it is now. What is wrong with it is its `problem`; raises only what `path_of` raises."""
    path = path_of(kind)
    try:
        data = _bytes(path)
        if data is None:
            return ProvidersFile(kind, path)
        digest = hashlib.sha256(data).hexdigest()
        trusted = kind == "user" or _trusted(path) == digest
    except Error as error:
        return ProvidersFile(kind, path, True, problem=error)
    try:
        entries = parse(data)
    except InputError as error:
        said = InputError(error.code, error.message.replace("The providers file", str(path)), error.fix)
        return ProvidersFile(kind, path, True, digest, trusted, problem=said)
    return ProvidersFile(kind, path, True, digest, trusted, entries.specs, entries.faults)


def every() -> tuple[ProvidersFile, ...]:
    """The person's file, then the project's."""
    own = read("user")
    try:
        if path_of("project") == own.path:
            return (own,)
    except InputError:
        return (own,)
    return own, read("project")


def entries(found: tuple[ProvidersFile, ...]) -> tuple[Configured, ...]:
    """All entries, those of the person's own file first. An id in that file shadows the same id of a project."""
    seen: set[str] = set()
    made = []
    for file in found:
        made += [Configured(spec, file, spec.id in seen) for spec in file.specs]
        seen |= {spec.id for spec in file.specs} | {fault.id for fault in file.faults if not fault.harmless}
    return tuple(made)


def entry(id: str) -> Configured:
    """The entry of an id, ready to be started.

    Raises InputError usage where there is none, or it is faulty, or a URL; RefusedError project_untrusted where it is in a
    project's file that the person has not trusted as it is now; and the problem of a file that might hold it.
    """
    known: list[str] = []
    for file in every():
        if file.problem is not None:
            raise file.problem
        fault = next((fault for fault in file.faults if fault.id == id and not fault.harmless), None)
        if fault is not None:
            where = f" ({fault.key})" if fault.key else ""
            raise InputError("usage", f"The entry {id} of {file.path} cannot be used{where}: {fault.why}.", fault.fix)
        for spec in file.specs:
            known.append(spec.id)
            if spec.id == id:
                return _ready(Configured(spec, file))
    close = difflib.get_close_matches(id, known, n=1)
    there = f"There are: {', '.join(known)}." if known else f"Add it: cgp-tui providers add {id} -- CMD..."
    fix = f"Did you mean {close[0]}?" if close else there
    raise InputError("usage", f"No providers file has an entry {id!r}, and no command is given.", fix)


def _ready(found: Configured) -> Configured:
    if not found.file.trusted:
        raise untrusted(found.file)
    if found.spec.url:
        message = f"The entry {found.spec.id} is a URL, and those cannot be opened yet."
        raise InputError("usage", message, "Name a program to run instead.")
    return found


def untrusted(file: ProvidersFile) -> RefusedError:
    """The error that says a project's file is not used yet, with the command that leads out."""
    return RefusedError(
        "project_untrusted",
        f"{file.path} is not trusted as it is now, so nothing of it is run.",
        "See what it runs, and trust it: cgp-tui providers trust",
    )


# -- trust


def trust(file: ProvidersFile) -> None:
    """Remember that the person trusts a project's file with exactly these bytes. Raises OurError not_saved, its problem."""
    if file.problem is not None:
        raise file.problem
    made = _Trusted(_FORMAT, str(file.path), file.sha256, utc_text(time.time()))
    place = _mark_of(file.path)
    try:
        files.make_folder(place.parent)
        files.write_whole(place, msgspec.json.encode(made) + b"\n")
    except OSError as error:
        raise _unsaved(place, error) from None


def _mark_of(path: Path) -> Path:
    return paths.trusted_dir() / hashlib.sha256(os.fsencode(path)).hexdigest()


def _trusted(path: Path) -> str:
    """The digest with which the file at `path` was trusted last, empty where it never was."""
    try:
        data = _bytes(_mark_of(path))
        made = None if data is None else msgspec.json.decode(data, type=_Trusted)
    except msgspec.DecodeError:
        return ""
    return made.sha256 if made is not None and made.format == _FORMAT and made.path == str(path) else ""


# -- files


def _bytes(path: Path) -> bytes | None:
    """The whole of a small file of ours, None where there is none. Raises UnsafeStoreError, InputError unreadable."""
    try:
        fd = files.open_safely(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error) from None
    try:
        data = files.read_whole(fd, limits.PROVIDERS_BYTES + 1)
    finally:
        os.close(fd)
    if len(data) <= limits.PROVIDERS_BYTES:
        return data
    kib = limits.PROVIDERS_BYTES // 1024
    raise InputError("unreadable", f"{path} is larger than {kib} KiB: no list of providers.", "Move it aside.")


def edit(kind: Kind, change: Callable[[bytes], bytes]) -> Path:
    """Replace a file's bytes by `change` of them, whole or not at all; a missing file counts as empty. Returns its path.

    Raises what `change` raises; UnsafeStoreError; InputError unreadable; OurError lock_timeout or not_saved.
    """
    path = path_of(kind)
    lock = paths.trusted_dir() / f"{_mark_of(path).name[:16]}.lock"
    with _held(lock):
        before = _mark(path)
        data = _bytes(path) or b""
        kept = before != files.ABSENT and os.name == "posix"
        mode = stat.S_IMODE(path.stat().st_mode) if kept else files.FILE_MODE
        written = change(data)
        if _mark(path) != before:
            raise OurError("not_saved", f"{path} was just changed by somebody else.", "Try again.")
        try:
            files.make_folder(path.parent)
            files.write_whole(path, written, mode)
        except OSError as error:
            raise _unsaved(path, error) from None
    return path


def _mark(path: Path) -> files.Mark:
    """The mark of a file about to be edited. Raises InputError unreadable where it cannot be looked at."""
    try:
        return files.mark(path)
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError("unreadable", f"{path} cannot be read: {os_reason(error)}.", "Fix its mode or its folder.")


def _held(lock: Path) -> contextlib.AbstractContextManager[object]:
    """The lock of whoever edits a file. Raises OurError lock_timeout, not_saved or store_unsafe."""
    if not locks.AVAILABLE:
        return contextlib.nullcontext()
    try:
        return locks.take(lock, shared=False, patience=_PATIENCE)
    except OSError as error:
        raise _unsaved(lock, error) from None


def _unsaved(path: Path, error: OSError) -> OurError:
    reason = os_reason(error)
    return OurError("not_saved", f"{path} cannot be written: {reason}.", "Free disk space, or fix its folder.")
