"""What consent promises: one wording, and every word and command in it is one that this program says and knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgp_tui.cli.main import COMMANDS, load
from cgp_tui.consent.ledger import Revoked
from cgp_tui.consent.promise import PROMISE
from cgp_tui.present.consent_lines import withdrawn_lines
from tests.readme import README

if TYPE_CHECKING:
    from typer.core import TyperGroup


def test_the_readme_quotes_it_word_for_word() -> None:
    _, _, after = README.read_text("utf-8").partition("What this promises, and what it does not:\n\n")
    quoted = after.partition("\n\n")[0].splitlines()
    assert all(line.startswith(">") for line in quoted)
    paragraphs = "\n".join(line.removeprefix(">").strip() for line in quoted).split("\n\n")
    assert tuple(" ".join(one.split()) for one in paragraphs) == PROMISE


def test_it_fits_every_terminal() -> None:
    assert len(PROMISE) == 3
    for one in PROMISE:
        assert one.isascii() and one.isprintable() and one.endswith(".")
        assert "  " not in one


def test_the_commands_it_names_are_there() -> None:
    (row,) = [row for row in COMMANDS if row.name == "consent"]
    group: TyperGroup = load(row)  # type: ignore[assignment]
    named = re.findall(r"`(?:consent )?([a-z]+)`", " ".join(PROMISE))
    assert sorted(named) == ["head", "revoke"]
    assert set(named) <= set(group.commands)


def test_the_words_it_explains_are_those_that_revoke_says() -> None:
    explained = re.findall(r"\*([^*]+)\*", PROMISE[1])
    said = [withdrawn_lines(Revoked("confirmed"))[-1], withdrawn_lines(Revoked("not_confirmed", pids=(7,)))[-1]]
    assert len(explained) == len(said)
    for words, line in zip(explained, said, strict=True):
        assert line.lower().startswith(words.lower())
    assert said[1].endswith("7.")
