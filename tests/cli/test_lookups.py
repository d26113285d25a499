"""`check --root`, `check --history` and the keys that the person trusts: what is looked up beside the rules."""

from __future__ import annotations

import json
import os
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.cli.main import main
from cgp_tui.protocol.envelope import Frames
from cgp_tui.store.trust import TrustStore
from cgp_tui.wire.encode import encode
from tests.analysis.test_history import frame, write
from tests.checks import signed
from tests.store.test_trust import entry

BODY = b"alpha\nbeta\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CGP_TUI_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "real.txt").write_bytes(BODY)
    return folder


def citing(name: str, root: Path, cited: bytes = BODY, file: str = "real.txt", **more: str) -> dict[str, Any]:
    link = {"type": "file", "uri": f"file://{root}/{file}", "digest": f"sha256:{sha256(cited).hexdigest()}", **more}
    return {**frame(name, cited.decode()), "provenance": [{"type": "derivation", "method": "m"}, link]}


def run(capfdbinary: pytest.CaptureFixture[bytes], *words: str | Path) -> tuple[int, str, str]:
    code = main(["check", *map(str, words)])
    out, err = capfdbinary.readouterr()
    return code, out.decode(), err.decode()


def document(capfdbinary: pytest.CaptureFixture[bytes], *words: str | Path) -> Any:
    return json.loads(run(capfdbinary, *words, "--format", "json")[1])


@pytest.fixture
def answer(tmp_path: Path, root: Path) -> Path:
    (tmp_path / "secret.txt").write_bytes(BODY)
    frames = [
        citing("good", root),
        citing("line", root, b"beta\n", range="L2"),
        citing("old", root, b"alphA\nbeta\n"),
        citing("odd", root, range="2"),
        citing("out", root, file="../secret.txt"),
    ]
    return write(tmp_path / "a.ndjson", frames)


def test_each_file_link_with_its_outcome(answer: Path, root: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    report = document(capfdbinary, answer, "--root", root)
    assert [(one["line"], one["frame_id"], one["link"], one["outcome"]) for one in report["provenance"]] == [
        (4, "good", 2, "matches"),
        (4, "line", 2, "matches"),
        (4, "old", 2, "differs"),
        (4, "odd", 2, "unverifiable"),
        (4, "out", 2, "outside roots"),
    ]
    old, odd = report["provenance"][2:4]
    assert (old["first_byte"], old["bytes"], old["why"]) == (4, len(BODY), None)
    assert (odd["first_byte"], odd["bytes"]) == (None, None)
    assert "range" in odd["why"]
    assert "history" not in report
    code, text, err = run(capfdbinary, answer, "--root", root)
    assert (code, err) == (0, "")
    assert (
        f"line 4 old, link 2: file://{root}/real.txt: re-read 11 bytes under {root}: differs, the first at byte 4\n" in text
    )
    assert text.endswith("provenance: 2 matches, 1 differs, 1 unverifiable, 1 outside roots\n")


def test_digests_of_files_are_told_to_those_who_ask(
    answer: Path, root: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A transcript's author who sees a report must not learn what is in the files."""
    computed = sha256(BODY).hexdigest()
    old = b"alphA"
    assert computed in run(capfdbinary, answer, "--root", root, "--show-digests")[1]
    lone = write(answer.with_name("b.ndjson"), [citing("old", root, old)])
    for words in ((), ("--format", "json")):
        assert computed not in run(capfdbinary, lone, "--root", root, *words)[1]
        assert computed in run(capfdbinary, lone, "--root", root, "--show-digests", *words)[1]


def test_without_a_folder_no_file_is_looked_at(answer: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert document(capfdbinary, answer)["provenance"] == []


def test_fifos_devices_and_huge_files_do_not_hold_it_up(
    root: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    os.mkfifo(root / "fifo")
    (root / "link").symlink_to("real.txt")
    with (root / "huge").open("wb") as file:
        file.truncate(8 << 30)
    path = write(tmp_path / "a.ndjson", [citing(name, root, file=name) for name in ("fifo", "link", "huge", "real.txt/x")])
    began = time.monotonic()
    report = document(capfdbinary, path, "--root", root)
    assert {one["outcome"] for one in report["provenance"]} == {"unverifiable"}
    assert time.monotonic() - began < 120


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--show-digests",), "--root"),
        (("--root", "/nowhere/at/all"), "cannot be opened"),
        (("--history", "/nowhere/at/all"), "/nowhere/at/all"),
        (("--root", "/", "--format", "sarif"), "findings alone"),
        (("--history", "x", "--format", "junit"), "findings alone"),
    ],
)
def test_what_would_come_to_nothing_is_said(
    words: tuple[str, ...], says: str, answer: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    code, out, err = run(capfdbinary, answer, *words)
    assert code == 2
    assert says in out + err


# -- history


def test_where_frames_were_met_before(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    lie = frame("f", "other", frame("f")["content_digest"])
    other = write(tmp_path / "other.ndjson", [lie], [frame("g", "x")])
    path = write(tmp_path / "a.ndjson", [frame("f"), frame("new", "n")], [frame("g", "x"), frame("f")])
    report = document(capfdbinary, path, "--history", other)
    seen = [(one["line"], one["frame_id"], one["times"], one["changed"]) for one in report["history"]]
    assert seen == [(4, "f", 1, True), (6, "g", 1, False), (6, "f", 2, True)]
    assert report["history"][2]["seen"] == [
        {"transcript": str(other), "line": 4, "same": False},
        {"transcript": None, "line": 4, "same": True},
    ]
    code, text, _ = run(capfdbinary, path, "--history", other)
    assert code == 0
    assert f"line 6 f, seen before on {other} line 4, line 4: OTHER BYTES under one identity (D2)\n" in text
    assert f"line 6 g, seen before on {other} line 6: same bytes\n" in text
    assert text.endswith("history: 3 of the frames were seen before, 2 with different bytes\n")


def test_the_transcript_itself_among_the_others_is_read_once(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = write(tmp_path / "a.ndjson", [frame("f")], [frame("f")])
    (tmp_path / "link.ndjson").symlink_to(path)
    for same in (path, tmp_path / "link.ndjson"):
        (again,) = document(capfdbinary, path, "--history", same)["history"]
        assert (again["line"], again["times"]) == (6, 1)
        assert run(capfdbinary, path, "--history", same)[1].endswith(
            "history: 1 of the frames was seen before, 0 with different bytes\n"
        )


# -- whom the person trusts


@pytest.fixture
def attested(tmp_path: Path) -> Path:
    """A signed answer on line 4."""
    path = write(tmp_path / "signed.ndjson", [], provider=signed.NAME)
    lines = path.read_bytes().splitlines()
    lines[1] = encode(signed.ack())
    query = json.loads(lines[2]) | {"id": "q"}
    lines[2:] = [json.dumps(query).encode(), encode(Frames(signed.answer(signed.frame("a")), "q"))]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def trust(home: Path, *names: str, **window: str) -> TrustStore:
    store = TrustStore(home / "config" / "trust.toml")
    key = signed.trusted().public_key
    store.add(entry(key, "Ada", *names, **window), lambda: None)
    return store


def standings(capfdbinary: pytest.CaptureFixture[bytes], path: Path) -> set[tuple[str, str | None]]:
    return {(one["standing"], one["signer"]) for one in document(capfdbinary, path)["attestations"]}


def test_the_trust_store_names_the_signer(home: Path, attested: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert standings(capfdbinary, attested) == {("signer_unknown", None)}
    store = trust(home, signed.NAME)
    assert standings(capfdbinary, attested) == {("attested", "Ada")}
    store.remove(signed.trusted().public_key.hex())
    assert standings(capfdbinary, attested) == {("signer_unknown", None)}


@pytest.mark.parametrize(
    ("names", "window"),
    [
        (("another",), {}),
        ((signed.NAME,), {"after": "2020-01-01T00:00:00Z"}),
        ((signed.NAME,), {"before": "9000-01-01T00:00:00Z"}),
    ],
)
def test_a_key_for_others_or_other_dates_does_not_vouch(
    names: tuple[str, ...], window: dict[str, str], home: Path, attested: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    trust(home, *names, **window)
    assert standings(capfdbinary, attested) == {("signer_not_for_provider", "Ada")}


def test_a_store_that_cannot_be_used_is_told_and_nobody_is_trusted(
    home: Path, attested: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    store = trust(home, signed.NAME)
    store.path.write_bytes(store.path.read_bytes()[:-1])
    code, out, err = run(capfdbinary, attested, "--format", "json")
    report = json.loads(out)
    assert code == 0
    assert {one["standing"] for one in report["attestations"]} == {"signer_unknown"}
    assert report["trust_store"]["state"] == "damaged"
    assert report["trust_store"]["fix"].endswith(f"mv {store.path} {store.path}.damaged")
    assert "no key is trusted" in err
    store.path.unlink()
    assert "trust_store" not in document(capfdbinary, attested)


# -- keys met before


def with_key(path: Path, public_key: str) -> Path:
    """The signed answer with another key published under the same id."""
    other = path.with_name("other.ndjson")
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(signed.SIGNER.key.public_key.encode(), public_key.encode())
    other.write_bytes(b"".join(lines))
    return other


def test_a_key_that_changed_since_an_earlier_run_is_an_alarm_until_it_is_trusted(
    home: Path, attested: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = with_key(attested, "bb" * 32)
    assert "key when" not in run(capfdbinary, before)[1]
    for _ in range(2):
        code, text, err = run(capfdbinary, attested)
        assert (code, err) == (0, "")
        assert "This key_id had a different key when this provider was first seen here." in text
        (found,) = document(capfdbinary, attested)["findings"]
        assert (found["anchor"], found["level"], found["line"]) == ("6.5.4", "advice", 2)
        assert found["path"] == "/attester_keys/0/public_key"
        assert "bb" * 32 in found["expected"]
    trust(home, signed.NAME)
    for _ in range(2):
        assert document(capfdbinary, attested)["findings"] == []


def test_a_memory_that_cannot_be_used_is_told_and_nothing_fails(
    home: Path, attested: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run(capfdbinary, attested)
    memory = home / "state" / "seen-keys.json"
    memory.write_bytes(b"{")
    code, out, err = run(capfdbinary, attested, "--format", "json")
    assert (code, json.loads(out)["findings"]) == (0, [])
    assert err.count("unnoticed") == 1
    assert f"mv {memory} {memory}.damaged" in err
    assert memory.read_bytes() == b"{"


def test_a_state_folder_that_takes_nothing_is_told(
    home: Path, attested: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (home / "file").touch()
    monkeypatch.setenv("CGP_TUI_STATE", str(home / "file" / "state"))
    code, _, err = run(capfdbinary, attested)
    assert code == 0
    assert "goes unnoticed" in err
