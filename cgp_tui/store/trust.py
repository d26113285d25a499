"""The trust store: the keys whose signer a person knows, in a small TOML file that is written whole or not at all.

Its content has one spelling and a hash over all of it, so that a cut or changed file never passes for a shorter list or a
wider window: it is named, and no key is trusted until it is mended. Any TOML reader can read it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from cgp_tui import limits
from cgp_tui.errors import InputError, OurError, RefusedError, os_reason
from cgp_tui.protocol import ed25519
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.digest import PREFIX
from cgp_tui.protocol.utf8 import halved
from cgp_tui.store import canon
from cgp_tui.store.files import UnsafeStoreError, make_folder, open_safely, read_whole, unsafe, write_whole

if TYPE_CHECKING:
    from cgp_tui.store.locks import Held

State = Literal["ok", "absent", "damaged", "newer_format", "store_unsafe", "unreadable"]

LABEL_CHARS: Final = 128
NAME_CHARS: Final = 256
NAMES: Final = 64
HOW_CHARS: Final = 256
SHORTEST_FINGERPRINT: Final = 8
"""How many hex digits of a fingerprint are enough to name an entry of the store."""
TYPED_FINGERPRINT: Final = 16
"""How many hex digits of a fingerprint a person types to agree to a key."""

WRITE_PATIENCE: Final = 5.0
"""Seconds to wait for another process that is changing the store."""

_UPDATE: Final = "python -m pip install --upgrade cgp-tui"
_DOMAIN: Final = b"cgp-tui/trust/1\n"
_TITLE: Final = "# cgp-tui trust store. Read it freely; change it only with: cgp-tui trust\n"
_HEAD: Final = re.compile(re.escape(_TITLE) + f'format = 1\nhash = "({canon.HEX_256})"\n')
_OTHER_FORMAT: Final = re.compile(r"# cgp-tui trust store[^\n]*\nformat = ([2-9]|[1-9][0-9]{1,15})\n")


@cache
def _key_pattern() -> re.Pattern[str]:
    """The exact form of an entry. Compiled only when there is one to read: most people trust nobody."""
    return re.compile(
        r"\n\[\[key\]\]\n"
        f'public_key = "({canon.HEX_256})"\n'
        f'label = "({canon.TEXT})"\n'
        rf"provider_names = \[({canon.ITEMS})\]\n"
        f'not_before = "((?:{canon.TIME})?)"\n'
        f'not_after = "((?:{canon.TIME})?)"\n'
        f'added_at = "({canon.TIME})"\n'
        f'how = "({canon.TEXT})"\n'
    )


_SHORT: Final = re.compile(f"[0-9a-f]{{{SHORTEST_FINGERPRINT},64}}")


class TrustEntry(msgspec.Struct, frozen=True):
    """A key, its signer in the person's own words, and how it came here. Times are `YYYY-MM-DDTHH:MM:SSZ`; a bound of None
    leaves that side of the window open."""

    public_key: bytes
    label: str
    provider_names: tuple[str, ...]
    not_before: str | None
    not_after: str | None
    added_at: str
    how: str

    @property
    def key(self) -> TrustedKey:
        """The part that evidence is judged by."""
        return TrustedKey(self.public_key, self.label, self.provider_names, self.not_before, self.not_after)

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public_key)


class Trusted(msgspec.Struct, frozen=True):
    """The store as it was read. In any state but `ok` and `absent` no key is trusted: `detail` says what is wrong, `fix`
    which step leads out."""

    path: Path
    state: State
    detail: str = ""
    fix: str = ""
    entries: tuple[TrustEntry, ...] = ()

    @property
    def usable(self) -> bool:
        return self.state in ("ok", "absent")

    @property
    def keys(self) -> tuple[TrustedKey, ...]:
        return tuple(entry.key for entry in self.entries)

    def problem(self) -> RefusedError | None:
        """What is wrong with the store, None where it can be used."""
        if self.usable:
            return None
        return RefusedError(self.state, f"The trust store is {_WORDS[self.state]}. {self.detail}".rstrip(), self.fix)


_WORDS: Final[dict[State, str]] = {
    "damaged": "damaged, so no key is trusted",
    "newer_format": "in a newer format, so no key is trusted",
    "store_unsafe": "not safely yours, so no key is trusted",
    "unreadable": "unreadable, so no key is trusted",
}


def fingerprint(public_key: bytes) -> str:
    """The name by which people compare keys: `sha256:` and the SHA-256 of the 32 raw bytes, in hex."""
    return f"{PREFIX}{sha256(public_key).hexdigest()}"


def agrees(typed: str, public_key: bytes) -> bool:
    """Whether a person typed this key's fingerprint: at least its first 16 hex digits, ignoring blanks and colons."""
    bare = re.sub(r"[\s:]", "", typed.strip().lower().removeprefix(PREFIX))
    return len(bare) >= TYPED_FINGERPRINT and fingerprint(public_key).removeprefix(PREFIX).startswith(bare)


class TrustStore:
    """The store at `path`. Nothing is read or made before it is needed."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def read(self) -> Trusted:
        """What is in the store. Never raises: every fault is a state."""
        try:
            fd = open_safely(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return Trusted(self.path, "absent")
        except UnsafeStoreError as error:
            return Trusted(self.path, "store_unsafe", error.message, error.fix)
        except OSError as error:
            return self._unreadable(error)
        try:
            if os.fstat(fd).st_size > limits.TRUST_BYTES:
                return self._damaged(f"{self.path} is larger than any trust store.")
            return self._parsed(read_whole(fd))
        except OSError as error:
            return self._unreadable(error)
        finally:
            os.close(fd)

    def add(self, entry: TrustEntry, on_record: Callable[[], object]) -> None:
        """Trust one more key. `on_record` is called before the file is written, when only the disk can still fail; if it
        raises, the key is not trusted.

        Raises InputError for a key that cannot be trusted or is trusted already, RefusedError with the state of a store
        that cannot be used, OurError `lock_timeout`, `store_unsafe` or `unrecordable`.
        """
        check(entry)
        with self._held():
            entries = self._entries()
            known = next((one for one in entries if one.public_key == entry.public_key), None)
            if known is not None:
                fix = f"Remove it first: cgp-tui trust remove {known.fingerprint}"
                raise InputError("usage", f"This key is trusted already, as {known.label!r}.", fix)
            data = encode((*entries, entry))
            if len(data) > limits.TRUST_BYTES:
                raise InputError("usage", "The trust store is full.", "Remove keys that you do not need: cgp-tui trust list")
            on_record()
            self._write(data)

    def remove(self, name: str) -> TrustEntry:
        """Stop trusting a key; `name` is its fingerprint, the beginning of it, or the key itself in hex.

        Raises InputError where that names no entry or several, and otherwise what `add` raises.
        """
        with self._held():
            entries = self._entries()
            entry = named(entries, name)
            self._write(encode(one for one in entries if one is not entry))
        return entry

    def _held(self) -> Held:
        from cgp_tui.store import locks

        try:
            make_folder(self.path.parent)
            return locks.take(self.path.with_name(self.path.name + ".lock"), shared=False, patience=WRITE_PATIENCE)
        except OSError as error:
            raise self._unwritten(error) from None

    def _entries(self) -> tuple[TrustEntry, ...]:
        trusted = self.read()
        problem = trusted.problem()
        if problem is not None:
            raise problem
        return trusted.entries

    def _write(self, data: bytes) -> None:
        try:
            write_whole(self.path, data)
            problem = unsafe(os.lstat(self.path), self.path)
        except OSError as error:
            raise self._unwritten(error) from None
        if problem is not None:
            raise problem

    def _unwritten(self, error: OSError) -> OurError:
        reason = os_reason(error)
        return OurError("unrecordable", f"{self.path} could not be written: {reason}.", "Fix that and try again.")

    def _parsed(self, data: bytes) -> Trusted:
        try:
            text = data.decode("ascii")
        except UnicodeDecodeError as error:
            return self._damaged(f"Byte {error.start} cannot occur in a trust store.")
        other = _OTHER_FORMAT.match(text)
        if other is not None:
            return Trusted(self.path, "newer_format", f"{self.path} has format {other[1]}, known is 1.", _UPDATE)
        head = _HEAD.match(text)
        if head is None:
            return self._damaged(f"{self.path} does not begin like a trust store.")
        body = text[head.end() :]
        if _hash(body) != head[1]:
            return self._damaged(f"{self.path} was changed: its hash does not match.")
        return self._listed(body)

    def _listed(self, body: str) -> Trusted:
        """The entries of a body with a correct hash; one that cannot be read was written by a newer program."""
        entries: list[TrustEntry] = []
        at = 0
        while at < len(body):
            found = _key_pattern().match(body, at)
            entry = None if found is None else _entry(found)
            if found is None or entry is None:
                return Trusted(self.path, "newer_format", f"Entry {len(entries) + 1} has unknown content.", _UPDATE)
            entries.append(entry)
            at = found.end()
        if len({entry.public_key for entry in entries}) != len(entries):
            return self._damaged("It names one key twice.")
        return Trusted(self.path, "ok", entries=tuple(entries))

    def _damaged(self, detail: str) -> Trusted:
        path = shlex.quote(str(self.path))
        fix = f"Set it aside, then trust the keys again: mv {path} {path}.damaged"
        return Trusted(self.path, "damaged", detail, fix)

    def _unreadable(self, error: OSError) -> Trusted:
        fix = f"Make it readable for you: chmod u+r {shlex.quote(str(self.path))}"
        return Trusted(self.path, "unreadable", f"{self.path}: {os_reason(error)}.", fix)


def check(entry: TrustEntry) -> None:
    """Raises InputError for an entry that is not allowed: a key that a strict verifier rejects, no label, no provider,
    a window that ends before it begins."""
    fault = ed25519.key_fault(entry.public_key)
    if fault is not None:
        raise InputError("usage", f"This key cannot be trusted: it {fault}.", "Ask its owner for a generated Ed25519 key.")
    if not entry.label.strip():
        raise InputError("usage", "The key's signer has no name.", "Say whose key it is: --label NAME")
    if not entry.provider_names:
        raise InputError("usage", "No provider is named.", "Name each one that it may sign for: --provider NAME")
    texts = ((entry.label, LABEL_CHARS), (entry.how, HOW_CHARS), *((name, NAME_CHARS) for name in entry.provider_names))
    for text, most in texts:
        if len(text) > most or halved(text):
            raise InputError("usage", f"A name is longer than {most} characters or not Unicode.", "Shorten or correct it.")
    if len(entry.provider_names) > NAMES or "" in entry.provider_names:
        raise InputError("usage", f"A key may sign for 1 to {NAMES} providers, each with a name.", "Name fewer.")
    for bound in (entry.not_before, entry.not_after):
        if bound is not None and canon.seconds(bound) is None:
            raise InputError("usage", f"{bound!r} is not a valid time.", "Write it as 2031-01-01T12:00:00Z.")
    if entry.not_before is not None and entry.not_after is not None and entry.not_before > entry.not_after:
        raise InputError("usage", "The window ends before it begins.", "Swap the two times.")


def named(entries: Iterable[TrustEntry], name: str) -> TrustEntry:
    """The entry that a fingerprint, the beginning of one, or a key in hex names. Raises InputError."""
    bare = name.strip().lower().removeprefix(PREFIX)
    kept = list(entries)
    if _SHORT.fullmatch(bare) is None:
        fix = f"Give {SHORTEST_FINGERPRINT} hex digits of it or more; cgp-tui trust list shows them."
        raise InputError("usage", f"{name!r} is not a fingerprint.", fix)
    found = [one for one in kept if one.fingerprint.removeprefix(PREFIX).startswith(bare) or one.public_key.hex() == bare]
    if len(found) != 1:
        count = f"{len(found)} keys" if found else "No key"
        raise InputError("usage", f"{count} in the trust store: {name}.", "See: cgp-tui trust list")
    return found[0]


def encode(entries: Iterable[TrustEntry]) -> bytes:
    """The bytes of a store with these entries."""
    body = "".join(map(_block, entries))
    return f'{_TITLE}format = 1\nhash = "{_hash(body)}"\n{body}'.encode("ascii")


def _hash(body: str) -> str:
    return sha256(_DOMAIN + body.encode("ascii")).hexdigest()


def _block(entry: TrustEntry) -> str:
    values = (
        ("public_key", canon.write_string(entry.public_key.hex())),
        ("label", canon.write_string(entry.label)),
        ("provider_names", canon.write_array(entry.provider_names)),
        ("not_before", canon.write_string(entry.not_before or "")),
        ("not_after", canon.write_string(entry.not_after or "")),
        ("added_at", canon.write_string(entry.added_at)),
        ("how", canon.write_string(entry.how)),
    )
    return "\n[[key]]\n" + "".join(f"{name} = {value}\n" for name, value in values)


def _entry(found: re.Match[str]) -> TrustEntry | None:
    """The entry of a block, None where one of its times names a day that does not exist."""
    key, label, names, before, after, added, how = found.groups()
    if not all(canon.is_day(time) for time in (before, after, added) if time):
        return None
    return TrustEntry(
        bytes.fromhex(key),
        canon.read_text(label),
        canon.read_items(names),
        before or None,
        after or None,
        added,
        canon.read_text(how),
    )
