"""`cgp-tui trust`: whose keys the person knows, each change on record in the ledger."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.cli.main import main
from cgp_tui.consent.receipt import Receipt
from cgp_tui.protocol import ed25519
from cgp_tui.store.trust import Trusted, TrustStore, fingerprint
from tests.cli.desk import SPOIL, Desk, at_terminal, within

SEED = b"\x2a" * 32
KEY = ed25519.public_key(SEED)
PRINT = fingerprint(KEY)


class Store:
    """A desk whose trust store is its own."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self.desk = desk
        self.path = folder / "trust.toml"
        desk.environment["CGP_TUI_CONFIG"] = str(folder)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """One line as a script would run it, within this process, which is quicker to start."""
        line = ["trust", *words]
        ran = within(line, self.desk.environment)
        return subprocess.CompletedProcess(line, ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def json(self, capfdbinary: pytest.CaptureFixture[bytes], *words: str) -> tuple[int, Any]:
        code = main(["trust", *words, "--json"])
        return code, json.loads(capfdbinary.readouterr().out)

    @property
    def trusted(self) -> Trusted:
        return TrustStore(self.path).read()

    @property
    def records(self) -> list[Receipt]:
        return list(self.desk.ledger().open().receipts)


@pytest.fixture
def store(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("CGP_TUI_CONFIG", str(tmp_path / "config"))
    return Store(desk, tmp_path / "config")


ADD = ("--label", "Ada", "--provider", "docs")


def test_a_key_is_added_listed_and_removed_each_on_record(store: Store, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    window = ("--not-before", "2026-01-01", "--not-after", "2026-12-31T10:00:00Z", "--provider", "more")
    code, added = store.json(capfdbinary, "add", KEY.hex(), *ADD, *window)
    assert (code, added["added"]["fingerprint"], added["record"]["seq"]) == (0, PRINT, 1)
    code, listed = store.json(capfdbinary, "list")
    assert (code, listed["store"]["state"]) == (0, "ok")
    assert listed["keys"] == [{**added["added"], "record": added["record"]}]
    (key,) = [added["added"]]
    assert (key["label"], key["provider_names"], key["how"]) == ("Ada", ["docs", "more"], "command line: in hex")
    assert (key["not_before"], key["not_after"]) == ("2026-01-01T00:00:00Z", "2026-12-31T10:00:00Z")
    code, removed = store.json(capfdbinary, "remove", PRINT[:20])
    assert (code, removed["removed"], removed["record"]["seq"]) == (0, key, 2)
    assert store.trusted.keys == ()
    assert [(one.kind, one.note, one.grantor.kind) for one in store.records] == [
        ("checkpoint", f"trust add {PRINT}", "policy"),
        ("checkpoint", f"trust remove {PRINT}", "policy"),
    ]


def test_for_people(store: Store) -> None:
    assert store.run("list").stdout == f"{store.path}: no key is trusted\n"
    ran = store.run("add", KEY.hex(), "--label", "Ad\x1b[2Ja", "--provider", "docs", "--not-after", "2020-01-01")
    assert (ran.returncode, ran.stdout) == (0, "Ad␛[2Ja is trusted for docs, on record as #1.\n")
    listed = store.run("list").stdout
    assert "Ad␛[2Ja  for docs\n  until 2020-01-01T23:59:59Z  not now\n" in listed
    assert PRINT in listed
    assert listed.endswith("\n  on record as #1\n")
    assert store.run("remove", KEY.hex()).stdout == "Ad␛[2Ja is no longer trusted, on record as #2.\n"


@pytest.mark.parametrize("form", ["hex", "PEM"])
def test_a_key_file(form: str, store: Store, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "signer.pub"
    if form == "hex":
        path.write_text(KEY.hex() + "\n")
    else:
        der = bytes.fromhex("302a300506032b6570032100") + KEY
        subprocess.run(["openssl", "pkey", "-pubin", "-inform", "DER", "-out", path], input=der, check=True)
    code, added = store.json(capfdbinary, "add", str(path), *ADD)
    assert (code, added["added"]["public_key"], added["added"]["how"]) == (0, KEY.hex(), "command line: file signer.pub")


REFUSED: list[tuple[tuple[str, ...], str]] = [
    (("01" + "00" * 31, *ADD), "small order"),
    (("no-such-file", *ADD), "neither a key nor a file"),
    (("a\0b", *ADD), "neither a key nor a file"),
    ((KEY.hex(), "--label", " ", "--provider", "docs"), "no name"),
    ((KEY.hex(), "--label", "Ada", "--provider", ""), "1 to 64"),
    ((KEY.hex(), *ADD, "--not-after", "soon"), "not a valid time"),
    ((KEY.hex(), "--label", "Ada"), "--provider"),
    ((KEY.hex(), "--provider", "docs"), "--label"),
]


@pytest.mark.parametrize(("words", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_what_cannot_be_trusted_leaves_no_record(
    words: tuple[str, ...], says: str, store: Store, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    code, document = store.json(capfdbinary, "add", *words)
    assert (code, document["added"], document["record"]) == (2, None, None)
    assert says in document["error"]["message"]
    assert document["error"]["fix"]
    assert store.records == []
    assert store.trusted.state == "absent"


def test_no_key_is_trusted_that_the_ledger_does_not_know_of(store: Store, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert store.json(capfdbinary, "add", KEY.hex(), *ADD)[0] == 0
    SPOIL["head_missing"](store.desk)
    other = ed25519.public_key(b"\x2b" * 32)
    code, document = store.json(capfdbinary, "add", other.hex(), *ADD)
    assert (code, document["added"], document["error"]["code"]) == (3, None, "head_missing")
    assert [key.public_key for key in store.trusted.keys] == [KEY]


def test_a_key_goes_even_where_the_ledger_takes_no_record(store: Store, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert store.json(capfdbinary, "add", KEY.hex(), *ADD)[0] == 0
    SPOIL["head_missing"](store.desk)
    code, document = store.json(capfdbinary, "remove", KEY.hex())
    assert (code, document["removed"]["label"], document["record"]) == (3, "Ada", None)
    assert document["error"]["code"] == "head_missing"
    assert "recover" in document["error"]["fix"]
    assert store.trusted.keys == ()


def test_a_damaged_store_is_named_with_the_way_out(store: Store, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    store.json(capfdbinary, "add", KEY.hex(), *ADD)
    store.path.write_bytes(store.path.read_bytes().replace(b"Ada", b"Eve"))
    code, document = store.json(capfdbinary, "list")
    assert (code, document["store"]["state"], document["keys"]) == (3, "damaged", [])
    assert document["error"]["fix"].endswith(f"mv {store.path} {store.path}.damaged")
    ran = store.run("list")
    assert (ran.returncode, ran.stdout) == (3, f"{store.path}: no key is trusted\n")
    assert "no key is trusted" in ran.stderr
    before = store.path.read_bytes(), len(store.records)
    for words in (("add", "2b" * 32, *ADD), ("remove", PRINT)):
        assert store.json(capfdbinary, *words)[0] != 0
    assert (store.path.read_bytes(), len(store.records)) == before


def test_at_a_terminal_the_fingerprint_is_typed(store: Store) -> None:
    line = [*store.desk.cgp, "trust", "add", KEY.hex(), *ADD]
    bare = PRINT.removeprefix("sha256:")
    code, seen = at_terminal(store.desk, line, [(b"and Enter.", b"yes\n")])
    assert (code, store.records) == (3, [])
    assert b"not typed" in seen
    code, seen = at_terminal(store.desk, line, [(b"and Enter.", f"{bare[:8]} {bare[8:16]}\n".encode())])
    assert code == 0, seen
    assert PRINT.encode() in seen
    (record,) = store.records
    assert (record.grantor.kind, record.grantor.id) == ("human", f"tty:{os.getuid()}")


def test_what_was_typed_before_the_question_agrees_to_nothing(store: Store) -> None:
    line = [*store.desk.cgp, "trust", "add", KEY.hex(), *ADD]
    bare = PRINT.removeprefix("sha256:")
    code, _ = at_terminal(store.desk, line, [(b"and Enter.", b"\n")], before=f"{bare}\n".encode())
    assert code == 3
    assert store.trusted.keys == ()


def test_a_store_that_was_brought_back_is_not_on_record(store: Store, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Its hash holds: only the ledger remembers that the key was taken out."""
    store.json(capfdbinary, "add", KEY.hex(), *ADD)
    older = store.path.read_bytes()
    store.json(capfdbinary, "remove", KEY.hex())
    store.path.write_bytes(older)
    (key,) = store.json(capfdbinary, "list")[1]["keys"]
    assert (key["fingerprint"], key["record"]) == (PRINT, None)
    assert "NOT ON RECORD" in store.run("list").stdout
    store.json(capfdbinary, "remove", KEY.hex())
    store.json(capfdbinary, "add", KEY.hex(), *ADD)
    (key,) = store.json(capfdbinary, "list")[1]["keys"]
    assert key["record"]["seq"] == 4
