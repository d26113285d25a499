"""`cgp-tui consent recover`: a person at a terminal starts over; a torn tail costs nobody a grant."""

from __future__ import annotations

import time
from pathlib import Path

from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.offers import Offers
from tests.cli.desk import SPOIL, Desk, at_terminal
from tests.store.ledgers import draft


def test_recovery_needs_a_person_and_starts_over(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    assert desk.run("recover", cmd=False).stdout == "The ledger is whole: there is nothing to recover.\n"
    ledger_id = desk.ledger().open().ledger_id
    SPOIL["tampered"](desk)
    code, document = desk.json("recover", cmd=False)
    assert (code, document["error"]["code"]) == (3, "tampered")
    line = [*desk.cgp, "consent", "recover"]
    code, seen = at_terminal(desk, line, [(b"leaves it as it is.", b"yes\n")])
    assert (code, b"Nothing was changed" in seen) == (3, True)
    code, seen = at_terminal(desk, line, [(b"leaves it as it is.", ledger_id.encode() + b"\n")])
    assert code == 0, seen
    opened = desk.ledger().open()
    assert (opened.state, opened.receipts) == ("ok", ())
    assert b"fills in the prompts" in seen
    assert len(list((desk.path.parent / "archive").iterdir())) == 2


def test_what_stood_before_a_stop_is_offered_again_and_not_granted(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "docs", "--until", "2031-01-01")
    SPOIL["head_missing"](desk)
    name = desk.ledger().open().ledger_id.encode()
    code, seen = at_terminal(desk, [*desk.cgp, "consent", "recover"], [(b"leaves it as it is.", name + b"\n")])
    assert code == 0, seen
    assert desk.ledger().open().receipts == ()
    (offered,) = Offers(Path(desk.environment["CGP_TUI_STATE"]) / "offers").read().by_id.values()
    assert (offered.provider_id, offered.offers[0].scopes) == ("docs", ("third-party-index",))
    assert "archive" in offered.source


def test_a_ledger_that_is_gone_is_recovered_from_and_nothing_is_said_to_be_kept(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    desk.path.unlink()
    assert desk.json("list", cmd=False)[1]["error"]["code"] == "shortened"
    line = [*desk.cgp, "consent", "recover"]
    code, seen = at_terminal(desk, line, [(b"leaves it as it is.", desk.path.name.encode() + b"\n")])
    assert (code, b"no file to keep" in seen) == (0, True), seen
    assert desk.ledger().open().state == "ok"


def test_recovery_of_a_torn_tail_loses_no_grant(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    with desk.path.open("ab") as file:
        file.write(b"\n[[receipt]]\nfor")
    assert desk.json("list", cmd=False)[1]["error"]["code"] == "torn"
    code, document = desk.json("recover", cmd=False)
    assert (code, document["done"], document["archive"], document["ledger"]["state"]) == (0, "mended", None, "ok")
    assert desk.json("list", cmd=False)[1]["grants"][0]["status"] == "in_force"


def test_a_record_of_a_day_to_come_does_not_shut_a_ledger_for_good(desk: Desk) -> None:
    """The clock was once wrong; now it is right, and the ledger would wait for that day."""
    desk.run("grant", "--scope", "third-party-index")
    Ledger(desk.path, clock=lambda: time.time() + 10**9).grant([draft()])
    ran = desk.run("check", "--scope", "third-party-index", "--provider", desk.id, "--name", "example", "--version", "1.0.0")
    assert ran.returncode == 3
    assert "clock_behind" in ran.stdout + ran.stderr
    code, document = desk.json("grant", "--scope", "third-party-index")
    assert (code, document["error"]["code"]) == (3, "clock_behind")
    assert document["error"]["fix"].endswith("cgp-tui consent recover")
    ledger_id = desk.ledger().open().ledger_id
    line = [*desk.cgp, "consent", "recover"]
    code, seen = at_terminal(desk, line, [(b"leaves it as it is.", ledger_id.encode() + b"\n")])
    assert (code, b"(clock_behind)" in seen) == (0, True), seen
    assert b'reason = "clock_behind"' in desk.path.read_bytes()
    assert desk.json("grant", "--scope", "third-party-index")[0] == 0
    assert desk.json("list", cmd=False)[1]["grants"][0]["status"] == "in_force"
