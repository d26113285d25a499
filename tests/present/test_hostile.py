"""Nothing a peer writes comes out as a control, a hidden or a reordering character, whatever field it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from cgp_tui.present import detail
from cgp_tui.present.spans import Row, Span
from cgp_tui.present.subject import Place
from cgp_tui.present.summary import summary
from cgp_tui.present.symbols import ASCII, UNICODE, Look, Symbols
from cgp_tui.wire import note as notes
from cgp_tui.wire.note import AnyNote
from tests.present.samples import subjects

HOSTILE = "\x1b]52;c;aGk=\x07\x9b2J\x1b[6n\r\b\t\x7f\u202e\u2066\u061c\u200b\u3164\U000e0041\ufff9[/][@click=app.quit]x[/]"
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u202a-\u202e\u2066-\u2069\u3164\ufff9-\ufffb\U000e0000-\U000e007f]")


def poisoned(value: Any) -> Any:
    """A value with the payload behind each of its strings but the one that says what it is."""
    if isinstance(value, dict):
        return {key: item if key == "type" else poisoned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item) for item in value]
    return value + HOSTILE if isinstance(value, str) else value


LINK = {"type": "file", "uri": "u", "range": "L1", "digest": "d", "method": "m", "by": "b"}
FRAME = {
    "id": "a",
    "kind": "doc",
    "title": "t",
    "content": "one\ntwo",
    "content_digest": "d",
    "uri": "u",
    "representation": "compact",
    "canonical_content_hash": "h",
    "content_ref": {"provider_id": "p", "uri": "u", "expires_at": "e"},
    "transform": {"method": "m", "implementation": "i", "version": "v"},
    "valid_from": "f",
    "valid_to": "t",
    "recorded_at": "r",
    "score": 0.5,
    "token_cost": 2,
    "provenance": [LINK | {"type": "file"}],
    "citation_label": "c",
    "embedding": {"fingerprint": "f"},
    "relations": [{"rel": "r", "target_uri": "u", "display_name": "d"}],
}
IDENTITY = {"provider_id": "p", "frame_id": "a", "content_digest": "d"}
SIGNED = {
    "signed_commitment": "c",
    "key_id": "k",
    "algorithm": "ed25519",
    "attester_id": "a",
    "signature": "s",
    "issued_at": "i",
}
FLOW = {"reads": True, "writes": True, "egress": True, "egress_scopes": ["third-party-index", "x"]}
MESSAGES = [
    {"type": "handshake", "protocol_version": "contextgraph/1.0"},
    {
        "type": "handshake_ack",
        "protocol_version": "v",
        "provider": {"name": "p", "version": "1", "data_flow": FLOW},
        "capabilities": {"query": {"kinds": ["doc"]}, "embeddings_fingerprint": "f", "representations": ["full"]},
        "attester_keys": [{"key_id": "k", "algorithm": "a", "public_key": "p"}],
    },
    {
        "type": "query",
        "id": "q1",
        "query": {
            "goal": "g",
            "max_frames": 8,
            "max_tokens": 1,
            "query_text": "t",
            "kinds": ["doc"],
            "anchors": ["a"],
            "as_of": "a",
            "representation_preferences": ["full"],
        },
    },
    {
        "type": "frames",
        "id": "q1",
        "result": {
            "frames": [FRAME, FRAME | {"id": "b", "score": "high"}, FRAME | {"id": "c", "token_cost": 2}],
            "truncated": False,
            "frame_attestations": [{"frame": IDENTITY, "attestation": SIGNED}],
            "result_attestation": SIGNED,
        },
    },
    {"type": "verify", "id": "v1", "request": {"frames": [IDENTITY]}},
    {
        "type": "verified",
        "id": "v1",
        "response": {"verdicts": [{"frame": IDENTITY, "status": "stale", "replacement_digest": "d"}]},
    },
    {"type": "error", "id": "q2", "code": "c", "message": "m"},
]


def hostile_rows(look: Look) -> Iterator[Row]:
    lines: list[dict[str, Any] | bytes] = [poisoned(message) for message in MESSAGES]
    lines += [{"type": HOSTILE}, HOSTILE.encode(), b"\xff" + HOSTILE.encode()]
    for subject in subjects(lines):
        yield Row(tuple(summary(subject.decoded, look)))
        for place in (Place(), *(Place(at, 9) for at in subject.places)):
            yield Row((Span(detail.title(subject, place, look)), Span(detail.aside(subject, place, look))))
            for tab in detail.tabs(subject, place):
                yield from detail.rows(subject, place, tab, look)


TARGET = notes.ShownTarget("stdio", (HOSTILE,), HOSTILE, HOSTILE)
NEED = notes.NeedNote(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
MARK = notes.LedgerMark(HOSTILE, 1, HOSTILE)
NOTES: list[AnyNote] = [
    notes.Connect(t=0, connection=1, provider_id=HOSTILE, target=TARGET),
    notes.Spawn(t=0, connection=1, pid=1, sandbox=HOSTILE),
    notes.Stderr(t=0, connection=1, text=HOSTILE),
    notes.GateNote(t=0, connection=1, allowed=False, bytes=1, needs=(NEED,), ledger=MARK),
    notes.Refused(t=0, connection=1, fault=HOSTILE),
    notes.Poisoned(t=0, connection=1, reason=HOSTILE),
    notes.SendFailed(t=0, connection=1, reason=HOSTILE),
    notes.UnknownNote(HOSTILE, 0, 1, HOSTILE.encode()),
]


@pytest.mark.parametrize("symbols", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("width", [24, 78, 118])
def test_no_row_carries_a_hidden_code(symbols: Symbols, width: int) -> None:
    rows = list(hostile_rows(Look(symbols, width)))
    assert [row.text for row in rows if HIDDEN.search(row.text)] == []
    assert sum("␛]52" in row.text for row in rows) > 60


@pytest.mark.parametrize("note", NOTES, ids=lambda note: type(note).__name__)
def test_no_note_carries_a_hidden_code(note: AnyNote) -> None:
    for tab in detail.note_tabs(note):
        drawn = [row.text for row in detail.note_tab(note, tab, Look())]
        assert [line for line in drawn if HIDDEN.search(line)] == []
    assert HIDDEN.search(detail.note_title(note)) is None
