"""The schemas of our documents take what is really written, and nothing else of their kind."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest

from cgp_tui.cli.main import main
from cgp_tui.protocol.frame import Provenance
from cgp_tui.report.schema import Document, schema
from cgp_tui.store.paths import CONFIG_VARIABLE, LEDGER_VARIABLE
from cgp_tui.transcript.writer import Writer
from cgp_tui.wire import note
from cgp_tui.wire.note import KnownNote
from tests.checks.signed import answer, by_root, frame, one_by_one
from tests.cli.test_prove import session


def validator(document: Document) -> Any:
    made = schema(document)
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


def test_of_a_transcript(tmp_path: Path) -> None:
    path = tmp_path / "s.ndjson"
    with path.open("wb") as file:
        writer = Writer(file.fileno(), "query", ledger=note.LedgerMark("l", 1, "h"))
        writer.line(1, "host", b'{"type":"handshake"}')
        writer.line(1, "provider", b"no json")
        writer.line(1, "host", b"\xff")
        for one in NOTES:
            writer.note(one)
    judge = validator("transcript")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert len(lines) == 4 + len(get_args(KnownNote))
    for line in lines:
        judge.validate(line)
    judge.validate({"note": "of a later format", "t": 1})
    wire = lines[1]
    for wrong in (
        {**wire, "text": "two of them"},
        {**wire, "n": 0},
        {"note": "exit", "t": "no"},
        {"format": "cgp-transcript/2"},
        {},
    ):
        assert not judge.is_valid(wrong), wrong


def _kinds() -> list[Any]:
    times: dict[str, Any] = {"t": 1.5, "connection": 1}
    return [
        note.Connect(provider_id="p", target=note.ShownTarget("stdio", ("a",), "d", "c"), **times),
        note.Spawn(pid=1, sandbox="none", **times),
        note.Exit(code=None, signal=9, ours=True, **times),
        note.Stderr(text="t", **times),
        note.GateNote(
            allowed=True,
            bytes=1,
            needs=(note.NeedNote("scope", "s", "ok", "r"),),
            ledger=note.LedgerMark("l", 1, "h"),
            **times,
        ),
        note.GaveUp(exchange=1, after_s=1.0, **times),
        note.Refused(line=1, fault="f", **times),
        note.Cut(exchange=1, bytes=1, **times),
        note.AnsweredAfterRevoke(line=1, **times),
        note.Poisoned(reason="r", **times),
        note.SendFailed(exchange=None, reason="r", **times),
        note.Dropped(lines=1, **times),
    ]


NOTES = _kinds()


@pytest.mark.parametrize("words", [[], ["--only", "F3"]])
def test_the_schema_of_check_takes_what_check_writes_and_needs_every_member(
    tmp_path: Path, words: list[str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    judge = validator("check")
    path = session(tmp_path / "s.ndjson", answer(frame("a")), by_root(frame("b", citation_label="")))
    for file in (path, tmp_path / "none"):
        main(["check", str(file), "--format", "json", *words])
        document = json.loads(capsysbinary.readouterr().out)
        judge.validate(document)
    assert "error" in document
    for name in document:
        if name not in ("history", "trust_store", "error"):
            assert not judge.is_valid({key: value for key, value in document.items() if key != name}), name


def test_of_check_beside_the_world(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "trust.toml").write_text("not one")
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path / "config"))
    (tmp_path / "f").write_bytes(b"f")
    links = [Provenance("file", f"file://{tmp_path}/f", digest="sha256:" + "0" * 64), Provenance("file", "file:///none")]
    result = answer(frame("a", provenance=tuple(links)))
    path = session(tmp_path / "s.ndjson", result, result)
    judge = validator("check")
    for more in ([], ["--show-digests"]):
        words = ["--root", str(tmp_path), "--history", str(path), *more]
        assert main(["check", str(path), "--format", "json", *words]) == 1
        document = json.loads(capsysbinary.readouterr().out)
        judge.validate(document)
        assert ("computed" in document["provenance"][0]) is bool(more)
        for name in ("provenance", "history"):
            for member in document[name][0].keys() - {"computed"}:
                entry = {key: value for key, value in document[name][0].items() if key != member}
                assert not judge.is_valid(document | {name: [entry]}), member
        assert not judge.is_valid(document | {"trust_store": document["trust_store"] | {"state": "ok"}})


@pytest.mark.parametrize("make", [answer, by_root, one_by_one])
@pytest.mark.parametrize("words", [[], ["--all"]])
def test_the_schema_of_a_bundle_takes_what_prove_writes_and_needs_every_member(
    tmp_path: Path, make: Any, words: list[str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = session(tmp_path / "s.ndjson", make(frame("a"), frame("b")))
    assert main(["prove", str(path), "--frame", "a", *words]) == 0
    document = json.loads(capsysbinary.readouterr().out)
    judge = validator("bundle")
    judge.validate(document)
    for name in ("keys", "format", "frames" if words else "frame"):
        assert not judge.is_valid({key: value for key, value in document.items() if key != name}), name


def test_the_schema_of_query_takes_what_query_writes_and_needs_every_member(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "ledger" / "receipts.toml"))
    judge = validator("query")
    served = [sys.executable, "-m", "cgp_tui", "serve"]
    documents = []
    for number, (code, command) in enumerate(
        ((0, [*served, "example-docs"]), (3, [*served, "example-index"]), (4, [sys.executable, "-c", ""]))
    ):
        line = ["query", "a budget", "--json", "--record", str(tmp_path / f"{number}.ndjson"), "--", *command]
        assert main(line) == code
        documents.append(json.loads(capsysbinary.readouterr().out))
    assert documents[0]["frames"] and documents[1]["error"]["needs"] and documents[2]["findings"]
    for document in documents:
        judge.validate(document)
        for name in document.keys() - {"error"}:
            assert not judge.is_valid({key: value for key, value in document.items() if key != name}), name
    for old in ({"frames": None}, {"outcome": "lied"}, {"error": {"code": "usage"}}, {"provider": {"id": "p"}}, {"more": 1}):
        assert not judge.is_valid(documents[0] | old), old


def test_the_command_prints_each(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    for name in get_args(Document):
        assert main(["schema", name]) == 0
        assert json.loads(capsysbinary.readouterr().out) == json.loads(json.dumps(schema(name)))
    assert main(["schema"]) == 0
    authoring = capsysbinary.readouterr().out
    assert main(["schema", "envelope", "--profile", "interop"]) == 0
    assert capsysbinary.readouterr().out != authoring
    assert main(["schema", "check", "--profile", "interop"]) == 2
    assert b"one profile of check" in capsysbinary.readouterr().err
