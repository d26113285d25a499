"""`cgp-tui consent` as people and scripts run it: real processes, a real ledger, a real terminal where one is asked for."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.cli.main import main
from cgp_tui.consent.ledger import Ledger
from cgp_tui.target import default_id, stdio_target

PROVIDER = """
import json, pathlib, sys
here = pathlib.Path(__file__)
said = json.loads(here.with_suffix(".json").read_text())
with here.with_suffix(".read").open("a") as read:
    for line in sys.stdin:
        read.write(line)
        read.flush()
        kind = json.loads(line)["type"]
        if kind == "handshake":
            print(json.dumps({"type": "handshake_ack", "protocol_version": said.pop("protocol", "contextgraph/1.0"),
                              "provider": said, "capabilities": {"query": {"kinds": []}}}), flush=True)
        if kind == "shutdown":
            break
"""


class Desk:
    """A person's machine: a home of its own, one provider, and the command line."""

    def __init__(self, folder: Path, cgp: list[str]) -> None:
        self.script = folder / "provider.py"
        self.script.write_text(PROVIDER)
        self.command = [sys.executable, str(self.script)]
        self.cgp = cgp
        self.path = folder / "data" / "receipts.toml"
        self.environment = {
            **os.environ,
            "HOME": str(folder),
            "CGP_TUI_STATE": str(folder / "state"),
            "CGP_TUI_LEDGER": str(self.path),
        }
        self.declare("third-party-index", "acme:store")

    def declare(self, *scopes: str, egress: bool = True, name: str = "example", version: str = "1.0.0", **more: str) -> None:
        flow = {"reads": True, "writes": False, "egress": egress, "egress_scopes": list(scopes)}
        self.script.with_suffix(".json").write_text(
            json.dumps({"name": name, "version": version, "data_flow": flow, **more})
        )

    @property
    def read(self) -> list[str]:
        """The types of all lines the provider ever read."""
        path = self.script.with_suffix(".read")
        return [json.loads(line)["type"] for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def id(self) -> str:
        return default_id(stdio_target(self.command))

    def run(self, *words: str, cmd: bool = True) -> subprocess.CompletedProcess[str]:
        line = [*self.cgp, "consent", *words, *(["--", *self.command] if cmd else [])]
        return subprocess.run(
            line, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    def json(self, *words: str, cmd: bool = True) -> tuple[int, Any]:
        """The exit code and the one document, from a run within this process, which is quicker to start."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        with contextlib.redirect_stdout(out):
            code = main(["consent", *words, "--json", *(["--", *self.command] if cmd else [])])
        return code, json.loads(out.buffer.getvalue().decode("ascii"))

    def ledger(self) -> Ledger:
        return Ledger(self.path)


@pytest.fixture
def desk(tmp_path: Path, cgp: list[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk(tmp_path, cgp)
    monkeypatch.setenv("CGP_TUI_STATE", made.environment["CGP_TUI_STATE"])
    monkeypatch.setenv("CGP_TUI_LEDGER", made.environment["CGP_TUI_LEDGER"])
    return made


def at_terminal(desk: Desk, line: list[str], answers: list[tuple[bytes, bytes]], before: bytes = b"") -> tuple[int, bytes]:
    """Run a line on a terminal of its own, typing each answer when its question has appeared; `before` is typed at once."""
    fd, theirs = pty.openpty()
    environment = {**desk.environment, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env=environment)
    os.close(theirs)
    seen = b""
    os.write(fd, before)
    left = list(answers)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                piece = os.read(fd, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        if left and left[0][0] in seen:
            time.sleep(0.2)
            os.write(fd, left.pop(0)[1])
    os.close(fd)
    return process.wait(timeout=10), seen


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
    assert (revoked.returncode, revoked.stdout) == (0, "Confirmed: no more leaves.\n")
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
    assert desk.run("list", cmd=False).stdout == f"ledger {desk.path}: fresh\nNo grant.\n"
    assert desk.json("list", cmd=False) == (0, {"ledger": desk.json("history", cmd=False)[1]["ledger"], "grants": []})
    assert not desk.path.parent.exists()


def test_a_launcher_gets_seven_days_and_no_pinned_code(desk: Desk) -> None:
    desk.command = ["/bin/sh", "-c", f'exec "$@" {desk.script}', "sh", sys.executable]
    before = time.time()
    code, granted = desk.json("grant", "--scope", "third-party-index")
    assert code == 0
    one = granted["granted"][0]
    assert one["code_policy"] == "path"
    from cgp_tui.store.canon import seconds

    end = seconds(one["expires_at"])
    assert end is not None
    assert 6.9 < (end - before) / 86_400 < 7.1
    desk.command = [sys.executable, str(desk.script)]
    end = seconds(desk.json("grant", "--scope", "third-party-index")[1]["granted"][0]["expires_at"])
    assert end is not None
    assert 29.9 < (end - before) / 86_400 < 30.1


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ((), "usage", "--scope SCOPE"),
        (("--scope", "org-tenant"), "usage", "It declares: third-party-index, acme:store."),
        (("--scope", "Third-Party-Index"), "usage", "does not declare"),
        (("--scope", "vendor:"), "scope_malformed", "vendor:word"),
        (("--scope", "local-only"), "usage", "needs no consent"),
        (("--boolean",), "usage", "--scope"),
        (("--scope", "acme:store", "--until", "soon"), "usage", "2031-01-01"),
        (("--scope", "acme:store", "--until", "2001-01-01"), "usage", "still to come"),
        (("--scope", "acme:store", "--id", "a/b"), "usage", "letters, digits"),
    ],
)
def test_what_cannot_be_granted(words: tuple[str, ...], code: str, says: str, desk: Desk) -> None:
    exit_code, document = desk.json("grant", *words)
    assert (exit_code, document["granted"], document["error"]["code"]) == (2, [], code)
    assert says in document["error"]["message"] + document["error"]["fix"]
    assert not desk.path.exists()


@pytest.mark.parametrize(
    ("declared", "words", "says"),
    [
        (((), True), ("--scope", "org-tenant"), "--boolean"),
        (((), False), ("--boolean",), "says nothing leaves"),
        (((), False), ("--scope", "org-tenant"), "no scope that leaves"),
    ],
)
def test_what_is_not_declared_is_not_granted(
    declared: tuple[tuple[str, ...], bool], words: tuple[str, ...], says: str, desk: Desk
) -> None:
    desk.declare(*declared[0], egress=declared[1])
    exit_code, document = desk.json("grant", *words)
    assert exit_code == 2
    assert says in document["error"]["fix"]


def test_sending_at_all_is_granted_by_its_name(desk: Desk) -> None:
    desk.declare(egress=True)
    granted = desk.run("grant", "--boolean", "--until", "never", "--id", "docs")
    assert (granted.returncode, granted.stdout) == (0, "Granted sending at all to docs without end: #1.\n")
    (one,) = desk.ledger().open().receipts
    assert (one.provider_id, one.basis, one.scope, one.expires_at) == ("docs", "boolean", "", "never")


def test_a_provider_that_fails_is_its_own_failure(desk: Desk) -> None:
    desk.declare("third-party-index", protocol="contextgraph/9.0")
    code, document = desk.json("grant", "--scope", "third-party-index")
    assert (code, document["error"]["code"]) == (4, "version_mismatch")
    desk.command = ["no-such-provider"]
    code, document = desk.json("grant", "--scope", "third-party-index")
    assert (code, document["error"]["code"]) == (2, "spawn_failed")
    assert not desk.path.exists()


def test_the_command_must_stand_after_its_dashes(desk: Desk) -> None:
    for words in (("grant", "--scope", "x", *desk.command), ("grant", "--scope", "x")):
        ran = desk.run(*words, cmd=False)
        assert ran.returncode == 2
        assert " -- " in ran.stderr
        assert ran.stdout == ""


# -- who agreed


def test_a_person_at_a_terminal_types_the_id(desk: Desk) -> None:
    line = [*desk.cgp, "consent", "grant", "--scope", "third-party-index", "--", *desk.command]
    code, seen = at_terminal(desk, line, [(b"Anything else refuses.", desk.id.encode() + b"\n")])
    assert code == 0, seen
    for told in (b"example", b"1.0.0", str(desk.script).encode(), b"third-party-index", b"another company"):
        assert told in seen
    (one,) = desk.ledger().open().receipts
    assert (one.grantor.kind, one.grantor.id) == ("human", f"tty:{os.getuid()}")


@pytest.mark.parametrize("typed", [b"\n", b"y\n", b"yes\n", b"provider.py\n", b"\x04"])
def test_anything_else_grants_nothing(typed: bytes, desk: Desk) -> None:
    line = [*desk.cgp, "consent", "grant", "--scope", "third-party-index", "--", *desk.command]
    code, seen = at_terminal(desk, line, [(b"Anything else refuses.", typed)])
    assert code == 3, seen
    assert b"Nothing was granted" in seen
    assert not desk.path.exists()


def test_what_was_typed_before_the_question_answers_nothing(desk: Desk) -> None:
    line = [*desk.cgp, "consent", "grant", "--scope", "third-party-index", "--", *desk.command]
    code, seen = at_terminal(desk, line, [(b"Anything else refuses.", b"\n")], before=desk.id.encode() + b"\n")
    assert code == 3, seen
    assert not desk.path.exists()


def test_what_a_provider_claims_reaches_the_terminal_without_its_controls(desk: Desk) -> None:
    desk.declare("third-party-index", name="evil\x1b[2J\x07\u202e\x9b2J", version="\x1b]52;c;eA==\x07")
    line = [*desk.cgp, "consent", "grant", "--scope", "third-party-index", "--", *desk.command]
    code, seen = at_terminal(desk, line, [(b"Anything else refuses.", desk.id.encode() + b"\n")])
    assert code == 0, seen
    for line in (["list"], ["history"], ["list", "--json"]):
        seen += desk.run(*line, cmd=False).stdout.encode()
    assert not {byte for byte in seen if byte < 0x20} - set(b"\r\n")
    assert "\u202e" not in seen.decode()
    assert "\x9b" not in seen.decode()


def test_a_script_is_never_a_person(desk: Desk) -> None:
    """Standard input is a terminal, standard error is not: nobody could have seen the question."""
    inner = " ".join([*desk.cgp, "consent", "grant", "--scope", "third-party-index", "--", *desk.command, "2>/dev/null"])
    code, _ = at_terminal(desk, ["/bin/sh", "-c", inner], [])
    assert code == 0
    assert desk.ledger().open().receipts[0].grantor.kind == "policy"


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


def test_what_is_on_record_can_be_granted_though_it_is_no_longer_declared(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    desk.run("revoke")
    desk.declare(egress=False)
    code, granted = desk.json("grant", "--scope", "third-party-index")
    assert (code, granted["missing"]) == (0, [])
    assert granted["granted"][0]["declared"] == []


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
        (("--id", "nobody"), False, "On record are: "),
        (("--scope", "third-party-inde"), True, "On record are: third-party-index."),
        (("--boolean",), True, "On record are: third-party-index."),
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
    assert desk.json("revoke")[1]["error"]["code"] == "spawn_failed"
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
        assert ran.stdout == f"Recorded, not confirmed: PID {sender.pid}.\n"
    assert "revoked" in desk.run("list", cmd=False).stdout


# -- a ledger that does not answer

SPOIL: dict[str, Callable[[Desk], object]] = {
    "tampered": lambda desk: desk.path.write_bytes(desk.path.read_bytes().replace(b"example", b"exemple")),
    "store_unsafe": lambda desk: desk.path.chmod(0o666),
    "head_missing": lambda desk: next((Path(desk.environment["CGP_TUI_STATE"]) / "heads").iterdir()).unlink(),
}


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
    assert len(list((desk.path.parent / "archive").iterdir())) == 2


def test_recovery_of_a_torn_tail_loses_no_grant(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    with desk.path.open("ab") as file:
        file.write(b"\n[[receipt]]\nfor")
    assert desk.json("list", cmd=False)[1]["error"]["code"] == "torn"
    code, document = desk.json("recover", cmd=False)
    assert (code, document["done"], document["archive"], document["ledger"]["state"]) == (0, "mended", None, "ok")
    assert desk.json("list", cmd=False)[1]["grants"][0]["status"] == "in_force"


def test_another_ledger_and_head_are_named_in_what_leads_out(desk: Desk, tmp_path: Path) -> None:
    other = ["--ledger", str(tmp_path / "other" / "receipts.toml"), "--head", str(tmp_path / "head")]
    assert desk.run("grant", "--scope", "third-party-index", *other).returncode == 0
    assert not desk.path.exists()
    (tmp_path / "head").unlink()
    code, document = desk.json("list", *other, cmd=False)
    assert (code, document["error"]["fix"]) == (3, "cgp-tui consent recover " + " ".join(other))
