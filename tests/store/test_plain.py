"""The second reader of ledgers: it reads the published one, and agrees with ours on others."""

from __future__ import annotations

from pathlib import Path

from tests.reliability import readers
from tests.reliability.campaign import Run
from tests.store import plain
from tests.store.ledgers import blocks, six


def test_the_published_ledger(shared: Path) -> None:
    data = (shared / "ledger" / "vector.toml").read_bytes()
    line = "cgp-tui-head/1 00112233445566778899aabbccddeeff 3 2808"
    line += " c17457ef0f1a193a2e22eeebfd711d781a8102b428561b86c354c3bbbbc9c2c9 "
    line += "697e2baeb0290bfae07a7311b73dad227bf4650743218d763bfab688df9b38b9\n"
    states, records = plain.read(data, bytes(512).replace(b"\0", b"#") + line.encode().ljust(512, b"#"))
    assert states == {"ok"}
    assert [record["kind"] for record in records] == ["grant", "revoke", "grant"]


def test_it_finds_what_was_changed() -> None:
    data, _, _ = blocks(six())
    for at in range(0, len(data), 5):
        states, records = plain.read(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], None)
        assert len(records) < 6
        assert "fresh" not in states


def test_both_readers_agree() -> None:
    found = readers.agree(Run(0.03, 1))
    assert found.tried == 600
    assert found.bad == []
