"""`cgp-tui consent grant`: what is written, what is refused, and who is taken to have agreed."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from cgp_tui.store.canon import seconds
from tests.cli.desk import PROVIDER, Desk, at_terminal
from tests.host.test_process import linux


def test_a_launcher_gets_seven_days_and_no_pinned_code(desk: Desk) -> None:
    desk.command = ["/bin/sh", "-c", f'exec "$@" {desk.script}', "sh", sys.executable]
    before = time.time()
    code, granted = desk.json("grant", "--scope", "third-party-index")
    assert code == 0
    one = granted["granted"][0]
    assert one["code_policy"] == "path"
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
        (("--scope", "acme:store", "--until", "2001-01-01"), "usage", "in the future"),
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
    assert (code, document["error"]["code"]) == (4, "spawn_failed")
    assert not desk.path.exists()


def test_the_command_must_stand_after_its_dashes(desk: Desk) -> None:
    for words in (("grant", "--scope", "x", *desk.command), ("grant", "--scope", "x")):
        ran = desk.run(*words, cmd=False)
        assert ran.returncode == 2
        assert " -- " in ran.stderr
        assert ran.stdout == ""


def test_one_query_and_no_more(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index", "--once", "--code", "path", "--version-policy", "minor")
    (one,) = desk.ledger().open().receipts
    assert (one.uses, one.code_policy, one.version_policy) == ("once", "path", "minor")
    assert "in force  once, until " in desk.run("list").stdout


@pytest.mark.parametrize("words", [("--version-policy", "minor"), ("--code", "exact", "--version-policy", "any")])
def test_another_version_cannot_go_with_pinned_code(words: tuple[str, ...], desk: Desk) -> None:
    code, document = desk.json("grant", "--scope", "third-party-index", *words)
    assert (code, document["error"]["code"], document["error"]["fix"]) == (2, "usage", "Add --code path.")
    assert desk.read == []


def test_a_launcher_cannot_be_held_to_code(desk: Desk) -> None:
    desk.command = ["/bin/sh", str(desk.script)]
    code, document = desk.json("grant", "--scope", "third-party-index", "--code", "exact")
    assert (code, document["error"]["code"]) == (2, "usage")
    assert "no digest can pin it" in document["error"]["message"]


def test_what_is_on_record_can_be_granted_though_it_is_no_longer_declared(desk: Desk) -> None:
    desk.run("grant", "--scope", "third-party-index")
    desk.run("revoke")
    desk.declare(egress=False)
    code, granted = desk.json("grant", "--scope", "third-party-index")
    assert (code, granted["missing"]) == (0, [])
    assert granted["granted"][0]["declared"] == []


# -- who agreed


def test_a_person_at_a_terminal_types_the_id(desk: Desk) -> None:
    line = [*desk.cgp, "consent", "grant", "--scope", "third-party-index", "--", *desk.command]
    code, seen = at_terminal(desk, line, [(b"Anything else refuses.", desk.id.encode() + b"\n")])
    assert code == 0, seen
    for told in (b"example", b"1.0.0", str(desk.script).encode(), b"third-party-index", b"another company"):
        assert told in seen
    (one,) = desk.ledger().open().receipts
    assert (one.grantor.kind, one.grantor.id) == ("human", f"tty:{os.getuid()}")


def test_the_question_says_what_is_on_record_already(desk: Desk) -> None:
    line = [*desk.cgp, "consent", "grant", "--scope", "third-party-index", "--", *desk.command]
    words = {"deny": b"you said no on ", "revoke": b"you withdrew it on ", "grant": b"granted by #3, until "}
    for act, word in words.items():
        assert desk.run(act, "--scope", "third-party-index").returncode == 0
        _, seen = at_terminal(desk, line, [(b"Anything else refuses.", b"no\n")])
        assert word in seen.partition(b"scopes ")[2].partition(b"holds for")[0], seen
        assert b"not decided" not in seen


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


@linux
def test_a_provider_is_met_in_the_sandbox_that_was_asked_for(desk: Desk) -> None:
    line = [*desk.cgp, "consent", "grant", "--scope", "acme:store", "--sandbox", "no-network", "--", *desk.command]
    code, seen = at_terminal(desk, line, [(b"and Enter", b"no\n")])
    if b"no sandbox" in seen:
        pytest.skip("reason: this system gives no user namespaces to make a sandbox of")
    assert code == 3
    assert b"sandbox     processes, no IP network" in seen
    desk.command = ["/bin/sh", "-c", f'test $$ = 1 && exec "$@" {desk.script}', "sh", sys.executable]
    assert desk.json("grant", "--scope", "acme:store")[0] == 4, "it is not the first process of anything"
    assert desk.json("grant", "--scope", "acme:store", "--sandbox", "processes")[0] == 0


def test_a_grant_by_path_says_which_files_it_finds_in_any_folder(desk: Desk) -> None:
    line = [*desk.cgp, "consent", "grant", "--scope", "acme:store", "--code", "path", "--", sys.executable]
    said = []
    for name in (desk.script.name, str(desk.script)):
        ran = subprocess.run(
            [*line, name], env=desk.environment, cwd=desk.script.parent, capture_output=True, text=True, check=True
        )
        said.append(ran.stderr)
    assert f": {desk.script.name}: of that name in whatever folder it is started from" in said[0]
    assert said[1] == ""


MEANWHILE = """
import os, pathlib, sys
os.environ["CGP_TUI_STATE"] = {state!r}
from cgp_tui.consent.drafts import policy, revoke_drafts
from cgp_tui.consent.ledger import Ledger
assert Ledger(pathlib.Path({ledger!r})).revoke(revoke_drafts((), "*", (), policy())).outcome == "confirmed"
"""


@pytest.mark.parametrize("by_policy", [False, True])
def test_a_withdrawal_while_the_provider_is_met_is_not_overruled(by_policy: bool, desk: Desk) -> None:
    """Whoever agreed had not seen it. Here it is the provider that takes its time for it; a person may take hours."""
    assert desk.run("grant", "--scope", "acme:store").returncode == 0
    meanwhile = MEANWHILE.format(state=desk.environment["CGP_TUI_STATE"], ledger=str(desk.path))
    desk.script.write_text(meanwhile + PROVIDER)
    file = desk.script.with_name("policy.toml")
    file.write_text(f'name = "p"\n[[grant]]\ncommand = {desk.command}\nscope = ["third-party-index"]\n')
    words = ("--policy", str(file)) if by_policy else ("--scope", "third-party-index")
    code, document = desk.json("grant", *words, cmd=not by_policy)
    assert (code, document["granted"], document["error"]["code"]) == (3, [], "revoked")
    assert [one.kind for one in desk.ledger().open().receipts] == ["grant", "revoke"]
