"""Whom a person trusts, on record: written down before it counts, taken away before it is written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.consent import trusting
from cgp_tui.consent.checkpoint import read
from cgp_tui.consent.drafts import policy
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.receipt import Receipt
from cgp_tui.errors import Error, OurError
from cgp_tui.protocol import ed25519
from cgp_tui.protocol.timestamp import parse
from cgp_tui.store.trust import TrustStore, fingerprint

KEY = ed25519.public_key(b"\x2a" * 32)


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return trusting.store_at(tmp_path / "config" / "trust.toml")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "data" / "receipts.toml", tmp_path / "data" / "head")


def test_an_entry_is_made_now_and_names_each_provider_once() -> None:
    made = trusting.entry(KEY, "Ada", ["docs", "more", "docs"], "typed", not_after="2030-01-01T00:00:00Z")
    assert made.provider_names == ("docs", "more")
    assert (made.not_before, made.not_after, made.how) == (None, "2030-01-01T00:00:00Z", "typed")
    assert parse(made.added_at) is not None


def test_each_change_is_a_checkpoint_that_is_no_signature(store: TrustStore, ledger: Ledger) -> None:
    record = trusting.trust(store, ledger, trusting.entry(KEY, "Ada", ["docs"], "x"), policy())
    removed, second = trusting.distrust(store, ledger, KEY.hex(), policy())
    assert isinstance(second, Receipt)
    assert [one.note for one in ledger.open().receipts] == [f"trust {act} {fingerprint(KEY)}" for act in ("add", "remove")]
    assert (record.seq, second.seq, removed.label) == (1, 2, "Ada")
    assert [read(one) for one in ledger.open().receipts] == [None, None]
    assert ledger.open().state == "ok"


def test_without_a_record_there_is_no_trust(store: TrustStore, ledger: Ledger) -> None:
    ledger.path.parent.mkdir(mode=0o700)
    ledger.path.write_bytes(b"not a ledger")
    ledger.path.chmod(0o600)
    with pytest.raises(Error):
        trusting.trust(store, ledger, trusting.entry(KEY, "Ada", ["docs"], "x"), policy())
    assert store.read().state == "absent"


def test_what_no_ledger_takes_down_is_gone_all_the_same(store: TrustStore, ledger: Ledger) -> None:
    trusting.trust(store, ledger, trusting.entry(KEY, "Ada", ["docs"], "x"), policy())
    (ledger.path.parent / "head").unlink()
    removed, fault = trusting.distrust(store, ledger, KEY.hex(), policy())
    assert (removed.label, store.read().keys) == ("Ada", ())
    assert isinstance(fault, Error)
    assert fault.code == "head_missing"


def test_a_disk_that_fails_is_a_fault_and_no_exception(store: TrustStore, ledger: Ledger) -> None:
    trusting.trust(store, ledger, trusting.entry(KEY, "Ada", ["docs"], "x"), policy())

    class Broken(Ledger):
        def checkpoint(self, *_: object, **__: object) -> Receipt:
            raise OSError(28, "No space left on device")

    _, fault = trusting.distrust(store, Broken(ledger.path), KEY.hex(), policy())
    assert isinstance(fault, OurError)
    assert "No space" in fault.message and fault.fix
    assert store.read().keys == ()


def test_a_key_is_on_record_until_it_is_taken_out(store: TrustStore, ledger: Ledger) -> None:
    added = trusting.entry(KEY, "Ada", ["docs"], "x")
    other = trusting.entry(ed25519.public_key(b"\x07" * 32), "Bob", ["docs"], "x")
    assert trusting.on_record(ledger.open().receipts, added) is None
    made = trusting.trust(store, ledger, added, policy())
    trusting.trust(store, ledger, other, policy())
    assert trusting.on_record(ledger.open().receipts, added) == made
    trusting.distrust(store, ledger, KEY.hex(), policy())
    assert trusting.on_record(ledger.open().receipts, added) is None
    assert trusting.on_record(ledger.open().receipts, other) is not None
    again = trusting.trust(store, ledger, added, policy())
    assert trusting.on_record(ledger.open().receipts, added) == again
