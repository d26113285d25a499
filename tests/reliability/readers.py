"""Ledgers made at random, whole or spoilt in one way: two readers that share nothing find the same state and records."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import msgspec

from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.receipt import Draft
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.store import chain
from cgp_tui.store.chain import Header
from cgp_tui.store.head import SLOT, Head, slot
from tests.reliability.acts import Place
from tests.reliability.campaign import Figures, Run, folder
from tests.store import plain
from tests.store.ledgers import START, blocks, draft, forged

_LEDGERS = 10_000
_CHARS = 'ab:/. "\\\n\x00\x1b\x7f\x9b\u00e9\u202e\u2028\ud7ff\ue000\ufffe\U0001d11e\U0010ffff'
_FORGERIES = (
    ("\nuses = ", "\nweight = 1\nuses = "),
    ("format = 1\n", "format = 2\n"),
    ('kind = "grant"', 'kind = "grand"'),
    ("\nuses = ", "\n\nuses = "),
    ("third-party-index", "third\\u002Dparty-index"),
    ('uses = "unlimited"', 'uses = "many"'),
    ('note = ""\n', ""),
    ('note = ""', "note = ''"),
    ("format = 1\nseq", "seq = 1\nformat = 1\nkind"),
    ("seq = ", "seq = 0"),
    ("seq = ", "seq = 1"),
    ('payload = ["goal"]', 'payload = ["b", "a"]'),
    ('basis = "scope"', 'basis = "all"'),
    ('target = "aa', 'target = "AA'),
    ('provider_id = "docs"', 'provider_id = "*"'),
    ('provider_id = "docs"', 'provider_id = ".docs"'),
    ('provider_name = "example"', f'provider_name = "{"x" * 257}"'),
    ('version = "1.0.0"', f'version = "{"x" * 129}"'),
    ('note = ""', f'note = "{"x" * 513}"'),
    ('code_policy = "exact"', 'code_policy = "none"'),
    ('expires_at = "20', 'expires_at = "never20'),
    ("-14T22:13:20Z", "-31T22:13:20Z"),
    ("22:13:20Z", "22:13:60Z"),
    ('grantor = { kind = "human", id', 'grantor = { kind = "robot", id'),
    ('grantor = { kind = "human", id', 'grantor = { kind = "human",  id'),
    ('target_shown = ["', 'target_shown = [ "'),
    ("\n[[receipt]]\n", "\n[receipt]\n"),
    ("\n[[receipt]]\n", "[[receipt]]\n"),
    ('"docs"', '"docs" # a word'),
)


def agree(run: Run) -> Figures:
    found, chance = Figures(), run.random()
    states = Counter[str]()
    with folder("/dev/shm") as made:
        place = Place(made)
        for _ in range(run.count(_LEDGERS)):
            how, data, head = _ledger(chance)
            place.path.write_bytes(data)
            place.path.chmod(0o600)
            place.head.unlink(missing_ok=True)
            if head is not None:
                place.head.write_bytes(head)
                place.head.chmod(0o600)
            opened = Ledger(place.path, place.head).open()
            second = plain.read(data, head)
            ours = msgspec.json.decode(msgspec.json.encode(opened.receipts))
            found.expect(opened.state in second.states, f"{how}: {opened.state}, or {set(second.states)}: {opened.detail}")
            found.expect(ours == second.records, f"{how}: {len(ours)} records, or {len(second.records)}")
            states[opened.state] += 1
    found.more = {"states": ", ".join(f"{state} {count}" for state, count in sorted(states.items()))}
    return found


def _ledger(chance: random.Random) -> tuple[str, bytes, bytes | None]:
    """How it was spoilt, its bytes, and those of its head."""
    count = chance.randrange(8)
    data, _, heads = blocks([_draft(chance) for _ in range(count)])
    how = chance.choice(list(_SPOILT))
    return how, *_SPOILT[how](chance, data, heads)


def _text(chance: random.Random, most: int) -> str:
    return "".join(chance.choices(_CHARS, k=chance.choice((1, 2, 9, most))))


def _draft(chance: random.Random) -> Draft:
    kind = chance.choice(("grant", "grant", "deny", "revoke", "spend", "narrow", "expire", "recover", "checkpoint"))
    changes: dict[str, Any] = {"note": _text(chance, 512) if chance.random() < 0.3 else ""}
    if chance.random() < 0.5:
        changes |= {"scope": _text(chance, 256)}
    if kind in ("grant", "deny"):
        changes |= {"provider_name": _text(chance, 256), "provider_version": _text(chance, 128)}
        changes |= {"target_shown": tuple(_text(chance, 512) for _ in range(chance.choice((0, 1, 5))))}
    if kind == "grant":
        changes |= {"uses": chance.choice(("once", "unlimited")), "version_policy": chance.choice(("minor", "any", "exact"))}
        changes |= {"expires_at": chance.choice(("never", utc_text(START + chance.randrange(10**8))))}
        changes |= {"declared": tuple(_text(chance, 256) for _ in range(chance.choice((0, 1, 20))))}
    if kind in ("recover", "checkpoint"):
        changes |= {"provider_id": "*", "basis": "all", "scope": "", "target": "", "target_kind": ""}
    return draft(kind, **changes)


def _slots(*heads: Head) -> bytes:
    made = bytearray(b"#" * 2 * SLOT)
    for head in heads:
        made[SLOT * (head.seq % 2) : SLOT * (head.seq % 2) + SLOT] = slot(head)
    return bytes(made)


def _whole(heads: list[Head]) -> bytes:
    return _slots(*heads[-2:])


def _pieces(data: bytes, heads: list[Head]) -> list[bytes]:
    ends = [0, *(head.size for head in heads)]
    return [data[one:two] for one, two in pairwise(ends)]


def _byte(chance: random.Random, data: bytes, heads: list[Head]) -> tuple[bytes, bytes | None]:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ chance.randrange(1, 256)]) + data[at + 1 :], _whole(heads)


def _cut(chance: random.Random, data: bytes, heads: list[Head]) -> tuple[bytes, bytes | None]:
    return data[: chance.randrange(1, len(data))], _slots(*heads[: chance.randrange(1, len(heads) + 1)][-2:])


def _reordered(chance: random.Random, data: bytes, heads: list[Head]) -> tuple[bytes, bytes | None]:
    pieces = _pieces(data, heads)
    one, two = chance.randrange(len(pieces)), chance.randrange(len(pieces))
    act = chance.randrange(3)
    if act == 0:
        pieces[one], pieces[two] = pieces[two], pieces[one]
    elif act == 1:
        del pieces[one]
    else:
        pieces.insert(two, pieces[one])
    return b"".join(pieces), _whole(heads)


def _tail(chance: random.Random, data: bytes, heads: list[Head]) -> tuple[bytes, bytes | None]:
    size = chance.choice((1, 300, plain.TAIL, plain.TAIL + 1))
    junk = chance.choice((bytes(size), b"\n[[receipt]]\n".ljust(size, b"x")[:size], data[-size:]))
    return data + junk, _whole(heads)


def _loose(chance: random.Random, data: bytes, heads: list[Head]) -> tuple[bytes, bytes | None]:
    known = chance.randrange(1, len(heads) + 1)
    return data + bytes(chance.choice((0, 0, 10))), _slots(*heads[:known][-2:])


def _forged(chance: random.Random, data: bytes, heads: list[Head]) -> tuple[bytes, bytes | None]:
    """A record with a right hash and a content that is not right, acknowledged or not, with others after it."""
    old, new = chance.choice(_FORGERIES)
    end = heads[-1]
    block, digest = forged(end.seq + 1, end.hash, lambda text: text.replace(old, new, 1))
    forgery = Head(end.ledger_id, end.seq + 1, end.size + len(block), digest)
    more, _ = forged(end.seq + 2, digest, lambda text: text)
    after = chance.choice((b"", more))
    return data + block + after, _slots(end, forgery) if chance.random() < 0.5 else _whole(heads)


def _again(chance: random.Random, data: bytes, heads: list[Head]) -> tuple[bytes, bytes | None]:
    """A record under an id that was used before."""
    end = heads[-1]
    used = f"{chance.randrange(1, end.seq + 2):032x}"
    block, digest = forged(end.seq + 1, end.hash, lambda text: text.replace(f"{end.seq + 1:032x}", used))
    return data + block, _slots(end, Head(end.ledger_id, end.seq + 1, end.size + len(block), digest))


def _rivals(chance: random.Random, data: bytes, heads: list[Head]) -> tuple[bytes, bytes | None]:
    """Two records after the same one, and the head of either."""
    end = heads[-1]
    both = [forged(end.seq + 1, end.hash, lambda text: text, note=note) for note in ("one", "another")]
    block, digest = chance.choice(both)
    made = data + b"".join(block for block, _ in both)
    return made, _slots(end, Head(end.ledger_id, end.seq + 1, end.size + len(block), digest))


def _first(chance: random.Random, data: bytes, heads: list[Head]) -> tuple[bytes, bytes | None]:
    """Another first block, with a right hash."""
    changes = ((b"format = 1", b"format = 2"), (b"22:13:20Z", b"25:13:20Z"), (b'reason = ""', b'reason = "torn"'))
    start, _ = chain.first_block(Header("00112233445566778899aabbccddeeff", utc_text(START)))
    body = start[: start.index(b'hash = "')].replace(*chance.choice(changes))
    block, digest = chain.block(0, "0" * 64, body)
    return block, _slots(Head(heads[0].ledger_id, 0, len(block), digest))


def _head(chance: random.Random, data: bytes, heads: list[Head]) -> tuple[bytes, bytes | None]:
    at = chance.randrange(2 * SLOT)
    slots = bytearray(_whole(heads))
    slots[at] ^= chance.randrange(1, 256)
    stranger = Head("f" * 32, heads[-1].seq, heads[-1].size, heads[-1].hash)
    other = Head(heads[-1].ledger_id, heads[-1].seq, heads[-1].size, "ab" * 32)
    beyond = Head(heads[-1].ledger_id, heads[-1].seq + 1, heads[-1].size + 900, "ab" * 32)
    return data, chance.choice((None, bytes(slots), _slots(stranger), _slots(other), _slots(beyond), b"", bytes(2 * SLOT)))


_SPOILT = {
    "whole": lambda chance, data, heads: (data, _whole(heads)),
    "one byte changed": _byte,
    "cut": _cut,
    "records moved, removed or doubled": _reordered,
    "a tail": _tail,
    "records beyond the head": _loose,
    "a forged record": _forged,
    "an id used again": _again,
    "two records in one place": _rivals,
    "another first block": _first,
    "another head": _head,
}
