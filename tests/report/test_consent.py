"""The documents of the consent commands: their members, and that a record appears with its keys as the ledger has them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from cgp_tui.consent.ledger import Opened, Revoked
from cgp_tui.consent.listing import Listed
from cgp_tui.report.consent import grant_document, history_document, list_document, recover_document, revoke_document
from cgp_tui.wire.note import LedgerMark
from tests.store.ledgers import blocks, six

DATA, RECORDS, _ = blocks(six())
PROBLEM = {"code": "tampered", "message": "m", "fix": "f"}
OPENED = Opened(path=Path("/l.toml"), state="ok", ledger_id="ab", head=LedgerMark("ab", 6, "cd"), receipts=tuple(RECORDS))
LEDGER = {"path": "/l.toml", "id": "ab", "state": "ok", "detail": "", "seq": 6, "hash": "cd"}


def test_history_holds_every_record_as_the_ledger_spells_it() -> None:
    document = history_document(OPENED)
    assert document["ledger"] == LEDGER
    tables = tomllib.loads(DATA.decode("ascii"))["receipt"]
    for table in tables:
        del table["hash"]
    assert json.loads(json.dumps(document["receipts"])) == tables
    assert history_document(None, PROBLEM) == {"ledger": None, "receipts": [], "error": PROBLEM}


def test_list_adds_the_standing() -> None:
    listed = [
        Listed(RECORDS[0], "revoked", RECORDS[1], "revoked"),
        Listed(RECORDS[2], "not_in_force", None, "identity_changed", "code", "a", "b"),
    ]
    first, second = list_document(OPENED, listed)["grants"]
    assert (first["seq"], first["status"], first["ended_by"], first["field"]) == (1, "revoked", RECORDS[1].receipt_id, None)
    assert [second[name] for name in ("status", "reason", "field", "old", "new", "ended_by")] == [
        "not_in_force",
        "identity_changed",
        "code",
        "a",
        "b",
        None,
    ]
    assert list_document(None, [], PROBLEM) == {"ledger": None, "grants": [], "error": PROBLEM}
    fresh = Opened(path=Path("/l.toml"), state="fresh")
    assert list_document(fresh, [])["ledger"] == {**LEDGER, "id": None, "state": "fresh", "seq": None, "hash": None}


def test_documents_of_writing_commands_say_what_was_done() -> None:
    granted = grant_document(RECORDS[:1], [{"basis": "scope", "scope": "x:y", "reason": "no_receipt"}])
    assert (len(granted["granted"]), granted["missing"][0]["scope"], "error" in granted) == (1, "x:y", False)
    revoked = revoke_document(Revoked("not_confirmed", (RECORDS[1],), (7,)), PROBLEM)
    assert (revoked["outcome"], revoked["pids"], revoked["revoked"][0]["kind"]) == ("not_confirmed", [7], "revoke")
    assert revoke_document(None, PROBLEM) == {"outcome": None, "revoked": [], "pids": [], "error": PROBLEM}
    assert recover_document("replaced", "/a", OPENED) == {"done": "replaced", "archive": "/a", "ledger": LEDGER}
    assert recover_document(None, None, None, PROBLEM)["error"] == PROBLEM
