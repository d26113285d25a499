"""Trusted keys as lines: whose, for whom, when, and whether on record."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.consent.receipt import complete
from cgp_tui.present.trust import trust_lines, window_words
from cgp_tui.protocol.timestamp import parse
from cgp_tui.store.trust import Trusted
from tests.store.ledgers import draft
from tests.store.test_trust import ADA, BOB, STRANGE, entry

NOW = parse("2026-11-29T12:00:00Z")
RECORD = complete(draft("checkpoint"), seq=7, receipt_id="0" * 32, granted_at="2026-11-29T12:00:00Z", prev="0" * 64)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (None, None, "at any time"),
        ("2026-01-01T00:00:00Z", None, "from 2026-01-01T00:00:00Z"),
        (None, "2027-01-01T00:00:00Z", "until 2027-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "from 2026-01-01T00:00:00Z until 2027-01-01T00:00:00Z"),
    ],
)
def test_a_window_in_words(before: str | None, after: str | None, words: str) -> None:
    assert window_words(entry(before=before, after=after)) == words


def test_without_a_store_nobody_is_trusted() -> None:
    assert trust_lines(Trusted(Path("/x/trust.toml"), "absent"), (), NOW) == ["/x/trust.toml: no key is trusted"]


def test_each_key_with_all_that_is_known_of_it() -> None:
    ada, bob = entry(ADA, "Ada", "docs", "more"), entry(BOB, STRANGE, after="2020-01-01T00:00:00Z")
    lines = trust_lines(Trusted(Path("/x/t"), "ok", entries=(ada, bob)), (RECORD, None), NOW)
    assert lines[0] == "/x/t: 2 trusted keys"
    assert lines[1:6] == [
        "Ada  for docs, more",
        "  at any time",
        f"  {ada.fingerprint}",
        "  added 2026-11-29T12:00:00Z: cli: hex",
        "  on record as #7",
    ]
    assert lines[7] == "  until 2020-01-01T00:00:00Z  not now"
    assert "NOT ON RECORD" in lines[10]
    assert not any(ord(char) < 0x20 or char == "\u202e" for line in lines for char in line)
