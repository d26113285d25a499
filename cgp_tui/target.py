"""What we run or reach, resolved once, with the digests that a consent is bound to.

A consent holds for a target, never for a name that a provider gives itself. The target of a command is the program behind
`argv[0]`, the other arguments and the names of the variables passed on; in addition, `code` covers the bytes of the program
and of every argument that is a file. Both are computed once, just before the start, and kept with the connection.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from cgp_tui import launchers
from cgp_tui.errors import InputError
from cgp_tui.secret import MASK, mask_argv

SHOWN_ITEMS: Final = 64
SHOWN_ITEM_CHARS: Final = 512
ID_CHARS: Final = 64
ID: Final = f"[A-Za-z0-9][A-Za-z0-9._-]{{0,{ID_CHARS - 1}}}"
"""What our own id of a provider looks like, as a regular expression."""
ID_FORM: Final = f"Up to {ID_CHARS} letters, digits, dots, dashes and underscores."
"""The same for a person."""

_ID: Final = re.compile(ID)


class Pin(msgspec.Struct, frozen=True):
    """A file whose bytes `code` covers: its real path and the SHA-256 of its content, in hex."""

    role: Literal["program", "argument"]
    path: str
    sha256: str


class Target(msgspec.Struct, frozen=True):
    """What one connection runs. `start` is the absolute path it is started by, `program` what that resolves to (a virtual
    environment's python must be started through its link). `digest` and `code` are hex SHA-256. `shown` is the masked
    command line. `floating` names the launcher that decides at each start which code runs, `remote` the one that reaches
    another machine; both are empty where there is none. `named` says that it is an entry of a providers file, whose id
    stands for the whole command. `unplaced` are words that name a pinned file without its whole path, and so name another
    file in another folder. A consent is bound to neither of these two."""

    kind: Literal["stdio", "http"]
    argv: tuple[str, ...]
    start: str
    program: str
    cwd: Path
    env_names: tuple[str, ...]
    digest: str
    code: str
    pins: tuple[Pin, ...]
    shown: tuple[str, ...]
    floating: str = ""
    remote: str = ""
    named: bool = False
    unplaced: tuple[str, ...] = ()

    @property
    def off_machine(self) -> bool:
        """Whether what it gets counts as leaving this machine, whatever is declared (C4): at any URL, even on loopback,
        since what listens there is unknown, and behind any launcher that reaches another machine."""
        return self.kind == "http" or bool(self.remote)


def provider_id_fits(text: str) -> bool:
    """Whether `text` may be our id of a provider (`ID`)."""
    return _ID.fullmatch(text) is not None


def _lp(text: str) -> bytes:
    """UTF-8 preceded by its length in four bytes."""
    raw = text.encode()
    return len(raw).to_bytes(4, "big") + raw


def _counted(texts: Sequence[str]) -> bytes:
    return len(texts).to_bytes(4, "big") + b"".join(map(_lp, texts))


def stdio_digest(program: str, arguments: Sequence[str], env_names: Iterable[str]) -> str:
    """The digest of a command: real path of the program, `argv[1:]`, the names of passed variables. Hex."""
    names = sorted(set(env_names))
    body = b"cgp-tui/target/1/stdio\n" + _lp(program) + _counted(arguments) + _counted(names)
    return hashlib.sha256(body).hexdigest()


def http_digest(address: str, credential: Literal["none", "bearer"]) -> str:
    """The digest of an endpoint given as `scheme://host:port/path`: host as lowercase A-label, port always there. Hex."""
    return hashlib.sha256(b"cgp-tui/target/1/http\n" + _lp(address) + _lp(credential)).hexdigest()


def code_digest(pins: Sequence[Pin]) -> str:
    """The digest of pinned files, in order. Hex."""
    parts = (_lp(pin.role) + _lp(pin.path) + bytes.fromhex(pin.sha256) for pin in pins)
    body = b"cgp-tui/code/1\n" + len(pins).to_bytes(4, "big") + b"".join(parts)
    return hashlib.sha256(body).hexdigest()


def search_path(path: str | None = None) -> str:
    """The PATH that a provider gets and is looked up in: of ours, the absolute folders that not everybody may write to."""
    kept = []
    for entry in (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep):
        try:
            # Windows has no such mode bits: there every folder reads as writable by all.
            open_to_all = os.name == "posix" and Path(entry).stat().st_mode & stat.S_IWOTH
        except (OSError, ValueError):
            continue
        if Path(entry).is_absolute() and not open_to_all:
            kept.append(entry)
    return os.pathsep.join(kept)


def _locate(name: str, cwd: Path) -> str:
    """The absolute path that `name` is started by, its links kept."""
    if os.sep in name or (os.altsep and os.altsep in name):
        found = shutil.which(str(cwd / name))
    else:
        path = search_path()
        # With an empty PATH `which` would use the system's default instead.
        found = shutil.which(name, path=path) if path else None
    if found is None:
        place = cwd / name if os.sep in name else None
        if place is not None and _is(stat.S_ISREG, place):
            raise InputError(
                "spawn_failed",
                f"{name!r} is not executable.",
                f"Make it so, chmod +x {shlex.quote(name)}, or name the program that runs it.",
            )
        if place is not None and _is(stat.S_ISDIR, place):
            raise InputError("spawn_failed", f"{name!r} is a folder.", "Name the program in it.")
        raise InputError(
            "spawn_failed",
            f"There is no program to start as {name!r}.",
            "Check the spelling, or give its path. PATH is searched without relative folders and those open to everybody.",
        )
    return found


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    """Whether something of that kind is there. A word that cannot be a path, like one of 300 letters, is nothing."""
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _sha256_of_file(path: str) -> str | None:
    """The hash of a regular file's content in hex, None where `path` is not a regular file."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except PermissionError as error:
        # In a folder that may not be entered nothing is seen, by what we start neither. Once it is, the pins are others.
        if not _is(stat.S_ISREG, Path(path)):
            return None
        raise InputError(
            "unreadable",
            f"{path!r} cannot be read, so a consent cannot be bound to it.",
            "Make the file readable for you.",
        ) from error
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    with os.fdopen(fd, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pins(program: str, arguments: Sequence[str], cwd: Path) -> tuple[Pin, ...]:
    pins = [Pin("program", program, _sha256_of_file(program) or "")]
    for argument in arguments:
        path = os.path.realpath(cwd / argument)
        digest = _sha256_of_file(path)
        if digest is not None:
            pins.append(Pin("argument", path, digest))
    return tuple(pins)


def _unplaced(arguments: Sequence[str], cwd: Path, pins: Sequence[Pin]) -> tuple[str, ...]:
    pinned = {pin.path for pin in pins if pin.role == "argument"}
    return tuple(word for word in arguments if not Path(word).is_absolute() and os.path.realpath(cwd / word) in pinned)


def shown_argv(argv: Sequence[str]) -> tuple[str, ...]:
    """A command line as kept in receipts and transcripts: masked, at most `SHOWN_ITEMS` items of `SHOWN_ITEM_CHARS`."""
    items = [item if len(item) <= SHOWN_ITEM_CHARS else item[: SHOWN_ITEM_CHARS - 1] + "…" for item in mask_argv(argv)]
    if len(items) > SHOWN_ITEMS:
        items[SHOWN_ITEMS - 1 :] = [f"… {len(items) - SHOWN_ITEMS + 1} more"]
    return tuple(items)


def stdio_target(argv: Sequence[str], *, env: Sequence[str] = (), cwd: Path | None = None) -> Target:
    """Resolve a command and read the files it names. `env` are the names of variables to pass on, `cwd` the folder to
    start in (ours by default). Starts nothing.

    Raises InputError: `usage` without a program, `spawn_failed` where there is none of that name, `unreadable` where a
    file named in it cannot be hashed, `identity_unrepresentable` where a word is not UTF-8.
    """
    if not argv or not argv[0]:
        raise InputError("usage", "There is no command to start.", "Write it after `--`.")
    for name in env:
        if not name or "=" in name:
            # Whoever writes NAME=VALUE has written a credential, and what is said of it may end up in a log.
            said = "".join([name.partition("=")[0], f"={MASK}" if "=" in name else ""])
            raise InputError(
                "usage", f"{said!r} is not the name of an environment variable.", "Give the name alone, as in --env NAME."
            )
    for word, shown in zip((*argv, *env), (*mask_argv(argv), *env), strict=True):
        try:
            word.encode()
        except UnicodeEncodeError:
            raise InputError(
                "identity_unrepresentable",
                f"A word of the command is not UTF-8: {shown!r}.",
                "Rename the file, or reach it by another path: a consent can only be bound to text.",
            ) from None
    folder = Path.cwd() if cwd is None else Path(os.path.abspath(cwd))  # noqa: PTH100 -- resolve() would follow links
    start = _locate(argv[0], folder)
    program = os.path.realpath(start)
    arguments = tuple(argv[1:])
    env_names = tuple(sorted(set(env)))
    pins = _pins(program, arguments, folder)
    names = launchers.names_of(argv[0], start)
    floating = launchers.floating(names, arguments, folder) or launchers.shim(start, program)
    return Target(
        kind="stdio",
        argv=tuple(argv),
        start=start,
        program=program,
        cwd=folder,
        env_names=env_names,
        digest=stdio_digest(program, arguments, env_names),
        code=code_digest(pins),
        pins=pins,
        shown=shown_argv((start, *arguments)),
        floating=floating,
        remote=launchers.remote(names, arguments, env_names, inline=" -" in floating),
        unplaced=_unplaced(arguments, folder, pins),
    )


def _script(target: Target) -> str:
    """What an interpreter is to run: the first file among its arguments, or the module after `-m`."""
    if not any(launchers.is_interpreter(launchers.base(path)) for path in (target.argv[0], target.program)):
        return ""
    arguments = target.argv[1:]
    inline, module = launchers.python_inline(arguments)
    if inline:
        return module if inline == "-m" else ""
    files = [argument for argument in arguments if _is(stat.S_ISREG, target.cwd / argument)]
    return files[0] if files else ""


def default_id(target: Target) -> str:
    """The id of a provider without one from the person: base name of its script or program, and 8 digits of its digest.

    Always one that fits `ID`; never taken from what the provider calls itself.
    """
    base = Path(_script(target) or target.start).name
    clean = re.sub(r"[^A-Za-z0-9._-]+", "-", base).lstrip("._-")[: ID_CHARS - 9].rstrip("-")
    return f"{clean or 'provider'}-{target.digest[:8]}"
