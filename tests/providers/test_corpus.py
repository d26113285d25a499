"""The bundled library: what a frame claims about its source holds for the page as it lies on the disk."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from cgp_tui.protocol.frame import KINDS, ContextFrame
from cgp_tui.protocol.linerange import parse_range
from cgp_tui.protocol.timestamp import parse
from cgp_tui.providers import corpus

FRAMES = {frame.id: frame for frame in corpus.frames()}


def source(frame: ContextFrame) -> bytes:
    """The bytes that the frame's file link names, read as a stranger would read them."""
    link = frame.provenance[0]
    assert link.kind == "file"
    assert link.uri is not None
    assert link.range is not None
    page = Path(unquote(urlsplit(link.uri).path)).read_bytes()
    lines = parse_range(link.range)
    assert lines is not None
    rows = page.split(b"\n")
    return b"".join(row + b"\n" for row in rows[lines.first - 1 : lines.last])


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_costs_digests_dates_and_labels_hold(frame: ContextFrame) -> None:
    assert frame.content is not None
    data = frame.content.encode()
    assert frame.token_cost == -(-len(data) // 4)
    assert frame.content_digest == "sha256:" + hashlib.sha256(data).hexdigest()
    assert frame.citation_label
    assert frame.title
    assert frame.kind in KINDS
    assert all(parse(text) for text in (frame.valid_from, frame.valid_to, frame.recorded_at) if text is not None)
    assert all(relation.target_uri and relation.display_name for relation in frame.relations)


@pytest.mark.parametrize("frame", [one for one in FRAMES.values() if one.provenance and one.provenance[0].kind == "file"])
def test_file_links_digest_the_lines_they_name_and_the_content_stands_there(frame: ContextFrame) -> None:
    named = source(frame)
    assert frame.provenance[0].digest == "sha256:" + hashlib.sha256(named).hexdigest()
    assert frame.content is not None
    assert frame.content.strip().encode() in named
    exact = frame.content.encode() == named
    assert exact == (len(frame.provenance) == 1), "content that is not the bytes themselves says how it was derived"


def test_the_library_shows_every_kind_and_the_odd_cases() -> None:
    assert {frame.kind for frame in FRAMES.values()} == set(KINDS)
    assert any(not frame.provenance for frame in FRAMES.values())
    assert any(frame.valid_to for frame in FRAMES.values())
    assert any(frame.content and not frame.content.isascii() for frame in FRAMES.values())


def test_a_section_ends_before_the_next_and_before_its_code() -> None:
    assert FRAMES["doc-frame"].content is not None
    assert "Three values" not in FRAMES["doc-frame"].content
    assert FRAMES["doc-over-budget"].content is not None
    assert FRAMES["doc-over-budget"].content.endswith("fault and reward it.")
    assert FRAMES["snippet-token-cost"].content == (
        'def token_cost(content: str) -> int:\n    return (len(content.encode("utf-8")) + 3) // 4\n'
    )


def test_relations_within_the_library_lead_to_a_frame() -> None:
    served = {frame.uri for frame in FRAMES.values()}
    targets = {relation.target_uri for frame in FRAMES.values() for relation in frame.relations}
    assert {target for target in targets if target.startswith("docs:")} <= served


def test_retired_ids_are_not_served() -> None:
    assert not corpus.RETIRED & FRAMES.keys()


def test_the_example_in_the_library_runs_as_it_stands() -> None:
    snippet = FRAMES["snippet-provider"].content
    assert snippet is not None
    lines = (
        b'{"type":"handshake","protocol_version":"contextgraph/1.0"}\n'
        b'{"type":"query","id":"q1","query":{"goal":"g","max_frames":1,"max_tokens":9}}\n'
    )
    ran = subprocess.run([sys.executable, "-c", snippet], input=lines, capture_output=True, timeout=300, check=True)
    ack, refusal = ran.stdout.splitlines()
    assert b'"name":"notes"' in ack
    assert b'"code":"unavailable"' in refusal
    assert b'"id":"q1"' in refusal
