"""Re-read files, earlier sightings and changed keys, in words; what is foreign in them is shown as such."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cgp_tui.analysis.background import Background
from cgp_tui.analysis.cited_files import CitedFiles, Outcome, Reread
from cgp_tui.analysis.history import Again, Sighting
from cgp_tui.present.consent import prompt_rows
from cgp_tui.present.detail import rows
from cgp_tui.present.lookups import again_token, again_words, reread_spans, reread_words
from cgp_tui.present.subject import Place
from cgp_tui.present.symbols import ASCII, UNICODE, Look
from cgp_tui.store.keys import SeenKeys
from cgp_tui.store.roots import Roots
from cgp_tui.transcript.reader import Transcript
from cgp_tui.ui.source import Source
from tests.present.consents import WIDE, binding, case, target, text_of
from tests.present.samples import HANDSHAKE, ack, frame, frames, query, raw_lines, text

KEY, OTHER = "aa" * 32, "bb" * 32


@pytest.mark.parametrize(
    ("found", "said", "sign"),
    [
        (Reread("matches", size=95, root=Path("/repo")), "re-read 95 bytes under /repo: matches", "✓ "),
        (Reread("differs", size=1, root=Path("/repo")), "re-read 1 byte under /repo: differs", "≠ "),
        (
            Reread("differs", size=9, root=Path("/r"), first_byte=3),
            "re-read 9 bytes under /r: differs, the first at byte 3",
            "≠ ",
        ),
        (Reread("unverifiable", "it is a folder"), "unverifiable: it is a folder", "? "),
        (Reread("outside roots", "x"), "outside roots: no opened folder holds it (--root DIR)", "· "),
    ],
)
def test_each_outcome_has_its_sentence_and_its_sign(found: Reread, said: str, sign: str) -> None:
    assert reread_words(found) == said
    assert reread_spans(found, Look(UNICODE))[0].text == sign
    assert reread_spans(found, Look(ASCII))[0].text.isascii()


def test_a_folder_of_any_name_is_shown_safely() -> None:
    assert "␛]52" in reread_words(Reread("matches", size=1, root=Path("/\x1b]52")))


def test_every_outcome_is_told() -> None:
    from typing import get_args

    for outcome in get_args(Outcome):
        assert outcome in reread_words(Reread(outcome)) or outcome in ("matches", "differs")


def sighting(line: int, same: bool = True, transcript: str | None = None) -> Sighting:
    return Sighting(transcript, line, same)


@pytest.mark.parametrize(
    ("again", "said", "token"),
    [
        (Again(8, "f", "d", 1, False, (sighting(4),)), "line 4: same bytes", None),
        (
            Again(8, "f", "d", 2, True, (sighting(4, False, "o\x1b.ndjson"), sighting(6))),
            "o␛.ndjson line 4, line 6: OTHER BYTES under one identity (D2)",
            "bad",
        ),
        (
            Again(8, "f", None, 9, True, tuple(sighting(n) for n in range(1, 9))),
            "line 1, line 2, line 3, line 4, 5 more: other bytes; without a content_digest they may change (D3)",
            "doubt",
        ),
    ],
)
def test_where_a_frame_was_met(again: Again, said: str, token: str | None) -> None:
    assert again_words(again) == said
    assert again_token(again) == token


# -- in the pane


def source(path: Path, messages: list[dict[str, Any]], roots: Roots, memory: SeenKeys) -> Source:
    path.write_bytes(b"".join(line + b"\n" for line in raw_lines(messages)))
    transcript = Transcript.open(path)
    background = Background(transcript, cited_files=CitedFiles(roots), memory=memory, at="2026-11-29T12:00:00Z")
    made = Source(transcript, background.analysis(), UNICODE, background)
    while made.advance(60.0):
        made.refresh()
    return made


def shown(of: Source, line: int, tab: str, place: int = 0) -> str:
    record = of.records.at(line - 1)
    return text(rows(record, Place(place), tab, Look(UNICODE, 400)))  # type: ignore[arg-type]


def greeting(public_key: str) -> dict[str, Any]:
    return ack() | {"attester_keys": [{"key_id": "k1", "algorithm": "ed25519", "public_key": public_key}]}


def test_the_chain_tells_what_became_of_each_file(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(b"alpha\nbeta\n")
    os.mkfifo(tmp_path / "fifo")
    links = [
        {"type": "file", "uri": f"file://{tmp_path}/{name}", "digest": f"sha256:{sha256(cited).hexdigest()}", **more}
        for name, cited, more in (
            ("real.txt", b"beta\n", {"range": "L2"}),
            ("real.txt", b"alphA\nbeta\n", {}),
            ("fifo", b"", {}),
            ("../x", b"", {}),
        )
    ]
    served = frame("a", content="alphA\nbeta\n", provenance=[*links, {"type": "derivation", "method": "m"}])
    messages = [HANDSHAKE, ack(), query(1), frames(1, served)]
    with Roots([tmp_path]) as roots:
        seen = shown(source(tmp_path / "t", messages, roots, SeenKeys(tmp_path / "k")), 4, "Chain")
    told = "".join(seen.split())
    for line in (
        f"✓ re-read 5 bytes under {tmp_path}: matches",
        f"≠ re-read 11 bytes under {tmp_path}: differs, the first at byte 4",
        "? unverifiable: it is not a regular file",
        "· outside roots: no opened folder holds it (--root DIR)",
    ):
        assert "".join(line.split()) in told, line


def test_the_card_tells_of_other_lines_and_of_a_key_that_changed(tmp_path: Path) -> None:
    served = frame("a")
    identity = {"provider_id": "repo-graph", "frame_id": "a"}
    evidence = {
        "signed_commitment": "sha256:" + "0" * 64,
        "key_id": "k1",
        "algorithm": "ed25519",
        "attester_id": "x",
        "signature": "0" * 128,
        "issued_at": "2026-08-29T12:00:00Z",
    }
    entries = [{"frame": identity, "attestation": evidence}]
    first = frames(1, served, frame_attestations=entries)
    messages = [HANDSHAKE, greeting(KEY), query(1), first, query(2), frames(2, served)]
    memory = SeenKeys(tmp_path / "k")
    with Roots([]) as roots:
        seen = shown(source(tmp_path / "t", messages, roots, memory), 4, "Frame")
        assert "seen        also on line 6: same bytes" in seen
        assert "Key changed" not in seen
        memory.save()
        messages[1] = greeting(OTHER)
        other = source(tmp_path / "u", messages, roots, SeenKeys(tmp_path / "k"))
        seen = shown(other, 4, "Frame")
        assert "! Key changed since it was last seen here." in seen
        assert "Key changed" not in shown(other, 6, "Frame"), "no key is named there"
    assert json.loads((tmp_path / "k").read_text())["keys"][0]["public_key"] == KEY


def test_the_prompt_tells_of_keys_that_changed(tmp_path: Path) -> None:
    made = case(binding(target(tmp_path)))
    assert "key changed" not in text_of(prompt_rows(made, None, [], WIDE))
    changed = msgspec.structs.replace(made, changed_keys=("k\x1b1", *(f"k{n}" for n in range(2, 9))))
    told = text_of(prompt_rows(changed, None, [], WIDE))
    assert "! key changed since it was last seen here: k␛1" in told
    assert told.count("key changed") == 4
