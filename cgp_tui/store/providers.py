"""What a providers file says, entry by entry, and how to add or remove one entry without touching another byte.

    [providers.docs]
    command = ["docs-server", "--stdio"]     # or url = "https://…": kept and listed
    env = ["DOCS_TOKEN"]
    timeouts = { handshake = 5, exchange = 60 }

People edit it with any editor, so its byte order mark, line ends, comments and unknown keys are theirs: an edit cuts or
appends whole tables. Nothing here opens a file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, cast, get_args

import msgspec

from cgp_tui import limits
from cgp_tui.errors import InputError
from cgp_tui.store import handwritten
from cgp_tui.store.handwritten import NoTomlError
from cgp_tui.target import ID_FORM, provider_id_fits

Sandbox = Literal["none", "processes", "no-network"]

_MARK: Final = b"\xef\xbb\xbf"
_TABLE: Final = "providers"
_HEADER: Final = re.compile(r"[ \t]*\[")
_TRIES: Final = 200
"""The most lines that may look like a table's header, or a comment, and turn out to be inside a string or an array."""


class Timeouts(msgspec.Struct, frozen=True):
    """Time limits in seconds; None means the usual one."""

    handshake: float | None = None
    exchange: float | None = None


class ProviderSpec(msgspec.Struct, frozen=True):
    """One entry. `command` is an argv, empty where there is a `url`. `cwd` is as written, empty for the file's folder; `env`
    are names of variables and `roots` are folders, as written."""

    id: str
    command: tuple[str, ...] = ()
    url: str = ""
    env: tuple[str, ...] = ()
    cwd: str = ""
    roots: tuple[str, ...] = ()
    sandbox: Sandbox = "none"
    timeouts: Timeouts = Timeouts()


class EntryFault(msgspec.Struct, frozen=True):
    """What is wrong with an entry: in which `key` (empty for the entry itself), of which `id` (empty for the whole file).
    `harmless` says that the entry still works: a key that we do not know is kept and not used."""

    id: str
    key: str
    why: str
    fix: str
    harmless: bool = False


class Entries(msgspec.Struct, frozen=True):
    """What a providers file holds: the entries that work, in its order, and what is wrong with the others."""

    specs: tuple[ProviderSpec, ...] = ()
    faults: tuple[EntryFault, ...] = ()


# -- reading


def _document(data: bytes) -> dict[str, Any]:
    """A file as TOML. Raises InputError unreadable."""
    try:
        return handwritten.parse(data, "Write its entries as [providers.ID] tables.")
    except NoTomlError as error:
        raise InputError("unreadable", f"The providers file cannot be used: {error.why}.", error.fix) from None


def parse(data: bytes) -> Entries:
    """The entries of a file; a fault in one does not affect the others. Raises InputError unreadable."""
    document = _document(data)
    faults = [
        EntryFault("", key, "it is kept and not used: the file names providers and nothing else", "Remove it.", True)
        for key in document
        if key != _TABLE
    ]
    table = document.get(_TABLE, {})
    if not isinstance(table, dict):
        fix = "Write each provider as a table: [providers.ID]"
        return Entries((), (*faults, EntryFault("", _TABLE, "it is not a table", fix)))
    specs = []
    for id, entry in table.items():
        found = list(_faults(id, entry))
        faults += found
        if all(fault.harmless for fault in found):
            specs.append(_spec(id, entry))
    return Entries(tuple(specs), tuple(faults))


def _spec(id: str, entry: Mapping[str, Any]) -> ProviderSpec:
    known = {name: value for name, value in entry.items() if name in _KEYS}
    return msgspec.convert({"id": id, **known}, ProviderSpec)


def _texts(value: object, *, least: int) -> bool:
    """Whether a value is a list of at least `least` words that can be passed to a process."""
    return isinstance(value, list) and len(value) >= least and all(map(_text, value))


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


def _command(value: object) -> bool:
    # An argument may be empty; the program may not.
    return isinstance(value, list) and _texts(value[:1], least=1) and all(_text(item) or item == "" for item in value)


def _url(value: object) -> bool:
    from urllib.parse import urlsplit

    if not _text(value):
        return False
    try:
        parts = urlsplit(cast("str", value))
        parts.port  # noqa: B018 -- a property that raises ValueError for an invalid port
    except ValueError:
        return False
    plain = not (parts.username or parts.password or parts.query or parts.fragment)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain


def _names(value: object) -> bool:
    return _texts(value, least=0) and all("=" not in name for name in cast("list[str]", value))


def _seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= limits.PROVIDERS_SECONDS


def _timeouts(value: object) -> bool:
    return isinstance(value, dict) and all(_seconds(each) for name, each in value.items() if name in _LIMITS)


_LIMITS: Final = ("handshake", "exchange")
_WORDS: Final = ", ".join(f'"{word}"' for word in get_args(Sandbox))
_KEYS: Final[dict[str, tuple[Callable[[object], bool], str, str]]] = {
    "command": (
        _command,
        "it is not a list of strings",
        'Write the program and each argument: command = ["prog", "--option"]',
    ),
    "url": (
        _url,
        "it is not an http or https URL without user, query and fragment",
        'Write it as url = "https://host/path"',
    ),
    "env": (_names, "it is not a list of variable names", 'Write names, never values: env = ["NAME"]'),
    "cwd": (_text, "it is not a path", 'Write a folder: cwd = "path"'),
    "roots": (lambda value: _texts(value, least=0), "it is not a list of paths", 'Write folders: roots = ["path"]'),
    "sandbox": (lambda value: value in get_args(Sandbox), f"it is not one of {_WORDS}", "Write one of these, or remove it."),
    "timeouts": (
        _timeouts,
        f"it is not a table of seconds, more than 0 and at most {limits.PROVIDERS_SECONDS:.0f}",
        "Write timeouts = { handshake = 10, exchange = 30 }",
    ),
}
"""Each key of an entry: the test of its value, what is wrong where it fails, and what to write instead."""


def _faults(id: str, entry: object) -> Iterator[EntryFault]:
    if not provider_id_fits(id):
        yield EntryFault(id, "", "it cannot be an id", ID_FORM)
    if not isinstance(entry, dict):
        yield EntryFault(id, "", "it is not a table", f"Write it as [providers.{id}]")
        return
    for key, value in entry.items():
        if key not in _KEYS:
            yield EntryFault(id, key, "it is kept and not used", f"Known: {', '.join(_KEYS)}.", True)
            continue
        fits, why, fix = _KEYS[key]
        if not fits(value):
            yield EntryFault(id, key, why, fix)
        elif key == "timeouts":
            for name in value.keys() - set(_LIMITS):
                yield EntryFault(id, f"timeouts.{name}", "it is kept and not used", "Known: handshake, exchange.", True)
    if "command" in entry and "url" in entry:
        yield EntryFault(id, "url", "a command is given too", "Keep one of the two.")
    if "command" not in entry and "url" not in entry:
        yield EntryFault(id, "command", "it is missing", 'Name what to run: command = ["prog", "--option"]')


# -- editing


def added(data: bytes, spec: ProviderSpec) -> bytes:
    """The file with one more entry, at its end; every byte that was there stays.

    Raises InputError: unreadable, or usage where the id is already there or nothing can be added without touching others.
    """
    before = _document(data)
    if spec.id in _table(before):
        raise InputError("usage", f"There is an entry {spec.id} already.", "Give another id, or remove that one first.")
    text = data.decode()
    newline = "\r\n" if "\r\n" in text else "\n"
    written = data + (_apart(text, newline) + _written(spec).replace("\n", newline)).encode()
    _must_say(written, {**before, _TABLE: {**_table(before), spec.id: _values(spec)}}, "Add it by hand")
    return written


def _apart(text: str, newline: str) -> str:
    """What sets an entry off from the text before it: an empty line, if none stands there. It stays when the entry is
    removed, since nobody could tell it from one that a person wrote."""
    if text.encode() in (b"", _MARK) or text.endswith(("\n\n", "\r\n\r\n")) or text in ("\n", "\r\n"):
        return ""
    return newline if text.endswith("\n") else newline * 2


def removed(data: bytes, id: str) -> bytes:
    """The file with one entry less: its tables are cut out, and every byte around them stays.

    Raises InputError: unreadable, or usage where there is no such entry or it cannot be cut out by itself.
    """
    before = _document(data)
    table = _table(before)
    if id not in table:
        others = f"There are: {', '.join(table)}." if table else "There is none here; `cgp-tui providers list` shows all."
        raise InputError("usage", f"There is no entry {id}.", others)
    after = {name: entry for name, entry in table.items() if name != id}
    wanted = {**before, _TABLE: after}
    mark = _MARK if data.startswith(_MARK) else b""
    text = data.removeprefix(_MARK).decode()
    written = mark + _cut(text, id).encode()
    if not _says(written, wanted):
        written = mark + _taken_out(text, id).encode()
    _must_say(written, wanted, "Remove it by hand")
    return written


def _table(document: Mapping[str, Any]) -> dict[str, Any]:
    """The entries as written. Raises InputError usage where they are not a table."""
    table = document.get(_TABLE, {})
    if not isinstance(table, dict):
        raise InputError("usage", "`providers` is not a table in this file.", "Write each provider as [providers.ID].")
    return table


def _values(spec: ProviderSpec) -> dict[str, Any]:
    """An entry's keys and values, without those at their default."""
    plain = ProviderSpec(spec.id)
    made: dict[str, Any] = {}
    for name in _KEYS:
        value = getattr(spec, name)
        if value != getattr(plain, name):
            made[name] = list(value) if isinstance(value, tuple) else value
    if "timeouts" in made:
        given = {name: value for name in _LIMITS if (value := getattr(spec.timeouts, name)) is not None}
        made["timeouts"] = {name: int(value) if value == int(value) else value for name, value in given.items()}
    return made


def _written(spec: ProviderSpec) -> str:
    """An entry as a table of its own."""
    import tomlkit

    table = tomlkit.document()
    for name, value in _values(spec).items():
        if isinstance(value, dict):
            inline = tomlkit.inline_table()
            inline.update(value)
            table.add(name, inline)
        else:
            table.add(name, value)
    return f"[{_TABLE}.{tomlkit.key(spec.id).as_string()}]\n{tomlkit.dumps(table)}"


def _says(written: bytes, wanted: Mapping[str, Any]) -> bool:
    """Whether a file that we made says exactly what it should."""
    try:
        # Compared as text, since NaN does not even equal itself; without entries there may be no table.
        return repr({_TABLE: {}, **_document(written)}.items()) == repr({_TABLE: {}, **wanted}.items())
    except (InputError, RecursionError):
        return False


def _must_say(written: bytes, wanted: Mapping[str, Any], fix: str) -> None:
    """Raises InputError usage unless a file that we made says exactly what it should."""
    if not _says(written, wanted):
        raise InputError(
            "usage",
            "The file is written in a way that cannot be edited without touching other parts of it.",
            f"{fix}, as a table [providers.ID].",
        )


def _cut(text: str, id: str) -> str:
    """The text without the tables of one entry, each from its header to its last value."""
    kept = []
    at = 0
    for path, start, end in _tables(text):
        if path[:2] == (_TABLE, id):
            kept.append(text[at:start])
            at = _last_value(text, start, end)
    return "".join((*kept, text[at:]))


def _taken_out(text: str, id: str) -> str:
    """The text without an entry that has no table of its own, if it is one piece of the text; else all of it."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        cast("dict[str, Any]", document[_TABLE]).pop(id)
        left = tomlkit.dumps(document)
    except (TOMLKitError, KeyError):
        return text
    return left if _shared(text, left) + _shared(text[::-1], left[::-1]) >= len(left) else text


def _shared(one: str, other: str) -> int:
    """The length of the common beginning of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _tables(text: str) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Each table of a valid document with its place: where its header begins, and where the next one does."""
    path: tuple[str, ...] = ()
    start = at = tries = 0
    for line in _lines(text):
        if _HEADER.match(line) and tries < _TRIES:
            if _whole(text[start:at]):
                yield path, start, at
                path, start = _path(line), at
            else:
                tries += 1
        at += len(line)
    yield path, start, at


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends; only LF ends one."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        yield text[at:end]
        at = end


def _whole(piece: str) -> bool:
    """Whether a piece that begins outside of any string or array also ends outside of one."""
    try:
        tomllib.loads(piece)
    except ValueError:
        return False
    return True


def _path(header: str) -> tuple[str, ...]:
    """The keys of a table's header."""
    node: Any = tomllib.loads(header)
    path = []
    while node:
        if isinstance(node, list):
            node = node[0]
            continue
        ((name, node),) = node.items()
        path.append(name)
    return tuple(path)


def _last_value(text: str, start: int, end: int) -> int:
    """Where the last value of a table ends; comments and empty lines after it belong to what follows."""
    lines = list(_lines(text[start:end]))
    first = len(lines)
    while first and (not lines[first - 1].strip() or lines[first - 1].lstrip().startswith("#")):
        first -= 1
    at = end - sum(map(len, lines[first:]))
    # Lines inside a string may look like comments; the value then ends further down.
    for line in lines[first : first + _TRIES]:
        if _whole(text[start:at]):
            break
        at += len(line)
    return at
