"""Values that must stay where they belong: the whole product is used with one in every place that holds a secret, and then
every file, screen, output, command line and environment is searched for them."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from cgp_tui.host.guard import children
from tests.conftest import ROOT
from tests.reliability.campaign import Figures, Run, folder
from tests.terminal import Terminal

_PROVIDER = """
import json, os, sys
said = json.loads(os.environ["HOME"] and open(sys.argv[1]).read())
print(said["stderr"], file=sys.stderr, flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "handshake":
        print(json.dumps(said["ack"]), flush=True)
    elif asked["type"] == "query":
        print(json.dumps({"type": "frames", "id": asked.get("id"), "result": said["result"]}), flush=True)
    else:
        break
"""
_ACK = {
    "type": "handshake_ack",
    "protocol_version": "contextgraph/1.0",
    "provider": {
        "name": "docs",
        "version": "1.0.0",
        "data_flow": {"reads": True, "writes": False, "egress": True, "egress_scopes": ["third-party-index"]},
    },
    "capabilities": {"query": {"kinds": ["doc"]}, "correlation": True},
}
_SCOPE = ("--scope", "third-party-index")


class Canary(msgspec.Struct, frozen=True):
    """A value that is easy to find, and the places in which it may be."""

    value: str
    may_be: frozenset[str]


def _canary(name: str, *may_be: str) -> Canary:
    # Letters alone, as words are: nothing is hidden because it looks like a token.
    letters = "".join(chr(ord("a") + byte % 26) for byte in secrets.token_bytes(10))
    return Canary(f"canary{name}{letters}", frozenset(may_be))


_ARGUMENT = ("argv of the command", "argv of the provider", "providers file")
_SHOWN = ("screen", "recording")


def _made() -> dict[str, Canary]:
    return {
        "variable that was not named": _canary("unnamed", "environment of the command"),
        "variable that was named": _canary("named", "environment of the command", "environment of the provider"),
        "value after an option": _canary("option", *_ARGUMENT),
        "value after NAME=": _canary("assigned", *_ARGUMENT),
        "header": _canary("header", *_ARGUMENT),
        "userinfo of a URL": _canary("userinfo", *_ARGUMENT),
        "query of a URL": _canary("query", *_ARGUMENT),
        "goal that was refused": _canary("refused", "argv of the command"),
        "goal that was sent": _canary("sent", "argv of the command", "kept queries", *_SHOWN),
        "answer": _canary("answer", *_SHOWN, "output of query"),
        "stderr of the provider": _canary("stderr", *_SHOWN),
    }


class _Machine:
    """A person's machine, where everything that is written lands in one folder."""

    def __init__(self, place: Path, found: Figures) -> None:
        self.home, self.found = place / "home", found
        self.canaries = _made()
        self.seen: dict[str, set[str]] = {name: set() for name in self.canaries}
        self.places = self.searched = 0
        for made in (self.home, self.home / "tmp", place / "provider"):
            made.mkdir(parents=True, mode=0o700)
        script, said = place / "provider" / "p.py", place / "provider" / "said.json"
        script.write_text(_PROVIDER)
        content = f"{self['answer']} and more"
        frame = {"id": "f1", "kind": "doc", "title": "t", "content": content, "score": 0.5, "citation_label": "c"}
        frame["token_cost"] = -(-len(content) // 4)
        result = {"frames": [frame], "truncated": False}
        said.write_text(json.dumps({"ack": _ACK, "stderr": self["stderr of the provider"], "result": result}))
        self.environment = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "TERM": "xterm-256color",
            "CGP_TUI_STATE": str(self.home / "state"),
            "CGP_TUI_LEDGER": str(self.home / "data" / "receipts.toml"),
            "CGP_TUI_CONFIG": str(self.home / "config"),
            "PYTHONPATH": str(ROOT),
            "AWS_SECRET_ACCESS_KEY": self["variable that was not named"],
            "API_TOKEN": self["variable that was named"],
        }
        self.provider = [
            *(sys.executable, str(script), str(said), "--token", self["value after an option"]),
            f"API_KEY={self['value after NAME=']}",
            f"Authorization: Bearer {self['header']}",
            f"https://user:{self['userinfo of a URL']}@host.example/x?token={self['query of a URL']}",
        ]
        self.options = ["--env", "API_TOKEN", "--id", "docs"]

    def __getitem__(self, name: str) -> str:
        return self.canaries[name].value

    def line(self, *words: str, ask: bool = True) -> list[str]:
        tail = [*self.options, "--", *self.provider] if ask else []
        return [sys.executable, "-m", "cgp_tui", *words, *tail]

    def search(self, where: str, data: bytes, what: str = "") -> None:
        """Note where a value was found, and that it may be there."""
        self.places += 1
        self.searched += len(data)
        for name, canary in self.canaries.items():
            if any(form in data for form in _forms(canary.value)):
                self.seen[name].add(where)
                self.found.expect(where in canary.may_be, f"{name}: in {where} {what}")
            else:
                self.found.expect(True, "")

    def look(self, pid: int) -> None:
        """At what the command has started at this moment."""
        stack = [pid]
        while stack:
            at = stack.pop()
            entry = Path("/proc") / str(at)
            with contextlib.suppress(OSError):
                stack += children(at)
                command, environment = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
                # Between the two looks it may have become another program.
                if command == (entry / "cmdline").read_bytes():
                    self.search(f"argv of {_who(command)}", command.replace(b"\0", b" "), str(at))
                    self.search(f"environment of {_who(command)}", environment, str(at))

    def run(self, *words: str, ask: bool = True, code: int = 0) -> bytes:
        """One command, looked at while it runs; its stdout."""
        with (self.home.parent / "out").open("w+b") as out, (self.home.parent / "err").open("w+b") as err:
            line = self.line(*words, ask=ask)
            process = subprocess.Popen(line, stdin=-3, stdout=out, stderr=err, env=self.environment, cwd=self.home)
            while process.poll() is None:
                self.look(process.pid)
                time.sleep(0.01)
            out.seek(0)
            err.seek(0)
            said, told = out.read(), err.read()
        where = "output of query" if words[0] == "query" else f"output of {words[0]}"
        self.search(where, said, " ".join(words))
        self.search("stderr", told, " ".join(words))
        self.found.expect(process.returncode == code, f"{words}: exit {process.returncode}, {told.decode()[-300:]}")
        return said

    @contextlib.contextmanager
    def screen(self, *words: str, ask: bool = True) -> Iterator[Terminal]:
        """One command on a terminal; every byte of it is searched."""
        with Terminal(self.line(*words, ask=ask), 40, 140, env=self.environment, cwd=self.home) as made:
            yield made
            self.look(made.process.pid)
            raw = made.raw
        self.search("screen", raw, words[0])


def _who(command: bytes) -> str:
    """Whose command line it is; before its exec a child still has that of the command."""
    words = command.split(b"\0")
    if b"cgp_tui" in words:
        return "the command"
    return "the provider" if any(word.endswith(b"/p.py") for word in words[:2]) else "the guard"


def _forms(value: str) -> tuple[bytes, ...]:
    """The value as it is, backwards, in hex, and in base64 at each of its three beginnings."""
    raw = value.encode()
    coded = [base64.b64encode(bytes(pad) + raw)[4:-4] for pad in range(3)]
    return (raw, raw[::-1], raw.hex().encode(), *coded)


def kept(run: Run) -> Figures:
    found = Figures()
    with folder() as place:
        machine = _Machine(place, found)
        _use(machine)
        _search_files(machine)
        for name in machine.canaries:
            # A search that finds nothing anywhere has not looked.
            found.expect(bool(machine.seen[name]), f"{name}: it was nowhere at all")
        wrong = sum(len(machine.seen[name] - canary.may_be) for name, canary in machine.canaries.items())
        found.more = {
            "canaries": str(len(machine.canaries)),
            "searched": f"{machine.places} places, {machine.searched:,} bytes",
            "places where one must not be": str(wrong),
        }
    return found


def _use(machine: _Machine) -> None:
    run, sent = machine.run, machine["goal that was sent"]
    run("query", machine["goal that was refused"], "--query-text", machine["goal that was refused"], "--json", code=3)
    run("query", machine["goal that was refused"], code=3)
    run("consent", "grant", *_SCOPE)
    identity = ("--provider", "docs", "--name", "docs", "--version", "1.0.0")
    run("consent", "check", *_SCOPE, *identity, ask=False)
    # A line with a mistake: what is said of it repeats no credential.
    run("consent", "check", *_SCOPE, *identity, "more", code=2)
    run("query", sent, "--query-text", sent)
    run("query", sent, "--json", "--record", "session.ndjson")
    run("consent", "list", ask=False)
    run("consent", "list", "--json", ask=False)
    receipts = json.loads(run("consent", "history", "--json", ask=False))
    run("consent", "history", ask=False)
    run("consent", "show", _receipt_id(receipts), ask=False)
    run("consent", "audit", "session.ndjson", ask=False)
    run("consent", "head", ask=False)
    run("consent", "export", "--format", "reference-json", ask=False)
    for form in ("text", "json", "junit", "sarif"):
        run("check", "session.ndjson", "--format", form, ask=False)
    run("providers", "add", "docs", "--env", "API_TOKEN", "--", *machine.provider, ask=False)
    run("providers", "list", ask=False)
    _inspect(machine)
    with machine.screen("replay", "session.ndjson", ask=False) as screen:
        screen.wait("handshake_ack")
        _walk(screen)
        screen.send("q")
        screen.ended()
    run("consent", "revoke", *_SCOPE, "--id", "docs", ask=False)
    run("consent", "deny", *_SCOPE)
    run("query", machine["goal that was refused"], "--json", code=3)


def _receipt_id(document: Any) -> str:
    (found,) = {one["receipt_id"] for one in document["receipts"] if one["kind"] == "grant"}
    return str(found)


def _walk(screen: Terminal) -> None:
    """Over every line and each of its tabs."""
    for _ in range(6):
        for key in ("\r", "j", "]", "]", "]", "]", "\x1b", "\x1b"):
            screen.send(key)
            screen.read(0.1)
        screen.send("j")
        screen.read(0.1)


def _inspect(machine: _Machine) -> None:
    with machine.screen("inspect") as screen:
        screen.wait("handshake_ack")
        machine.look(screen.process.pid)
        screen.send("c")
        screen.wait("third-party-index")
        screen.send("\r")
        screen.read(1)
        screen.send("\x1b")
        screen.read(0.5)
        screen.send("\x1b")
        screen.read(0.5)
        screen.send("a")
        screen.read(0.5)
        screen.send(machine["goal that was sent"])
        screen.read(0.5)
        screen.send("\r")
        screen.wait("← frames")
        _walk(screen)
        screen.send("q")
        screen.wait("still running")
        screen.send("\t")
        screen.read(0.3)
        screen.send("\r")
        screen.ended()


def _search_files(machine: _Machine) -> None:
    kinds: tuple[tuple[str, Callable[[Path], bool]], ...] = (
        ("recording", lambda path: path.suffix == ".ndjson"),
        ("providers file", lambda path: path.name == "cgp-tui.toml"),
        ("the ledger", lambda path: path.name.startswith("receipts.toml")),
        ("kept queries", lambda path: path.name == "queries.json"),
    )
    for path in sorted(machine.home.rglob("*")):
        machine.search("the name of a file", str(path.relative_to(machine.home)).encode())
        if path.is_file():
            where = next((kind for kind, fits in kinds if fits(path)), f"the file {path.relative_to(machine.home)}")
            machine.search(where, path.read_bytes())
