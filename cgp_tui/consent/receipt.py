"""One record of the ledger: its keys in order, its bytes, and what it may hold."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Final, Literal

import msgspec

from cgp_tui import limits
from cgp_tui.errors import RefusedError
from cgp_tui.protocol.utf8 import halved
from cgp_tui.store import canon
from cgp_tui.store.chain import BLOCK_BYTES, Unread, fits
from cgp_tui.target import ID, SHOWN_ITEM_CHARS, SHOWN_ITEMS

Kind = Literal["grant", "deny", "revoke", "spend", "narrow", "expire", "recover", "checkpoint"]
RecordBasis = Literal["scope", "boolean", "all"]

NEVER: Final = "never"
NONE: Final = "none"
ANY: Final = "*"

_SCOPE_CHARS: Final = 256
NOTE_CHARS: Final = 512
SCOPES: Final = 64
"""The most scopes that a provider may declare and still be consented to."""


class Grantor(msgspec.Struct, frozen=True, gc=False):
    """Who agreed: a human at a prompt (`tty:UID`), a policy (`cli:UID` or its name), or the host itself (`host`)."""

    kind: Literal["human", "policy", "host"]
    id: str


HOST: Final = Grantor("host", "host")


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A record as a person or the host decides on it; its place in the ledger adds number, id, time and chain."""

    kind: Kind
    provider_id: str
    grantor: Grantor
    acts_on: str = ""
    provider_name: str = ""
    provider_version: str = ""
    target_kind: Literal["stdio", "http", ""] = ""
    target: str = ""
    code: str = ""
    target_shown: tuple[str, ...] = ()
    basis: RecordBasis = "all"
    scope: str = ""
    declared: tuple[str, ...] = ()
    payload: tuple[str, ...] = ()
    uses: Literal["unlimited", "once", "none"] = "none"
    code_policy: Literal["exact", "path", "none"] = "none"
    version_policy: Literal["exact", "minor", "any", "none"] = "none"
    expires_at: str = NONE
    note: str = ""


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """An act of consent as it stands in the ledger; the fields are the keys, in order. Times are `YYYY-MM-DDTHH:MM:SSZ`.

    `acts_on` names the receipt that is ended or spent. `target` and `code` are hex digests; in a revoke or deny an empty
    `target` covers every target, and the `provider_id` `*` covers every provider. `prev` is the hash of the block before.
    """

    format: int
    seq: int
    kind: Kind
    receipt_id: str
    acts_on: str
    provider_id: str
    provider_name: str
    provider_version: str
    target_kind: Literal["stdio", "http", ""]
    target: str
    code: str
    target_shown: tuple[str, ...]
    basis: RecordBasis
    scope: str
    declared: tuple[str, ...]
    payload: tuple[str, ...]
    uses: Literal["unlimited", "once", "none"]
    code_policy: Literal["exact", "path", "none"]
    version_policy: Literal["exact", "minor", "any", "none"]
    grantor: Grantor
    granted_at: str
    expires_at: str
    note: str
    prev: str


def unrepresentable(name: str, version: str, scopes: tuple[str, ...]) -> str:
    """Which part of a provider's identity no receipt can hold, as a sentence; empty where all of it fits."""
    bounded = [("name", name, limits.PROVIDER_NAME_CHARS), ("version", version, limits.PROVIDER_VERSION_CHARS)]
    bounded += [("scope", scope, _SCOPE_CHARS) for scope in scopes]
    for what, text, most in bounded:
        if len(text) > most:
            return f"its {what} is longer than {most} characters"
        if halved(text):
            return f"its {what} holds half a character (a lone surrogate)"
    return f"it declares more than {SCOPES} scopes" if len(scopes) > SCOPES else ""


def complete(draft: Draft, *, seq: int, receipt_id: str, granted_at: str, prev: str) -> Receipt:
    """The record that `draft` becomes at its place in the chain."""
    return Receipt(
        1, seq, draft.kind, receipt_id, draft.acts_on, draft.provider_id, draft.provider_name, draft.provider_version,
        draft.target_kind, draft.target, draft.code, draft.target_shown, draft.basis, draft.scope, draft.declared,
        draft.payload, draft.uses, draft.code_policy, draft.version_policy, draft.grantor, granted_at, draft.expires_at,
        draft.note, prev,
    )  # fmt: skip


def encode(receipt: Receipt) -> bytes:
    """The bytes of a block before its hash line. Raises RefusedError `identity_unrepresentable` where no block can hold
    the receipt."""
    body = _joined(_pieces(receipt), receipt)
    why = _why_not(receipt, body)
    if not why and not fits(receipt.seq, body.encode("ascii")):
        why = _TOO_LONG
    if why:
        raise _refused(why)
    return body.encode("ascii")


class Form:
    """A draft that is encoded but for its number, id, time and chain, and that fits at any place.

    Raises RefusedError `identity_unrepresentable` for a draft that no ledger could hold.
    """

    __slots__ = ("_draft", "_everywhere", "_pieces")

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        stands_in = complete(draft, seq=1, receipt_id="0" * 32, granted_at="1970-01-01T00:00:00Z", prev="0" * 64)
        self._pieces = _pieces(stands_in)
        body = _joined(self._pieces, stands_in)
        why = _why_not(stands_in, body)
        if why:
            raise _refused(why)
        self._everywhere = fits(_LAST_SEQ, body.encode("ascii") + b"0" * 15)

    def must_fit_anywhere(self) -> None:
        """Raises RefusedError `identity_unrepresentable` where it would be too long for some place."""
        if not self._everywhere:
            raise _refused(_TOO_LONG)

    def at(self, *, seq: int, receipt_id: str, granted_at: str, prev: str) -> tuple[Receipt, bytes]:
        """The record at its place in the chain, and its bytes before the hash line. Raises what `encode` raises."""
        receipt = complete(self._draft, seq=seq, receipt_id=receipt_id, granted_at=granted_at, prev=prev)
        body = _joined(self._pieces, receipt).encode("ascii")
        if not self._everywhere and not fits(seq, body):
            raise _refused(_TOO_LONG)
        return receipt, body


_LAST_SEQ: Final = 10**16 - 1
_TOO_LONG: Final = f"it takes more than {BLOCK_BYTES} bytes"


def _why_not(receipt: Receipt, body: str) -> str:
    """Why this is not a valid record, its size left aside; empty where it is one."""
    matches = receipt.kind in _KINDS and _pattern(receipt.kind).fullmatch(body)
    return _fault(receipt, receipt.seq, receipt.prev) if matches else str(_misread(body))


def _refused(why: str) -> RefusedError:
    return RefusedError("identity_unrepresentable", f"This cannot be written as a record: {why}.", "Shorten or correct it.")


def _joined(pieces: tuple[str, str, str, str], place: Receipt) -> str:
    """The text of a block before its hash line, from the pieces around its number, id and time, and its chain at the end."""
    first, second, third, fourth = pieces
    return f'{first}{place.seq}{second}{place.receipt_id}{third}{place.granted_at}{fourth}{place.prev}"\n'


def _pieces(receipt: Receipt | Draft) -> tuple[str, str, str, str]:
    """The text around the values that a record gets from its place. Values with only one spelling are inserted unchecked:
    the block's pattern rejects any other, and no value can evade it, as one line more or less does not match."""
    text, array = canon.write_string, canon.write_array
    return (
        "\n[[receipt]]\nformat = 1\nseq = ",
        f'\nkind = "{receipt.kind}"\nreceipt_id = "',
        f'"\nacts_on = "{receipt.acts_on}"\n'
        f'provider_id = "{receipt.provider_id}"\nprovider_name = {text(receipt.provider_name)}\n'
        f'provider_version = {text(receipt.provider_version)}\ntarget_kind = "{receipt.target_kind}"\n'
        f'target = "{receipt.target}"\ncode = "{receipt.code}"\ntarget_shown = {array(receipt.target_shown)}\n'
        f'basis = "{receipt.basis}"\nscope = {text(receipt.scope)}\ndeclared = {array(receipt.declared)}\n'
        f'payload = {array(receipt.payload)}\nuses = "{receipt.uses}"\ncode_policy = "{receipt.code_policy}"\n'
        f'version_policy = "{receipt.version_policy}"\n'
        f'grantor = {{ kind = "{receipt.grantor.kind}", id = {text(receipt.grantor.id)} }}\n'
        'granted_at = "',
        f'"\nexpires_at = "{receipt.expires_at}"\nnote = {text(receipt.note)}\nprev = "',
    )


_KINDS: Final = ("grant", "deny", "revoke", "spend", "narrow", "expire", "recover", "checkpoint")
_WITHOUT_PROVIDER: Final = frozenset({"revoke", "deny", "recover", "checkpoint"})


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """The exact form of a block of one kind; each group is a value without its quotes, brackets or braces."""
    grant = kind == "grant"
    named = kind in ("grant", "deny")
    values = {
        "format": "(1)",
        "seq": f"({canon.INTEGER})",
        "kind": f'"({kind})"',
        "receipt_id": f'"({canon.HEX_128})"',
        "acts_on": f'"((?:{canon.HEX_128})?)"',
        "provider_id": rf'"({ID}|\*)"' if kind in _WITHOUT_PROVIDER else f'"({ID})"',
        "provider_name": f'"({canon.TEXT})"' if named else '"()"',
        "provider_version": f'"({canon.TEXT})"' if named else '"()"',
        "target_kind": '"(stdio|http|)"',
        "target": f'"((?:{canon.HEX_256})?)"',
        "code": f'"((?:{canon.HEX_256})?)"',
        "target_shown": rf"\[({canon.ITEMS})\]" if named else r"\[()\]",
        "basis": '"(scope|boolean|all)"',
        "scope": f'"({canon.TEXT})"',
        "declared": rf"\[({canon.ITEMS})\]" if grant else r"\[()\]",
        "payload": rf"\[({canon.ITEMS})\]" if grant else r"\[()\]",
        "uses": '"(unlimited|once)"' if grant else '"(none)"',
        "code_policy": '"(exact|path)"' if grant else '"(none)"',
        "version_policy": '"(exact|minor|any)"' if grant else '"(none)"',
        "grantor": rf'\{{ (kind = "(?:human|policy|host)", id = "{canon.TEXT}") \}}',
        "granted_at": f'"({canon.TIME})"',
        "expires_at": f'"({canon.TIME}|never)"' if grant else '"(none)"',
        "note": f'"({canon.TEXT})"',
        "prev": f'"({canon.HEX_256})"',
    }
    lines = "".join(f"{name} = {values[name]}\n" for name in Receipt.__struct_fields__)
    return re.compile(r"\n\[\[receipt\]\]\n" + lines)


_KIND: Final = re.compile(r'\n\[\[receipt\]\]\nformat = 1\nseq = [0-9]{1,16}\nkind = "([a-z]+)"\n')
_GRANTOR: Final = re.compile(f'kind = "([a-z]+)", id = "({canon.TEXT})"')


@lru_cache(maxsize=64)
def _read_grantor(text: str) -> Grantor:
    found = _GRANTOR.fullmatch(text)
    assert found is not None  # noqa: S101 -- the block's pattern has matched it
    kind: Any = found[1]
    return Grantor(kind, canon.read_text(found[2]))


def _read(groups: Sequence[Any]) -> Receipt:
    """The record from the groups of its block's pattern, in order."""
    # Spelled out rather than looped, as opening a ledger runs this once a record.
    (_, seq, kind, receipt_id, acts_on, provider_id, name, version, target_kind, target, code, shown, basis, scope) = groups[
        :14
    ]
    (declared, payload, uses, code_policy, version_policy, grantor, granted_at, expires_at, note, prev) = groups[14:]
    return Receipt(
        1, int(seq), kind, receipt_id, acts_on, provider_id, canon.read_text(name), canon.read_text(version), target_kind,
        target, code, canon.read_items(shown), basis, canon.read_text(scope), canon.read_items(declared),
        canon.read_items(payload), uses, code_policy, version_policy, _read_grantor(grantor), granted_at, expires_at,
        canon.read_text(note), prev,
    )  # fmt: skip


def parse(text: str, seq: int, prev: str, start: int = 0, end: int = sys.maxsize) -> Receipt:
    """The record in a block's text before its hash line, which is `text` from `start` to `end`; `seq` and `prev` are what
    its place demands.

    Raises Unread: `newer` for a key, kind or format this version does not know, else not canonical.
    """
    kind = _KIND.match(text, start, end)
    found = _pattern(kind[1]).fullmatch(text, start, end) if kind and kind[1] in _KINDS else None
    if found is None:
        raise _misread(text[start:end])
    receipt = _read(found.groups())
    fault = _fault(receipt, seq, prev)
    if fault:
        raise Unread(fault)
    return receipt


def _fault(receipt: Receipt, seq: int, prev: str) -> str:
    """Why a well-formed record cannot be right at this place; empty where it can."""
    if receipt.seq != seq:
        return f"it says it is record {receipt.seq}, but it is record {seq}"
    if receipt.prev != prev:
        return "it does not name the hash of the block before it"
    # Days up to the 28th exist in every month; only the others are looked up, as this runs once a record.
    if receipt.granted_at[8:10] > "28" and not canon.is_day(receipt.granted_at):
        return "its granted_at is not a valid date"
    if receipt.expires_at[8:10] > "28" and not canon.is_day(receipt.expires_at):
        return "its expires_at is not a valid date"
    if bool(receipt.scope) != (receipt.basis == "scope"):
        return "its basis and scope do not go together"
    if len(receipt.scope) > _SCOPE_CHARS or len(receipt.note) > NOTE_CHARS:
        return "its scope or note is too long"
    name, version = receipt.provider_name, receipt.provider_version
    if len(name) > limits.PROVIDER_NAME_CHARS or len(version) > limits.PROVIDER_VERSION_CHARS:
        return "its name or version is too long"
    shown, payload = receipt.target_shown, receipt.payload
    if shown and (len(shown) > SHOWN_ITEMS or max(map(len, shown)) > SHOWN_ITEM_CHARS):
        return "its target_shown is too long"
    if len(receipt.declared) > SCOPES:
        return f"it declares more than {SCOPES} scopes"
    if len(payload) > 1 and sorted(payload) != list(payload):
        return "its payload is not sorted"
    return ""


_LINE: Final = re.compile(r"([A-Za-z_]+) = (.*)")


def _misread(body: str) -> Unread:
    """Why a well-chained block is not one of our records: a later version wrote it, or another program."""
    lines = body.split("\n")
    if lines[:2] != ["", "[[receipt]]"] or lines[-1] != "":
        return Unread("it does not begin and end as a record does")
    for line in lines[2:-1]:
        found = _LINE.fullmatch(line)
        if found is None:
            return Unread("it holds a line that is not a key and value")
        key, value = found.groups()
        if key not in Receipt.__struct_fields__:
            return Unread(f"it has the unknown key {key}", newer=True)
        if key == "format" and value != "1" and re.fullmatch(canon.INTEGER, value):
            return Unread("it has another format", newer=True)
        if key == "kind" and re.fullmatch('"[a-z_]+"', value) and value.strip('"') not in _KINDS:
            return Unread(f"it is of the unknown kind {value}", newer=True)
    return Unread("its keys are not all there, in order, each in its one spelling")
