"""`cgp-tui consent grant --policy`: what a policy grants is granted in its name, all of it or nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.cli.main import main
from tests.cli.desk import Desk, at_terminal
from tests.host.test_process import linux


def policy(desk: Desk, *grants: str, name: str = "nightly build") -> Path:
    path = desk.script.with_name("policy.toml")
    command = f"command = {json.dumps(desk.command)}"
    tables = "".join(f"[[grant]]\n{one.replace('CMD', command)}\n" for one in grants)
    path.write_text(f"name = {json.dumps(name)}\n{tables}")
    return path


def test_a_policy_grants_in_its_name(desk: Desk) -> None:
    path = policy(
        desk,
        'CMD\nscope = ["third-party-index"]\nid = "docs"\nuntil = "2031-01-01"',
        'CMD\nscope = ["acme:store"]\nonce = true\ncode = "path"\nversion_policy = "minor"\nby = "Ann"',
    )
    code, document = desk.json("grant", "--policy", str(path), cmd=False)
    assert code == 0
    first, second = document["granted"]
    assert (first["provider_id"], first["expires_at"], first["uses"]) == ("docs", "2031-01-01T23:59:59Z", "unlimited")
    assert (second["uses"], second["code_policy"], second["version_policy"]) == ("once", "path", "minor")
    assert (second["note"], second["grantor"]["id"]) == ("Ann", "nightly build")
    assert [one["grantor"] for one in (first, second)] == [{"kind": "policy", "id": "nightly build"}] * 2
    assert desk.read.count("handshake") == 2
    assert "query" not in desk.read
    assert desk.run("grant", "--policy", str(path), cmd=False).stdout.startswith("Granted third-party-index to docs")


def test_a_policy_is_nobodys_word_even_at_a_terminal(desk: Desk) -> None:
    path = policy(desk, 'CMD\nscope = ["third-party-index"]')
    code, seen = at_terminal(desk, [*desk.cgp, "consent", "grant", "--policy", str(path)], [])
    assert code == 0, seen
    assert desk.ledger().open().receipts[0].grantor.kind == "policy"


@pytest.mark.parametrize(
    ("second", "exit_code"),
    [
        ('CMD\nscope = ["org-tenant"]', 2),
        ('CMD\nscope = ["acme:store"]\nuntil = "soon"', 2),
        ('CMD\nscope = ["acme:store"]\nversion_policy = "any"', 2),
        ('command = ["no-such-provider"]\nscope = ["acme:store"]', 4),
        ('command = []\nscope = ["acme:store"]', 2),
        ("CMD", 2),
    ],
)
def test_one_bad_entry_and_nothing_is_granted(second: str, exit_code: int, desk: Desk) -> None:
    path = policy(desk, 'CMD\nscope = ["third-party-index"]', second)
    code, document = desk.json("grant", "--policy", str(path), cmd=False)
    assert (code, document["granted"]) == (exit_code, [])
    assert document["error"]["message"].startswith(f"Grant 2 of {path}")
    assert not desk.path.exists()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "unreadable"),
        ("", "unreadable"),
        ("name =", "unreadable"),
        ('name = "x"', "unreadable"),
        ('name = "x"\ngrant = []', "usage"),
        ('name = "x"\nledger = "/tmp/x"\ngrant = []', "unreadable"),
        ('name = "x"\n[[grant]]\ncommand = ["p"]\ntrust = true', "unreadable"),
        ('name = "x"\n[[grant]]\ncommand = "p"', "unreadable"),
        ('name = "x"\n[[grant]]\ncommand = ["p"]\ncode = "any"', "unreadable"),
        ('name = "cli:0"\n[[grant]]\ncommand = ["p"]', "usage"),
        ('name = " "\n[[grant]]\ncommand = ["p"]', "usage"),
        ("a" + ".a" * 100_000 + " = 1", "unreadable"),
        ("a = " + "[" * 5000, "unreadable"),
        ("\xff", "unreadable"),
        ("#" * limits.PROVIDERS_BYTES + "\n", "unreadable"),
    ],
)
def test_what_is_no_policy(content: str | None, code: str, desk: Desk) -> None:
    path = desk.script.with_name("policy.toml")
    if content is not None:
        path.write_bytes(content.encode("latin-1"))
    exit_code, document = desk.json("grant", "--policy", str(path), cmd=False)
    assert (exit_code, document["granted"], document["error"]["code"]) == (2, [], code)


def test_options_are_spelled_as_on_the_command_line_too(desk: Desk) -> None:
    path = policy(desk, 'CMD\nscope = ["acme:store"]\ncode = "path"\nversion-policy = "minor"')
    assert desk.json("grant", "--policy", str(path), cmd=False)[1]["granted"][0]["version_policy"] == "minor"
    path = policy(desk, 'CMD\nscope = ["acme:store"]\ncode = "path"\nversion-policy = "any"\nversion_policy = "exact"')
    code, document = desk.json("grant", "--policy", str(path), cmd=False)
    assert (code, "version-policy" in document["error"]["message"]) == (2, True)


@pytest.mark.parametrize(
    ("until", "end"),
    [
        ("2031-01-01", "2031-01-01T23:59:59Z"),
        ("2031-01-01T12:00:00Z", "2031-01-01T12:00:00Z"),
        ("2031-01-01 12:00:00+00:00", "2031-01-01T12:00:00Z"),
        ("2031-01-01T12:00:00+02:00", ""),
        ("2031-01-01T12:00:00", ""),
        ("2031-01-01T12:00:00.5Z", ""),
        ("12:00:00", ""),
        ("30", ""),
    ],
)
def test_an_end_as_toml_writes_it(until: str, end: str, desk: Desk) -> None:
    path = policy(desk, f'CMD\nscope = ["acme:store"]\nuntil = {until}')
    code, document = desk.json("grant", "--policy", str(path), cmd=False)
    assert (code, [one["expires_at"] for one in document["granted"]]) == ((0, [end]) if end else (2, []))


def test_an_entry_of_the_providers_file_is_named_by_its_id(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CGP_TUI_CONFIG", str(tmp_path / "config"))
    assert main(["providers", "add", "mine", "--", *desk.command]) == 0
    path = policy(desk, 'id = "mine"\nscope = ["acme:store"]')
    code, document = desk.json("grant", "--policy", str(path), cmd=False)
    assert (code, [one["provider_id"] for one in document["granted"]]) == (0, ["mine"]), document
    for other in ('id = "yours"', 'id = "mine"\ncommand = []', ""):
        code, document = desk.json("grant", "--policy", str(policy(desk, f'{other}\nscope = ["acme:store"]')), cmd=False)
        assert (code, document["error"]["code"]) == (2, "usage")


def test_a_policy_from_any_editor(desk: Desk) -> None:
    path = policy(desk, 'CMD\nscope = ["third-party-index"]')
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    code, document = desk.json("grant", "--policy", str(path), cmd=False)
    assert (code, [one["scope"] for one in document["granted"]]) == (0, ["third-party-index"]), document


def test_a_policy_stands_alone(desk: Desk) -> None:
    path = policy(desk, 'CMD\nscope = ["third-party-index"]')
    for words in (("--scope", "x"), ("--once",), ("--by", "Ann"), ("--until", "never")):
        code, document = desk.json("grant", "--policy", str(path), *words, cmd=False)
        assert (code, document["error"]["code"]) == (2, "usage")
    assert desk.json("grant", "--policy", str(path))[0] == 2


@linux
def test_a_policy_says_in_which_sandbox_a_provider_is_met(desk: Desk) -> None:
    desk.command = ["/bin/sh", "-c", f'test $$ = 1 && exec "$@" {desk.script}', "sh", sys.executable]
    path = policy(desk, 'CMD\nscope = ["acme:store"]\nsandbox = "processes"')
    code, document = desk.json("grant", "--policy", str(path), cmd=False)
    if document.get("error", {}).get("code") == "sandbox_unavailable":
        pytest.skip("reason: this system gives no user namespaces to make a sandbox of")
    assert code == 0
    code, document = desk.json("grant", "--policy", str(policy(desk, 'CMD\nscope = ["acme:store"]')), cmd=False)
    assert code == 4
    code, document = desk.json("grant", "--policy", str(path), "--sandbox", "none", cmd=False)
    assert (code, document["error"]["code"]) == (2, "usage")
