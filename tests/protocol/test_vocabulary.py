"""Words of the open vocabularies."""

from __future__ import annotations

import pytest

from cgp_tui.protocol.vocabulary import CODES, RELS, SCOPES, Word, rel_word, word


@pytest.mark.parametrize("base", [RELS, SCOPES, CODES])
def test_a_word_of_the_protocol_is_one(base: tuple[str, ...]) -> None:
    assert {word(text, base) for text in base} == {"base"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("acme:x", "vendor"),
        ("a:b:c", "vendor"),
        ("a::", "vendor"),
        ("cloud", "unprefixed"),
        ("Local-Only", "unprefixed"),
        ("", "unprefixed"),
        (":x", "malformed"),
        ("x:", "malformed"),
        (":", "malformed"),
    ],
)
def test_a_word_outside_the_base_is_a_vendors_unprefixed_or_malformed(text: str, kind: Word) -> None:
    assert word(text, SCOPES) == kind
    assert rel_word(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("code.calls", "base"),
        ("myindex.owns", "vendor"),
        ("a.b.c", "vendor"),
        ("code.uses", "unprefixed"),
        ("doc.x", "unprefixed"),
        ("calls", "unprefixed"),
        (".owns", "unprefixed"),
        ("myindex.", "unprefixed"),
    ],
)
def test_a_relation_may_have_its_space_before_a_dot(text: str, kind: Word) -> None:
    assert rel_word(text) == kind
