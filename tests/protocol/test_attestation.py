"""Commitments and verdicts: every published value, injectivity, and the order in which a verifier looks."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol import ed25519
from cgp_tui.protocol.attestation import (
    GENESIS,
    InclusionProof,
    InclusionStep,
    Proof,
    ProvenanceAttestation,
    Verdict,
    chain_head,
    chain_heads,
    commitment_bytes,
    encode_link,
    frame_commitment,
    inclusion_proof,
    link_bytes,
    merkle_root,
    verify_commitment,
    verify_inclusion,
)
from cgp_tui.protocol.digest import digest_text, sha256_digest
from cgp_tui.protocol.frame import Provenance
from cgp_tui.protocol.identity import FrameId
from tests.protocol import naive

RETRY = Provenance("file", "src/retry.rs", "L10-L20", "sha256:" + "ab" * 32)
SUMMARY = Provenance("derivation", method="extractive_summary", by="refprov/1.0")
COMMITMENT = "cba5cb083177e61ce370ab586dbf7096508e5224ad18d213c902e014796c88ea"
FOREIGN_SCRIPTS = Provenance("file", "docs/naïve/日本語.md", "L1-L2", None, "résumé", "\U0001d11e-agent")


@pytest.mark.parametrize(
    ("link", "encoded"),
    [
        (Provenance("file", "a"), "0000000466696c6501000000016100000000"),
        (Provenance("file", ""), "0000000466696c65010000000000000000"),
        (Provenance("file"), "0000000466696c650000000000"),
        (
            FOREIGN_SCRIPTS,
            "0000000466696c650100000018646f63732f6e61c3af76652fe697a5e69cace8aa9e2e6d6401000000054c312d4c32000100000008"
            "72c3a973756dc3a9010000000af09d849e2d6167656e74",
        ),
    ],
)
def test_published_links(link: Provenance, encoded: str) -> None:
    assert encode_link(link).hex() == encoded


@pytest.mark.parametrize(
    ("links", "head"),
    [
        ((), "2ab226c884ffeb5ac95d300a8d8ee726cb4488fb59a19047d21da7170e9b63d6"),
        ((Provenance("file", "a"),), "22c1bb9ba68f0aef4c52d7cdf3f0dc8457727e207e862ff82852a3d4ed061ee5"),
        ((Provenance("file", ""),), "616d4fa60a91420472f7fcc1ebb49ff503a05104e3762570b67011dbbcd22152"),
        ((Provenance("file"),), "1bba53f2944ffeb223e7418e32780d0e91510f6b3c58787055f1109a525d5675"),
        ((FOREIGN_SCRIPTS,), "af8acb1dd4bd884f03cfcb21983b680b906f92733d905c3f22949fe90c8de065"),
        ((RETRY,), "ac5418d723088033179a2671d17cd08d3e082eefa783e3eeb1a5145f83592178"),
        ((RETRY, SUMMARY), "2245cb46807d55e9e89479b2948d7887fbba95430dd315d63972744a47a18410"),
    ],
)
def test_published_heads(links: tuple[Provenance, ...], head: str) -> None:
    assert chain_head(links).hex() == head
    assert chain_heads(links)[-1].hex() == head


def test_heads_begin_with_genesis_and_grow_with_the_chain() -> None:
    heads = chain_heads((RETRY, SUMMARY))
    assert heads == (GENESIS, chain_head((RETRY,)), chain_head((RETRY, SUMMARY)))
    assert chain_head((SUMMARY,), after=heads[1]) == heads[2]


@pytest.mark.parametrize(
    ("digest", "commitment"),
    [
        ("sha256:" + "cd" * 32, COMMITMENT),
        (None, "956bfd1b57e2595ccc9df9223c057ed43ec0815c73fc1e2570a1547ba1d29bc4"),
    ],
)
def test_published_commitments(digest: str | None, commitment: str) -> None:
    assert frame_commitment("repo-graph", "retry-policy", digest, [RETRY]).hex() == commitment


texts = st.text(max_size=12)
links = st.builds(Provenance, texts, *[st.none() | texts] * 5)
chains = st.lists(links, max_size=4)


def plain(link: Provenance) -> naive.Link:
    return link.kind, link.uri, link.range, link.digest, link.method, link.by


@given(texts, texts, st.none() | texts, chains)
def test_a_second_implementation_agrees(provider: str, frame: str, digest: str | None, chain: list[Provenance]) -> None:
    plainly = [plain(link) for link in chain]
    assert chain_head(chain) == naive.head(plainly)
    assert frame_commitment(provider, frame, digest, chain) == naive.commitment(provider, frame, digest, plainly)


@given(links, links)
def test_two_links_never_encode_alike(one: Provenance, other: Provenance) -> None:
    assert (encode_link(one) == encode_link(other)) == (one == other)


letters = st.text("ab", max_size=3)
short_links = st.builds(Provenance, letters, *[st.none() | letters] * 5)


@given(st.lists(short_links, max_size=3), st.lists(short_links, max_size=3))
def test_two_chains_never_hash_alike(one: list[Provenance], other: list[Provenance]) -> None:
    assert (chain_head(one) == chain_head(other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Provenance("file", None), Provenance("file", "")),
        (Provenance("file", "ab", "c"), Provenance("file", "a", "bc")),
        (Provenance("file", "a", None), Provenance("file", None, "a")),
        (Provenance("filea", "b"), Provenance("file", "ab")),
        (Provenance("file", method="x"), Provenance("file", by="x")),
        (Provenance("file", "e\u0301"), Provenance("file", "\u00e9")),
        (Provenance("file", "\ud800"), Provenance("file", "\ud801")),
        (Provenance("file", "\ud800"), Provenance("file", "\ufffd")),
        (Provenance("\ud800"), Provenance("?")),
    ],
)
def test_what_an_adversary_would_try(one: Provenance, other: Provenance) -> None:
    assert encode_link(one) != encode_link(other)


def test_every_part_of_the_identity_binds() -> None:
    digest = "sha256:" + "cd" * 32
    parts = [
        ("repo-graph", "retry", digest, [RETRY]),
        ("repo-graph2", "retry", digest, [RETRY]),
        ("repo-graph", "retry2", digest, [RETRY]),
        ("repo-graphr", "etry", digest, [RETRY]),
        ("repo-graph", "retry", None, [RETRY]),
        ("repo-graph", "retry", "", [RETRY]),
        ("repo-graph", "retry", digest.upper(), [RETRY]),
        ("repo-graph", "retry", digest, []),
        ("repo-graph", "retry", digest, [RETRY, RETRY]),
        ("repo-graph", "retry", digest, [RETRY, SUMMARY]),
        ("repo-graph", "retry", digest, [SUMMARY, RETRY]),
    ]
    assert len({frame_commitment(*part) for part in parts}) == len(parts)


@pytest.mark.parametrize("length", [0, 1, 127, 128, 255, 256, 257, 65_536])
def test_lengths_around_every_border(length: int) -> None:
    link = Provenance("k" * length, "u" * length)
    assert encode_link(link) == naive.enc_link(plain(link))


SEED = b"\x07" * 32
SIGNED = ProvenanceAttestation(
    signed_commitment="sha256:" + COMMITMENT,
    key_id="key-1",
    algorithm="ed25519",
    attester_id="oxagen",
    signature=(
        "2f8af919196862e7f946a0117d65522da36592344cf46ffe00ab8e6ec0a6b5cd"
        "b132800b71b5cd161609378d8ebd789a0adc971cdb8856cd195c9154fe2b2d04"
    ),
    issued_at="2026-08-29T12:00:00Z",
)
PUBLIC = "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c"
EXPECTED = bytes.fromhex(COMMITMENT)


def test_the_published_signature() -> None:
    assert ed25519.public_key(SEED).hex() == PUBLIC
    assert ed25519.sign(SEED, EXPECTED).hex() == SIGNED.signature
    assert verify_commitment(EXPECTED, SIGNED, bytes.fromhex(PUBLIC)) is Verdict.VALID
    assert verify_commitment(EXPECTED, SIGNED, PUBLIC) is Verdict.VALID


def test_a_frame_without_a_digest_is_signed_by_name_only() -> None:
    assert verify_commitment(EXPECTED, SIGNED, PUBLIC, covers_content=False) is Verdict.VALID_IDENTITY_ONLY
    forged = msgspec.structs.replace(SIGNED, signature="00" * 64)
    assert verify_commitment(EXPECTED, forged, PUBLIC, covers_content=False) is Verdict.BAD_SIGNATURE


BAD_COMMITMENTS = (
    "",
    COMMITMENT,
    "sha256:" + COMMITMENT[:-1],
    "sha256:" + COMMITMENT + "0",
    "sha256:" + COMMITMENT.upper(),
    "sha256:" + COMMITMENT + "\n",
    "sha256:0x" + COMMITMENT[2:],
    "sha512:" + COMMITMENT,
)
BAD_SIGNATURES = (
    "",
    SIGNED.signature[:-1],
    SIGNED.signature[:-2],
    SIGNED.signature + "0",
    SIGNED.signature + "00",
    SIGNED.signature.upper(),
    "0x" + SIGNED.signature[2:],
    SIGNED.signature + "\n",
    " " + SIGNED.signature[1:],
    "zz" * 64,
)
BAD_KEYS: tuple[bytes | str, ...] = (
    "",
    b"",
    PUBLIC[:-1],
    PUBLIC[:-2],
    PUBLIC + "00",
    PUBLIC.upper(),
    PUBLIC + "\n",
    "zz" * 32,
    bytes.fromhex(PUBLIC)[:-1],
    bytes.fromhex(PUBLIC) + b"\x00",
    "01" + "00" * 31,
    b"\x00" * 32,
    "02" + "00" * 31,
)


@pytest.mark.parametrize("text", BAD_COMMITMENTS)
def test_malformed_commitments(text: str) -> None:
    bad = msgspec.structs.replace(SIGNED, signed_commitment=text)
    assert verify_commitment(EXPECTED, bad, PUBLIC) is Verdict.MALFORMED_COMMITMENT


@pytest.mark.parametrize("text", BAD_SIGNATURES)
def test_malformed_signatures(text: str) -> None:
    bad = msgspec.structs.replace(SIGNED, signature=text)
    assert verify_commitment(EXPECTED, bad, PUBLIC) is Verdict.MALFORMED_SIGNATURE


@pytest.mark.parametrize("key", BAD_KEYS)
def test_malformed_keys(key: bytes | str) -> None:
    assert verify_commitment(EXPECTED, SIGNED, key) is Verdict.MALFORMED_KEY


def test_a_verifier_looks_in_this_order() -> None:
    """Everything is wrong at once; each step mends what was named and meets the next."""
    attestation = msgspec.structs.replace(SIGNED, algorithm="rot13", signed_commitment="no", signature="no")
    key: bytes | str | None = None
    seen = []
    mends: tuple[dict[str, str], ...] = (
        {"algorithm": "ed25519"},
        {"signed_commitment": "sha256:" + "00" * 32},
        {"signed_commitment": SIGNED.signed_commitment},
    )
    for mend in mends:
        seen.append(verify_commitment(EXPECTED, attestation, key))
        attestation = msgspec.structs.replace(attestation, **mend)
    for key in (None, "no", PUBLIC):
        seen.append(verify_commitment(EXPECTED, attestation, key))
    for signature in ("00" * 64, SIGNED.signature):
        attestation = msgspec.structs.replace(attestation, signature=signature)
        seen.append(verify_commitment(EXPECTED, attestation, PUBLIC))
    assert seen == [
        Verdict.UNKNOWN_ALGORITHM,
        Verdict.MALFORMED_COMMITMENT,
        Verdict.COMMITMENT_MISMATCH,
        Verdict.UNKNOWN_KEY,
        Verdict.MALFORMED_KEY,
        Verdict.MALFORMED_SIGNATURE,
        Verdict.BAD_SIGNATURE,
        Verdict.VALID,
    ]


@pytest.mark.parametrize("algorithm", ["Ed25519", "ED25519", "ed25519ph", "ed448", ""])
def test_other_algorithms_are_not_checked(algorithm: str) -> None:
    other = msgspec.structs.replace(SIGNED, algorithm=algorithm)
    assert verify_commitment(EXPECTED, other, PUBLIC) is Verdict.UNKNOWN_ALGORITHM


def test_a_signature_lifted_onto_another_frame_is_a_mismatch_not_a_forgery() -> None:
    other = frame_commitment("repo-graph", "another", "sha256:" + "cd" * 32, [RETRY])
    assert verify_commitment(other, SIGNED, PUBLIC) is Verdict.COMMITMENT_MISMATCH
    relabelled = msgspec.structs.replace(SIGNED, signed_commitment=digest_text(other))
    assert verify_commitment(other, relabelled, PUBLIC) is Verdict.BAD_SIGNATURE


def test_another_key_is_a_bad_signature() -> None:
    forger = ed25519.public_key(b"\x2b" * 32)
    assert forger.hex() == "4508a07aa941707f3eb2db94c8897a80b2c1197476b6de213ac273df7d86c4ff"
    assert verify_commitment(EXPECTED, SIGNED, forger) is Verdict.BAD_SIGNATURE


EXAMPLE_KEY = "197f6b23e16c8532c6abc838facd5ea789be0c76b2920334039bfa8b3d368d61"
EXAMPLE_SEED = b"\x2a" * 32


def evidence(commitment: str, signature: str, key_id: str, attester: str) -> ProvenanceAttestation:
    return ProvenanceAttestation("sha256:" + commitment, key_id, "ed25519", attester, signature, "2026-08-29T12:00:00Z")


def test_the_first_attested_answer() -> None:
    doc = Provenance("file", "file:///repo/docs/retry.md", "L1-20", "sha256:" + "01" * 32, "file-read", "repo-graph")
    code = Provenance(
        "file",
        "file:///repo/src/config.rs",
        "L42-44",
        "sha256:" + "08" * 32,
        "tree-sitter-symbol-extraction",
        "repo-graph",
    )
    commitments = [
        frame_commitment("repo-graph", "repo-graph:retry-doc", "sha256:9f2c3e7a1b", [doc]),
        frame_commitment("repo-graph", "repo-graph:retry-sym", "sha256:1a2b3c4d5e", [code]),
    ]
    assert commitments[0].hex() == "7951637413208edb0ade6e2a26d3a4cae01cc7b89ff5274529551a417b7f442d"
    root = merkle_root(commitments)
    assert root.hex() == "a6eb9a20c7ef7b4fb633d073c3ca917253fa925a663a0176915c0643de7e75ed"
    of_doc = InclusionProof(
        0, 2, (InclusionStep("sha256:516b096c17a42fdf136c075707c125a3afbebda2511e1d53c7c7e65c088e7233", False),)
    )
    of_code = InclusionProof(
        1, 2, (InclusionStep("sha256:274026c23d58d52a61f965ced41577bfe53199c75fb1f68f3ad91abc4ac0c4f3", True),)
    )
    assert [inclusion_proof(commitments, index) for index in (0, 1)] == [of_doc, of_code]
    assert verify_inclusion(commitments[0], of_doc, root, leaf_count=2, leaf_index=0) is Proof.INCLUDED
    assert verify_inclusion(commitments[1], of_code, root, leaf_count=2, leaf_index=1) is Proof.INCLUDED
    assert ed25519.public_key(EXAMPLE_SEED).hex() == EXAMPLE_KEY
    frame = evidence(
        commitments[0].hex(),
        "7794b4b9438757ff7d2eedfcc2b39a72f5042bb932e81599a05daa52a6ac3b69"
        "8f4fb524881f32550e45eb885a0ba434711bcb4a057f6a744f577e6a75dacc05",
        "repo-graph-2026-08",
        "repo-graph",
    )
    whole = evidence(
        root.hex(),
        "1afe9bca1d05835f06e00e59e6623ad61cfb53d5a77ee93576d7edadd355c87f"
        "72620030888e1cd5cedbb7503c5cd09fb633a0c27cac63e49e18c68e88d5f90f",
        "repo-graph-2026-08",
        "repo-graph",
    )
    assert verify_commitment(commitments[0], frame, EXAMPLE_KEY) is Verdict.VALID
    assert verify_commitment(root, whole, EXAMPLE_KEY) is Verdict.VALID
    assert verify_commitment(commitments[1], frame, EXAMPLE_KEY) is Verdict.COMMITMENT_MISMATCH


def test_the_second_attested_answer() -> None:
    empty = sha256_digest(b"")
    chain = [
        Provenance("file", "file:///repo/docs/retry-policy.md", "L10-18", empty, "file-read", "repo-indexer"),
        Provenance("derivation", "contextgraph://repo-indexer/retry-policy", None, None, "summary", "repo-indexer"),
    ]
    minimal = frame_commitment("repo-indexer", "frame:minimal", None, [])
    policy = frame_commitment("repo-indexer", "frame:policy:retry", empty, chain)
    assert policy.hex() == "78df51a8d632df287957f71a792aca4628542e9e2ef8ef677e1dea2b67e7c499"
    root = merkle_root([minimal, policy])
    assert root.hex() == "e7c84f0a6b2a7f7a6f14b12baa276af1d9347d82561fa1a797b47a7334660b4f"
    of_minimal = InclusionProof(
        0, 2, (InclusionStep("sha256:de4b8191386772610af0fcdb0c9908d38ae1feb5dc65aa0098f82bc18ebfa56e", False),)
    )
    of_policy = InclusionProof(
        1, 2, (InclusionStep("sha256:6b1d8bc0f9f73a6ab9e84ccfaf35af23e83aa32441c75450783c699f9d8b2eae", True),)
    )
    assert verify_inclusion(minimal, of_minimal, root, leaf_count=2, leaf_index=0) is Proof.INCLUDED
    assert verify_inclusion(policy, of_policy, root, leaf_count=2, leaf_index=1) is Proof.INCLUDED
    whole = evidence(
        root.hex(),
        "78439a36f599aeecaa4e36c653b647ec1c02395a4563dfe89efbeff375f21a8c"
        "a58de0b7ce6779f3cc93f445fb18a91f6ef8ad0ca651853a17056b3da4633602",
        "repo-indexer-2026-08",
        "repo-indexer",
    )
    assert verify_commitment(root, whole, EXAMPLE_KEY) is Verdict.VALID
    assert verify_commitment(root, whole, EXAMPLE_KEY, covers_content=False) is Verdict.VALID_IDENTITY_ONLY


def test_the_words_are_the_contract() -> None:
    assert [verdict.value for verdict in Verdict] == [
        "valid",
        "valid_identity_only",
        "unattested",
        "unknown_algorithm",
        "unknown_key",
        "malformed_commitment",
        "malformed_key",
        "malformed_signature",
        "commitment_mismatch",
        "bad_signature",
    ]
    assert [proof.value for proof in Proof] == ["included", "proof_invalid", "no_root"]


def test_hashing_and_judging_malformed_evidence_loads_no_cryptography() -> None:
    script = (
        "import sys\n"
        "from cgp_tui.protocol.attestation import *\n"
        "from cgp_tui.protocol.requirements import REQUIREMENTS\n"
        "frame_commitment('p', 'f', None, ())\n"
        "verify_commitment(b'x' * 32, ProvenanceAttestation('sha256:' + '78' * 32, '', 'ed25519', '', '', ''), '00' * 32)\n"
        "loaded = [name for name in sys.modules if name.split('.')[0] in ('cryptography', 'asyncio', 'pathlib')]\n"
        "print(loaded)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_bytes_that_are_hashed_can_be_asked_for() -> None:
    links = (Provenance("file", uri="file:///a", range="L1-2"), Provenance("derivation", method="made", by="x"))
    heads = chain_heads(links)
    for place, link in enumerate(links):
        assert sha256(link_bytes(heads[place], link)).digest() == heads[place + 1]
    for digest in (None, "sha256:" + "0" * 64):
        hashed = commitment_bytes(FrameId("docs", "frm", digest), heads[-1])
        assert sha256(hashed).digest() == frame_commitment("docs", "frm", digest, links)
