"""On a real pty: no byte that a peer wrote reaches the terminal as a control, whatever field it came in.

The screen is walked through every line, frame and tab of a transcript full of payloads. What the app writes is taken
apart into text and control sequences; the sequences must be of the kinds that the same walk through a harmless
transcript writes, and no text may hold a character that hides, reorders or rings.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.present.test_hostile import FRAME, HOSTILE, MESSAGES, poisoned
from tests.terminal import Terminal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a pty is needed")

PAYLOADS = (
    "\x1b]52;c;aGk=\x07",
    "\x1b]8;;file:///etc/passwd\x1b\\x\x1b]8;;\x1b\\",
    "\x1b]0;title\x1b\\",
    "\x1b]1337;File=name=eA==:x\x07",
    "\x1bP$qm\x1b\\",
    "\x1b_Gf=24;AAAA\x1b\\",
    "\x1b[2J",
    "\x1b[3J",
    "\x1bc",
    "\x1b[6n",
    "\x1b[21t",
    "\x1b[?1049l",
    "\x1b[?1003h",
    "\x1b[31;5m",
    "\x1b[999;999H",
    "\x1b]",
    "\x1b[",
    "\x1b",
    "\x9b2J",
    "\x9d52;c;aGk=\x9c",
    "\x90q\x9c",
    "\x85",
    "\x0e\x0f",
    "\x00",
    "\x07",
    "\x08\x08\x08",
    "\r overwritten",
    "\t",
    "\x0b\x0c",
    "\x7f",
    "\u202elanif",
    "\u2066x\u2069",
    "\u061c",
    "\u200b",
    "\u200d",
    "\u3164",
    "\u115f",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\ufff9x\ufffb",
    "\U000e0041\U000e007f",
    "\ue000",
    "e" + "\u0301" * 300,
    "[/]",
    "[@click=app.quit]go[/]",
    "[link=file:///etc/passwd]x[/link]",
    "[$error]x",
    "x\\",
)
PER_FRAME = 5
FIELDS = ("id", "kind", "title", "content", "citation_label", "uri", "valid_from", "recorded_at")

SEQUENCE = re.compile(rb"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_^X][^\x1b]*\x1b\\|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])")
HIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9f\u061c\u115f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ue000\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def hostile_frames() -> Iterator[dict[str, Any]]:
    """Frames with some payloads each, in every field that can carry them."""
    for first in range(0, len(PAYLOADS), PER_FRAME):
        text = f"{first} " + " ".join(PAYLOADS[first : first + PER_FRAME])
        link = {"type": "file", "uri": text, "range": text, "digest": text, "method": text, "by": text}
        relation = {"rel": text, "target_uri": text, "display_name": text}
        yield FRAME | dict.fromkeys(FIELDS, text) | {"provenance": [link], "relations": [relation]}


def answer(frames: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "frames", "id": "q1", "result": {"frames": frames, "truncated": False}}


def record(number: int, message: Any) -> str:
    sender = "host" if number % 2 else "provider"
    line = {"n": number, "t": number / 10, "connection": 1, "from": sender, "line": message}
    return json.dumps(line, ensure_ascii=False)


def notes(text: str) -> list[dict[str, Any]]:
    target = {"kind": "stdio", "shown": [text], "digest": text, "code": text}
    need = {"basis": text, "scope": text, "reason": text, "receipt_id": text}
    at = {"t": 0.1, "connection": 1}
    return [
        {"note": "connect", **at, "provider_id": text, "target": target},
        {"note": "spawn", **at, "pid": 1, "sandbox": text},
        {"note": "stderr", **at, "text": text},
        {
            "note": "gate",
            **at,
            "allowed": False,
            "bytes": 1,
            "needs": [need],
            "ledger": {"id": text, "seq": 1, "hash": text},
        },
        {"note": "refused", **at, "fault": text},
        {"note": "poisoned", **at, "reason": text},
        {"note": "send_failed", **at, "reason": text},
        {"note": "weather", **at, "text": text},
    ]


def transcript(path: Path, *, clean: bool) -> Path:
    """The same records with the payloads, or with a harmless word in their place."""
    text = "harmless" if clean else HOSTILE
    messages = [message if clean else poisoned(message) for message in MESSAGES]
    frames = list(hostile_frames())
    if clean:
        frames = json.loads(json.dumps(frames), object_hook=_harmless)
    header = {"format": "cgp-transcript/1", "started_at": "2026-11-29T12:00:00Z", "recorder": "inspect"}
    lines = [json.dumps(header)]
    lines += [record(number, message) for number, message in enumerate([*messages, answer(frames)], 1)]
    lines += [json.dumps(note, ensure_ascii=False) for note in notes(text)]
    lines += [json.dumps({"n": 9, "t": 1.0, "connection": 1, "from": "provider", "text": text}), text.replace("\n", " ")]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path


def _harmless(value: dict[str, Any]) -> dict[str, Any]:
    return {key: "harmless" if isinstance(item, str) and key != "type" else item for key, item in value.items()}


VIEWS = (
    "2",
    "l",
    "j",
    "j",
    "w",
    "\x1b",
    "o",
    "G",
    "k",
    "w",
    "\x1b",
    "o",
    "7",
    "\x04",
    "G",
    "1",
    "w",
    "\x1b",
    "G",
    "w",
    "\x1b",
)
"""Findings by rule and by line, the provider with its stderr, and why from each of them."""


def walk(path: Path, cgp: list[str]) -> bytes:
    """Every line and every frame of the long answer with all tabs, then the other views; what the app wrote meanwhile."""
    with Terminal([*cgp, "replay", str(path)], rows=40, columns=120, env=dict(os.environ, LANG="C.UTF-8")) as terminal:
        terminal.wait("REPLAY offline")
        for _ in range(19):
            for key in ("]", "]", "]", "j"):
                terminal.send(key)
                terminal.read(0.04)
            terminal.read(0.1)
        terminal.press("gjjjjjj", "\r")
        for _ in range(0, len(PAYLOADS), PER_FRAME):
            terminal.press("\r")
            for _ in range(5):
                terminal.send("]")
                terminal.read(0.03)
            terminal.press("\x1b", "j")
        terminal.press(*VIEWS)
        terminal.send("?")
        terminal.wait("Help: every key")
        terminal.press("q")
        terminal.send("q")
        assert terminal.ended() == 0, terminal.text
        return terminal.raw


def kind(sequence: bytes) -> bytes:
    """A sequence without its numbers: what it does, not where or in which colour."""
    return re.sub(rb"[0-9;:]+", b"", sequence)


def test_payloads_in_every_field_write_no_sequence_of_their_own(tmp_path: Path, cgp: list[str]) -> None:
    clean = walk(transcript(tmp_path / "clean.ndjson", clean=True), cgp)
    raw = walk(transcript(tmp_path / "hostile.ndjson", clean=False), cgp)
    allowed = {kind(found) for found in SEQUENCE.findall(clean)}
    foreign = [found for found in SEQUENCE.findall(raw) if kind(found) not in allowed]
    assert foreign == []
    for found in SEQUENCE.findall(raw):
        assert b"52;" not in found[:5]
        assert not found.startswith((b"\x1b]8", b"\x1b]0", b"\x1bP", b"\x1b_"))
    text = SEQUENCE.sub(b"", raw).decode()
    assert "\x1b" not in text
    assert sorted(set(HIDDEN.findall(text)) - set(HIDDEN.findall(SEQUENCE.sub(b"", clean).decode()))) == []
    assert HIDDEN.findall(text.replace("\r", "").replace("\x0f", "")) == []
    assert text.count("␛]52") > 10, "the payloads were on the screen"
    assert [words for words in ("by rule (o)", "by line (o)", "the provider's word", "Why: ") if words not in text] == []


def test_the_check_sees_what_it_looks_for() -> None:
    for payload in PAYLOADS[:23]:
        raw = payload.encode()
        rest = SEQUENCE.sub(b"", raw).decode()
        assert SEQUENCE.search(raw) or "\x1b" in rest or HIDDEN.search(rest), repr(payload)
