"""Held frames are shared out into those that may be used again and those that may not, whatever the provider answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.host import Dropped, Held, Reuse
from cgp_tui.host.reuse import _by_identity, _fate, _spoken_of
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.verify import STATUSES, FrameVerdict
from tests.host.bench import PATIENT, SHORT, Bench, ask, bench, target
from tests.host.test_host import grant
from tests.host.test_restarts import pids

NAME = "odd"


def digest(number: int) -> str:
    return f"sha256:{number:064x}"


def frame(name: str, number: int = 0, provider: str = NAME) -> FrameId:
    return FrameId(provider, name, digest(number))


def shares_out(found: Reuse, held: Sequence[Held]) -> None:
    """Each frame on exactly one side, each side in the order of asking."""
    dropped = [one.held for one in found.dropped]
    assert sorted([*found.retained, *dropped], key=repr) == sorted(held, key=repr)
    assert len({*found.retained, *dropped}) == len(held)
    assert set(found.unasked).isdisjoint(held)


def reasons(found: Reuse) -> dict[str, str]:
    return {one.held.frame.frame_id: one.reason for one in found.dropped}


# Small worlds, so that identities collide in every way there is.
frames = st.builds(
    FrameId, st.sampled_from([NAME, "p"]), st.sampled_from("ab"), st.sampled_from([None, digest(0), digest(1)])
)
verdicts = st.builds(
    FrameVerdict, frames, st.sampled_from([*STATUSES, "fresh", ""]), st.sampled_from([None, digest(0), digest(1)])
)


@given(st.lists(frames, unique=True), st.lists(verdicts))
def test_no_answer_puts_a_frame_on_both_sides_or_on_neither_and_only_a_yes_keeps_one(
    asked: list[FrameId], answered: list[FrameVerdict]
) -> None:
    found, spoken_of = _by_identity(answered), _spoken_of(answered)
    for one in asked:
        fate = _fate(Held("p", one), found, spoken_of)
        mine = {verdict for verdict in answered if verdict.frame == one}
        kept = len(mine) == 1 and all(
            verdict.status == "valid" and verdict.replacement_digest in (None, one.content_digest) for verdict in mine
        )
        assert (fate is None) == kept
        if fate is not None:
            assert fate.held.frame == one
            said = {verdict.status for verdict in mine}
            assert fate.reason in said or fate.reason in ("no_verdict", "other_digest", "no_such_verdict", "contradicted")
            assert (fate.reason in ("no_verdict", "other_digest")) == (not mine)


def verdict(one: FrameId, status: str, replacement: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"frame": json.loads(json.dumps(dict(zip(FrameId.__struct_fields__, _parts(one), strict=True))))}
    return {**made, "status": status, **({"replacement_digest": replacement} if replacement else {})}


def _parts(one: FrameId) -> tuple[str, str, str | None]:
    return one.provider_id, one.frame_id, one.content_digest


def verified(*verdicts: object) -> bytes:
    return json.dumps({"type": "verified", "response": {"verdicts": verdicts}}).encode()


A, B, C = frame("a"), frame("b"), frame("c")
ANSWERS: list[tuple[str, bytes, dict[str, str]]] = [
    ("all valid", verified(verdict(C, "valid"), verdict(A, "valid"), verdict(B, "valid")), {}),
    (
        "stale, gone and unknown",
        verified(verdict(A, "stale", digest(7)), verdict(B, "gone"), verdict(C, "unknown")),
        {"a": "stale", "b": "gone", "c": "unknown"},
    ),
    ("nothing said of two", verified(verdict(B, "valid")), {"a": "no_verdict", "c": "no_verdict"}),
    (
        "valid, for other bytes",
        verified(verdict(frame("a", 9), "valid"), verdict(B, "valid"), verdict(C, "valid")),
        {"a": "other_digest"},
    ),
    (
        "two answers about one",
        verified(verdict(A, "valid"), verdict(B, "valid"), verdict(A, "gone"), verdict(C, "valid"), verdict(C, "valid")),
        {"a": "contradicted"},
    ),
    (
        "valid, and replaced",
        verified(verdict(A, "valid", digest(7)), verdict(B, "valid"), verdict(C, "valid")),
        {"a": "contradicted"},
    ),
    (
        "a word of its own",
        verified(verdict(A, "fine"), verdict(B, "valid"), verdict(C, "Valid")),
        dict.fromkeys("ac", "no_such_verdict"),
    ),
    (
        "verdicts that cannot be read",
        verified({"frame": 1}, verdict(B, "valid"), "valid"),
        dict.fromkeys("ac", "no_verdict"),
    ),
    ("no JSON", b"valid valid valid", dict.fromkeys("abc", "provider_failed")),
    (
        "frames in its place",
        b'{"type":"frames","result":{"frames":[],"truncated":false}}',
        dict.fromkeys("abc", "provider_failed"),
    ),
    ("an error", b'{"type":"error","code":"internal","message":"no"}', dict.fromkeys("abc", "provider_failed")),
    ("no verdicts", b'{"type":"verified","response":{}}', dict.fromkeys("abc", "provider_failed")),
]


@pytest.mark.parametrize(("reply", "dropped"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
async def test_what_is_made_of_an_answer(reply: bytes, dropped: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "reply").write_bytes(reply)
    async with bench(tmp_path) as made:
        await made.host.connect(target("replies", reply=str(tmp_path / "reply")), "p")
        found = await made.host.verify_frames({"p": [A, B, C]})
        shares_out(found, [Held("p", one) for one in (A, B, C)])
        assert reasons(found) == dropped
        assert found.exchanges == ((2,) if "provider_failed" not in dropped.values() else ())
        assert [one.replacement_digest for one in found.dropped if one.reason == "stale"] in ([], [digest(7)])
        assert all(one.ask_anew == (one.reason != "gone") for one in found.dropped)
        assert all(bool(one.code) == (one.reason == "provider_failed") for one in found.dropped)
        # V1: identities and nothing else.
        (sent,) = [json.loads(raw) for raw in made.said("host") if b'"verify"' in raw]
        assert [sorted(one) for one in sent["request"]["frames"]] == [["content_digest", "frame_id", "provider_id"]] * 3


async def test_answers_nobody_asked_for_count_for_nothing_and_are_told(tmp_path: Path) -> None:
    stranger = frame("stranger")
    (tmp_path / "reply").write_bytes(
        verified(verdict(stranger, "valid"), verdict(A, "valid"), verdict(frame("a", 3), "gone"))
    )
    async with bench(tmp_path) as made:
        await made.host.connect(target("replies", reply=str(tmp_path / "reply")), "p")
        found = await made.host.verify_frames({"p": [A, A]})
        assert found.retained == (Held("p", A),)
        assert found.unasked == (Held("p", stranger), Held("p", frame("a", 3)))
        told = [finding.frame_id for finding in found.findings if finding.anchor == "V2"]
        assert told == ["stranger", "a"]


async def test_some_are_not_asked_about_and_the_rest_is(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("honest")
        plain, foreign, crooked = FrameId(NAME, "plain"), frame("foreign", provider="honest"), FrameId(NAME, "x", "md5:1")
        held = [plain, A, foreign, crooked, B]
        found = await made.host.verify_frames({"honest": held, "nobody": [C], "empty": []})
        shares_out(found, [*(Held("honest", one) for one in held), Held("nobody", C)])
        assert found.retained == (Held("honest", A), Held("honest", B))
        assert reasons(found) == {
            "plain": "no_digest",
            "foreign": "other_provider",
            "x": "no_digest",
            "c": "unknown_provider",
        }
        (sent,) = [json.loads(raw) for raw in made.said("host") if b'"verify"' in raw]
        assert [one["frame_id"] for one in sent["request"]["frames"]] == ["a", "b"]
        before = len(made.records())
        only = await made.host.verify_frames({"honest": [plain]})
        assert (reasons(only), only.exchanges, len(made.records())) == ({"plain": "no_digest"}, (), before)
        assert await made.host.verify_frames({}) == Reuse()


def nothing_sent(made: Bench) -> bool:
    return not any(b'"verify"' in raw for raw in made.said("host"))


async def test_nothing_is_sent_without_the_capability(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("no-verify")
        found = await made.host.verify_frames({"no-verify": [A, B]})
        assert reasons(found) == dict.fromkeys("ab", "not_declared")
        assert nothing_sent(made)
        assert made.gates() == []


async def test_nothing_is_sent_without_consent(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with bench(tmp_path) as made:
        connection = await made.connect("egress", log=str(log))
        await made.connect("honest")
        found = await made.host.verify_frames({"egress": [A, B], "honest": [A]})
        assert found.retained == (Held("honest", A),)
        shares_out(found, [Held("egress", A), Held("egress", B), Held("honest", A)])
        assert [(one.reason, one.code) for one in found.dropped] == [("consent_required", "consent_required")] * 2
        assert "third-party-model" in found.dropped[0].message
        assert not log.exists()
        grant(made.ledger, connection)
        assert (await made.host.verify_frames({"egress": [A, B]})).retained == (Held("egress", A), Held("egress", B))


async def test_a_provider_that_fails_drops_its_own_frames_only(tmp_path: Path) -> None:
    async with bench(tmp_path, SHORT) as made:
        for mode in ("hangs", "crashes", "honest"):
            connection = await made.connect(mode)
        connection._deadlines = PATIENT
        held = {mode: [A, FrameId(NAME, "plain")] for mode in ("hangs", "crashes", "honest")}
        found = await made.host.verify_frames(held)
        assert found.retained == (Held("honest", A),)
        failed = {(one.held.provider_id, one.code) for one in found.dropped if one.reason == "provider_failed"}
        assert failed == {("hangs", "timeout"), ("crashes", "provider_crashed")}
        assert [one.reason for one in found.dropped].count("no_digest") == 3
        # What hung is started anew to be asked again, what is dead is not.
        again = await made.host.verify_frames({"hangs": [A], "crashes": [A]})
        assert [one.code for one in again.dropped] == ["timeout", "provider_crashed"]
        assert len(pids(made)) == 4


async def test_frames_of_an_answer_are_kept_under_the_identity_they_came_with(tmp_path: Path, reference: Path) -> None:
    from cgp_tui.target import stdio_target

    async with bench(tmp_path) as made:
        await made.host.connect(stdio_target([str(reference / "contextgraph-example-docs")]), "docs")
        outcome = await made.host.query("docs", ask("retry loop"))
        name = made.host.connections["docs"].ack.provider.name
        held = [one.identity(name) for one in outcome.frames]
        aged = FrameId(name, held[0].frame_id, digest(5))
        found = await made.host.verify_frames({"docs": [*held, aged]})
        assert found.retained == tuple(Held("docs", one) for one in held)
        (dropped,) = found.dropped
        assert dropped == Dropped(Held("docs", aged), "stale", held[0].content_digest)
