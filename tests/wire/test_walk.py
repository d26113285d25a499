"""Walking over JSON piece by piece: the same members and items as a parser sees, doubled ones too."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

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
