"""Evidence that is wrong in one way each, as `check` judges it for a person who trusts the signer: what it is called, which
requirement it breaks, and that none of it is ever attested, or costs a frame its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cgp_tui.cli.main import main
from cgp_tui.protocol.attestation import InclusionProof
from cgp_tui.protocol.capability import AttesterKey
from cgp_tui.protocol.envelope import ContextQueryResult, Frames, Handshake, HandshakeAck, Query
from cgp_tui.protocol.frame import Provenance
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.trust import TrustStore
from cgp_tui.wire.encode import encode
from tests.checks import signed
from tests.checks.signed import ack, by_root, entry, frame, one_by_one, replace
from tests.store.test_trust import entry as trusted

L = 2**252 + 27742317777372353535851937790883648493
A, B = frame("a"), frame("b", "other")


class Case(NamedTuple):
    """An answer, what each frame's evidence is called, and the requirements that are named beside."""

    result: ContextQueryResult
    standings: str
    anchors: str = ""
    greeting: HandshakeAck | None = None
    raw: Callable[[bytes], bytes] = lambda line: line


def signature(result: ContextQueryResult, place: int = 0) -> str:
    attestation = result.frame_attestations[place].attestation
    assert attestation is not None
    return attestation.signature


def commitment(result: ContextQueryResult, place: int = 0) -> str:
    attestation = result.frame_attestations[place].attestation
    assert attestation is not None
    return attestation.signed_commitment


def swapped(result: ContextQueryResult) -> ContextQueryResult:
    """Each frame with the other's signature."""
    first, second = result.frame_attestations
    entries = (replace(first, attestation=second.attestation), replace(second, attestation=first.attestation))
    return replace(result, frame_attestations=entries)  # type: ignore[no-any-return]


def proof(result: ContextQueryResult, place: int = 0, **members: Any) -> ContextQueryResult:
    made = result.frame_attestations[place].inclusion_proof
    assert isinstance(made, InclusionProof)
    return entry(result, place, inclusion_proof=replace(made, **members))


def flipped(result: ContextQueryResult) -> ContextQueryResult:
    made = result.frame_attestations[0].inclusion_proof
    assert made is not None
    step = made.path[0]
    return proof(result, path=(replace(step, sibling_is_left=not step.sibling_is_left),))


def longer(result: ContextQueryResult) -> ContextQueryResult:
    made = result.frame_attestations[0].inclusion_proof
    assert made is not None
    return proof(result, path=(*made.path, *made.path))


def over(*frames: Any, served: tuple[Any, ...]) -> ContextQueryResult:
    """The evidence of `frames` on an answer that serves others."""
    return replace(by_root(*frames), frames=served)  # type: ignore[no-any-return]


def reworded(content: str) -> ContextQueryResult:
    """A signed frame whose content came to be another one on the way."""
    odd = frame("a", "e\u0301\r\n")
    return replace(one_by_one(odd), frames=(replace(odd, content=content),))  # type: ignore[no-any-return]


def inside(line: bytes) -> bytes:
    return line.replace(b'"id":"a"', b'"id":"a","attestation":{}', 1)


def malleable(text: str) -> str:
    raw = bytes.fromhex(text)
    return (raw[:32] + (int.from_bytes(raw[32:], "little") + L).to_bytes(32, "little")).hex()


def weak(spelling: str) -> HandshakeAck:
    return ack(AttesterKey("k1", "ed25519", spelling))


ONE, TWO = one_by_one(A), by_root(A, B)
GOOD = "a:attested"
UNKNOWN = AttesterKey("k1", "ed25519", signed.FORGER.key.public_key)
LINK = Provenance("file", uri="", digest="sha256:" + "ab" * 32)

CASES: dict[str, Case] = {
    "nothing is wrong": Case(ONE, GOOD),
    "nothing is wrong under a root": Case(TWO, "a:attested b:attested"),
    "the signature of another frame": Case(swapped(one_by_one(A, B)), "a:mismatch b:mismatch", "F7"),
    "signed under another provider's name": Case(one_by_one(A, name="other"), "a:mismatch", "F11"),
    "a leaf count too many": Case(proof(TWO, leaf_count=3), "a:invalid b:attested", "F13"),
    "a leaf count too few": Case(proof(TWO, leaf_count=1, leaf_index=0), "a:invalid b:attested", "F13"),
    "another leaf's place": Case(proof(TWO, leaf_index=1), "a:invalid b:attested", "F13"),
    "a sibling on the wrong side": Case(flipped(TWO), "a:invalid b:attested", "F13"),
    "a path too long": Case(longer(TWO), "a:invalid b:attested", "F13"),
    "a path too short": Case(proof(TWO, path=()), "a:invalid b:attested", "F13"),
    "a commitment in capitals": Case(
        entry(ONE, 0, attestation__signed_commitment=commitment(ONE).upper()), "a:invalid", "F7"
    ),
    "a signature in capitals": Case(entry(ONE, 0, attestation__signature=signature(ONE).upper()), "a:invalid", "6.5.4"),
    "a signature with 0x": Case(entry(ONE, 0, attestation__signature="0x" + signature(ONE)[2:]), "a:invalid", "6.5.4"),
    "a signature with a blank": Case(entry(ONE, 0, attestation__signature=signature(ONE) + " "), "a:invalid", "6.5.4"),
    "a signature with a newline": Case(entry(ONE, 0, attestation__signature=signature(ONE) + "\n"), "a:invalid", "6.5.4"),
    "127 digits": Case(entry(ONE, 0, attestation__signature=signature(ONE)[:-1]), "a:invalid", "6.5.4"),
    "129 digits": Case(entry(ONE, 0, attestation__signature=signature(ONE) + "0"), "a:invalid", "6.5.4"),
    "S of the next order": Case(entry(ONE, 0, attestation__signature=malleable(signature(ONE))), "a:invalid", "6.5.4"),
    "another algorithm under a known key id": Case(entry(ONE, 0, attestation__algorithm="rsa"), "a:uncheckable", "F8"),
    "a key id that nobody published": Case(
        entry(one_by_one(A, signer=signed.FORGER), 0, attestation__key_id="k9"), "a:uncheckable", "6.5.4"
    ),
    "two keys under one id": Case(
        one_by_one(A, signer=signed.FORGER), "a:uncheckable", "6.5.4", ack(signed.SIGNER.key, UNKNOWN)
    ),
    "a root over frames cut away": Case(over(A, B, served=(A,)), "a:mismatch", "F11 F12"),
    "a root over no frame": Case(by_root(), ""),
    "another root over no frame": Case(replace(TWO, frames=(), frame_attestations=()), "", "F12"),
    "an entry that names no frame": Case(replace(ONE, frames=(B,)), "", "F11"),
    "an entry with nothing in it": Case(entry(ONE, 0, attestation=None), "", "F11"),
    "evidence inside a frame": Case(replace(ONE, frame_attestations=()), "", "F6", raw=inside),
    "an absent uri served as an empty one": Case(
        replace(one_by_one(frame("a", provenance=(replace(LINK, uri=None),))), frames=(frame("a", provenance=(LINK,)),)),
        "a:mismatch",
        "F7",
    ),
    "a key that only the handshake tells": Case(one_by_one(A, signer=signed.FORGER), "a:signer_unknown", "", ack(UNKNOWN)),
    "letters composed anew": Case(reworded("\u00e9\r\n"), "a:content_mismatch", "6.3 B3"),
    "a CR left out": Case(reworded("e\u0301\n"), "a:content_mismatch", "6.3 B3"),
    "a BOM in front": Case(reworded("\ufeffe\u0301\r\n"), "a:content_mismatch", "6.3"),
    "content edited, digest and signature kept": Case(
        replace(ONE, frames=(replace(A, content="edit"),)), "a:content_mismatch", "6.3"
    ),
    "two contents under one identity": Case(
        replace(one_by_one(A), frames=(A, replace(A, content="edit"))), "a:content_mismatch a:content_mismatch", "6.3"
    ),
    "no content to cover": Case(one_by_one(frame("a", digest=None)), "a:identity_only", "6.5.4"),
    "a published key of small order beside a trusted one": Case(ONE, "a:attested", "", weak("01" + "00" * 31)),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CGP_TUI_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    key = signed.trusted().public_key
    TrustStore(tmp_path / "config" / "trust.toml").add(trusted(key, "Ada", signed.NAME), lambda: None)
    return tmp_path


def checked(home: Path, case: Case, capfdbinary: pytest.CaptureFixture[bytes]) -> Any:
    path = home / "a.ndjson"
    question = encode(Query(ContextQuery("why", 99, 9999), "q1"))
    lines = [encode(Handshake("contextgraph/1.0")), encode(case.greeting or ack()), question]
    path.write_bytes(b"".join(line + b"\n" for line in (*lines, case.raw(encode(Frames(case.result, "q1"))))))
    main(["check", "--format", "json", str(path)])
    return json.loads(capfdbinary.readouterr().out)


@pytest.mark.parametrize("name", CASES)
def test_evidence_that_is_wrong_is_called_by_its_name(
    name: str, home: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    case = CASES[name]
    report = checked(home, case, capfdbinary)
    frames = [one for one in report["attestations"] if one["frame_id"] is not None]
    assert " ".join(f"{one['frame_id']}:{one['standing']}" for one in frames) == case.standings
    assert {one["anchor"] for one in report["findings"]} == set(case.anchors.split())
