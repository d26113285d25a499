"""`cgp-tui consent audit`: recordings of real queries held against the ledger, and all that can be wrong with them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.desk import PROVIDER, SPOIL, Desk
from tests.store import ledgers

ANSWERING = PROVIDER.replace(
    'if kind == "shutdown":',
    'if kind == "query":\n'
    '            print(json.dumps({"type": "frames", "result": {"frames": [], "truncated": False}}), flush=True)\n'
    '        if kind == "shutdown":',
)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, cgp: list[str]) -> tuple[Desk, Path, Path]:
    """A machine on which one query was refused and one was sent: its folder, and a copy of that as it was then."""
    folder = tmp_path_factory.mktemp("asked")
    desk = Desk(folder, cgp)
    desk.script.write_text(ANSWERING)
    desk.declare("third-party-index")
    assert query(desk, "first").returncode == 3
    assert desk.run("grant", "--scope", "third-party-index", "--id", "docs").returncode == 0
    assert query(desk, "second").returncode == 0
    return desk, folder, shutil.copytree(folder, folder.with_name(f"{folder.name}-then"))


@pytest.fixture
def asked(begun: tuple[Desk, Path, Path], monkeypatch: pytest.MonkeyPatch) -> Desk:
    """That machine, as it was then, in the same place."""
    desk, folder, then = begun
    shutil.rmtree(folder)
    shutil.copytree(then, folder)
    for name in ("CGP_TUI_STATE", "CGP_TUI_LEDGER"):
        monkeypatch.setenv(name, desk.environment[name])
    return desk


def query(desk: Desk, goal: str) -> subprocess.CompletedProcess[str]:
    line = [*desk.cgp, "query", goal, "--id", "docs", "--", *desk.command]
    return subprocess.run(line, env=desk.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def recordings(desk: Desk) -> list[Path]:
    return sorted((Path(desk.environment["CGP_TUI_STATE"]) / "transcripts").iterdir())


def last(desk: Desk) -> Path:
    return next(path for path in recordings(desk) if b'"second"' in path.read_bytes())


def test_what_left_to_whom_who_agreed_and_when(asked: Desk) -> None:
    code, document = asked.json("audit", cmd=False)
    assert (code, document["holds"], document["refused"], document["faults"]) == (0, True, 1, [])
    (one,) = document["sent"]
    granted = asked.ledger().open().receipts[0]
    assert (one["provider_id"], one["asked"], one["whole"], one["ledger"]) == ("docs", "query", True, "this")
    line = next(line for line in last(asked).read_bytes().splitlines() if b'"second"' in line)
    assert one["bytes"] == len(json.dumps(json.loads(line)["line"], separators=(",", ":")))
    (receipt,) = one["receipts"]
    assert (receipt["seq"], receipt["receipt_id"], receipt["scope"]) == (1, granted.receipt_id, "third-party-index")
    assert receipt["grantor"] == {"kind": granted.grantor.kind, "id": granted.grantor.id}
    assert one["at"] >= receipt["granted_at"]
    ran = asked.run("audit", cmd=False)
    assert ran.returncode == 0
    assert "third-party-index: #1 by policy cli:" in ran.stdout
    assert "1 refused." in ran.stdout
    assert "It holds" in ran.stdout
    assert asked.json("audit", str(last(asked)), cmd=False)[1]["refused"] == 0, "one recording alone"


def test_nothing_at_all_holds(desk: Desk) -> None:
    code, document = desk.json("audit", cmd=False)
    assert (code, document["holds"], document["sent"], document["transcripts"]) == (0, True, [], [])


def test_a_later_revocation_takes_nothing_back_that_was_permitted(asked: Desk) -> None:
    asked.run("revoke", "--id", "docs", cmd=False)
    assert asked.json("audit", cmd=False)[0] == 0


def edit(desk: Desk, change: Callable[[bytes], bytes]) -> None:
    path = last(desk)
    before = path.read_bytes()
    after = change(before)
    assert after != before
    path.write_bytes(after)


def without(word: bytes) -> Callable[[bytes], bytes]:
    return lambda data: b"".join(line for line in data.splitlines(keepends=True) if word not in line)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without(b'"note":"gate"'), "without a decision of the gate"),
        (lambda data: data.replace(b'"receipt_id":"', b'"receipt_id":"0')[:-1] + b"\n", "no such record"),
        (lambda data: data.replace(b'"scope":"third-party-index"', b'"scope":"org-tenant"'), "not a grant of this"),
        (lambda data: data.replace(b'"provider_id":"docs"', b'"provider_id":"mine"'), "another provider"),
        (lambda data: data.replace(b'"seq":1,', b'"seq":0,'), "another record is there"),
        (lambda data: data.replace(b'"seq":1,', b'"seq":7,'), "no longer has it"),
        (lambda data: data.replace(b'"started_at":"20', b'"started_at":"29'), "it had ended at"),
        (lambda data: data + b"{\n", "cannot be read"),
        (without(b'"format"'), "not a recording by this program"),
    ],
)
def test_a_recording_that_does_not_hold(change: Callable[[bytes], bytes], says: str, asked: Desk) -> None:
    edit(asked, change)
    code, document = asked.json("audit", cmd=False)
    assert (code, document["holds"]) == (1, False)
    assert says in " ".join(fault["what"] for fault in document["faults"])
    ran = asked.run("audit", cmd=False)
    assert (ran.returncode, "DOES NOT HOLD" in ran.stdout) == (1, True)


def test_what_was_sent_after_its_receipt_was_withdrawn(asked: Desk) -> None:
    """A recording that claims a head after the revocation, as a host would leave it that did not obey."""
    asked.run("revoke", "--id", "docs", cmd=False)
    mark = asked.ledger().open().head
    assert mark is not None
    old = asked.ledger().open().receipts[1].prev.encode()
    edit(asked, lambda data: data.replace(b'"seq":1,"hash":"' + old, f'"seq":2,"hash":"{mark.hash}'.encode()))
    code, document = asked.json("audit", cmd=False)
    assert code == 1
    assert "it was revoked before" in document["faults"][0]["what"]


def test_a_ledger_put_back_together_with_its_head_is_behind_a_recording(asked: Desk) -> None:
    state = Path(asked.environment["CGP_TUI_STATE"]) / "heads"
    shutil.copytree(asked.path.parent, asked.path.parent.with_name("copy"))
    shutil.copytree(state, state.with_name("copy"))
    asked.run("grant", "--scope", "third-party-index", "--id", "docs")
    assert query(asked, "third").returncode == 0
    shutil.copy(asked.path.parent.with_name("copy") / asked.path.name, asked.path)
    for one in state.with_name("copy").iterdir():
        shutil.copy(one, state / one.name)
    assert asked.json("list", cmd=False)[0] == 0, "the gate cannot see it"
    code, document = asked.json("audit", cmd=False)
    assert code == 1
    assert "record #2 of the ledger: the ledger no longer has it" in document["faults"][0]["what"]


def test_a_changed_ledger_and_a_false_checkpoint(asked: Desk) -> None:
    asked.ledger().grant([ledgers.draft("checkpoint", provider_id="*", basis="all", scope="", target_kind="", note="x")])
    code, document = asked.json("audit", cmd=False)
    assert (code, "checkpoint #2" in document["faults"][0]["what"]) == (1, True)
    asked.path.write_bytes(asked.path.read_bytes().replace(b"example", b"exemple"))
    code, document = asked.json("audit", cmd=False)
    assert (code, document["ledger"]["state"]) == (1, "tampered")
    assert document["ledger"]["detail"]
    assert document["faults"][0]["what"].startswith("The ledger is tampered. Record 1, byte ")


def test_another_ledgers_receipts_are_not_judged_and_that_is_said(asked: Desk, tmp_path: Path) -> None:
    other = ("--ledger", str(tmp_path / "other.toml"))
    code, document = asked.json("audit", *other, cmd=False)
    assert (code, document["sent"][0]["ledger"], document["sent"][0]["receipts"][0]["seq"]) == (0, "other", None)
    said = asked.run("audit", *other, cmd=False).stdout
    assert "under another ledger" in said
    assert "What was looked at holds" in said, "nothing is claimed of what was not"


def test_what_left_before_a_recovery_is_still_told_with_who_agreed(asked: Desk) -> None:
    SPOIL["head_missing"](asked)
    asked.ledger().recover()
    code, document = asked.json("audit", cmd=False)
    (one,) = document["sent"]
    assert (code, one["ledger"], one["receipts"][0]["seq"]) == (0, "archived", 1)
    assert one["receipts"][0]["grantor"]["kind"] == "policy"
    assert "(in a ledger that was set aside)" in asked.run("audit", cmd=False).stdout


def test_a_recording_that_broke_off_before_its_first_line_hides_no_other(asked: Desk) -> None:
    whole = last(asked).read_bytes()
    empty, half = (last(asked).with_name(f"20260101T000000Z-docs-{pid}.ndjson") for pid in (1, 2))
    empty.touch()
    half.write_bytes(whole[:40])
    code, document = asked.json("audit", cmd=False)
    assert (code, len(document["sent"]), len(document["transcripts"])) == (0, 1, 2)
    ran = asked.run("audit", cmd=False)
    told = [line for line in ran.stderr.splitlines() if line.startswith("Left out, nothing was recorded in it: ")]
    assert (ran.returncode, len(told)) == (0, 2)
    assert asked.run("audit", str(empty), cmd=False).returncode == 2, "one that is named must be a recording"
    half.write_bytes(b"no recording\n")
    assert asked.run("audit", cmd=False).returncode == 2, "a whole line may have told of something that left"


def test_after_an_emergency_stop_the_recordings_still_agree_with_the_records(asked: Desk) -> None:
    SPOIL["head_missing"](asked)
    code, document = asked.json("audit", cmd=False)
    assert (code, document["ledger"]["state"], len(document["sent"])) == (1, "head_missing", 1)
    (fault,) = document["faults"]
    assert fault["what"].startswith("The ledger has no head (head_missing).")


def test_a_folder_that_cannot_be_looked_through_is_not_an_empty_one(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CGP_TUI_STATE", f"/{'x' * 300}")
    code, document = desk.json("audit", cmd=False)
    assert (code, document["holds"], document["error"]["code"]) == (2, False, "unreadable")


def test_links_that_lead_in_a_circle_are_no_recording(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    code, document = desk.json("audit", str(tmp_path / "circle"), cmd=False)
    assert (code, document["holds"], document["error"]["code"]) == (2, False, "unreadable")


def test_a_recording_that_is_named_twice_is_one(asked: Desk) -> None:
    name = str(last(asked))
    document = asked.json("audit", name, name, cmd=False)[1]
    assert (len(document["sent"]), document["transcripts"]) == (1, [name])


def test_a_provider_that_needs_no_consent(desk: Desk) -> None:
    desk.script.write_text(ANSWERING)
    desk.declare(egress=False)
    assert query(desk, "local").returncode == 0
    code, document = desk.json("audit", cmd=False)
    assert (code, document["sent"][0]["ledger"], document["sent"][0]["receipts"]) == (0, "none", [])
    assert "no consent needed" in desk.run("audit", cmd=False).stdout


def test_a_file_that_is_not_there(desk: Desk) -> None:
    code, document = desk.json("audit", "nowhere.ndjson", cmd=False)
    assert (code, document["holds"], document["error"]["code"]) == (2, False, "unreadable")
