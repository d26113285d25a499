"""`cgp-tui consent export` and `import`: what another host may know, and why nothing comes back as a grant."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.consent.offers import Offers
from tests.cli.desk import SPOIL, Desk


def exported(desk: Desk) -> tuple[int, Any, str]:
    ran = desk.run("export", "--format", "reference-json", cmd=False)
    return ran.returncode, json.loads(ran.stdout), ran.stderr


def test_what_is_in_force_in_the_shape_of_the_reference(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "docs", "--until", "2031-01-01")
    desk.run("grant", "--scope", "acme:store", "--id", "docs", "--until", "never")
    code, store, said = exported(desk)
    assert (code, said, store["records"]) == (0, "", {})
    first, second = store["receipts"]
    granted = desk.ledger().open().receipts[0]
    assert first == {
        "provider_id": "docs",
        "scope": "third-party-index",
        "provider_name": "example",
        "provider_version": "1.0.0",
        "grantor": {"kind": "policy", "id": f"cli:{os.getuid()}"},
        "granted_at": granted.granted_at,
        "expires_at": "2031-01-01T23:59:59Z",
    }
    assert "expires_at" not in second


def test_a_boolean_consent_is_a_record_where_it_has_no_end(desk: Desk) -> None:
    desk.declare(egress=True)
    desk.run("grant", "--boolean", "--id", "docs", "--until", "never")
    desk.run("grant", "--boolean", "--id", "other")
    code, store, said = exported(desk)
    assert (code, store["receipts"], list(store["records"])) == (0, [], ["docs"])
    record = store["records"]["docs"]
    assert record["data_flow"] == {"reads": True, "writes": False, "egress": True}
    assert "Left out: other, sending at all" in said


def test_what_is_no_longer_in_force_stays_here(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "docs")
    desk.run("revoke", "--id", "docs", cmd=False)
    desk.run("grant", "--scope", "acme:store", "--id", "docs", "--once")
    code, store, said = exported(desk)
    assert (code, store) == (0, {"records": {}, "receipts": []})
    assert "not in force: revoked" in said
    assert "one use" in said


@pytest.mark.parametrize("state", SPOIL)
def test_a_shut_ledger_exports_nothing(state: str, desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "docs")
    SPOIL[state](desk)
    code, store, _ = exported(desk)
    assert (code, store["receipts"], store["error"]["code"]) == (3, [], state)


def test_a_store_that_comes_in_is_only_a_question(desk: Desk, tmp_path: Path) -> None:
    desk.run("grant", "--scope", "third-party-index", "--scope", "acme:store", "--id", "docs", "--until", "2031-01-01")
    file = tmp_path / "store.json"
    file.write_text(json.dumps(exported(desk)[1]))
    before = desk.path.read_bytes()
    ran = desk.run("import", str(file), cmd=False)
    wanted = (
        "cgp-tui consent grant --id docs --scope third-party-index --scope acme:store --until 2031-01-01T23:59:59Z -- CMD..."
    )
    assert (ran.returncode, ran.stdout.splitlines()) == (0, [wanted])
    assert desk.path.read_bytes() == before
    code, document = desk.json("import", str(file), cmd=False)
    assert (code, document["offers"][0]["scopes"], document["left_out"]) == (0, ["third-party-index", "acme:store"], [])
    assert document["offers"][0]["command"] == wanted


def test_what_cannot_be_asked_is_left_out_by_name(desk: Desk, tmp_path: Path) -> None:
    def receipt(**changes: object) -> dict[str, object]:
        return {"provider_id": "docs", "scope": "acme:store", **changes}

    file = tmp_path / "store.json"
    record = {"provider_id": "docs", "data_flow": {}, "granted_scope": ""}
    file.write_text(
        json.dumps(
            {
                "records": {"docs": record, "mine": record},
                "receipts": [
                    receipt(expires_at="2001-01-01T00:00:00Z"),
                    receipt(expires_at="soon"),
                    receipt(provider_id="*"),
                    receipt(provider_id="a b"),
                    receipt(scope="vendor:"),
                    receipt(scope="local-only"),
                ],
            }
        )
    )
    code, document = desk.json("import", str(file), cmd=False)
    assert code == 0
    assert [(one["provider_id"], one["boolean"], one["until"]) for one in document["offers"]] == [("docs", True, "never")]
    assert len(document["left_out"]) == 7
    assert desk.run("import", str(file), cmd=False).stderr.count("Left out: ") == 7
    assert not desk.path.exists()


@pytest.mark.parametrize("content", [None, "", "[]", '{"receipts": [{}]}', '{"receipts": 1}', "[" * 100_000])
def test_what_is_no_store(content: str | None, desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "store.json"
    if content is not None:
        file.write_text(content)
    code, document = desk.json("import", str(file), cmd=False)
    assert (code, document["offers"], document["error"]["code"]) == (2, [], "unreadable")


def test_an_import_is_kept_for_the_prompt_and_grants_nothing(desk: Desk, tmp_path: Path) -> None:
    store = tmp_path / "store.json"
    one = {"provider_id": "docs", "scope": "third-party-index", "expires_at": "2031-01-01T00:00:00Z"}
    store.write_text(json.dumps({"records": {}, "receipts": [one]}))
    code, document = desk.json("import", str(store), cmd=False)
    assert (code, document["prefilled"]) == (0, ["docs"])
    (offered,) = Offers(Path(desk.environment["CGP_TUI_STATE"]) / "offers").read().by_id.values()
    assert (offered.provider_id, offered.source, offered.offers[0].scopes) == ("docs", str(store), ("third-party-index",))
    assert desk.ledger().open().receipts == ()
    assert "The prompt of the app is filled in for: docs." in desk.run("import", str(store), cmd=False).stderr


def test_what_was_seen_to_change_is_not_exported(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "docs", "--until", "2031-01-01")
    desk.declare("third-party-index", "acme:store", version="1.0.1")
    desk.run("grant", "--scope", "acme:store", "--id", "docs", "--until", "2031-01-01")
    _, store, said = exported(desk)
    assert [one["scope"] for one in store["receipts"]] == ["acme:store"]
    assert "not in force: identity_changed" in said
