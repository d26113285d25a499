"""What is said of a word that the protocol does not know: nothing that refuses it."""

from __future__ import annotations

from cgp_tui.checks.word import own_word


def test_only_an_empty_side_breaks_anything() -> None:
    assert own_word("/code", "busy", "base") == own_word("/code", "acme:busy", "vendor") == ()
    (doubtful,) = own_word("/code", "busy", "unprefixed")
    (broken,) = own_word("/code", "acme:", "malformed")
    assert (doubtful.level, broken.level) == ("advice", "violation")
    assert (doubtful.path, doubtful.found) == ("/code", "busy")
