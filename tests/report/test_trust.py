"""The documents of the trust commands."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from cgp_tui.analysis.cited_files import Cited, Reread
from cgp_tui.analysis.history import Again, Sighting
from cgp_tui.consent.receipt import complete
from cgp_tui.protocol.frame import Provenance
from cgp_tui.report.lookups import again_document, cited_document
from cgp_tui.report.trust import change_document, key_document, list_document
from cgp_tui.store.trust import Trusted
from tests.store.ledgers import draft
from tests.store.test_trust import ADA, entry

RECORD = complete(draft("checkpoint"), seq=7, receipt_id="ab" * 16, granted_at="2026-11-29T12:00:00Z", prev="0" * 64)
WRONG = {"code": "damaged", "message": "m", "fix": "f"}


def test_a_key_has_its_members_in_order_and_open_sides_are_null() -> None:
    made = key_document(entry(ADA, "Ada", after="2027-01-01T00:00:00Z"))
    assert list(made) == [
        *("fingerprint", "public_key", "label", "provider_names", "not_before", "not_after", "added_at", "how"),
    ]
    assert (made["not_before"], made["not_after"], made["public_key"]) == (None, "2027-01-01T00:00:00Z", ADA.hex())


def test_the_list_names_store_keys_and_records() -> None:
    trusted = Trusted(Path("/x/t"), "ok", entries=(entry(),))
    document = list_document(trusted, (RECORD,))
    assert document["store"] == {"path": "/x/t", "state": "ok", "detail": ""}
    assert document["keys"][0]["record"] == {"seq": 7, "receipt_id": "ab" * 16}
    assert "error" not in document
    assert list_document(trusted, (None,))["keys"][0]["record"] is None
    assert list_document(None, problem=WRONG) == {"store": None, "keys": [], "error": WRONG}


def test_a_change_names_what_was_done() -> None:
    assert change_document(entry(), RECORD)["record"] == {"seq": 7, "receipt_id": "ab" * 16}
    assert change_document(None, None, WRONG, "removed") == {"removed": None, "record": None, "error": WRONG}


def test_a_link_that_was_read_again() -> None:
    link = Provenance("file", uri="file:///x", range="L1")
    found = Reread("differs", size=3, first_byte=0, root=Path("/"), computed="sha256:ab")
    made = cited_document(Cited(4, "f", 2, link, found))
    assert list(made) == ["line", "frame_id", "link", "outcome", "why", "uri", "range", "bytes", "first_byte"]
    assert (made["link"], made["outcome"], made["why"], made["first_byte"]) == (2, "differs", None, 0)
    assert cited_document(Cited(4, "f", 2, link, found), digests=True)["computed"] == "sha256:ab"
    outside = Cited(4, "f", 2, link, msgspec.structs.replace(found, outcome="outside roots", why="w", computed=None))
    assert cited_document(outside, digests=True)["computed"] is None
    assert json.dumps(cited_document(outside))


def test_a_frame_that_was_met_before() -> None:
    again = Again(8, "f", None, 1, True, (Sighting(None, 4, False),))
    assert json.loads(json.dumps(again_document(again))) == {
        "line": 8,
        "frame_id": "f",
        "content_digest": None,
        "times": 1,
        "changed": True,
        "seen": [{"transcript": None, "line": 4, "same": False}],
    }
