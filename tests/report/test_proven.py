"""A bundle read back: every changed byte is refused or changes nothing, and it says what the transcript says."""

from __future__ import annotations

import json
import random
import re
import tracemalloc
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.checks.exhibit import Exhibit, exhibit
from cgp_tui.errors import InputError
from cgp_tui.protocol.attestation import chain_heads
from cgp_tui.protocol.frame import Provenance
from cgp_tui.report.bundle import bundle_document
from cgp_tui.report.proven import read, verified_document
from tests.checks.signed import answer, by_root, frame, one_by_one, sent, trusted
from tests.report.signed_answers import DAMAGES, drawn, greeting
from tests.report.written import written

FRAMES = (frame("a", "one"), frame("b", "Größe"), frame("c"))
WAYS = [answer, by_root, one_by_one]


def bundle(make: Any = answer, place: int | None = 1) -> bytes:
    return written(bundle_document(exhibit(sent(make(*FRAMES)), place)))


def meaning(shown: Exhibit) -> Any:
    """What is said of it that somebody may rely on: what the signatures cover, and whose they are."""
    proven = shown.appraise((trusted(),))
    said = [(one.frame, one.verdict, one.proof, one.standing, one.signer, one.public_key) for one in proven.appraisals]
    covered = [(one.content, one.content_digest, one.provenance) for one in shown.result.frames]
    return said, covered, proven.root and (proven.root.verdict, proven.root.standing, proven.root.computed)


def changed(data: bytes, **members: Any) -> bytes:
    return json.dumps({**json.loads(data), **members}).encode()


@pytest.mark.parametrize("make", WAYS)
@pytest.mark.parametrize("place", [0, 2, None])
def test_what_is_written_is_read_back(make: Any, place: int | None) -> None:
    judged = sent(make(*FRAMES), (trusted(),))
    shown = read(bundle(make, place))
    proven = shown.appraise((trusted(),))
    assert proven.attested and proven.holds
    there = [one for one in judged.appraisals if place in (None, one.place)]
    assert [(one.verdict, one.proof, one.standing) for one in proven.appraisals] == [
        (one.verdict, one.proof, one.standing) for one in there
    ]
    assert (proven.root is None) == (place is not None or make is one_by_one)
    assert not shown.appraise().attested and shown.appraise().holds


@pytest.mark.parametrize("place", [1, None])
def test_each_hash_is_of_what_it_says(place: int | None) -> None:
    """Whoever reads the bytes by hand finds the text, the links and the commitment that the signature leads to."""
    document = json.loads(bundle(by_root, place))
    for one in document.get("frames", [document]):
        hashes = {entry["what"]: entry for entry in one["hashes"]}
        assert bytes.fromhex(hashes["content"]["bytes"]).decode() == one["frame"]["content"]
        assert one["identity"]["content_digest"] == "sha256:" + hashes["content"]["sha256"]
        heads = [head.hex() for head in chain_heads([Provenance("derivation", method="made", by=one["frame"]["id"])])]
        assert hashes["link 1"]["bytes"].startswith((b"contextgraph/attest/1/link".hex(), heads[0]))
        assert hashes["link 1"]["sha256"] == heads[1]
        assert hashes["commitment"]["bytes"].endswith(heads[1])
        for part in ("docs", one["frame"]["id"], one["identity"]["content_digest"]):
            assert part.encode().hex() in hashes["commitment"]["bytes"]
    every = [*document["hashes"], *(entry for one in document.get("frames", ()) for entry in one["hashes"])]
    assert all(sha256(bytes.fromhex(entry["bytes"])).hexdigest() == entry["sha256"] for entry in every)
    assert "sha256:" + document["hashes"][-1]["sha256"] == document["result_attestation"]["signed_commitment"]


@pytest.mark.parametrize("place", [1, None])
@given(at=st.integers(0, 1 << 30), byte=st.integers(0, 255))
@example(at=bundle().index(b"sha256:", bundle().index(b'"result_attestation"')), byte=32)
def test_a_changed_byte_is_refused_or_changes_nothing(place: int | None, at: int, byte: int) -> None:
    good = WHOLE if place is None else ONE
    at %= len(good)
    mutated = good[:at] + bytes([byte]) + good[at + 1 :]
    try:
        said = meaning(read(mutated))
    except InputError as error:
        assert error.code == "not_a_bundle" and error.fix
        return
    if said != meaning(read(good)):  # the evidence is another's then, and holds for nobody
        assert not read(mutated).appraise((trusted(),)).attested


ONE, WHOLE = bundle(), bundle(place=None)


@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_any_bytes_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(InputError) as refused:
        read(data)
    assert refused.value.code == "not_a_bundle"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"format":"cgp-bundle/2","keys":[]}', "'cgp-bundle/2'"),
        (b'{"format":"cgp-bundle/1"}', "keys"),
        (b'{"format":"cgp-bundle/1","keys":[]}', "frame"),
        (b'{"format":"cgp-bundle/1","keys":[],"frames":[]}', "holds no frame"),
        (b'{"format":"' + b"x" * 10_000 + b'","keys":[]}', r"format is '.{64}', known"),
        (b'{"format":"cgp-bundle/1","keys":[],"frame":{},"identity":{"provider_id":"x"}}', "cannot be read"),
        (b'{"format":"cgp-bundle/1","keys":[],"frame":{"a":NaN}}', "not JSON"),
        (b'{"a":"\\ud800"}', "not JSON that can be read: the text holds half"),
        (b"[" * 100 + b"]" * 100, "nested"),
        (b"\xff", "UTF-8"),
        (b'{"format":"cgp-bundle/1","keys":[],"more":[[]]}', "unknown field `more`"),
        (b'{"format":"cgp-bundle/1","keys":[],"how_to_verify":"' + b"x" * 2**20 + b'"}', "too long"),
    ],
)
def test_what_is_no_bundle_is_named(data: bytes, why: str) -> None:
    """Of a format that is not known yet the way out is another: the bundle may be good."""
    with pytest.raises(InputError, match=why) as refused:
        read(data)
    assert ("Update cgp-tui" in refused.value.fix) is ("cgp-bundle/2" in why)


def test_a_refusal_takes_no_more_than_a_few_times_the_file() -> None:
    """Objects and strings of a few bytes each, which take twenty times as much where they are built, or cut out."""
    data = b'{"format":"cgp-bundle/1","keys":[],"more":[' + b'{"a":1,"b":"xy"},' * 100_000 + b"0]}"
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="more"):
            read(data)
        assert tracemalloc.get_traced_memory()[1] < 5 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("value", [b"[]", b'{"a":"xy"}', b'"\\u0022"'], ids=["empty", "object", "escape"])
def test_a_member_that_stands_in_it_many_times_takes_no_more(value: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last of them is the words that stand there; what is before them nobody keeps."""
    for bound in ("SLOW_JSON_BYTES", "SHELL_AT_ONCE_BYTES"):
        monkeypatch.setattr(limits, bound, 250_000)
    member = b'"how_to_verify":'
    data = ONE.replace(member, (member + value + b",") * 15_000 + member, 1)
    assert len(data) > limits.SLOW_JSON_BYTES
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="occurs in it twice") as refused:
            read(data)
        assert tracemalloc.get_traced_memory()[1] < 3 * len(data)
    finally:
        tracemalloc.stop()
    assert refused.value.code == "not_a_bundle"


def test_a_name_without_end_is_not_repeated_whole() -> None:
    with pytest.raises(InputError, match="unknown field") as refused:
        read(ONE.replace(b'"frame":', b'"' + b"x" * 100_000 + b'":1,"frame":', 1))
    assert len(str(refused.value)) < 1_000


def test_words_that_quote_by_escapes_are_read_up_to_a_bound() -> None:
    quoted = ONE.partition(b'"how_to_verify":')[0] + b'"how_to_verify":["\\u0022", "it\\u0022s"]}'
    assert meaning(read(quoted)) == meaning(read(ONE))
    with pytest.raises(InputError, match="too long to tell whether a member occurs in it twice"):
        read(quoted.replace(b"it\\u0022s", b"it" * 400_000) + b" " * limits.SLOW_JSON_BYTES)


@pytest.mark.parametrize("data", [ONE, WHOLE], ids=["one", "whole"])
@pytest.mark.parametrize("member", ["format", "hashes", "content", "what", "key_id"])
def test_what_stands_in_it_twice_is_refused(data: bytes, member: str) -> None:
    """Its value the same both times: what is read is what is judged, but by another reader."""
    twice = re.sub(rb'("%b": ?)("[^"]*"|\[[^]]*\])' % member.encode(), rb"\1\2,\1\2", data, count=1)
    assert len(twice) > len(data) and json.loads(twice) == json.loads(data)
    with pytest.raises(InputError, match=r"twice|more than once|does not match the rest of it"):
        read(twice)


def test_a_file_beyond_the_bound_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BUNDLE_BYTES", len(ONE) - 1)
    with pytest.raises(InputError, match="larger"):
        read(ONE)


@pytest.mark.parametrize(
    "members",
    [
        {"provenance": []},
        {"hashes": []},
        {"identity": {"provider_id": "docs", "frame_id": "a", "content_digest": None}},
        {"note": "trust me"},
        {"attestation": {"signed_commitment": "sha256:" + "0" * 64}},
    ],
)
def test_every_member_is_what_the_evidence_makes(members: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refused:
        read(changed(ONE, **members))
    assert refused.value.code == "not_a_bundle"


def test_other_words_on_how_to_verify_are_nothing_to_refuse() -> None:
    assert read(changed(ONE, how_to_verify=["Trust me."])).appraise((trusted(),)).attested


def test_evidence_of_another_provider_vouches_for_nobody() -> None:
    other = json.loads(ONE)
    other["identity"]["provider_id"] = "acme"
    with pytest.raises(InputError):  # the hashes were of the name, too
        read(json.dumps(other).encode())
    shown = read(ONE)
    proven = Exhibit(shown.line, "acme", shown.keys, whole=False).appraise((trusted(names=("acme",)),))
    assert proven.appraisals[0].standing == "mismatch"
    assert shown.appraise((trusted(names=("acme",)),)).appraisals[0].standing == "signer_not_for_provider"


def test_a_window_that_is_over_vouches_for_nobody() -> None:
    assert read(ONE).appraise((trusted(after="2020-01-01T00:00:00Z"),)).appraisals[0].standing == "signer_not_for_provider"


def test_a_failure_has_the_members_of_a_success() -> None:
    problem = {"code": "not_a_bundle", "message": "m", "fix": "f"}
    failed = verified_document("b", None, None, problem)
    shown = read(WHOLE)
    good = verified_document("b", shown, shown.appraise())
    assert {**failed, "error": problem}.keys() == {*good, "error"}
    assert failed["attested"] is False and good["root"]["leaf_count"] == 3
    steps = good["frames"][0]["steps"]
    assert [step.name for step in steps] == ["commitment", "compare", "signature", "signer", "leaf", "node", "node"]


@given(st.integers(0, 1 << 32), st.booleans())
def test_bundles_and_transcripts_agree(seed: int, damage: bool) -> None:
    """Whatever an answer went through: where it can be handed on, its bundle says of it what the transcript says."""
    from tests.report.agreement import disagreement

    chance = random.Random(seed)
    result = drawn(chance)
    if damage:
        result = chance.choice(DAMAGES)(result, chance)
    assert disagreement(result, greeting(chance)) is None
