"""The chain: the published ledger byte for byte, and everything that is not what was written stops the reading there."""

from __future__ import annotations

import hashlib
import random
import re
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui.consent.receipt import Receipt, encode, parse
from cgp_tui.store import chain
from tests.store.ledgers import START, blocks, draft, forged, six

VECTOR_HASHES = [
    "9e91627a7d625db9d7b347cbffa6f49ea6371c4ab4fbf9a35448d94071ddd7af",
    "785d1007ce1c274f291dd333b76a302b5e6e7127d5d2e9d09988be68c7fd371b",
    "7f43c6f88b467a9f1141798d3117673d3e62742c2c9cea4677a70e2b1fdbd162",
    "c17457ef0f1a193a2e22eeebfd711d781a8102b428561b86c354c3bbbbc9c2c9",
]


@pytest.fixture
def vector(shared: Path) -> bytes:
    data = (shared / "ledger" / "vector.toml").read_bytes()
    assert hashlib.sha256(data).hexdigest() == "c422318206a510d88e53e0a6d0ba18bdd1c1c35bfa5028fc5295c99e190e79ab"
    return data


def test_the_published_ledger_reads_and_writes_byte_for_byte(vector: bytes) -> None:
    read = chain.read(vector, parse)
    assert read.fault is None
    assert read.header is not None
    assert list(read.hashes) == VECTOR_HASHES
    assert read.good == len(vector) == 2808
    assert [record.kind for record in read.records] == ["grant", "revoke", "grant"]
    assert read.records[2].provider_name.startswith('acme"\nscope="local-only"\n[[receipt]]\\ \x00\x1b\x7f\x9b\u202e')
    rewritten, digest = chain.first_block(read.header)
    for number, record in enumerate(read.records, 1):
        block, digest = chain.block(number, digest, encode(record))
        rewritten += block
    assert rewritten == vector


def test_any_toml_parser_reads_the_same_values() -> None:
    data, records, _ = blocks(six())
    tables = tomllib.loads(data.decode("ascii"))["receipt"]
    assert [table["provider_name"] for table in tables] == [record.provider_name for record in records]
    assert [table["expires_at"] for table in tables] == [record.expires_at for record in records]
    assert [table["grantor"] for table in tables] == [{"kind": "human", "id": "tty:1000"}] * 6


def independent_hash(data: bytes) -> list[str]:
    """The hashes of every block, from the definition alone."""
    previous, found = b"\0" * 32, []
    for body in re.split(rb'hash = "[0-9a-f]{64}"\n# end \d+\n', data)[:-1]:
        previous = hashlib.sha256(b"cgp-tui/ledger/1\n" + previous + len(body).to_bytes(8, "big") + body).digest()
        found.append(previous.hex())
    return found


def test_hashes_follow_the_definition() -> None:
    data, _, heads = blocks(six())
    assert independent_hash(data) == [one.hash for one in heads]


def test_every_byte_changed_is_found_where_it_stands() -> None:
    """Each byte of a small ledger, three other values for each: the block it stands in is the first that is not good."""
    data, _, heads = blocks(six()[:3])
    rng = random.Random(1)
    for at in range(len(data)):
        block = next(number for number, one in enumerate(heads) if at < one.size)
        for value in {data[at] ^ 1, data[at] ^ 0x20, rng.randrange(256)} - {data[at]}:
            changed = data[:at] + bytes([value]) + data[at + 1 :]
            read = chain.read(changed, parse)
            assert read.last == block - 1
            assert read.fault is not None
            assert (read.fault.record, read.fault.chained) == (block, False)


def test_every_truncation_keeps_whole_records_alone() -> None:
    data, records, heads = blocks(six())
    for size in range(len(data) + 1):
        whole = sum(1 for one in heads if one.size <= size)
        read = chain.read(data[:size], parse)
        assert list(read.records) == records[: max(whole - 1, 0)]
        assert (read.fault is None) == (size == 0 or size in {one.size for one in heads})


def test_records_swapped_deleted_or_doubled_break_the_chain() -> None:
    data, _, heads = blocks(six())
    bounds = [0, *(one.size for one in heads)]
    parts = [data[start:end] for start, end in pairwise(bounds)]
    for at in range(1, len(parts)):
        for other in range(at + 1, len(parts)):
            swapped = parts.copy()
            swapped[at], swapped[other] = swapped[other], swapped[at]
            assert chain.read(b"".join(swapped), parse).last == at - 1
        deleted = chain.read(b"".join(parts[:at] + parts[at + 1 :]), parse)
        assert deleted.last == at - 1
        assert (deleted.fault is None) == (at == len(parts) - 1)
        assert chain.read(b"".join(parts[: at + 1] + parts[at:]), parse).last == at


def test_another_first_block_breaks_everything_after_it() -> None:
    data, _, heads = blocks(six())
    other, _ = chain.first_block(chain.Header("f" * 32, "2026-11-29T18:00:00Z"))
    assert chain.read(other + data[heads[0].size :], parse).last == 0


@pytest.mark.parametrize(
    ("old", "new", "newer"),
    [
        ("\nuses = ", "\nweight = 1\nuses = ", True),
        ("format = 1", "format = 2", True),
        ('kind = "grant"', 'kind = "grand"', True),
        ("\nuses = ", "\n\nuses = ", False),
        ('scope = "third-party-index"', 'scope = "third\\u002Dparty-index"', False),
        ('uses = "unlimited"', 'uses = "many"', False),
        ('note = ""\n', "", False),
        ('note = ""', "note = ''", False),
        ("format = 1\nseq = 1", "seq = 1\nformat = 1", False),
        ("seq = 1", "seq = 01", False),
        ("seq = 1", "seq = 2", False),
        ("[[receipt]]", "[[receipt]] ", False),
        ('scope = "third-party-index"', 'scope = ""', False),
        ('payload = ["goal"]', 'payload = ["b", "a"]', False),
        ('"example"', '"é"', False),
        ('basis = "scope"', 'basis = "all"', False),
        ('target = "aa', 'target = "AA', False),
        ('provider_id = "docs"', 'provider_id = "*"', False),
        ('provider_id = "docs"', 'provider_id = ".docs"', False),
    ],
)
def test_well_chained_content_that_is_no_record(old: str, new: str, newer: bool) -> None:
    data, _, heads = blocks([])
    block, _ = forged(1, heads[0].hash, lambda text: text.replace(old, new, 1))
    assert block != forged(1, heads[0].hash, lambda text: text)[0]
    read = chain.read(data + block, parse)
    assert read.last == 0
    assert read.fault is not None
    assert (read.fault.record, read.fault.byte, read.fault.chained, read.fault.newer) == (1, len(data), True, newer)
    assert read.fault.why


@pytest.mark.parametrize("field", ["granted_at", "expires_at"])
def test_a_day_that_does_not_exist_is_no_time(field: str) -> None:
    data, _, heads = blocks([])
    block, _ = forged(
        1, heads[0].hash, lambda text: re.sub(rf'{field} = "[^"]*"', f'{field} = "2026-02-30T00:00:00Z"', text)
    )
    fault = chain.read(data + block, parse).fault
    assert fault is not None
    assert field in fault.why


def test_a_receipt_id_is_used_once() -> None:
    data, _, heads = blocks([draft()])
    block, _ = forged(2, heads[1].hash, lambda text: text.replace(f'receipt_id = "{2:032x}"', f'receipt_id = "{1:032x}"'))
    fault = chain.read(data + block, parse).fault
    assert fault is not None
    assert "receipt_id" in fault.why


def test_a_block_is_at_most_64_kib() -> None:
    data, _, heads = blocks([])
    filler = '", "'.join("y" * 500 for _ in range(140))
    block, _ = forged(1, heads[0].hash, lambda text: text.replace('payload = ["goal"]', f'payload = ["{filler}"]'))
    assert len(block) > 65_536
    fault = chain.read(data + block, parse).fault
    assert fault is not None
    assert "65536" in fault.why
    room = 65_536 - len(forged(1, heads[0].hash, lambda text: text.replace('["goal"]', '[""]'))[0])
    for size, whole in ((room, True), (room + 1, False)):
        block, _ = forged(1, heads[0].hash, lambda text, size=size: text.replace('["goal"]', f'["{"y" * size}"]'))  # type: ignore[misc]
        assert (chain.read(data + block, parse).fault is None) == whole == (len(block) == 65_536)
        assert chain.fits(1, block[: block.index(b"hash = ")]) == whole


def test_a_newer_first_block_is_newer() -> None:
    header, _ = chain.first_block(chain.Header("a" * 32, "2026-11-29T18:00:00Z"))
    body = header[: header.index(b"hash = ")]
    for change, newer in ((b"format = 2\n", True), (b"format = x\n", False)):
        block, _ = chain.block(0, "0" * 64, body.replace(b"format = 1\n", change))
        fault = chain.read(block, parse).fault
        assert fault is not None
        assert (fault.chained, fault.newer) == (True, newer)


@settings(max_examples=200)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_failing(junk: bytes) -> None:
    data, records, _ = blocks([draft()])
    read = chain.read(data + junk, parse)
    assert list(read.records) == records
    assert (read.fault is None) == (not junk)
    assert chain.read(junk, parse).last == -1


def test_the_last_block_alone_can_be_checked() -> None:
    data, records, heads = blocks(six())
    tip = chain.read_last(data[-4000:], 6, heads[6].hash, parse)
    assert tip is not None
    assert tip.record == records[5]
    assert chain.read_last(data, 5, heads[6].hash, parse) is None
    assert chain.read_last(data, 6, heads[5].hash, parse) is None
    assert chain.read_last(data[:-1], 6, heads[6].hash, parse) is None
    for at in range(heads[5].size, len(data)):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        assert chain.read_last(changed[-4000:], 6, heads[6].hash, parse) is None
    empty, _, first = blocks([])
    assert chain.read_last(empty, 0, first[0].hash, parse) == chain.Tip(None)
    assert chain.read_last(empty[:-1], 0, first[0].hash, parse) is None


def alone(text: str, number: int, previous: str, start: int = 0, end: int = sys.maxsize) -> Receipt:
    """The same rules for a block that was taken out of the file first."""
    return parse(text[start:end], number, previous)


@settings(max_examples=300)
@given(st.data())
def test_a_block_read_in_its_place_says_what_it_says_alone(data: st.DataObject) -> None:
    """Whatever bytes were changed, put in or taken out, and also where the chain was made to fit them."""
    good, _, heads = blocks(six())
    at = data.draw(st.integers(0, len(good)))
    piece = data.draw(
        st.sampled_from([b"", b"\n", b'"', b"\\", b"\x00", b"\xc3\xa9", b"0", b"a", b'\nhash = "', b"# end 3\n"])
    )
    taken = data.draw(st.integers(0, 3))
    changed = good[:at] + piece + good[at + taken :]
    if data.draw(st.booleans()):
        number = next((number for number, one in enumerate(heads) if at < one.size), 6)
        start = heads[number - 1].size if number else 0
        end = changed.find(b'\nhash = "', start) + 1
        if number and end > start:
            changed = changed[:start] + chain.block(number, heads[number - 1].hash, changed[start:end])[0]
    assert chain.read(changed, parse) == chain.read(changed, alone)


def spoilt(data: st.DataObject, good: bytes) -> bytes:
    """`good` as it is, cut, longer, or with a few bytes changed."""
    at = data.draw(st.integers(0, len(good)))
    piece = data.draw(st.sampled_from([b"", b"x", b"\n", b"\xff", good[at : at + 700]]))
    return data.draw(st.sampled_from([good, good[:at], good + piece, good[:at] + piece + good[at + len(piece) :]]))


@settings(max_examples=300)
@given(st.data())
def test_a_file_read_again_is_what_it_would_be_read_for_the_first_time(data: st.DataObject) -> None:
    one, two = (blocks(six(), start)[0] for start in (START, START + 1))
    known = None
    for _ in range(3):
        now = spoilt(data, data.draw(st.sampled_from([one, one, two])))
        read, known = chain.reread(now, parse, known)
        assert read == chain.read(now, parse)
        assert (known.chain.ends if known else ()) == read.ends


def test_a_receipt_id_from_before_is_not_used_again() -> None:
    data, _, heads = blocks([draft(), draft()])
    _, known = chain.reread(data, parse, None)
    block, _ = forged(3, heads[2].hash, lambda text: text.replace(f'receipt_id = "{3:032x}"', f'receipt_id = "{1:032x}"'))
    read, after = chain.reread(data + block, parse, known)
    assert read.last == 2
    assert read.fault is not None
    assert "receipt_id" in read.fault.why
    assert after is known


def test_what_is_known_is_not_parsed_again() -> None:
    data, _, heads = blocks(six())
    seen: list[int] = []

    def noted(text: str, number: int, previous: str, start: int, end: int) -> Receipt:
        seen.append(number)
        return parse(text, number, previous, start, end)

    _, known = chain.reread(data[: heads[4].size], noted, None)
    read, known = chain.reread(data, noted, known)
    assert read.last == 6
    chain.reread(data, noted, known)
    assert seen == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("day", "fault"),
    [("2028-02-29", ""), ("2026-02-29", "created_at is not a valid date"), ("2026-02-30", "not a valid date")],
)
def test_a_ledger_is_made_on_a_day_of_the_calendar(day: str, fault: str) -> None:
    data, _ = chain.first_block(chain.Header("a" * 32, f"{day}T18:00:00Z"))
    found = chain.read(data, parse).fault
    assert fault in ("" if found is None else found.why)
    assert (found is None) == (not fault)


def test_a_last_block_that_is_no_record_is_no_end_to_write_after() -> None:
    data, _, heads = blocks([])
    block, digest = forged(1, heads[0].hash, lambda text: text.replace('kind = "grant"', 'kind = "lend"'))
    assert chain.read_last(data + block, 1, digest, parse) is None
    good, digest = forged(1, heads[0].hash, lambda text: text)
    assert chain.read_last(data + good, 1, digest, parse) is not None


@pytest.mark.parametrize("number", [1, 2])
def test_a_second_record_after_the_same_block_is_a_rival(number: int) -> None:
    data, _, heads = blocks([draft(), draft()][:number])
    rival, _ = forged(number, heads[number - 1].hash, lambda text: text.replace(f"{number:032x}", "ab" * 16))
    fault = chain.read(data + rival, parse).fault
    assert fault is not None
    assert (fault.rival, fault.record) == (True, number + 1)
    assert f"a second record {number}" in fault.why
    stranger, _ = forged(number, "0" * 64, lambda text: text)
    fault = chain.read(data + stranger, parse).fault
    assert fault is not None
    assert not fault.rival


@pytest.mark.parametrize("digits", range(1, 17))
def test_what_a_block_takes_includes_its_closing(digits: int) -> None:
    number = 10**digits - 1
    room = chain.BLOCK_BYTES - len(chain.block(number, "0" * 64, b"")[0])
    assert [chain.fits(number, b"x" * size) for size in (room - 4, room, room + 1, room + 4)] == [True, True, False, False]


def test_the_first_block_alone_is_checked_byte_for_byte() -> None:
    data, _, heads = blocks([])
    changed = data.replace(b'reason = ""', b'reason = "x"')
    for piece, digest in ((changed, heads[0].hash), (data, "0" * 64), (b"x" + data, heads[0].hash)):
        assert chain.read_last(piece, 0, digest, parse) is None
