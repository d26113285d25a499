"""Findings for people."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.present.findings import brief, finding_rows, sign, told, where
from cgp_tui.present.spans import Jump
from cgp_tui.present.symbols import ASCII, UNICODE, Look
from cgp_tui.protocol.requirements import Finding, Level
from cgp_tui.text import show
from tests.present.samples import HANDSHAKE, LOOK, ack, frame, frames, query, subjects, text

FOUND = Finding(
    anchor="B3",
    level="violation",
    party="provider",
    line=8,
    exchange=3,
    frame_id="frm_config",
    path="/result/frames/2/token_cost",
    message="token_cost is not the counted cost",
    expected="8",
    found="5",
    fix="Count the bytes.",
)


def test_in_brief_a_finding_has_its_evidence_and_its_fix() -> None:
    assert text(brief(FOUND, LOOK)) == (
        "✗ B3 frm_config: token_cost is not the counted cost\n    expected 8  found 5\n    Fix: Count the bytes."
    )


_texts = st.sampled_from(["", "a", "8 bytes", "\x1b[2J", "é" * 9, "解" * 40, "x" * 90, "a\u0301", "☀\ufe0f"])


@given(st.sampled_from(["violation", "advice", "note"]), st.none() | _texts, *[_texts] * 5, st.sampled_from([20, 80, 120]))
def test_told_in_lines_it_is_the_same(
    level: Level, frame_id: str | None, path: str, message: str, expected: str, found: str, fix: str, width: int
) -> None:
    one = Finding("B3", level, None, 1, None, frame_id, path, message, expected, found, fix)
    look = Look(width=width)
    first, *rest = [row.text for row in brief(one, look)]
    lines = [first, *([f"    at {show(path)}"] if path else []), *rest]
    assert told(one, look) == "".join(f"{line}\n" for line in lines)
    assert told(one, look, "> ") == "".join(f"> {line}\n" for line in lines)


def test_what_is_not_known_is_left_out() -> None:
    bare = msgspec.structs.replace(FOUND, frame_id=None, expected="", found="", fix="")
    assert text(brief(bare, LOOK)) == "✗ B3 token_cost is not the counted cost"
    assert where(msgspec.structs.replace(bare, path="")) == ()
    assert [part.text for part in where(msgspec.structs.replace(bare, path="/result"))] == ["/result"]


def test_levels_have_signs_in_both_alphabets() -> None:
    assert [sign(level, UNICODE).text for level in ("violation", "advice", "note")] == ["✗", "!", "·"]
    assert [sign(level, ASCII).text for level in ("violation", "advice", "note")] == ["X", "!", "."]


def test_in_full_a_finding_names_level_fault_place_and_fix() -> None:
    answer = subjects([HANDSHAKE, ack(), query(1), frames(1, frame("a"), frame("b", token_cost=1))])[3]
    seen = text(finding_rows(answer, LOOK), 120)
    assert seen.startswith("✗ B3  ")
    assert "  level     violation, at fault: the provider, line 4, exchange 2" in seen
    assert "  where     frame b  at /result/frames/1/token_cost" in seen
    assert "  fix       " in seen
    assert next(row.jump for row in finding_rows(answer, LOOK)) == Jump(place=1)


def test_a_clean_line_gets_no_certificate() -> None:
    clean = subjects([HANDSHAKE, ack(), query(1), frames(1, frame("a"))])[3]
    assert text(finding_rows(clean, Look(width=200)), 200) == (
        "✓ Nothing found on this line. This is not a certificate: not every rule shows on the wire."
    )


def test_hostile_evidence_stays_on_its_line() -> None:
    hostile = msgspec.structs.replace(FOUND, found="\x1b[2J\r\n", message="a\x9bb")
    seen = text(brief(hostile, LOOK))
    assert "found ␛[2J␍␊" in seen
    assert "a<U+009B>b" in seen
