"""Sentences that name keys."""

from __future__ import annotations

import pytest

from cgp_tui.present.key_sentences import NO_KEYS, keyed
from cgp_tui.present.symbols import Look
from cgp_tui.text import show


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"hop.pair": "p"}, "reply to 5 (p)"),
        ({"hop.pair": "{"}, "reply to 5 ({)"),
        ({"hop.pair": ""}, "reply to 5 (:pair)"),
        (NO_KEYS, "reply to 5 (:pair)"),
    ],
)
def test_the_key_stands_in_the_sentence_or_the_name_to_find_it_by(keys: dict[str, str], words: str) -> None:
    assert keyed("reply to {n} ({hop.pair})", keys, n=5) == words
    assert Look(keys=keys).say("reply to {n} ({hop.pair})", n=5) == words


def test_what_is_filled_in_names_no_key() -> None:
    assert keyed("{who} waits", {"hop.pair": "p"}, who=show("{hop.pair}")) == "{hop.pair} waits"
    assert keyed("{hop.pair} {hop.pair} {list.order}", {"hop.pair": "p", "list.order": "o"}) == "p p o"
