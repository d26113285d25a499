"""An answer read as a shell around frames says what a whole decode says, or nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.wire import shell
from cgp_tui.wire.decode import decode
from cgp_tui.wire.memo import FrameMemo
from tests.checks.test_tables import CORPUS
from tests.dialogue import Said, frame, message, script

HASH = f"sha256:{'ab' * 32}"
SIGNED = {
    "algorithm": "ed25519",
    "key_id": "k",
    "attester_id": "a",
    "signed_commitment": HASH,
    "signature": "00",
    "issued_at": "x",
}
ENTRY = {"frame": {"provider_id": "docs", "frame_id": "a"}, "attestation": SIGNED}

WITNESSES = [
    step.raw
    for table in CORPUS.values()
    for witness in table
    for text in (witness.broken, witness.legal)
    for step in script(text)
    if isinstance(step, Said)
]


def answer(**result: Any) -> bytes:
    made = {"frames": [frame("a")], "truncated": False, **result}
    return json.dumps({"type": "frames", "id": "q1", "result": made}, separators=(",", ":")).encode()


def reads(raw: bytes) -> bool:
    """Whether the short way reads it; twice the same as the long way, whichever it takes."""
    memo, whole = FrameMemo(), decode(raw)
    assert decode(raw, memo) == whole
    assert decode(raw, memo) == whole
    return shell.read(raw, memo) is not None


@pytest.mark.parametrize(
    "raw",
    [
        answer(),
        answer(frames=[]),
        answer(truncated=True, dropped_estimate=7),
        answer(dropped_estimate=None),
        answer(frame_attestations=[ENTRY], result_attestation=SIGNED),
        answer(frames=[frame("a", {"x": 1})]),
        answer().replace(b",", b" , ").replace(b":", b": "),
        answer().replace(b'"q1"', b'"\\u0071\\u00e9"'),
        answer().replace(b'"q1"', b"null"),
    ],
)
def test_an_answer_in_order_is_read_the_short_way(raw: bytes) -> None:
    assert reads(raw)


@pytest.mark.parametrize(
    "raw",
    [
        message("query q1"),
        answer(truncated=1),
        answer(x=1),
        answer(dropped_estimate=2**32),
        answer(dropped_estimate="7"),
        answer(frames=[{}]),
        answer(frame_attestations=[{**ENTRY, "x": 1}]),
        answer(frame_attestations=None),
        answer(result_attestation={**SIGNED, "x": 1}),
        answer().replace(b'"id":"q1"', b'"id":"q1","id":"q1"'),
        answer().replace(b'"id":"q1"', b'"id":"\xff"'),
        answer().replace(b'"truncated":false', b'"truncated":false,"truncated":false'),
        answer().replace(b'"text"', b'"\xff"'),
        answer().replace(b'"text"', b'"\\ud800"'),
        answer()[:-1],
        answer() + b"x",
        b'{"x":"frames"}',
    ],
)
def test_any_other_line_is_read_the_long_way(raw: bytes) -> None:
    assert not reads(raw)


def test_every_witness_reads_the_same_with_a_memo() -> None:
    assert sum(map(reads, WITNESSES)) > 100


_SNIPS = st.sampled_from(
    [b"", b'"', b"{", b"]", b",", b"\\", b" ", b"\xff", b'"x":1,', b"null", b"-1", b'"id":"a",', b"99999999999"]
)


@given(st.sampled_from(WITNESSES), st.data())
def test_so_does_every_line_that_is_nearly_one(raw: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(raw)))
    cut = data.draw(st.integers(0, 3))
    changed = raw[:at] + data.draw(_SNIPS) + raw[at + cut :]
    reads(changed)
    memo = FrameMemo()
    decode(raw, memo)  # now its frames are known by their bytes
    assert decode(changed, memo) == decode(changed)


@pytest.mark.parametrize(
    "change",
    [
        (b"}]", b"},]"),
        (b"}]", b"}, ]"),
        (b"}]", b"},7]"),
        (b'"frames":[', b'"frames":[],"frames":['),
        (b'{"frames":[', b'{"x":[],"frames":['),
        (b'"result":{', b'"frames":[],"result":{'),
        (b'"q1"', b'"\\"frames\\":["'),
        (b"}]", b"}],"),
        (b"}]", b"}}"),
        (b'"truncated":false', b'"truncated":false,"frames":[]'),
    ],
)
def test_frames_that_are_known_hide_no_fault_around_them(change: tuple[bytes, bytes]) -> None:
    raw, memo = answer(frames=[frame("a"), frame("b")]), FrameMemo()
    decode(raw, memo)
    changed = raw.replace(*change)
    assert changed != raw
    assert decode(changed, memo) == decode(changed)


@pytest.mark.parametrize("name", ["Type", "{ype", "typ3"])
def test_a_member_as_long_as_the_type_is_not_the_type(name: str) -> None:
    raw = next(line for line in WITNESSES if line.startswith(b'{"type":"frames","result"'))
    reads(raw)
    memo = FrameMemo()
    assert decode(raw.replace(b'"type"', f'"{name}"'.encode(), 1), memo).envelope is None


def test_lines_from_the_field_read_the_same(shared: Path) -> None:
    for path in sorted((shared / "field" / "inputs").glob("*.ndjson")):
        for raw in path.read_bytes().split(b"\n"):
            reads(raw)


IDENTITY = b'{"provider_id":"p","frame_id":"f"}'
SIGNATURE = b'{"signed_commitment":"","key_id":"","algorithm":"","attester_id":"","signature":"","issued_at":""}'


@pytest.mark.parametrize(
    ("more", "known"),
    [
        (b"", True),
        (b',"dropped_estimate":3', True),
        (b',"frame_attestations":[]', True),
        (b',"frame_attestations":[{"frame":' + IDENTITY + b"}]", False),
        (b',"result_attestation":' + SIGNATURE, False),
        (b',"later":1', False),
    ],
)
def test_an_ending_that_carries_evidence_is_read_with_its_answer(more: bytes, known: bool) -> None:
    """What is looked up by its ending is put together without evidence, so none may be in it."""
    assert (shell._ending(b'],"truncated":false' + more + b"}}") is not None) == known
