"""Hash-chained blocks: writing one, and reading as many as hold together.

A block's hash covers its bytes and the hash before it. So a changed byte, or a record that was removed, doubled or moved,
breaks the chain at that place, and everything before it is still what was written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec

from cgp_tui.store import canon

BLOCK_BYTES: Final = 64 * 1024

_SURELY_FITS: Final = BLOCK_BYTES - 100
"""A body of this size fits before any closing: the longest, that of the highest number, takes 97 bytes."""

_DOMAIN: Final = b"cgp-tui/ledger/1\n"
_GENESIS: Final = "0" * 64
_HASH_LINE: Final = b'\nhash = "'
_END: Final = re.compile(rb'\nhash = "[^\n]*"\n# end [^\n]*\n')
_TITLE: Final = b"# cgp-tui consent ledger. Read it freely; change it only with: cgp-tui consent\n"
_HEADER: Final = re.compile(
    re.escape(_TITLE.decode("ascii"))
    + f'format = 1\nledger_id = "({canon.HEX_128})"\ncreated_at = "({canon.TIME})"\n'
    + f'previous = "((?:{canon.HEX_256})?)"\nreason = "({canon.TEXT})"\n'
)
_NEWER_HEADER: Final = re.compile(re.escape(_TITLE.decode("ascii")) + rf"format = (?!1\n){canon.INTEGER}\n")


class Unread(Exception):
    """A well-chained block that this program cannot read as a record; `newer` where a later version may be able to."""

    def __init__(self, why: str, *, newer: bool = False) -> None:
        super().__init__(why)
        self.newer = newer


class Identified(Protocol):
    """What a record must have to stand in a chain."""

    @property
    def receipt_id(self) -> str: ...


R = TypeVar("R", bound=Identified)

Parse = Callable[[str, int, str, int, int], R]
"""Reads the part of a block before its hash line. Takes a text, the number and the hash (hex) that the block's place
demands, and where in the text the part begins and ends. Raises Unread."""


class Header(msgspec.Struct, frozen=True):
    """Block 0. `previous` is the last hash of the ledger that this one replaced, `reason` the state which that was in."""

    ledger_id: str
    created_at: str
    previous: str = ""
    reason: str = ""


class Break(msgspec.Struct, frozen=True):
    """Where reading stopped: number and first byte of the block, why, and whether a whole block is there. `chained` says
    that only its content is wrong, not its hash; `newer` that a later version may know that content; `rival` that it is a
    whole block with the same predecessor as the last good one, so that two writers worked without a lock between them."""

    record: int
    byte: int
    why: str
    found: str
    whole: bool
    chained: bool = False
    newer: bool = False
    rival: bool = False


class Chain(msgspec.Struct, Generic[R], frozen=True):
    """The good blocks of a file. `ends[i]` is the size up to and with block i, `hashes[i]` its hash in hex."""

    header: Header | None
    records: tuple[R, ...]
    ends: tuple[int, ...]
    hashes: tuple[str, ...]
    fault: Break | None

    @property
    def last(self) -> int:
        """Number of the last good block, -1 where there is none."""
        return len(self.ends) - 1

    @property
    def good(self) -> int:
        """How many bytes the good blocks take."""
        return self.ends[-1] if self.ends else 0


class Known(msgspec.Struct, Generic[R], frozen=True):
    """What was read before: the good blocks, their receipt_ids, and the SHA-256 of all their bytes. Where a file begins with
    the same bytes, these need only be hashed, not read again."""

    chain: Chain[R]
    ids: frozenset[str]
    sha256: Any

    def begins(self, data: bytes) -> bool:
        """Whether `data` begins with exactly these blocks."""
        digest = hashlib.sha256(memoryview(data)[: self.chain.good]).digest()
        return bool(digest == self.sha256.digest())


def block_hash(previous: str, body: bytes) -> str:
    """The hash of a block in hex, from the hash before it and its bytes before the hash line."""
    return hashlib.sha256(_DOMAIN + bytes.fromhex(previous) + len(body).to_bytes(8, "big") + body).hexdigest()


def block(number: int, previous: str, body: bytes) -> tuple[bytes, str]:
    """A whole block and its hash in hex."""
    digest = block_hash(previous, body)
    return body + _closing(digest, number), digest


def fits(number: int, body: bytes) -> bool:
    """Whether a reader accepts a block with this body."""
    size = len(body)
    return size <= _SURELY_FITS or size + len(_closing(_GENESIS, number)) <= BLOCK_BYTES


def first_block(header: Header) -> tuple[bytes, str]:
    """Block 0 and its hash in hex."""
    lines = (
        "format = 1",
        f"ledger_id = {canon.write_string(header.ledger_id)}",
        f"created_at = {canon.write_string(header.created_at)}",
        f"previous = {canon.write_string(header.previous)}",
        f"reason = {canon.write_string(header.reason)}",
    )
    return block(0, _GENESIS, _TITLE + "\n".join(lines).encode("ascii") + b"\n")


def _closing(digest: str, number: int) -> bytes:
    return f'hash = "{digest}"\n# end {number}\n'.encode("ascii")


def _read_header(body: str) -> Header:
    found = _HEADER.fullmatch(body)
    if found is None:
        raise Unread("it is not the first block of a ledger", newer=_NEWER_HEADER.match(body) is not None)
    ledger_id, created, previous, reason = found.groups()
    if not canon.is_day(created):
        raise Unread("its created_at is not a valid date")
    return Header(ledger_id, created, previous, canon.read_text(reason))


def _text(body: bytes) -> str:
    try:
        return body.decode("ascii")
    except UnicodeDecodeError:
        raise Unread("it holds bytes beyond ASCII") from None


def reread(data: bytes, parse: Parse[R], known: Known[R] | None) -> tuple[Chain[R], Known[R] | None]:
    """Like `read`, for a file that grows: what is `known` of the same bytes is reused. Also returns what to pass as `known`
    next time."""
    if known is not None and not known.begins(data):
        known = None
    chain = read(data, parse, known)
    if not chain.ends or (known is not None and chain.good == known.chain.good):
        return chain, known
    start, ids, sha256 = 0, frozenset[str](), hashlib.sha256()
    if known is not None:
        start, ids, sha256 = known.chain.good, known.ids, known.sha256.copy()
    sha256.update(memoryview(data)[start : chain.good])
    new = (record.receipt_id for record in chain.records[len(ids) :])
    return chain, Known(chain, ids.union(new), sha256)


def read(data: bytes, parse: Parse[R], known: Known[R] | None = None) -> Chain[R]:
    """Read blocks, from the start or from where the `known` ones end, for as long as they hold together."""
    header: Header | None = None
    records: list[R] = []
    ends: list[int] = []
    hashes: list[str] = []
    ids: set[str] = set()
    before: frozenset[str] = frozenset()
    fault: Break | None = None
    at, number, previous = 0, 0, _GENESIS
    if known is not None:
        past, before = known.chain, known.ids
        header, records, ends, hashes = past.header, list(past.records), list(past.ends), list(past.hashes)
        at, number, previous = past.good, len(ends), hashes[-1]
    # Where every byte is ASCII, as in every file of ours, one text serves all blocks.
    base, rest = at, data[at:]
    text = rest.decode("ascii") if rest.isascii() else None
    while at < len(data):
        stop = data.find(_HASH_LINE, at)
        body = data[at : stop + 1]
        digest = block_hash(previous, body)
        closing = _closing(digest, number)
        if stop < 0 or not data.startswith(closing, stop + 1):
            fault = _broken(data, at, number, hashes, body)
            break
        try:
            if number == 0:
                header = _read_header(_text(body))
            else:
                if text is None:
                    record = parse(_text(body), number, previous, 0, len(body))
                else:
                    record = parse(text, number, previous, at - base, stop + 1 - base)
                if record.receipt_id in ids or record.receipt_id in before:
                    raise Unread("its receipt_id is in an earlier record too")
                if len(body) + len(closing) > BLOCK_BYTES:
                    raise Unread(f"it is longer than {BLOCK_BYTES} bytes")
                ids.add(record.receipt_id)
                records.append(record)
        except Unread as error:
            fault = Break(number, at, str(error), _stands(data, at), whole=True, chained=True, newer=error.newer)
            break
        at = stop + 1 + len(closing)
        ends.append(at)
        hashes.append(digest)
        number, previous = number + 1, digest
    return Chain(header, tuple(records), tuple(ends), tuple(hashes), fault)


def _stands(data: bytes, at: int) -> str:
    """What is found at a byte, for a person: the first line that is not empty."""
    piece = data[at : at + 200].strip(b"\n").split(b"\n")[0]
    return piece[:60].decode("ascii", "backslashreplace")


def _broken(data: bytes, at: int, number: int, hashes: Sequence[str], body: bytes) -> Break:
    found = _END.search(data, at)
    why = "its hash is not that of its bytes and the block before it" if found else "it has no end"
    rival = False
    if found and number >= 2:
        closing = _closing(block_hash(hashes[-2], body), number - 1)
        rival = data.startswith(closing, at + len(body))
    if rival:
        why = f"a second record {number - 1}: both name the same block before them, as when two write at once without a lock"
    return Break(number, at, why, _stands(data, at), whole=found is not None, rival=rival)


class Tip(msgspec.Struct, Generic[R], frozen=True):
    """The last block by itself: its record (None for block 0), its bytes having the remembered hash."""

    record: R | None


def read_last(piece: bytes, number: int, digest: str, parse: Parse[R]) -> Tip[R] | None:
    """Check only the last block, given the last bytes of a file (at least one block). None where it is not block `number`
    with that hash, or is no record; the whole file has to be read then."""
    start = piece.rfind(b"\n[[receipt]]\n")
    stop = piece.rfind(_HASH_LINE)
    if number == 0:
        body = piece[: stop + 1]
        whole = body + _closing(digest, 0) == piece and block_hash(_GENESIS, body) == digest
        return Tip(None) if whole else None
    body = piece[start : stop + 1]
    previous = re.search(rb'\nprev = "([0-9a-f]{64})"\n$', body)
    if start < 0 or previous is None or body + _closing(digest, number) != piece[start:]:
        return None
    before = previous[1].decode()
    if block_hash(before, body) != digest:
        return None
    try:
        return Tip(parse(_text(body), number, before, 0, len(body)))
    except Unread:
        return None
