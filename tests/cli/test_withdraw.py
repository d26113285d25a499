"""`cgp-tui consent deny` and `revoke --all`: a no before anybody asked, and a no to everybody."""

from __future__ import annotations

import json
import shlex
import subprocess
import time

import pytest

from cgp_tui.store import locks
from cgp_tui.target import stdio_target
from tests.cli.desk import Desk


def test_a_no_ends_a_yes_and_a_later_yes_ends_the_no(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--scope", "acme:store")
    denied = desk.run("deny", "--scope", "acme:store")
    assert (denied.returncode, denied.stdout) == (
        0,
        f"Denied acme:store: {desk.id}, #3.\nConfirmed: no more leaves.\n",
    )
    assert desk.read == ["handshake", "shutdown"], "a no starts nothing"
    grants = desk.json("list", cmd=False)[1]["grants"]
    assert [(one["scope"], one["status"]) for one in grants] == [
        ("third-party-index", "in_force"),
        ("acme:store", "denied"),
    ]
    desk.run("grant", "--scope", "acme:store")
    assert [one["status"] for one in desk.json("list", cmd=False)[1]["grants"]] == ["in_force", "in_force"]


def test_a_no_to_everything_before_anything_was_asked(desk: Desk) -> None:
    desk.declare(egress=False)
    code, document = desk.json("deny")
    assert (code, document["outcome"]) == (0, "confirmed")
    (one,) = document["denied"]
    target = stdio_target(desk.command)
    assert (one["basis"], one["scope"], one["target"], one["code"]) == ("all", "", target.digest, target.code)
    ran = desk.run("check", "--provider", desk.id, "--boolean", "--name", "example", "--version", "1.0.0")
    assert ran.returncode == 3
    assert "denied" in ran.stdout
    for named in ([], ["--id", "other"]):
        line = [*desk.cgp, "query", "why", "--json", *named, "--", *desk.command]
        asked = subprocess.run(line, env=desk.environment, capture_output=True, check=False)
        assert (asked.returncode, "query" in desk.read) == (3, False)
        fix = shlex.split(json.loads(asked.stdout)["error"]["fix"])
        assert fix[:3] == ["cgp-tui", "consent", "grant"]
        led = subprocess.run([*desk.cgp, *fix[1:]], env=desk.environment, capture_output=True, text=True, check=False)
        assert led.returncode == 0, f"the command that leads out does so: {led.stderr}"
    ran = desk.run("check", "--provider", desk.id, "--boolean", "--name", "example", "--version", "1.0.0")
    assert ran.returncode == 0, ran.stdout


def test_a_no_by_id_holds_whatever_it_is_started_from(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "docs")
    code, document = desk.json("deny", "--id", "docs", "--scope", "third-party-index", cmd=False)
    assert (code, document["denied"][0]["target"]) == (0, "")
    check = ("check", "--provider", "docs", "--scope", "third-party-index", "--name", "example", "--version", "1.0.0")
    assert desk.run(*check).returncode == 3


@pytest.mark.parametrize(
    ("words", "cmd", "code", "says"),
    [
        ((), False, "usage", "--id ID"),
        (("--id", "dosc"), False, "usage", "On record: docs."),
        (("--id", "a/b"), True, "usage", "letters, digits"),
        (("--scope", "vendor:"), True, "scope_malformed", "vendor:word"),
    ],
)
def test_a_mistaken_no_is_told_and_does_nothing(words: tuple[str, ...], cmd: bool, code: str, says: str, desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "docs")
    exit_code, document = desk.json("deny", *words, cmd=cmd)
    assert (exit_code, document["denied"], document["error"]["code"]) == (2, [], code)
    assert says in document["error"]["fix"]
    assert len(desk.ledger().open().receipts) == 1


def test_everything_is_withdrawn_from_everybody(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "one")
    desk.run("grant", "--scope", "acme:store", "--id", "two")
    code, document = desk.json("revoke", "--all", cmd=False)
    assert (code, document["revoked"][0]["provider_id"], document["revoked"][0]["basis"]) == (0, "*", "all")
    assert [one["status"] for one in desk.json("list", cmd=False)[1]["grants"]] == ["revoked", "revoked"]
    code, document = desk.json("revoke", "--all", "--id", "one", cmd=False)
    assert (code, document["error"]["code"]) == (2, "usage")


def test_a_no_in_a_damaged_ledger_stops_everything(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    desk.path.write_bytes(desk.path.read_bytes()[:-9])
    code, document = desk.json("deny", "--scope", "third-party-index")
    assert (code, document["outcome"], document["error"]["code"]) == (1, "emergency_stop", "head_missing")


@pytest.mark.parametrize("words", [("revoke", "--id", "docs"), ("revoke", "--all"), ("deny", "--id", "docs")], ids=str)
def test_a_no_goes_into_no_ledger_that_was_changed_anywhere(words: tuple[str, ...], desk: Desk) -> None:
    """Its end is whole, and only the end is looked at where a record is added."""
    desk.run("grant", "--scope", "third-party-index", "--id", "docs")
    desk.run("grant", "--scope", "acme:store", "--id", "docs")
    desk.path.write_bytes(desk.path.read_bytes().replace(b"third-party-index", b"third-party-inbox", 1))
    before = desk.path.read_bytes()
    code, document = desk.json(*words, cmd=False)
    assert (code, document["outcome"]) == (1, "emergency_stop")
    assert desk.path.read_bytes() == before
    assert desk.ledger().open().state == "head_missing"


def test_a_writer_that_never_ends_holds_no_no_up(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "docs")
    with locks.take(desk.ledger().append_lock, shared=False, patience=1):
        began = time.monotonic()
        code, document = desk.json("revoke", "--id", "docs", cmd=False)
        assert time.monotonic() - began < 60
    assert (code, document["outcome"]) == (1, "emergency_stop")
