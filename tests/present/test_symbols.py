"""The two alphabets: a sign means one thing wherever it stands, and every sign is told apart from its neighbours."""

from __future__ import annotations

import pytest

from cgp_tui.present.symbols import ASCII, PLACES, UNICODE, Symbols

ALPHABETS = {"unicode": UNICODE, "ascii": ASCII}


def signs(symbols: Symbols, place: tuple[str, ...]) -> list[str]:
    """What stands at a place, heights one by one, without the blanks around."""
    out: list[str] = []
    for name in place:
        sign = getattr(symbols, name)
        out += list(sign) if name == "heights" else [sign.strip()]
    return out


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("place", PLACES)
def test_no_sign_means_two_things_at_one_place(alphabet: str, place: str) -> None:
    found = signs(ALPHABETS[alphabet], PLACES[place])
    assert [sign for sign in found if found.count(sign) > 1] == []


def test_every_sign_stands_somewhere() -> None:
    assert {name for place in PLACES.values() for name in place} == set(Symbols.__struct_fields__)


def test_the_alphabet_for_old_terminals_is_ascii_and_no_two_arrows_differ_in_width() -> None:
    assert all(getattr(ASCII, name).isascii() for name in Symbols.__struct_fields__)
    for symbols in ALPHABETS.values():
        assert len(symbols.sent) == len(symbols.received)


def test_neither_arrow_is_what_marks_the_cursor() -> None:
    for symbols in ALPHABETS.values():
        assert symbols.cursor not in (symbols.sent, symbols.received, symbols.folded, symbols.unfolded)
