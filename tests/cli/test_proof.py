"""`cgp-tui consent show`, `check` and `head`: what a person looks up, what a script asks, what an auditor keeps."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cgp_tui.protocol import ed25519
from tests.cli.desk import PROVIDER, SPOIL, Desk
from tests.store import ledgers

SEED = bytes(range(32))
PEM = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
-----END PRIVATE KEY-----
"""


def asking(*scopes: str, name: str = "example", version: str = "1.0.0", provider: str = "docs") -> tuple[str, ...]:
    words = [word for scope in scopes for word in ("--scope", scope)]
    return ("check", "--provider", provider, "--name", name, "--version", version, *words)


def granted(desk: Desk) -> None:
    assert desk.run("grant", "--scope", "third-party-index", "--id", "docs").returncode == 0


# -- show


def test_a_record_by_number_by_id_and_by_the_beginning_of_it(desk: Desk) -> None:
    granted(desk)
    one = desk.ledger().open().receipts[0].receipt_id
    for name in ("1", "#1", one, one[:8], one[:8].upper()):
        code, document = desk.json("show", name, cmd=False)
        assert (code, document["receipt"]["receipt_id"], document["standing"]) == (0, one, "in_force")
    shown = desk.run("show", "1", cmd=False)
    assert "third-party-index" in shown.stdout
    assert "standing" in shown.stdout
    code, document = desk.json("show", one[:7], cmd=False)
    assert (code, document["error"]["code"], document["error"]["fix"]) == (2, "usage", "See: cgp-tui consent history")
    assert "names no record, or more than one." in desk.run("show", "77", cmd=False).stderr


def test_what_became_of_a_record(desk: Desk) -> None:
    granted(desk)
    granted(desk)
    desk.run("revoke", "--id", "docs", cmd=False)
    assert desk.json("show", "1", cmd=False)[1]["standing"] == "replaced"
    second = desk.json("show", "2", cmd=False)[1]
    third = desk.json("show", "3", cmd=False)[1]
    assert (second["standing"], second["acted_on_by"]) == ("revoked", [third["receipt"]["receipt_id"]])
    assert third["standing"] is None
    assert "acted on by" in desk.run("show", "2", cmd=False).stdout


def test_a_record_of_a_damaged_ledger_is_shown_with_the_fault(desk: Desk) -> None:
    granted(desk)
    SPOIL["head_missing"](desk)
    code, document = desk.json("show", "1", cmd=False)
    assert (code, document["receipt"]["seq"], document["error"]["code"]) == (3, 1, "head_missing")


# -- check


def test_a_script_asks_and_gets_an_exit_code(desk: Desk) -> None:
    granted(desk)
    ran = desk.run(*asking("third-party-index"), cmd=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "third-party-index  live  until " in ran.stdout
    code, document = desk.json(*asking("third-party-index"))
    assert (code, document["live"]) == (0, True)
    assert [(one["scope"], one["reason"]) for one in document["needs"]] == [("third-party-index", None)]
    assert desk.read == ["handshake", "shutdown"], "asking starts nothing"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (asking("third-party-index", name="other"), "identity_changed"),
        (asking("third-party-index", version="1.0.1"), "identity_changed"),
        (asking("acme:store"), "no_receipt"),
        (asking("third-party-index", "acme:store"), "no_receipt"),
        (asking("third-party-index", provider="nobody"), "no_receipt"),
        (asking("vendor:"), "scope_malformed"),
    ],
)
def test_anything_else_is_not_live(words: tuple[str, ...], reason: str, desk: Desk) -> None:
    granted(desk)
    for cmd in (False, True):
        code, document = desk.json(*words, cmd=cmd)
        assert (code, document["live"]) == (3, False)
        assert reason in [one["reason"] for one in document["needs"]]
        assert reason in desk.run(*words, cmd=cmd).stdout


def test_a_name_in_the_place_of_an_id_is_told_with_the_id(desk: Desk) -> None:
    granted(desk)
    told = desk.run(*asking("third-party-index", provider="example"), cmd=False)
    assert told.returncode == 3
    assert "example is the name declared by docs: --provider takes the id.\n" in told.stderr
    assert "takes the id" not in desk.run(*asking("acme:store"), cmd=False).stderr
    assert "takes the id" not in desk.run(*asking("acme:store", provider="nobody"), cmd=False).stderr


def test_a_changed_script_is_not_live_where_it_is_named(desk: Desk) -> None:
    granted(desk)
    desk.script.write_text(PROVIDER + "# changed\n")
    assert desk.json(*asking("third-party-index"))[0] == 3
    assert "code was " in desk.run(*asking("third-party-index")).stdout
    assert desk.json(*asking("third-party-index"), cmd=False)[0] == 0, "for the command last granted"


def test_without_a_command_the_code_is_what_was_last_seen(desk: Desk) -> None:
    granted(desk)
    assert desk.json(*asking("third-party-index"), cmd=False)[0] == 0
    desk.script.write_text(PROVIDER + "# changed\n")
    asked = [*desk.cgp, "query", "why", "--id", "docs", "--", *desk.command]
    assert subprocess.run(asked, env=desk.environment, capture_output=True, check=False).returncode == 3
    code, document = desk.json(*asking("third-party-index"), cmd=False)
    assert (code, document["needs"][0]["reason"]) == (3, "identity_changed")
    granted(desk)
    assert desk.json(*asking("third-party-index"), cmd=False)[0] == 0, "a grant is a meeting too"


@pytest.mark.parametrize("state", SPOIL)
def test_a_shut_ledger_says_no(state: str, desk: Desk) -> None:
    granted(desk)
    SPOIL[state](desk)
    code, document = desk.json(*asking("third-party-index"), cmd=False)
    assert (code, document["live"], document["needs"][0]["reason"], document["error"]["code"]) == (3, False, state, state)
    ran = desk.run(*asking("third-party-index"), cmd=False)
    assert ran.returncode == 3
    assert state in ran.stdout
    assert ran.stderr.strip() == document["fix"] == document["error"]["fix"]


def test_what_is_not_live_names_the_command_that_would_allow_it(desk: Desk) -> None:
    wanted = "cgp-tui consent grant --scope third-party-index --id docs"
    code, document = desk.json(*asking("third-party-index"))
    assert (code, document["fix"].startswith(wanted)) == (3, True)
    assert desk.run(*asking("third-party-index")).stderr == f"{document['fix']}\n"
    granted(desk)
    code, document = desk.json(*asking("third-party-index"))
    assert (code, document["fix"], desk.run(*asking("third-party-index")).stderr) == (0, None, "")


def test_a_question_about_nothing_is_no_question(desk: Desk) -> None:
    assert desk.json(*asking(), cmd=False)[1]["error"]["code"] == "usage"
    assert desk.run("check", "--scope", "x", cmd=False).returncode == 2
    words = asking("third-party-index", provider="a b")
    code, document = desk.json(*words, cmd=False)
    assert (code, document["error"]["code"], "'a b' cannot be an id" in document["error"]["message"]) == (2, "usage", True)


# -- head


def test_the_head_is_shown_to_be_kept(desk: Desk) -> None:
    granted(desk)
    mark = desk.ledger().open().head
    assert mark is not None
    ran = desk.run("head", cmd=False)
    assert ran.returncode == 0
    assert ran.stdout.splitlines()[1] == f"{mark.id} {mark.seq} {mark.hash}"
    code, document = desk.json("head", cmd=False)
    assert (code, document["ledger"]["hash"], document["checkpoints"], document["signed"]) == (0, mark.hash, [], None)
    assert Path(document["head_file"]).exists()


def test_heads_that_were_kept_are_held_against_the_ledger(desk: Desk, tmp_path: Path) -> None:
    granted(desk)
    kept = tmp_path / "heads"
    kept.write_text(desk.run("head", cmd=False).stdout)
    granted(desk)
    with kept.open("a") as file:
        file.write(desk.run("head", cmd=False).stdout)
    ran = desk.run("head", "--kept", str(kept), cmd=False)
    assert (ran.returncode, ran.stdout.count(": holds\n")) == (0, 2)
    assert "kept" not in desk.json("head", cmd=False)[1]
    kept.write_text(kept.read_text().replace(" 1 ", " 9 "))
    code, document = desk.json("head", "--kept", str(kept), cmd=False)
    assert (code, [(one["seq"], one["why"]) for one in document["kept"]]) == (
        1,
        [(9, "the ledger no longer has it"), (2, None)],
    )
    assert "kept #9" in desk.run("head", "--kept", str(kept), cmd=False).stdout
    kept.write_text("nothing\n")
    code, document = desk.json("head", "--kept", str(kept), cmd=False)
    assert (code, document["error"]["code"], document["error"]["fix"]) == (
        2,
        "unreadable",
        "Keep what this prints: cgp-tui consent head",
    )


def test_a_signed_checkpoint_is_verified_when_it_is_read(desk: Desk, tmp_path: Path) -> None:
    granted(desk)
    key = tmp_path / "key.pem"
    key.write_text(PEM)
    code, document = desk.json("head", "--sign", str(key), cmd=False)
    assert code == 0
    (one,) = document["checkpoints"]
    assert (one["seq"], one["good"], one["public_key"]) == (2, True, ed25519.public_key(SEED).hex())
    assert document["signed"] == one["receipt_id"]
    receipt = desk.ledger().open().receipts[1]
    words = receipt.note.split(" ")
    signed = b"cgp-tui/ledger-checkpoint/1\n" + bytes.fromhex(receipt.prev)
    assert ed25519.verify(bytes.fromhex(words[1]), bytes.fromhex(words[2]), signed)
    assert "signature good" in desk.run("head", cmd=False).stdout
    assert desk.json(*asking("third-party-index"), cmd=False)[0] == 0, "a checkpoint takes nothing away"


@pytest.mark.parametrize("note", ["ed25519 " + "ab" * 32 + " " + "cd" * 64, "ed25519", ""])
def test_a_checkpoint_that_does_not_hold_is_said(note: str, desk: Desk) -> None:
    granted(desk)
    made = ledgers.draft("checkpoint", provider_id="*", basis="all", scope="", target_kind="", note=note)
    desk.ledger().grant([made])
    code, document = desk.json("head", cmd=False)
    assert (code, document["checkpoints"][0]["good"]) == (1, False)
    ran = desk.run("head", cmd=False)
    assert (ran.returncode, "DOES NOT HOLD" in ran.stdout) == (1, True)


def test_a_note_about_a_trusted_key_is_no_checkpoint(desk: Desk) -> None:
    made = ledgers.draft("checkpoint", provider_id="*", basis="all", scope="", target_kind="", note="trust add ab")
    desk.ledger().grant([made])
    assert desk.json("head", cmd=False)[1]["checkpoints"] == []


@pytest.mark.parametrize("content", [None, "", "no key", PEM.replace("MC4CAQAwBQYDK2VwBC", "MC4CAQAwBQYDK2VuBC")])
def test_what_is_no_key_signs_nothing(content: str | None, desk: Desk, tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    if content is not None:
        key.write_text(content)
    code, document = desk.json("head", "--sign", str(key), cmd=False)
    assert (code, document["error"]["code"]) == (2, "unreadable")
    assert not desk.path.exists()
