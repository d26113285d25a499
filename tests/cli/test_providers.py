"""`cgp-tui providers`, and the entries of the file in place of a command: as a person and as a script use them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.cli.main import main
from cgp_tui.target import stdio_target
from tests.cli.desk import Desk, at_terminal, within

PROVIDER = """
import json, os, pathlib, sys
pathlib.Path(__file__).with_suffix(".ran").touch()
flow = {"reads": True, "writes": False, "egress": True, "egress_scopes": ["third-party-index"]}
said = {"name": os.environ.get("WHO", "nobody"), "version": os.path.basename(os.getcwd()), "data_flow": flow}
for line in sys.stdin:
    kind = json.loads(line)["type"]
    if kind == "handshake":
        print(json.dumps({"type": "handshake_ack", "protocol_version": "contextgraph/1.0", "provider": said,
                          "capabilities": {"query": {"kinds": []}}}), flush=True)
    if kind == "query":
        print(json.dumps({"type": "frames", "result": {"frames": [], "truncated": False}}), flush=True)
    if kind == "shutdown":
        break
"""


class Person:
    """A desk with a configuration of its own, in a project's folder whose provider is `provider.py`."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self.desk = desk
        self.asked = 0
        self.user = folder / "config" / "cgp-tui.toml"
        self.folder = folder / "project"
        self.project = self.folder / "cgp-tui.toml"
        self.folder.mkdir()
        self.script = self.folder / "provider.py"
        self.script.write_text(PROVIDER)
        self.command = [sys.executable, "provider.py"]
        desk.environment |= {"CGP_TUI_CONFIG": str(self.user.parent), "WHO": "me"}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """One line as a script would run it, within this process, which is quicker to start; a query in one of its own,
        since two recordings of one process and one second have one name."""
        if words[0] != "query":
            with contextlib.chdir(self.folder):
                ran = within([*words], self.desk.environment)
            return subprocess.CompletedProcess(words, ran.returncode, ran.stdout.decode(), ran.stderr.decode())
        return subprocess.run(
            [*self.desk.cgp, *words],
            env=self.desk.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def json(self, *words: str) -> tuple[int, Any]:
        """The exit code and the one document, from a run within this process, which is quicker to start."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        at = words.index("--") if "--" in words else len(words)
        # Two recordings of one process in one second would have one name.
        self.asked += words[0] == "query"
        record = ("--record", str(self.folder / f"{self.asked}.ndjson")) if words[0] == "query" else ()
        with contextlib.redirect_stdout(out):
            code = main([*words[:at], *record, "--json", *words[at:]])
        return code, json.loads(out.buffer.getvalue().decode("ascii"))

    @property
    def ran(self) -> bool:
        return self.script.with_suffix(".ran").exists()

    def trust(self) -> None:
        digest = self.json("providers", "list")[1]["files"][1]["sha256"]
        assert self.json("providers", "trust", "--sha256", digest)[0] == 0


@pytest.fixture
def person(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    made = Person(desk, tmp_path)
    monkeypatch.setenv("CGP_TUI_CONFIG", str(made.user.parent))
    monkeypatch.setenv("WHO", "me")
    monkeypatch.chdir(made.folder)
    return made


# -- list, add, remove


def test_nothing_configured_says_what_to_try(person: Person) -> None:
    ran = person.run("providers", "list")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        f"{person.user}: not there",
        f"{person.project}: not there",
        "No provider is configured.",
        "Add one: cgp-tui providers add ID -- CMD...",
        "Or name its command: cgp-tui inspect -- CMD...",
    ]


def test_add_list_remove(person: Person) -> None:
    added = person.run("providers", "add", "docs", "--env", "WHO", "--timeout-handshake", "5", "--", "docs", "--x", "a b")
    assert (added.returncode, added.stdout) == (0, f"Added docs to {person.user}.\n")
    assert added.stderr == "Watch it: cgp-tui inspect --id docs\n"
    assert not person.ran
    listed = person.run("providers", "list").stdout.splitlines()
    assert listed[:5] == [
        f"{person.user}: yours",
        "  docs  docs --x 'a b'",
        f"    in: {person.user.parent}",
        "    gets: WHO",
        "    waits: handshake 5 s",
    ]
    removed = person.run("providers", "remove", "docs")
    assert (removed.returncode, removed.stdout) == (0, f"Removed docs from {person.user}.\n")
    assert person.user.read_bytes() == b""


def test_the_json_document_has_the_same_members_on_success_and_on_failure(person: Person) -> None:
    code, made = person.json("providers", "add", "docs", "--project", "--timeout-exchange", "2.5", "--", "docs")
    assert (code, made["done"]) == (0, {"act": "added", "id": "docs", "path": str(person.project)})
    code, listed = person.json("providers", "list")
    assert code == 0
    assert list(listed) == ["files", "providers", "faults", "done"]
    assert [(file["from"], file["there"], file["trusted"]) for file in listed["files"]] == [
        ("user", False, False),
        ("project", True, False),
    ]
    assert listed["providers"] == [
        {
            "id": "docs",
            "from": "project",
            "trusted": False,
            "shadowed": False,
            "command": ["docs"],
            "url": None,
            "env": [],
            "cwd": str(person.folder),
            "roots": [],
            "sandbox": "none",
            "timeouts": {"handshake": None, "exchange": 2.5},
        }
    ]
    code, failed = person.json("providers", "remove", "web", "--project")
    assert code == 2
    assert list(failed) == ["files", "providers", "faults", "done", "error"]
    assert failed["error"] == {"code": "usage", "message": "There is no entry web.", "fix": "There are: docs."}


def test_an_edit_keeps_what_an_editor_wrote(person: Person) -> None:
    before = b'\xef\xbb\xbf# mine\r\n[providers.a]\r\ncommand = ["a"] # why\r\nmood = "good"\r\n# the end'
    person.user.parent.mkdir()
    person.user.write_bytes(before)
    assert person.json("providers", "add", "b", "--", "b")[0] == 0
    after = person.user.read_bytes()
    assert after == before + b'\r\n\r\n[providers.b]\r\ncommand = ["b"]\r\n'
    assert person.json("providers", "remove", "a")[0] == 0
    assert person.user.read_bytes() == b"\xef\xbb\xbf# mine\r\n# the end\r\n" + after[len(before) + 2 :]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "docs"], "No provider is named."),
        (["add", "docs", "docs", "--stdio"], "cgp-tui providers add docs -- docs --stdio"),
        (["add", "../x", "--", "docs"], "'../x' cannot be added: it cannot be an id."),
        (["add", "docs", "--timeout-handshake", "0", "--", "docs"], "cannot be added (timeouts)"),
        (["add", "docs", "--env", "A=1", "--", "docs"], "cannot be added (env)"),
        (["add", "docs", "--", ""], "cannot be added (command)"),
        (
            ["add", "docs", "--cwd", "~nobody-of-that-name/x", "--", "docs"],
            "there is no such home folder. Give a whole path.",
        ),
        (["add", "there", "--", "docs"], "There is an entry there already."),
        (["remove", "docs"], "There is no entry docs. There are: there."),
        (["remove", "docs", "--project"], "There is no entry docs. There is none here; `cgp-tui providers list` shows all."),
        (["trust"], "There is no "),
    ],
)
def test_what_cannot_be_done_is_one_line(person: Person, words: list[str], said: str) -> None:
    person.user.parent.mkdir()
    person.user.write_text('[providers.there]\ncommand = ["there"]\n')
    ran = person.run("providers", *words)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said in ran.stderr and len(ran.stderr.splitlines()) == 1
    assert person.user.read_text() == '[providers.there]\ncommand = ["there"]\n'


def test_a_command_with_relative_paths_keeps_its_folder(person: Person) -> None:
    person.json("providers", "add", "a", "--", *person.command)
    person.json("providers", "add", "b", "--", "docs", "no-such-file")
    person.json("providers", "add", "c", "--", "./provider.py")
    person.json("providers", "add", "d", "--cwd", "sub", "--", "docs")
    person.json("providers", "add", "e", "--cwd", "sub", "--project", "--", "docs")
    person.json("providers", "add", "f", "--project", "--", *person.command)
    folders = {entry["id"]: entry["cwd"] for entry in person.json("providers", "list")[1]["providers"]}
    here, home = str(person.folder), str(person.user.parent)
    assert folders == {"a": here, "b": home, "c": here, "d": f"{here}/sub", "e": f"{here}/sub", "f": here}
    assert b"cwd" not in person.project.read_bytes().replace(b'cwd = "sub"', b"")


def test_the_folders_that_provenance_is_held_against(person: Person) -> None:
    person.json("providers", "add", "a", "--root", "src", "--root", "/docs", "--", "docs")
    person.json("providers", "add", "b", "--root", "src", "--project", "--", "docs")
    roots = {entry["id"]: entry["roots"] for entry in person.json("providers", "list")[1]["providers"]}
    here = person.folder
    assert roots == {"a": [f"{here}/src", "/docs"], "b": [f"{here}/src"]}
    assert b'roots = ["src"]' in person.project.read_bytes()
    assert person.run("providers", "add", "c", "--root", "~nobody-of-that-name/x", "--", "docs").returncode == 2


def test_bad_entries_are_named_and_the_rest_is_listed(person: Person) -> None:
    person.user.parent.mkdir()
    person.user.write_text('[providers.a]\ncommand = "x"\n[providers.b]\ncommand = ["b"]\nmood = 1\n')
    ran = person.run("providers", "list")
    assert ran.returncode == 0
    assert "  b  b" in ran.stdout
    assert "  ! a.command: it is not a list of strings. Write the program and each argument" in ran.stdout
    assert "  ! b.mood: it is kept and not used." in ran.stdout
    faults = person.json("providers", "list")[1]["faults"]
    assert [(fault["id"], fault["key"], fault["harmless"]) for fault in faults] == [
        ("a", "command", False),
        ("b", "mood", True),
    ]
    assert "(command)" in person.run("query", "g", "--id", "a").stderr


@pytest.mark.parametrize(("make", "code", "name"), [(os.mkfifo, 3, "store_unsafe"), (Path.touch, 2, "unreadable")])
def test_a_file_that_cannot_be_used_is_named_and_the_other_is_listed(
    person: Person, make: Any, code: int, name: str
) -> None:
    make(person.project)
    if name == "unreadable":
        person.project.write_bytes(b"providers = [")
    person.json("providers", "add", "docs", "--", "docs")
    found, listed = person.json("providers", "list")
    assert (found, listed["error"]["code"]) == (code, name)
    assert [entry["id"] for entry in listed["providers"]] == ["docs"]
    assert str(person.project) in person.run("providers", "list").stdout


def test_credentials_are_masked_and_nothing_else_is_left_out(person: Person) -> None:
    words = [f"word{number}" for number in range(100)]
    person.json("providers", "add", "docs", "--project", "--", "docs", "--api-key", "hunter2", "--token=abc", *words)
    ran = person.run("providers", "list")
    assert "hunter2" not in ran.stdout and "abc" not in ran.stdout
    assert "docs --api-key '***' '--token=***' word0" in ran.stdout and "word99" in ran.stdout
    command = person.json("providers", "list")[1]["providers"][0]["command"]
    assert command == ["docs", "--api-key", "***", "--token=***", *words]


# -- trust


def test_a_projects_file_is_trusted_by_its_digest_alone_without_a_terminal(person: Person) -> None:
    person.json("providers", "add", "docs", "--project", "--", *person.command)
    asked = person.run("providers", "trust")
    assert (asked.returncode, asked.stdout) == (3, "")
    assert f"  docs  {sys.executable} provider.py" in asked.stderr, "it is shown what it runs"
    digest = re.findall(r"cgp-tui providers trust --sha256 ([0-9a-f]{64})", asked.stderr)[0]
    wrong = person.json("providers", "trust", "--sha256", "0" * 64)
    assert (wrong[0], wrong[1]["error"]["code"]) == (3, "project_untrusted")
    done = person.run("providers", "trust", "--sha256", f"sha256:{digest}")
    assert (done.returncode, done.stdout) == (0, f"Trusted as it is: {person.project}\n")
    assert person.json("providers", "trust")[0] == 0, "what is trusted already asks nothing"
    person.json("providers", "add", "more", "--project", "--", "x")
    assert person.json("providers", "trust")[1]["error"]["code"] == "project_untrusted"
    assert not person.ran


@pytest.mark.parametrize("typed", ["digest", "else"])
def test_a_person_types_the_first_digits(person: Person, typed: str) -> None:
    person.json("providers", "add", "docs", "--project", "--", *person.command)
    digest = person.json("providers", "list")[1]["files"][1]["sha256"]
    answer = digest[:8].encode() if typed == "digest" else b"yes"
    code, seen = at_terminal(
        person.desk,
        [*person.desk.cgp, "providers", "trust"],
        [(b"Enter.", answer + b"\n")],
        before=digest[:8].encode() + b"\n",
    )
    assert b"provider.py" in seen and digest.encode() in seen.replace(b"\r\n", b"")
    assert code == (0 if typed == "digest" else 3)
    assert person.json("providers", "list")[1]["files"][1]["trusted"] == (typed == "digest")


# -- entries in place of a command


def test_nothing_of_a_project_runs_before_it_is_trusted(person: Person) -> None:
    person.json("providers", "add", "docs", "--project", "--", *person.command)
    code, answer = person.json("query", "g", "--id", "docs")
    assert (code, answer["outcome"], answer["error"]["code"]) == (3, "failed", "project_untrusted")
    assert answer["error"]["fix"].endswith(": cgp-tui providers trust")
    code, granted = person.json("consent", "grant", "--id", "docs", "--scope", "third-party-index")
    assert (code, granted["error"]["code"]) == (3, "project_untrusted")
    assert not person.ran
    person.trust()
    code, answer = person.json("query", "g", "--id", "docs")
    assert (code, answer["outcome"]) == (3, "consent_required")
    assert person.ran


def test_an_entry_is_started_as_it_says(person: Person) -> None:
    sub = person.folder / "sub"
    sub.mkdir()
    person.json("providers", "add", "docs", "--env", "WHO", "--cwd", "sub", "--", sys.executable, str(person.script))
    code, granted = person.json("consent", "grant", "--id", "docs", "--scope", "third-party-index")
    assert code == 0
    assert (granted["granted"][0]["provider_name"], granted["granted"][0]["provider_version"]) == ("me", "sub")
    assert granted["granted"][0]["provider_id"] == "docs"
    code, answer = person.json("query", "g", "--id", "docs")
    assert (code, answer["provider"]) == (0, {"id": "docs", "name": "me", "version": "sub"})


@pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are made of Linux namespaces")
def test_its_sandbox_stands_around_it_and_the_line_wins(person: Person) -> None:
    person.json("providers", "add", "docs", "--sandbox", "no-network", "--", sys.executable, str(person.script))
    code, answer = person.json("query", "g", "--id", "docs")
    if answer["error"]["code"] == "sandbox_unavailable":
        pytest.skip("reason: this system gives no user namespaces to make a sandbox of")
    notes = [json.loads(line) for line in Path(answer["transcript"]).read_text().splitlines()]
    assert (code, [note["sandbox"] for note in notes if note.get("note") == "spawn"]) == (3, ["no-network"])
    code, answer = person.json("query", "g", "--id", "docs", "--sandbox", "none")
    assert '"sandbox":"none"' in Path(answer["transcript"]).read_text()


def test_its_time_limit_holds(person: Person) -> None:
    person.json("providers", "add", "docs", "--timeout-handshake", "0.5", "--", "sleep", "600")
    code, answer = person.json("query", "g", "--id", "docs")
    assert (code, answer["error"]["code"]) == (4, "timeout")
    notes = [json.loads(line) for line in Path(answer["transcript"]).read_text().splitlines()]
    (waited,) = [note["after_s"] for note in notes if note.get("note") == "gave_up"]
    assert 0.5 <= waited < 9, "the usual limit is 10 s"


def test_consent_is_bound_alike_from_the_file_and_from_the_line(person: Person) -> None:
    command = [sys.executable, str(person.script)]
    person.json("providers", "add", "docs", "--env", "WHO", "--", *command)
    scope = ("--scope", "third-party-index")
    code, granted = person.json("consent", "grant", "--id", "docs", "--env", "WHO", *scope, "--", *command)
    target = stdio_target(command, env=["WHO"])
    assert (code, granted["granted"][0]["target"], granted["granted"][0]["code"]) == (0, target.digest, target.code)
    named = ("--provider", "docs", "--name", "me")
    home = person.user.parent.name
    assert person.json("query", "g", "--id", "docs", "--env", "WHO", "--", *command)[0] == 0
    code, answer = person.json("query", "g", "--id", "docs")
    assert (code, answer["error"]["needs"][0]["reason"]) == (3, "identity_changed"), "it says another version in its folder"
    assert person.json("consent", "grant", "--id", "docs", *scope)[1]["granted"][0]["target"] == target.digest
    assert person.json("query", "g", "--id", "docs")[0] == 0
    for cmd in ((), ("--env", "WHO", "--", *command)):
        assert person.json("consent", "check", *named, "--version", home, *scope, *cmd)[0] == 0
    person.script.write_text(PROVIDER + "#\n")
    code, checked = person.json("consent", "check", *named, "--version", home, *scope)
    assert (code, checked["needs"][0]["reason"]) == (3, "identity_changed"), "asked of the entry as it is now"


def test_the_advice_of_a_refusal_names_the_entry(person: Person) -> None:
    person.json("providers", "add", "docs", "--", sys.executable, str(person.script), "--token=abc")
    ran = person.run("query", "g", "--id", "docs")
    assert ran.returncode == 3
    advised = re.findall(r"cgp-tui (consent grant [^\n]*?--id docs)(?: --ledger \S+)?", ran.stderr)
    assert advised and "CMD" not in ran.stderr
    assert person.run(*advised[0].split()).returncode == 0
    assert person.run("query", "g", "--id", "docs").returncode == 0


def test_the_command_line_wins(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    person.json("providers", "add", "docs", "--env", "WHO", "--", sys.executable, str(person.script))
    other = person.folder / "other.py"
    other.write_text(PROVIDER.replace('"nobody"', '"other"'))
    code, answer = person.json("query", "g", "--id", "docs", "--", sys.executable, str(other))
    assert (code, answer["provider"]["name"], answer["provider"]["version"]) == (3, "other", "project")
    monkeypatch.setenv("OTHER", "1")
    code, answer = person.json("query", "g", "--id", "docs", "--env", "OTHER")
    assert answer["provider"]["name"] == "nobody", "its own names are not passed on"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["query", "g"], "providers add ID -- CMD..."),
        (["query", "g", "--id", "dosc"], "Did you mean docs?"),
        (["query", "g", "--id", "web"], "The entry web is a URL, and those cannot be opened yet."),
        (["query", "g", "--id", "../x"], "'../x' cannot be an id."),
        (["consent", "grant", "--scope", "third-party-index"], "providers add ID -- CMD..."),
        (["inspect"], "needs a terminal"),
    ],
)
def test_what_names_no_entry_is_one_line(person: Person, words: list[str], said: str) -> None:
    person.user.parent.mkdir()
    person.user.write_text('[providers.docs]\ncommand = ["docs"]\n[providers.web]\nurl = "https://cgp.example/v1"\n')
    ran = person.run(*words)
    assert ran.returncode == 2
    assert said in ran.stderr and len(ran.stderr.splitlines()) == 1
