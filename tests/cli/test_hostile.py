"""What hostile peers send, through the real `check`: each input is named as it deserves, and costs nobody else anything.

Every input stands in a connection of its own in one bare file: a handshake, an ack that declares correlation and publishes
a key, a question, the hostile bytes, a last good question and its answer. Nothing of it may hide that last pair.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from cgp_tui.protocol.envelope import ContextQueryResult, Frames
from cgp_tui.protocol.evidence import InclusionStep
from cgp_tui.protocol.identity import FrameId
from cgp_tui.wire.encode import encode
from tests.checks.signed import NAME, SIGNER, ack, by_root, entry, frame, one_by_one, replace, root
from tests.dialogue import message

OPEN = (message("handshake"), encode(ack()), message('query q1 {"max_frames":100}'))
CLOSE = (message("query last"), message("frames last f1"), message("shutdown"))
GOOD = message("frames q1 f1 f2")


def say(text: str) -> bytes:
    return message(text)


def bad(old: str, new: str) -> bytes:
    """Two frames, the second with a piece of its text replaced; it is the second of its kind in the line."""
    line = GOOD.decode()
    assert line.count(old) >= 1
    head, _, tail = line.rpartition(old)
    return f"{head}{new}{tail}".encode()


class Case(NamedTuple):
    """`lines` come after the question; `wanted` are the findings, as `B3 2 f2`: anchor, level unless it is violation, the
    line of `lines` from 1 (0 and less: before them), and the frame where one is named."""

    name: str
    lines: tuple[bytes, ...]
    wanted: tuple[str, ...]


def case(name: str, lines: bytes | Iterable[bytes], *wanted: str) -> Case:
    return Case(name, (lines,) if isinstance(lines, bytes) else tuple(lines), wanted)


UNANSWERED = "3.2 note 0"
"""The line does not tell who sent it, so it ends nobody's waiting."""

NESTED = b"[" * 5000 + b"]" * 5000

CASES = (
    case("a type with a NUL is unknown and ignored", [b'{"type":"frames\\u0000","id":"q7"}', GOOD]),
    case("a NUL as it stands", [b'{"type":"fr\x00ames"}', say("frames q1 f1")], "ENV 1"),
    case("a byte that is no UTF-8", [b'{"type":"error","message":"\xff"}'], "ENV 1"),
    case("a dot spelled too long", [b'{"type":"error","message":"\xc0\xae"}'], "ENV 1"),
    case("half a pair in UTF-8", [b'{"type":"error","message":"\xed\xa0\x80"}'], "ENV 1"),
    case("half a pair in a title", bad('"T f2"', '"\\ud800"'), "F2 1 f2"),
    case("half a pair in an id", bad('"id":"f2"', '"id":"\\ud800"'), "SHAPE 1"),
    case("a byte order mark", [b"\xef\xbb\xbf" + GOOD], UNANSWERED, "ENV 1"),
    case("UTF-16", [GOOD.decode().encode("utf-16")], UNANSWERED, "ENV 1"),
    case("CR before LF, and CR between members", [GOOD.replace(b',"id"', b',\r"id"') + b"\r"]),
    case("separators that end no line", bad('"text"', '"\u2028\u2029\x85"'), "B3 1 f2"),
    case("a vertical tab in a string", bad('"text"', '"\x0b"'), "ENV 1"),
    case("two types", [b'{"type":"error","type":"frames","message":"no","id":"q1"}'], "ENV 1"),
    case("two scores", bad('"score":0.5', '"score":0.5,"score":0.5'), "SHAPE 1 f2"),
    case("two of an unknown member", bad('"score":0.5', '"score":0.5,"x":1,"x":2')),
    case("a score that is no number", bad('"score":0.5', '"score":NaN'), "ENV 1"),
    case("a score beyond all numbers", bad('"score":0.5', '"score":-Infinity'), "ENV 1"),
    case("a score beyond a double", bad('"score":0.5', '"score":1e400'), "F1 1 f2"),
    case("a score a little over 1", bad('"score":0.5', '"score":1.0000001'), "F1 1 f2"),
    case("minus zero is zero", bad('"score":0.5', '"score":-0.0')),
    *(
        case(f"a cost of {cost}", bad('"token_cost":1', f'"token_cost":{cost}'), "B3 1 f2")
        for cost in ("4294967296", "9007199254740993", "18446744073709551616", "-1", "1.0", "true")
    ),
    case("a cost of five thousand digits", bad('"token_cost":1', f'"token_cost":{"9" * 5000}'), "B3 1 f2"),
    case("deep nesting", [GOOD[:-1] + b',"x":' + NESTED + b"}"], "ENV 1"),
    case("deep nesting that is never closed", [b"[" * 100_000], UNANSWERED, "ENV 1"),
    case("an unknown type, and one in other letters", [b'{"type":"later","id":"q7"}', b'{"type":"Frames","id":"q7"}', GOOD]),
    case("members that nobody knows", [GOOD[:-1] + b"".join(b',"k%d":%d' % (k, k) for k in range(20_000)) + b"}"]),
    *(case(f"no object: {raw!r}", [raw], UNANSWERED, "ENV 1") for raw in (b"[]", b"null", b'"frames"')),
    case("two objects on a line", [GOOD + GOOD], "ENV 1"),
    case("a line feed in a string is two bad lines", bad('"text"', '"te\nxt"'), "ENV 1", "ENV 2"),
    case("an answer given twice", [GOOD, GOOD], "H4 2"),
    case("an id that nobody asked under", [GOOD.replace(b'"q1"', b'"q999"')], "H4 1"),
    case("a second ack that declares less", [message("ack"), GOOD], "3.2 advice 1"),
    case(
        "an answer after shutdown", [GOOD, message("shutdown"), GOOD], "H4 3", "R2 advice 3", "3.2 advice 4", "3.2 advice 6"
    ),
    case(
        "costs whose sum needs more than 32 bits",
        message('frames q1 f1{"token_cost":4294967295} f2{"token_cost":4294967295}'),
        "B3 1 f1",
        "B3 1 f2",
        "B1 1",
    ),
    *(
        case(
            f"no timestamp: {text!r}",
            message("frames q1 f1 f2").replace(
                b'"citation_label":"c f2"', b'"citation_label":"c f2","valid_from":' + json.dumps(text).encode()
            ),
            "F4 1 f2",
        )
        for text in ("２０２６-01-01T00:00:00Z", "2026-01-01T00:00:00Z\n", "2026-01-01T00:00:00+00:00")
    ),
    *(
        case(f"a timestamp: {text!r}", message(f'frames q1 f1{{"valid_from":"{text}"}}'))
        for text in ("2016-12-31T23:59:60Z", "0000-01-01T00:00:00Z")
    ),
)


def transcript(path: Path, cases: Iterable[Iterable[bytes]]) -> list[int]:
    """Write a connection for each of `cases`; the file's line number before the first line of each."""
    lines: list[bytes] = []
    begins = []
    for told in cases:
        lines += OPEN
        begins.append(len(lines))
        lines += [piece for line in told for piece in line.split(b"\n")]
        lines += CLOSE
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return begins


def run(path: Path, format: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "cgp_tui", "check", str(path), "--format", format],
        capture_output=True,
        timeout=120,
        check=False,
    )


def spelled(finding: dict[str, Any], begin: int) -> str:
    level = "" if finding["level"] == "violation" else finding["level"]
    return " ".join(filter(None, (finding["anchor"], level, str(finding["line"] - begin), finding["frame_id"])))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "all.ndjson"


@pytest.fixture(scope="module")
def told(path: Path) -> dict[str, list[str]]:
    """The findings of each case as `Case.wanted` spells them."""
    begins = transcript(path, [one.lines for one in CASES])
    ran = run(path, "json")
    assert (ran.returncode, ran.stderr) == (1, b"")
    found: dict[str, list[str]] = {one.name: [] for one in CASES}
    for finding in json.loads(ran.stdout)["findings"]:
        place = max(at for at, begin in enumerate(begins) if finding["line"] > begin - len(OPEN))
        found[CASES[place].name].append(spelled(finding, begins[place]))
    return found


@pytest.mark.parametrize("one", CASES, ids=[one.name for one in CASES])
def test_it_is_named_and_nothing_else(told: dict[str, list[str]], one: Case) -> None:
    assert told[one.name] == list(one.wanted)


@pytest.mark.parametrize("format", ["text", "junit", "sarif"])
def test_no_format_breaks_on_it(told: dict[str, list[str]], path: Path, format: str) -> None:
    ran = run(path, format)
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert not any(byte < 0x20 and byte not in b"\n" for byte in ran.stdout)
    ran.stdout.decode("ascii" if format != "text" else "utf-8")
    if format == "junit":
        broken = [case for case in ElementTree.fromstring(ran.stdout).iter("testcase") if case.find("failure") is not None]
        assert {case.get("name", "").partition(":")[0] for case in broken} == {
            "ENV",
            "SHAPE",
            "H4",
            "B1",
            "B3",
            "F1",
            "F2",
            "F4",
        }
    if format == "sarif":
        (log,) = json.loads(ran.stdout)["runs"]
        assert len(log["results"]) == sum(map(len, told.values()))


class Evidence(NamedTuple):
    """An answer, the findings it deserves as in `Case`, and the standing of its root and of each frame in wire order."""

    name: str
    result: ContextQueryResult
    wanted: tuple[str, ...]
    standings: tuple[str, ...]


def signed(name: str, result: ContextQueryResult, wanted: str, standings: str) -> Evidence:
    return Evidence(name, result, tuple(filter(None, wanted.split(", "))), tuple(standings.split()))


A, B, C = frame("a"), frame("b"), frame("c")
SINGLE, PAIR, THREE = one_by_one(A, B), by_root(A, B), by_root(A, B, C)
PROOF: Any
SECOND: Any
PROOF, SECOND = (each.inclusion_proof for each in PAIR.frame_attestations)
INNER: Any = THREE.frame_attestations[2].inclusion_proof
TWICE: Any = by_root(A, B, C, C).result_attestation
FLIPPED = replace(PROOF, path=(replace(PROOF.path[0], sibling_is_left=True),))
LONG = replace(PROOF, path=(*PROOF.path, InclusionStep("sha256:" + "00" * 32, False)))
LIFTED: Any = SINGLE.frame_attestations[0].attestation
TWIN = replace(A, content="toxt")
KNOWN = "signer_unknown"

EVIDENCE = (
    signed("sound", SINGLE, "", f"{KNOWN} {KNOWN}"),
    signed("a signature of the frame beside it", entry(SINGLE, 1, attestation=LIFTED), "F7 1 b", f"{KNOWN} mismatch"),
    signed(
        "signed for another provider", entry(one_by_one(A, name="mine"), 0, frame=A.identity(NAME)), "F7 1 a", "mismatch"
    ),
    signed(
        "a count one too high",
        entry(PAIR, 0, inclusion_proof=replace(PROOF, leaf_count=3)),
        "F13 1 a",
        f"{KNOWN} invalid {KNOWN}",
    ),
    signed(
        "a count one too low",
        entry(PAIR, 0, inclusion_proof=replace(PROOF, leaf_count=1)),
        "F13 1 a",
        f"{KNOWN} invalid {KNOWN}",
    ),
    signed(
        "leaf 1 of 2 told as leaf 2 of 3",
        entry(PAIR, 1, inclusion_proof=replace(SECOND, leaf_index=2, leaf_count=3)),
        "F13 1 b",
        f"{KNOWN} {KNOWN} invalid",
    ),
    signed("a sibling on the other side", entry(PAIR, 0, inclusion_proof=FLIPPED), "F13 1 a", f"{KNOWN} invalid {KNOWN}"),
    signed("a path too long", entry(PAIR, 0, inclusion_proof=LONG), "F13 1 a", f"{KNOWN} invalid {KNOWN}"),
    signed(
        "a path too short", entry(PAIR, 0, inclusion_proof=replace(PROOF, path=())), "F13 1 a", f"{KNOWN} invalid {KNOWN}"
    ),
    signed(
        "an inner node as the root",
        root(THREE, signed_commitment=INNER.path[0].sibling),
        "F12 1",
        "mismatch mismatch mismatch mismatch",
    ),
    signed(
        "a root over a last leaf told twice",
        root(THREE, signed_commitment=TWICE.signed_commitment),
        "F12 1",
        "mismatch mismatch mismatch mismatch",
    ),
    *(
        signed(
            f"a commitment spelled {text[:9]!r}",
            entry(one_by_one(A), 0, attestation__signed_commitment=text),
            "F7 1 a",
            "invalid",
        )
        for text in (LIFTED.signed_commitment.upper(), LIFTED.signed_commitment + "\n", "0x" + LIFTED.signed_commitment[7:])
    ),
    *(
        signed(
            f"a signature of {len(text)} digits, {text[-2:]!r} last",
            entry(one_by_one(A), 0, attestation__signature=text),
            "6.5.4 1 a",
            "invalid",
        )
        for text in (LIFTED.signature[:-1], LIFTED.signature + "0", LIFTED.signature + "\n", LIFTED.signature.upper())
    ),
    signed(
        "a known key under another algorithm",
        entry(one_by_one(A), 0, attestation__algorithm="rsa"),
        "F8 note 1 a",
        "uncheckable",
    ),
    signed(
        "a root over a frame that was cut away",
        replace(THREE, frames=(A, B), frame_attestations=THREE.frame_attestations[:2]),
        "F12 1",
        "mismatch mismatch mismatch",
    ),
    signed(
        "an entry for a frame that is not there",
        entry(one_by_one(A), 0, frame=FrameId(NAME, "z", A.content_digest)),
        "F11 1 z",
        "",
    ),
    signed("an entry with nothing in it", entry(one_by_one(A), 0, attestation=None), "F11 advice 1 a", ""),
    signed(
        "content edited under its old digest", replace(one_by_one(A), frames=(TWIN,)), "6.3 advice 1 a", "content_mismatch"
    ),
    signed(
        "one identity, two contents",
        one_by_one(A, TWIN),
        "6.3 advice 1 a, 6.3 advice 1 a",
        "content_mismatch content_mismatch",
    ),
)


def test_evidence_is_what_it_is_and_never_more(tmp_path: Path) -> None:
    """Nobody's key is trusted here, so the best that evidence can be is sound under a key of unknown hands."""
    assert ack().provider.name == NAME
    assert SIGNER.key in ack().attester_keys
    path = tmp_path / "signed.ndjson"
    begins = transcript(path, [[encode(Frames(one.result, "q1"))] for one in EVIDENCE])
    ran = run(path, "json")
    assert (ran.returncode, ran.stderr) == (1, b"")
    document = json.loads(ran.stdout)
    for begin, one in zip(begins, EVIDENCE, strict=True):
        found = [spelled(each, begin) for each in document["findings"] if each["line"] == begin + 1]
        assert found == list(one.wanted), one.name
        standings = [each["standing"] for each in document["attestations"] if each["line"] == begin + 1]
        assert standings == list(one.standings), one.name
