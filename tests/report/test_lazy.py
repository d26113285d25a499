"""Documents made while they are written: the same bytes as made whole, and what is put aside comes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.report.documents import Attested
from cgp_tui.report.lazy import Items, Members, Spool
from tests.report.written import written

values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


def lazy(value: Any) -> object:
    if isinstance(value, dict):
        return Members(iter([(name, lazy(member)) for name, member in value.items()]))
    return Items(map(lazy, value)) if isinstance(value, list) else value


@given(values)
def test_the_bytes_are_those_of_the_document_made_whole(value: Any) -> None:
    assert written(lazy(value)) == written(value)
    mixed = {"a": [value, {"b": value}], "c": value}
    assert written(Members(iter([("a", Items(iter(mixed["a"]))), ("c", lazy(value))]))) == written(mixed)


def test_a_later_member_tells_of_an_earlier_one() -> None:
    seen: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(3):
            seen.append(number)
            yield number

    def members() -> Iterator[tuple[str, object]]:
        yield "numbers", Items(numbers())
        yield "count", len(seen)

    assert written(Members(members())) == written({"numbers": [0, 1, 2], "count": 3})


def test_a_spool_gives_back_what_was_put_aside_once() -> None:
    spool = Spool()
    assert list(spool.items()) == []
    entry = Attested(4, "f\ud800\n\x00", "valid", None, "attested", "k", None, None)
    for _ in range(20_000):  # more than is held in memory
        spool.add(entry)
    items = list(spool.items())
    assert len(items) == 20_000
    assert items[-1] == msgspec.to_builtins(entry)
    assert list(spool.items()) == []
