"""Verify and its answer: identities alone one way, one of four words the other."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.verify import STATUSES, FrameVerdict, VerifyRequest, VerifyResponse
from tests.protocol.shape import members, published, schema_of

DIGEST = "sha256:" + "ab" * 32
ASKED = FrameId("docs", "f1", DIGEST)


@pytest.mark.parametrize("struct", [VerifyRequest, VerifyResponse, FrameVerdict, FrameId])
def test_its_members_are_the_schemas(struct: type[msgspec.Struct], shared: Path) -> None:
    assert members(struct) == published(shared, struct.__name__)


def test_the_four_words_are_the_schemas(shared: Path) -> None:
    assert list(STATUSES) == schema_of(shared)["$defs"]["VerdictStatus"]["enum"]


def test_nothing_but_identities_is_asked_with() -> None:
    """V1: what travels has no room for content."""
    raw = msgspec.json.encode(VerifyRequest((ASKED, FrameId("docs", "f2"))))
    assert json.loads(raw) == {
        "frames": [
            {"provider_id": "docs", "frame_id": "f1", "content_digest": DIGEST},
            {"provider_id": "docs", "frame_id": "f2"},
        ]
    }
    more = b'{"frames":[{"provider_id":"docs","frame_id":"f2","content":"secret"}]}'
    assert msgspec.json.decode(more, type=VerifyRequest) == VerifyRequest((FrameId("docs", "f2"),))


def test_a_verdict_echoes_its_identity_and_may_name_the_new_digest() -> None:
    answer = VerifyResponse((FrameVerdict(ASKED, "stale", DIGEST), FrameVerdict(ASKED, "gone")))
    raw = msgspec.json.encode(answer)
    first, second = json.loads(raw)["verdicts"]
    assert first == {"frame": json.loads(msgspec.json.encode(ASKED)), "status": "stale", "replacement_digest": DIGEST}
    assert list(second) == ["frame", "status"]
    assert msgspec.json.decode(raw, type=VerifyResponse) == answer


def test_another_word_is_kept_as_it_came() -> None:
    """V3 is checked one floor up: a later word must not cost the whole line."""
    raw = b'{"frame":{"provider_id":"p","frame_id":"f"},"status":"moved"}'
    assert msgspec.json.decode(raw, type=FrameVerdict).status == "moved"


@pytest.mark.parametrize(
    "raw", [b"{}", b'{"frames":null}', b'{"frames":[{"frame_id":"f"}]}', b'{"frames":[{"provider_id":"p"}]}']
)
def test_half_an_identity_is_none(raw: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(raw, type=VerifyRequest)
