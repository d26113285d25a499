"""Walking over JSON piece by piece: the same members and items as a parser sees, doubled ones too."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.wire import portions, walk
from cgp_tui.wire.walk import is_array, is_object, items, members

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=12,
)
blanks = st.sampled_from(["", " ", "\t", "\r", " \r\n\t"])


@st.composite
def spelled(draw: st.DrawFn, opening: str, closing: str, parts: list[str]) -> bytes:
    def gap() -> str:
        return draw(blanks)

    return (gap() + opening + gap() + ",".join(gap() + part + gap() for part in parts) + closing + gap()).encode()


@pytest.fixture(params=["in one go", "in portions"], autouse=True)
def pace(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text here is gone over both ways."""
    if request.param == "in portions":
        monkeypatch.setattr(limits, "SHELL_AT_ONCE_BYTES", 0)
        monkeypatch.setattr(portions, "PORTION", 16)


@given(
    st.data(), st.lists(st.tuples(st.sampled_from(["a", "é", '"', "\\", "long name"]), values), max_size=6), st.booleans()
)
def test_members_in_order_with_doubled_ones(data: st.DataObject, pairs: list[tuple[str, Any]], ascii_only: bool) -> None:
    def dump(value: Any) -> str:
        return json.dumps(value, ensure_ascii=ascii_only)

    raw = data.draw(
        spelled("{", "}", [f"{dump(name)}{data.draw(blanks)}:{data.draw(blanks)}{dump(value)}" for name, value in pairs])
    )
    assert is_object(raw)
    assert not is_array(raw)
    found = list(members(raw))
    assert [(name, json.loads(piece.raw)) for name, piece in found] == pairs
    assert all(raw[piece.at :].startswith(piece.raw) for _, piece in found)


@given(st.data(), st.lists(values, max_size=6))
def test_items_in_order(data: st.DataObject, parts: list[Any]) -> None:
    raw = data.draw(spelled("[", "]", [json.dumps(part) for part in parts]))
    assert is_array(raw)
    assert not is_object(raw)
    pieces = list(items(raw))
    assert [json.loads(piece.raw) for piece in pieces] == parts
    assert all(piece.raw == piece.raw.strip() and raw[piece.at :].startswith(piece.raw) for piece in pieces)


@pytest.mark.parametrize("raw", [b'{"a":', b'{"a":tru}', b'{"a":"\\q"}'])
def test_what_is_no_json_is_no_piece_of_it(raw: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        list(members(raw))
    with pytest.raises(msgspec.DecodeError):
        list(items(b"[" + raw[5:] + b","))


def test_a_value_at_the_very_end_of_the_bytes_ends_there() -> None:
    assert walk._value_end(b"[1", 1) == 2
