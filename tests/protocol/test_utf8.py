"""A text in slices has the bytes that it has at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol import utf8
from cgp_tui.protocol.budget import token_cost
from cgp_tui.protocol.digest import sha256_digest, sha256_of_text


@pytest.mark.parametrize(
    ("text", "found"),
    [("", False), ("plain", False), ("é解😀\ud7ff\ue000", False), ("\ud800", True), ("a\udfffé", True)],
)
def test_half_a_character_is_found(text: str, found: bool) -> None:
    assert utf8.halved(text) is found


TEXTS = st.text(st.one_of(st.sampled_from("aé解😀\ud800"), st.characters()), max_size=30)


@given(TEXTS, st.integers(1, 9))
def test_slices_have_the_bytes_of_the_whole(text: str, size: int) -> None:
    whole = text.encode("utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utf8, "SLICE", size)
        assert b"".join(utf8.encoded(text)) == whole
        assert all(len(part.decode("utf-8", "surrogatepass")) <= size for part in utf8.encoded(text))
        assert utf8.size(text) == len(whole)
        assert token_cost(text) == -(-len(whole) // 4)
        assert sha256_of_text(text) == sha256_digest(whole)
