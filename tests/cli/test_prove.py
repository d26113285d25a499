"""`cgp-tui prove` and `verify-bundle`: a frame signed, recorded, proved, sent away and verified there, by hand too."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cgp_tui import limits
from cgp_tui.cli.main import main
from cgp_tui.protocol import ed25519
from cgp_tui.protocol.envelope import Frames, Handshake, Query
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.providers.example_docs import SEED as EXAMPLE_SEED
from cgp_tui.store.paths import CONFIG_VARIABLE
from cgp_tui.transcript.record import Header, encode_header, encode_line
from cgp_tui.wire.encode import encode
from cgp_tui.wire.line import Line
from tests.checks.signed import SEED, ack, answer, by_root, frame, one_by_one
from tests.conftest import ROOT

SCRIPT = re.compile(r"^```bash\n(.*?)^```$", re.DOTALL | re.MULTILINE)
KEY = ed25519.public_key(SEED).hex()


def session(path: Path, *results: Any) -> Path:
    """A bare transcript with one signed answer after another."""
    lines = [encode(Handshake("contextgraph/1.0")), encode(ack())]
    for number, result in enumerate(results, 1):
        lines += [encode(Query(ContextQuery("why", 10_000, 1_000_000), f"q{number}")), encode(Frames(result, f"q{number}"))]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which no key is trusted yet."""
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path / "config"))
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("CGP_TUI_LEDGER", str(tmp_path / "data" / "l.toml"))


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    return session(tmp_path / "s.ndjson", answer(frame("a"), frame("b", "Größe\n\u202e"), frame("c")))


def run(*words: object) -> int:
    return main([str(word) for word in words])


def proved(path: Path, *words: object) -> Path:
    out = path.with_suffix(".json")
    assert run("prove", path, *words, "-o", out) == 0
    return out


def verified(capsysbinary: pytest.CaptureFixture[bytes], *words: object) -> tuple[int, Any]:
    capsysbinary.readouterr()
    code = run("verify-bundle", *words, "--format", "json")
    return code, json.loads(capsysbinary.readouterr().out)


@pytest.mark.parametrize("whole", [[], ["--all"]])
@pytest.mark.parametrize("make", [answer, by_root, one_by_one])
def test_a_bundle_proves_what_the_transcript_shows(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], make: Any, whole: list[str]
) -> None:
    path = session(tmp_path / "s.ndjson", make(frame("a"), frame("b"), frame("c")))
    bundle = proved(path, "--frame", "b", *whole)
    code, document = verified(capsysbinary, bundle)
    assert code == 1
    assert {one["standing"] for one in document["frames"]} == {"signer_unknown"}
    assert [one["frame_id"] for one in document["frames"]] == (["a", "b", "c"] if whole else ["b"])
    key = tmp_path / "key"
    key.write_text(KEY)
    code, document = verified(capsysbinary, bundle, "--key", key)
    assert code == 0 and document["attested"] and not document.get("error")
    (one, *_) = document["frames"]
    assert one["signer"] == "the key in key" and one["verdict"] == "valid"
    assert one["siblings"] == (0 if make is one_by_one else 2)
    assert next(step["name"] for step in one["steps"]) == "commitment"
    code, document = verified(capsysbinary, bundle, "--key", KEY)
    assert (code, document["frames"][0]["signer"]) == (0, "the key that you named")


def test_verified_by_hand_with_openssl_and_sha256sum(signed: Path, tmp_path: Path) -> None:
    (script,) = SCRIPT.findall((ROOT / "README.md").read_text("utf-8"))
    hand = tmp_path / "by-hand"
    hand.write_text(script)

    def by_hand(bundle: Path, key: str = KEY) -> str:
        done = subprocess.run(["bash", hand, bundle, key], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    bundle = proved(signed, "--frame", "b")
    assert by_hand(bundle) == "Signature Verified Successfully\n" * 2
    whole = tmp_path / "whole.json"
    assert run("prove", signed, "--frame", "a", "--all", "-o", whole) == 0
    assert by_hand(whole) == "Signature Verified Successfully\n" * 4
    assert "Signature Verification Failure" in by_hand(bundle, ed25519.public_key(bytes(32)).hex())
    text = bundle.read_text()
    bundle.write_text(text.replace('"kind"', '"bytes": "%n%(%n)T%99999999d",\n "sha256": "%s\x1b[2J%s",\n "kind"', 1))
    told = [line for line in by_hand(bundle).splitlines() if "missing hex digit" not in line]
    assert told == ["this is not the hash of its bytes: %s[2J%s", *["Signature Verified Successfully"] * 2]
    content = json.loads(text)["hashes"][0]["bytes"]
    bundle.write_text(text.replace(content, "00" + content[2:]))
    assert "this is not the hash of its bytes" in by_hand(bundle)
    signature = json.loads(text)["attestation"]["signature"]
    bundle.write_text(text.replace(signature, signature[:-2] + "00"))
    assert "Signature Verification Failure" in by_hand(bundle)
    digest = json.loads(text)["attestation"]["signed_commitment"]
    bundle.write_text(text.replace(f'"{digest}"', '"sha256:' + "0" * 64 + '"'))
    assert "this was signed, and is not here" in by_hand(bundle)


def test_the_walk_of_a_real_session(tmp_path: Path, cgp: list[str], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """The signed example provider, asked, recorded, proved; verified in an empty home."""
    environment = {**os.environ, "CGP_TUI_STATE": str(tmp_path / "state"), "CGP_TUI_LEDGER": str(tmp_path / "l.toml")}
    recording = tmp_path / "s.ndjson"
    line = [
        *cgp,
        "query",
        "how are frames signed",
        "--record",
        str(recording),
        "--json",
        "--",
        *cgp,
        "serve",
        "example-docs",
    ]
    asked = subprocess.run([*line, "--sign"], env=environment, capture_output=True, check=True)
    name = json.loads(asked.stdout)["frames"][0]["id"]
    bundle = proved(recording, "--frame", name)
    key = tmp_path / "key.pem"
    der = bytes.fromhex("302a300506032b6570032100") + ed25519.public_key(EXAMPLE_SEED)
    subprocess.run(["openssl", "pkey", "-pubin", "-inform", "DER", "-out", key], input=der, check=True)
    home = tmp_path / "elsewhere"
    home.mkdir()
    done = subprocess.run(
        [*cgp, "verify-bundle", str(bundle), "--key", str(key)],
        env={"HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "attested" in done.stdout and not list(home.iterdir())


def test_which_frame_is_meant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = session(
        tmp_path / "s.ndjson", answer(frame("a", "one")), answer(frame("a", "two"), frame("b")), answer(frame("b"))
    )
    assert run("prove", path, "--frame", "a") == 2
    said = capsys.readouterr().err
    for content in ("one", "two"):
        assert frame("a", content).content_digest in said  # type: ignore[operator]
    assert "at line 4" in said and "at line 6" in said and "--frame a@LINE" in said
    assert run("prove", path, "--frame", "a@4") == 0
    assert json.loads(capsys.readouterr().out)["frame"]["content"] == "one"
    assert run("prove", path, "--frame", "b") == 0  # one digest, so it is the same frame: its last evidence
    assert json.loads(capsys.readouterr().out)["inclusion_proof"]["leaf_count"] == 1
    assert run("prove", path, "--frame", "a@5") == 2
    assert "No answer carries a frame a@5. There are: a, b.\n" in capsys.readouterr().err


def test_a_frame_that_is_not_there_is_told_with_some_that_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = session(tmp_path / "many.ndjson", answer(*(frame(f"f{number}") for number in range(30))))
    assert run("prove", many, "--frame", "x") == 2
    assert "There are: f0, f1, f2, f3, f4, f5, f6, f7, and more.\n" in capsys.readouterr().err
    assert run("prove", session(tmp_path / "none.ndjson"), "--frame", "x") == 2
    assert "No answer carries a frame x. There is no frame in it.\n" in capsys.readouterr().err


def test_an_id_may_look_like_one_with_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = session(tmp_path / "s.ndjson", answer(frame("a@4", "one")))
    assert run("prove", path, "--frame", "a@4") == 0
    assert json.loads(capsys.readouterr().out)["frame"]["id"] == "a@4"


def test_two_frames_of_one_id_in_one_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twins = [frame("d", "one"), frame("d", "two")]
    path = session(tmp_path / "s.ndjson", answer(*twins))
    for asked in ("d", "d@4"):
        assert run("prove", path, "--frame", asked) == 2
        assert "--frame d@sha256:..." in capsys.readouterr().err
    for twin in twins:
        assert run("prove", path, "--frame", f"d@{twin.content_digest}") == 0
        assert json.loads(capsys.readouterr().out)["frame"]["content"] == twin.content
    assert run("prove", path, "--frame", "d", "--all") == 0
    assert len(json.loads(capsys.readouterr().out)["frames"]) == 2
    path = session(tmp_path / "t.ndjson", answer(*twins), answer(*twins))
    assert run("prove", path, "--frame", "d", "--all") == 2
    assert "--frame d@LINE" in capsys.readouterr().err


def test_no_bundle_is_written_that_would_not_be_read(
    signed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = signed.with_suffix(".json")
    for words, fix in ((["--all"], "leave --all out"), ([], "pass on the recording")):
        monkeypatch.setattr(limits, "BUNDLE_BYTES", 1000)
        assert run("prove", signed, "--frame", "a", *words, "-o", out) == 2
        assert fix in capsys.readouterr().err and not out.exists()


def test_nothing_signed_is_nothing_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from cgp_tui.protocol.envelope import ContextQueryResult

    path = session(tmp_path / "s.ndjson", ContextQueryResult((frame("a"),), False))
    assert run("prove", path, "--frame", "a") == 1
    out, err = capsys.readouterr()
    assert not out and "Nothing here is signed" in err
    assert "--all" not in err and f"See: cgp-tui check {path}" in err, "the whole answer is not signed either"


def test_a_frame_is_not_proved_alone_where_the_others_tell_against_it(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A signed root over a frame that was cut away, and one identity with two contents: neither shows in one frame."""
    whole = by_root(frame("a"), frame("b"), frame("c"))
    cut = replace(whole, frames=whole.frames[:2], frame_attestations=whole.frame_attestations[:2])
    twin = answer(frame("a"))
    twins = replace(twin, frames=(replace(twin.frames[0], content="other"), *twin.frames))
    for number, result in enumerate((cut, twins)):
        path = session(tmp_path / f"{number}.ndjson", result)
        alone, together = tmp_path / f"{number}.json", tmp_path / f"{number}-all.json"
        assert run("prove", path, "--frame", "a", "-o", alone) == 1
        err = capsysbinary.readouterr().err
        assert b"Only the other frames of its answer show what is wrong" in err and b"--all" in err
        assert not alone.exists()
        assert run("prove", path, "--frame", "a", "--all", "-o", together) == 1
        code, document = verified(capsysbinary, together)
        assert code == 1 and {one["standing"] for one in document["frames"]} <= {"mismatch", "content_mismatch"}


def test_a_bundle_is_never_written_over_a_file(signed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = signed.with_suffix(".json")
    there.write_text("mine")
    assert run("prove", signed, "--frame", "a", "-o", there) == 2
    assert there.read_text() == "mine" and "already exists" in capsys.readouterr().err
    assert run("prove", signed, "--frame", "a", "-o", signed.parent / "no" / "b.json") == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_bundle_that_is_written_is_told_though_stdout_takes_nothing(
    signed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = signed.parent / "b.json"
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert run("prove", signed, "--frame", "a", "-o", out) == 2
    said = capsys.readouterr().err
    assert f"The bundle is written to {out}." in said
    assert "could not be written: No space" in said
    assert out.exists()


@pytest.mark.parametrize("text", ["", "00" * 31, "zz" * 32, "-----BEGIN PUBLIC KEY-----\n", "01" + "00" * 31])
def test_a_key_that_is_none(signed: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    bundle = proved(signed, "--frame", "a")
    key = signed.with_name("key")
    key.write_text(text)
    capsys.readouterr()
    assert run("verify-bundle", bundle, "--key", key) == 2
    assert "key" in capsys.readouterr().err
    assert run("verify-bundle", bundle, "--key", signed.with_name("absent")) == 2
    assert "Give 64 hex digits, or a file that you can read." in capsys.readouterr().err


def test_where_only_trust_is_missing_the_way_to_it_is_told(signed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = proved(signed, "--frame", "a")
    capsys.readouterr()
    assert run("verify-bundle", bundle) == 1
    told = capsys.readouterr().err
    assert "cgp-tui trust add KEY --label NAME --provider " in told
    assert KEY not in told, "whoever copies the key from the evidence has asked nobody"
    assert run("verify-bundle", bundle, "--key", KEY) == 0
    assert capsys.readouterr().err == ""


def test_a_key_of_the_trust_store_vouches_without_being_named(
    signed: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    bundle = proved(signed, "--frame", "a")
    assert run("trust", "add", KEY, "--label", "Ada", "--provider", "docs") == 0
    code, document = verified(capsysbinary, bundle)
    assert (code, document["frames"][0]["signer"]) == (0, "Ada")
    assert run("prove", signed, "--frame", "b") == 0
    bundle.unlink()
    proved(signed, "--frame", "a")
    assert run("trust", "remove", KEY) == 0
    code, document = verified(capsysbinary, bundle)
    assert (code, document["frames"][0]["standing"]) == (1, "signer_unknown")


def test_a_trusted_key_outside_its_window_vouches_for_nobody(
    signed: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    bundle = proved(signed, "--frame", "a")
    assert run("trust", "add", KEY, "--label", "Ada", "--provider", "docs", "--not-after", "2020-01-01") == 0
    code, document = verified(capsysbinary, bundle)
    assert (code, document["frames"][0]["standing"]) == (1, "signer_not_for_provider")


def test_another_key_than_the_bundles_vouches_for_nobody(signed: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    bundle = proved(signed, "--frame", "a")
    key = signed.with_name("key")
    key.write_text(ed25519.public_key(b"\x07" * 32).hex())
    code, document = verified(capsysbinary, bundle, "--key", key)
    assert (code, document["frames"][0]["standing"]) == (1, "signer_unknown")


def test_what_is_no_bundle_is_named(signed: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    code, document = verified(capsysbinary, signed)
    assert (code, document["error"]["code"], document["format"]) == (2, "not_a_bundle", None)
    code, document = verified(capsysbinary, signed.parent / "none.json")
    assert (code, document["error"]["code"]) == (2, "unreadable")


def test_a_trust_store_that_cannot_be_used_is_named_to_programs_too(
    signed: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    bundle = proved(signed, "--frame", "a")
    assert "trust_store" not in verified(capsysbinary, bundle)[1]
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "trust.toml").write_text("not one")
    (tmp_path / "config" / "trust.toml").chmod(0o600)
    code, document = verified(capsysbinary, bundle)
    assert (code, document["attested"], document["trust_store"]["state"]) == (1, False, "damaged")
    assert document["trust_store"]["message"] and document["trust_store"]["fix"]
    key = tmp_path / "key"
    key.write_text(KEY)
    assert verified(capsysbinary, bundle, "--key", key)[0] == 0  # the person's own word does not need the store


@pytest.mark.parametrize("whole", [[], ["--all"]])
def test_a_line_whose_number_leads_elsewhere_is_not_proved(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], whole: list[str]
) -> None:
    bare = session(tmp_path / "s.ndjson", *(answer(frame(name)) for name in "abc")).read_bytes().splitlines()
    lines = [Line(50 - n, 1, "host" if n % 2 else "provider", float(n), raw) for n, raw in enumerate(bare, 1)]
    path = tmp_path / "backwards.ndjson"
    path.write_bytes(encode_header(Header("2026-01-01T00:00:00Z", "test")) + b"".join(map(encode_line, lines)))
    assert run("prove", path, "--frame", "b", *whole) == 2
    said = capsysbinary.readouterr()
    assert (said.out, said.err.decode().split(": ")[0]) == (b"", "Line 44 cannot be found again")
