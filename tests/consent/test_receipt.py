"""One record: whatever it holds, its bytes read back as the same record, and what it may not hold is refused."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui.consent import receipt
from cgp_tui.consent.receipt import Draft, Form, Grantor, complete, encode, parse, unrepresentable
from cgp_tui.errors import RefusedError
from cgp_tui.store import chain
from cgp_tui.store.chain import Unread
from tests.store.ledgers import draft

NO_HALVES = st.characters(exclude_categories=["Cs"])
TIMES = st.datetimes().map(lambda moment: moment.strftime(f"{moment.year:04}-%m-%dT%H:%M:%SZ"))
HEX_256 = st.text("0123456789abcdef", min_size=64, max_size=64)


def some(size: int, smallest: int = 0) -> st.SearchStrategy[str]:
    return st.text(NO_HALVES, min_size=smallest, max_size=size)


@st.composite
def grants(make: st.DrawFn) -> Draft:
    basis = make(st.sampled_from(["scope", "boolean"]))
    return Draft(
        kind="grant",
        provider_id=make(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True)),
        provider_name=make(some(256)),
        provider_version=make(some(128)),
        target_kind=make(st.sampled_from(["stdio", "http"])),
        target=make(HEX_256),
        code=make(st.one_of(HEX_256, st.just(""))),
        target_shown=tuple(make(st.lists(some(512), max_size=5))),
        basis=basis,  # type: ignore[arg-type]
        scope=make(some(256, 1)) if basis == "scope" else "",
        declared=tuple(make(st.lists(some(20), max_size=5))),
        payload=tuple(sorted(make(st.lists(some(20), max_size=5)))),
        uses=make(st.sampled_from(["unlimited", "once"])),
        code_policy=make(st.sampled_from(["exact", "path"])),
        version_policy=make(st.sampled_from(["exact", "minor", "any"])),
        grantor=Grantor(make(st.sampled_from(["human", "policy", "host"])), make(some(30))),
        expires_at=make(st.one_of(st.just("never"), TIMES)),
        note=make(some(512)),
    )


@given(grants(), st.integers(0, 10**16 - 1), TIMES, HEX_256)
def test_any_grant_reads_back_and_any_toml_parser_agrees(one: Draft, seq: int, granted_at: str, prev: str) -> None:
    record = complete(one, seq=seq, receipt_id="0" * 32, granted_at=granted_at, prev=prev)
    body = encode(record)
    assert parse(body.decode("ascii"), seq, prev) == record
    table = tomllib.loads(body.decode("ascii"))["receipt"][0]
    assert list(table) == list(receipt.Receipt.__struct_fields__)
    for name in ("provider_name", "provider_version", "scope", "note", "expires_at"):
        assert table[name] == getattr(record, name)
    assert tuple(table["target_shown"]) == record.target_shown


@pytest.mark.parametrize("kind", ["grant", "deny", "revoke", "spend", "narrow", "expire", "recover", "checkpoint"])
def test_every_kind_reads_back(kind: str) -> None:
    record = complete(draft(kind), seq=3, receipt_id="1" * 32, granted_at="2026-11-29T18:00:00Z", prev="2" * 64)
    assert parse(encode(record).decode("ascii"), 3, "2" * 64) == record


@pytest.mark.parametrize("kind", ["revoke", "deny", "recover", "checkpoint"])
def test_every_provider_may_be_meant_only_by_what_takes_away(kind: str) -> None:
    encode(
        complete(draft(kind, provider_id="*"), seq=1, receipt_id="1" * 32, granted_at="2026-11-29T18:00:00Z", prev="2" * 64)
    )
    for other in ("grant", "spend", "narrow", "expire"):
        with pytest.raises(RefusedError):
            encode(
                complete(
                    draft(other, provider_id="*"),
                    seq=1,
                    receipt_id="1" * 32,
                    granted_at="2026-11-29T18:00:00Z",
                    prev="2" * 64,
                )
            )


@pytest.mark.parametrize(
    "changes",
    [
        {"provider_name": "x" * 257},
        {"provider_version": "x" * 129},
        {"scope": "x" * 257},
        {"note": "x" * 513},
        {"declared": ("x",) * 65},
        {"target_shown": ("x",) * 65},
        {"target_shown": ("x" * 513,)},
        {"provider_name": "\ud800"},
        {"provider_id": "a/b"},
        {"provider_id": "x" * 65},
        {"provider_id": ""},
        {"scope": ""},
        {"basis": "boolean"},
        {"expires_at": "none"},
        {"expires_at": "2026-02-30T00:00:00Z"},
        {"expires_at": "2026-02-29T00:00:00Z"},
        {"payload": ("b", "a")},
        {"uses": "none"},
    ],
)
def test_what_no_record_may_hold(changes: dict[str, Any]) -> None:
    record = complete(draft(**changes), seq=1, receipt_id="1" * 32, granted_at="2026-11-29T18:00:00Z", prev="2" * 64)
    with pytest.raises(RefusedError) as caught:
        encode(record)
    assert caught.value.code == "identity_unrepresentable"


@pytest.mark.parametrize("number", [1, 10, 10**15])
def test_a_record_is_written_only_where_it_can_be_read(number: int) -> None:
    """A provider may declare a scope of any length, and a record that no reader takes would end every grant there is."""

    def body(size: int) -> bytes:
        made = draft(declared=("y" * size,))
        place = {"receipt_id": "1" * 32, "granted_at": "2026-11-29T18:00:00Z", "prev": "2" * 64}
        return encode(complete(made, seq=number, **place))

    room = chain.BLOCK_BYTES - len(chain.block(number, "2" * 64, body(0))[0])
    assert len(chain.block(number, "2" * 64, body(room))[0]) == chain.BLOCK_BYTES
    for size in (room + 1, chain.BLOCK_BYTES):
        with pytest.raises(RefusedError) as caught:
            body(size)
        assert (caught.value.code, "65536 bytes" in caught.value.message) == ("identity_unrepresentable", True)


@pytest.mark.parametrize("day", ["2026-02-29", "2026-04-31", "2026-02-30"])
def test_a_day_that_is_none_was_no_day_of_an_act(day: str) -> None:
    place: dict[str, Any] = {"seq": 1, "receipt_id": "1" * 32, "prev": "2" * 64}
    body = encode(complete(draft(), granted_at="2026-11-28T18:00:00Z", **place)).decode()
    assert parse(body, 1, "2" * 64).granted_at == "2026-11-28T18:00:00Z"
    with pytest.raises(Unread, match="granted_at"):
        parse(body.replace("2026-11-28", day), 1, "2" * 64)


@pytest.mark.parametrize("kind", ["revoke", "spend", "narrow", "expire"])
@pytest.mark.parametrize("name", ["declared", "payload", "target_shown", "provider_name", "uses", "expires_at"])
def test_other_kinds_hold_nothing_of_a_grant(kind: str, name: str) -> None:
    """The exact values that a grant has are no canonical form of a record that ends one."""
    record = complete(draft(kind), seq=1, receipt_id="1" * 32, granted_at="2026-11-29T18:00:00Z", prev="2" * 64)
    grant = complete(draft(), seq=1, receipt_id="1" * 32, granted_at="2026-11-29T18:00:00Z", prev="2" * 64)
    ours = encode(record).decode("ascii").splitlines(keepends=True)
    theirs = encode(grant).decode("ascii").splitlines(keepends=True)
    mixed = "".join(them if them.startswith(f"{name} = ") else us for us, them in zip(ours, theirs, strict=True))
    with pytest.raises(Unread) as caught:
        parse(mixed, 1, "2" * 64)
    assert not caught.value.newer


def test_place_in_the_chain_is_part_of_the_record() -> None:
    body = encode(complete(draft(), seq=1, receipt_id="1" * 32, granted_at="2026-11-29T18:00:00Z", prev="2" * 64)).decode()
    for seq, prev in ((2, "2" * 64), (1, "3" * 64)):
        with pytest.raises(Unread):
            parse(body, seq, prev)


@pytest.mark.parametrize(
    ("name", "version", "scopes", "says"),
    [
        ("x" * 256, "x" * 128, ("x" * 256,), ""),
        ("x" * 257, "", (), "name"),
        ("", "x" * 129, (), "version"),
        ("", "", ("x" * 257,), "scope"),
        ("\ud800", "", (), "half a character"),
        ("", "", ("x",) * 65, "64 scopes"),
    ],
)
def test_unrepresentable_names_what_does_not_fit(name: str, version: str, scopes: tuple[str, ...], says: str) -> None:
    found = unrepresentable(name, version, scopes)
    assert says in found
    assert bool(found) == bool(says)


FORMED = [
    name
    for name in Draft.__struct_fields__
    if name not in ("provider_name", "provider_version", "scope", "note", "grantor", "target_shown", "declared", "payload")
]


@pytest.mark.parametrize("name", FORMED)
@settings(max_examples=40)
@given(st.text(st.sampled_from(list('"\\\n =[]{},ab1é\ud800')), max_size=12))
def test_no_value_of_one_spelling_gets_out_of_its_quotes(name: str, text: str) -> None:
    """These values are written as they are; whatever stands in one, the block holds it and nothing else, or is refused."""
    one = draft(**{name: text})
    record = complete(one, seq=1, receipt_id="1" * 32, granted_at="2026-11-29T18:00:00Z", prev="2" * 64)
    try:
        body = encode(record)
    except RefusedError as error:
        assert error.code == "identity_unrepresentable"
    else:
        assert parse(body.decode("ascii"), 1, "2" * 64) == record


@pytest.mark.parametrize("name", FORMED)
def test_a_value_that_brings_lines_of_its_own_is_refused(name: str) -> None:
    record = complete(draft(), seq=1, receipt_id="1" * 32, granted_at="2026-11-29T18:00:00Z", prev="2" * 64)
    lines = encode(record).decode("ascii").splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(f"{name} = "))
    value = getattr(record, name) + '"\n' + "\n".join(lines[at + 1 : -1]) + '\nprev = "' + "2" * 64
    with pytest.raises(RefusedError):
        encode(complete(draft(**{name: value}), seq=1, receipt_id="1" * 32, granted_at=record.granted_at, prev="2" * 64))


@pytest.mark.parametrize(
    ("old", "new", "why", "newer"),
    [
        ("[[receipt]]", "[[record]]", "does not begin and end as a record does", False),
        ("\nkind = ", "\nkind: ", "a line that is not a key and value", False),
        ("\nkind = ", "\nmood = ", "the unknown key mood", True),
        ("format = 1", "format = 2", "another format", True),
        ("format = 1", "format = 01", "its keys are not all there", False),
        ('kind = "grant"', 'kind = "lend"', 'the unknown kind "lend"', True),
        ('kind = "grant"', 'kind = "Grant"', "its keys are not all there", False),
    ],
)
def test_a_block_that_is_no_record_says_why_and_whether_a_later_version_wrote_it(
    old: str, new: str, why: str, newer: bool
) -> None:
    body = encode(complete(draft(), seq=1, receipt_id="1" * 32, granted_at="2026-11-29T18:00:00Z", prev="2" * 64)).decode()
    assert body.count(old) == 1
    with pytest.raises(Unread, match=why) as caught:
        parse(body.replace(old, new), 1, "2" * 64)
    assert caught.value.newer == newer


@pytest.mark.parametrize(
    "changes",
    [
        {"provider_name": "x" * 256, "provider_version": "x" * 128, "scope": "x" * 256, "note": "x" * 512},
        {"declared": ("x",) * 64, "target_shown": ("x" * 512,) * 64, "provider_id": "x" * 64},
        {"expires_at": "2028-02-29T00:00:00Z", "payload": ("a", "b")},
    ],
)
def test_what_fills_a_record_to_its_bounds_is_held_and_read_back(changes: dict[str, Any]) -> None:
    record = complete(draft(**changes), seq=1, receipt_id="1" * 32, granted_at="2026-11-29T18:00:00Z", prev="2" * 64)
    assert parse(encode(record).decode("ascii"), 1, "2" * 64) == record


PLACE: dict[str, Any] = {"receipt_id": "1" * 32, "granted_at": "2026-11-29T18:00:00Z", "prev": "2" * 64}


@given(grants(), st.integers(1, 10**16 - 1), TIMES, HEX_256)
def test_what_was_encoded_ahead_says_the_same_at_its_place(one: Draft, seq: int, granted_at: str, prev: str) -> None:
    place = {"receipt_id": "7" * 32, "granted_at": granted_at, "prev": prev}
    record = complete(one, seq=seq, **place)
    form = Form(one)
    form.must_fit_anywhere()
    assert form.at(seq=seq, **place) == (record, encode(record))


@pytest.mark.parametrize("changes", [{"provider_id": "no id"}, {"note": "x" * 513}])
def test_what_no_record_may_hold_is_refused_before_its_place_is_known(changes: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as caught:
        Form(draft(**changes))
    assert caught.value.code == "identity_unrepresentable"


def test_what_fits_only_at_the_first_places_is_refused_at_the_others() -> None:
    """The number of a record takes room too, twice."""

    def room(number: int) -> int:
        empty = encode(complete(draft(declared=("",)), seq=number, **PLACE))
        return chain.BLOCK_BYTES - len(chain.block(number, "2" * 64, empty)[0])

    last = 10**16 - 1
    assert room(last) == room(1) - 30
    anywhere, first = Form(draft(declared=("y" * room(last),))), Form(draft(declared=("y" * room(1),)))
    anywhere.must_fit_anywhere()
    assert len(chain.block(last, "2" * 64, anywhere.at(seq=last, **PLACE)[1])[0]) == chain.BLOCK_BYTES
    assert len(chain.block(1, "2" * 64, first.at(seq=1, **PLACE)[1])[0]) == chain.BLOCK_BYTES
    for refused in (
        first.must_fit_anywhere,
        lambda: first.at(seq=10, **PLACE),
        Form(draft(declared=("y" * (room(last) + 1),))).must_fit_anywhere,
    ):
        with pytest.raises(RefusedError, match="65536 bytes"):
            refused()
