"""`cgp-tui consent list`, `history` and `revoke`, as people and scripts run them, on a real ledger."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cgp_tui.target import stdio_target
from tests.cli.desk import PROVIDER, SPOIL, Desk


def test_a_history_without_a_record_says_so(desk: Desk) -> None:
    assert "No record yet: nothing has been granted, denied or revoked here." in desk.run("history", cmd=False).stdout


def test_grant_list_history_revoke(desk: Desk) -> None:
    granted = desk.run("grant", "--scope", "third-party-index")
    assert (granted.returncode, granted.stderr) == (0, "")
    lines = granted.stdout.splitlines()
    assert lines[0].startswith(f"Granted third-party-index to {desk.id} until ")
    assert lines[1:] == ["Still refused: acme:store, no_receipt."]
    assert desk.read == ["handshake", "shutdown"], "the provider is met and told nothing else"

    listed = desk.run("list", cmd=False)
    assert listed.returncode == 0
    assert listed.stdout.splitlines()[0] == f"ledger {desk.path}: #1 ok"
    assert f"{desk.id}  third-party-index  in force  until " in listed.stdout

    revoked = desk.run("revoke", "--scope", "third-party-index")
    assert (revoked.returncode, revoked.stdout) == (
        0,
        f"Revoked third-party-index: {desk.id}, #2.\nConfirmed: no more leaves.\n",
    )
    assert desk.read == ["handshake", "shutdown"], "revoking starts nothing"
    assert "revoked" in desk.run("list", cmd=False).stdout

    history = desk.run("history", cmd=False).stdout.splitlines()
    assert len(history) == 3
    assert "granted" in history[1]
    assert "revoked" in history[2]


def test_documents(desk: Desk) -> None:
    code, granted = desk.json("grant", "--scope", "third-party-index", "--scope", "acme:store", "--until", "2041-01-01")
    assert code == 0
    assert [one["scope"] for one in granted["granted"]] == ["third-party-index", "acme:store"]
    assert granted["missing"] == []
    first = granted["granted"][0]
    assert (first["expires_at"], first["provider_name"], first["provider_version"]) == (
        "2041-01-01T23:59:59Z",
        "example",
        "1.0.0",
    )
    target = stdio_target(desk.command)
    assert (first["target"], first["code"], first["code_policy"]) == (target.digest, target.code, "exact")
    assert first["declared"] == ["third-party-index", "acme:store"]
    assert first["grantor"] == {"kind": "policy", "id": f"cli:{os.getuid()}"}

    code, listed = desk.json("list", cmd=False)
    assert code == 0
    assert (listed["ledger"]["state"], listed["ledger"]["seq"]) == ("ok", 2)
    assert [(one["scope"], one["status"], one["reason"]) for one in listed["grants"]] == [
        ("third-party-index", "in_force", None),
        ("acme:store", "in_force", None),
    ]
    code, revoked = desk.json("revoke")
    assert (code, revoked["outcome"], revoked["pids"]) == (0, "confirmed", [])
    assert (revoked["revoked"][0]["basis"], revoked["revoked"][0]["target"]) == ("all", "")
    code, listed = desk.json("list", cmd=False)
    assert [(one["status"], one["ended_by"]) for one in listed["grants"]] == [
        ("revoked", revoked["revoked"][0]["receipt_id"])
    ] * 2
    code, history = desk.json("history", cmd=False)
    assert (code, [one["kind"] for one in history["receipts"]]) == (0, ["grant", "grant", "revoke"])
    assert history["receipts"][0] == first


def test_an_empty_ledger_is_said_to_be_empty(desk: Desk) -> None:
    assert desk.run("list", cmd=False).stdout == f"ledger {desk.path}: empty\nNo grant.\n"
    assert desk.json("list", cmd=False) == (0, {"ledger": desk.json("history", cmd=False)[1]["ledger"], "grants": []})
    assert not desk.path.parent.exists()


def test_who_asked_for_it_is_a_note_and_never_the_one_who_agreed(desk: Desk) -> None:
    for words in (("grant", "--scope", "third-party-index"), ("deny", "--scope", "acme:store"), ("revoke",)):
        assert desk.run(*words, "--id", "docs", "--by", f"Ann\x1b, {words[0]}").returncode == 0
    assert desk.run("revoke", "--all", "--by", "Bob", cmd=False).returncode == 0
    records = desk.json("history", cmd=False)[1]["receipts"]
    assert [one["note"] for one in records] == ["Ann\x1b, grant", "Ann\x1b, deny", "Ann\x1b, revoke", "Bob"]
    assert {(one["grantor"]["kind"], one["grantor"]["id"][:4]) for one in records} == {("policy", "cli:")}
    assert desk.run("show", "1", cmd=False).stdout.count("Ann␛, grant") == 1
    assert desk.run("history", cmd=False).stdout.count("Ann␛") == 3
    for by in ("x" * 513, " "):
        for words in (("grant", "--scope", "acme:store"), ("deny",), ("revoke",)):
            assert desk.run(*words, "--id", "docs", "--by", by).returncode == 2
    assert desk.json("history", cmd=False)[1]["receipts"] == records


# -- what changed since


def test_a_changed_script_is_not_in_force(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "docs")
    assert desk.json("list", "--id", "docs")[1]["grants"][0]["status"] == "in_force"
    before = stdio_target(desk.command).code
    desk.script.write_text(PROVIDER + "# changed\n")
    (one,) = desk.json("list", "--id", "docs")[1]["grants"]
    assert (one["status"], one["reason"], one["field"]) == ("not_in_force", "identity_changed", "code")
    assert (one["old"], one["new"]) == (before, stdio_target(desk.command).code)
    assert "not in force  identity_changed: code was " in desk.run("list").stdout
    assert desk.read.count("handshake") == 1, "looking starts nothing"
    assert desk.run("grant", "--scope", "third-party-index", "--id", "docs").returncode == 0
    assert desk.json("list", "--id", "docs")[1]["grants"][0]["status"] == "in_force"


# -- withdrawing


def test_revoke_finds_the_id_by_the_command(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "mine")
    desk.run("grant", "--scope", "acme:store")
    code, revoked = desk.json("revoke")
    assert code == 0
    assert {one["provider_id"] for one in revoked["revoked"]} == {"mine", desk.id}
    assert all(one["acts_on"] for one in revoked["revoked"])
    desk.run("grant", "--scope", "third-party-index", "--id", "mine")
    code, revoked = desk.json("revoke", "--id", "mine", "--scope", "third-party-index", cmd=False)
    assert (code, revoked["revoked"][0]["provider_id"]) == (0, "mine")


@pytest.mark.parametrize(
    ("words", "cmd", "says"),
    [
        ((), False, "--id ID"),
        (("--id", "nobody"), False, "On record: "),
        (("--scope", "third-party-inde"), True, "On record: third-party-index."),
        (("--boolean",), True, "On record: third-party-index."),
    ],
)
def test_a_mistaken_revocation_is_told_and_does_nothing(words: tuple[str, ...], cmd: bool, says: str, desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    code, document = desk.json("revoke", *words, cmd=cmd)
    assert (code, document["outcome"], document["revoked"]) == (2, None, [])
    assert says in document["error"]["fix"]
    assert len(desk.ledger().open().receipts) == 1


def test_a_program_that_is_gone_is_revoked_by_its_id(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "mine")
    desk.command = ["/no/such/program"]
    code, document = desk.json("revoke")
    assert (code, document["error"]["code"]) == (4, "spawn_failed")
    assert desk.run("revoke", "--id", "mine", cmd=False).returncode == 0


def test_revoking_in_a_damaged_ledger_stops_everything(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    desk.path.write_bytes(desk.path.read_bytes()[:-9])
    ran = desk.run("revoke")
    assert (ran.returncode, ran.stdout) == (1, "Emergency stop: nothing leaves until `cgp-tui consent recover`.\n")
    assert "cgp-tui consent recover" in ran.stderr
    assert list((Path(desk.environment["CGP_TUI_STATE"]) / "heads").iterdir()) == []
    code, document = desk.json("revoke")
    assert (code, document["outcome"], document["error"]["code"]) == (1, "emergency_stop", "head_missing")


def test_a_sender_that_does_not_finish_is_named(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    code = (
        "import sys; from pathlib import Path; from cgp_tui.store import locks\n"
        "with locks.take(Path(sys.argv[1]), shared=True, patience=5): print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(desk.ledger().send_lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as sender:
        assert sender.stdout is not None
        sender.stdout.readline()
        ran = desk.run("revoke")
        sender.communicate()
    assert ran.returncode == 1
    if sys.platform == "linux":
        assert ran.stdout == f"Revoked everything: {desk.id}, #2.\nRecorded, not confirmed: PID {sender.pid}.\n"
    assert "revoked" in desk.run("list", cmd=False).stdout


# -- a ledger that does not answer


@pytest.mark.parametrize("state", SPOIL)
def test_a_shut_ledger_names_where_and_the_way_out(state: str, desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    SPOIL[state](desk)
    fix = f"chmod 600 {desk.path}" if state == "store_unsafe" else "cgp-tui consent recover"
    for words in (("list",), ("history",)):
        code, document = desk.json(*words, cmd=False)
        assert (code, document["ledger"]["state"], document["error"]["code"]) == (3, state, state)
        assert document["error"]["fix"] == fix
        ran = desk.run(*words, cmd=False)
        assert ran.returncode == 3
        assert ran.stderr.rstrip().endswith(fix)
    before = desk.read
    code, document = desk.json("grant", "--scope", "third-party-index")
    assert (code, document["error"]["code"], document["error"]["fix"]) == (3, state, fix)
    assert desk.read == before, "the provider is not even started"


def test_another_ledger_and_head_are_named_in_what_leads_out(desk: Desk, tmp_path: Path) -> None:
    other = ["--ledger", str(tmp_path / "other" / "receipts.toml"), "--head", str(tmp_path / "head")]
    assert desk.run("grant", "--scope", "third-party-index", *other).returncode == 0
    assert not desk.path.exists()
    (tmp_path / "head").unlink()
    code, document = desk.json("list", *other, cmd=False)
    assert (code, document["error"]["fix"]) == (3, "cgp-tui consent recover " + " ".join(other))


def test_the_list_is_for_whoever_was_seen_last(desk: Desk) -> None:
    asked = [*desk.cgp, "query", "why", "--id", "docs", "--", *desk.command]
    desk.run("grant", "--scope", "third-party-index", "--id", "docs")
    (one,) = desk.json("list", cmd=False)[1]["grants"]
    assert (one["status"], one["provider_version"]) == ("in_force", "1.0.0")
    desk.declare("third-party-index", version="1.0.1")
    subprocess.run(asked, env=desk.environment, capture_output=True, check=False)
    code, document = desk.json("list", cmd=False)
    (one,) = document["grants"]
    assert (code, one["status"], one["reason"]) == (0, "not_in_force", "identity_changed")
    assert (one["field"], one["old"], one["new"]) == ("provider_version", "1.0.0", "1.0.1")
    assert one["last_seen"]["provider_version"] == "1.0.1"
    said = desk.run("list", cmd=False).stdout
    assert "identity_changed: provider_version was 1.0.0, is 1.0.1" in said
    assert f"seen {one['last_seen']['at']}" in said
    shown = desk.json("show", "1", cmd=False)[1]
    assert (shown["standing"], shown["reason"]) == ("not_in_force", "identity_changed")
    assert shown["last_seen"] == one["last_seen"]
    assert "because" in desk.run("show", "1", cmd=False).stdout


def test_a_memory_that_cannot_be_read_is_told_and_left_out(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--id", "docs")
    kept = Path(desk.environment["CGP_TUI_STATE"]) / "seen" / "docs.json"
    kept.write_text("{}")
    listed = desk.run("list", cmd=False)
    assert (listed.returncode, "in force" in listed.stdout) == (0, True)
    assert f"Left out, who was last seen: {kept}" in listed.stderr


@pytest.mark.parametrize("words", [("grant", "--scope", "acme:store"), ("revoke", "--scope", "third-party-index")])
def test_records_that_nobody_acknowledged_are_told_of(words: tuple[str, ...], desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    head = desk.ledger().open().head_path
    assert head is not None
    before = head.read_bytes()
    desk.run("grant", "--scope", "acme:store", "--scope", "third-party-index")
    head.write_bytes(before)
    ran = desk.run(*words)
    assert (ran.returncode, "2 records that its head did not cover were adopted" in ran.stderr) == (0, True), ran.stderr
    assert "adopted" not in desk.run(*words).stderr
