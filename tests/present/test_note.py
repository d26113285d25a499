"""Notes in one line and in full."""

from __future__ import annotations

import pytest

from cgp_tui.present.note import kind, note_json, note_rows, state, summary
from cgp_tui.wire import note as notes
from cgp_tui.wire.note import AnyNote
from tests.present.samples import LOOK, text

TARGET = notes.ShownTarget("stdio", ("/usr/bin/python3", "provider.py"), "ab" * 32, "")
NEED = notes.NeedNote("scope", "third-party-index", "no_receipt")
HELD = notes.NeedNote("scope", "third-party-model", "", "rcp-1")
LEDGER = notes.LedgerMark("L1", 42, "9f" * 32)

TRACE = 'Traceback (most recent call last):\n  File "docs.py", line 3, in query\n    index["a"]'

NOTES: list[tuple[AnyNote, str, str]] = [
    (
        notes.Connect(t=0, connection=1, provider_id="docs-1", target=TARGET),
        "connect",
        "docs-1  /usr/bin/python3 provider.py",
    ),
    (notes.Spawn(t=0, connection=1, pid=4711, sandbox="none"), "spawn", "pid 4711, sandbox none"),
    (notes.Exit(t=0, connection=1, code=0), "exit", "exit code 0"),
    (notes.Exit(t=0, connection=1, signal=9), "exit", "ended by signal 9"),
    (notes.Exit(t=0, connection=1, signal=9, ours=True), "exit", "stopped by cgp-tui (signal 9)"),
    (notes.Exit(t=0, connection=1, ours=True), "exit", "it closed its stdout; stopped by cgp-tui"),
    (notes.Exit(t=0, connection=1), "exit", "ended, how is unknown"),
    (notes.Stderr(t=0, connection=1, text="one\n"), "stderr", "one"),
    (notes.Stderr(t=0, connection=1, text="one\ntwo\nthree"), "stderr", "one  and 2 more lines"),
    (notes.Stderr(t=0, connection=1, text=f"{TRACE}\nKeyError: 'index'\n"), "stderr", "KeyError: 'index'  and 3 more lines"),
    (notes.Stderr(t=0, connection=1, text=TRACE), "stderr", "Traceback (most recent call last):  and 2 more lines"),
    (notes.GateNote(t=0, connection=1, allowed=True, bytes=164, exchange=2), "gate", "query, 164 bytes"),
    (
        notes.GateNote(t=0, connection=1, allowed=False, bytes=164, needs=(NEED, HELD)),
        "gate",
        "query, 164 bytes, 2 needs: no_receipt",
    ),
    (
        notes.GateNote(t=0, connection=1, allowed=False, bytes=9, asked="verify"),
        "gate",
        "verify, 9 bytes, 0 needs",
    ),
    (notes.GaveUp(t=0, connection=1, exchange=4, after_s=30.0), "gave_up", "exchange 4 after 30.0 s"),
    (notes.Refused(t=0, connection=1, line=3, fault="not_json"), "refused", "line 3 has no effect: not json"),
    (notes.Refused(t=0, connection=1, fault="version_mismatch"), "refused", "no effect: version mismatch"),
    (notes.Cut(t=0, connection=1, exchange=4, bytes=65536), "cut", "exchange 4 withheld after 65,536 bytes"),
    (
        notes.AnsweredAfterRevoke(t=0, connection=1, line=8),
        "answered_after_revoke",
        "line 8 came after the revocation: dropped",
    ),
    (notes.Poisoned(t=0, connection=1, reason="too long"), "poisoned", "nothing more is read from this stream: too long"),
    (notes.SendFailed(t=0, connection=1, exchange=4, reason="EPIPE"), "send_failed", "exchange 4: not sent: EPIPE"),
    (notes.SendFailed(t=0, connection=1, reason="EPIPE"), "send_failed", "not sent: EPIPE"),
    (notes.Dropped(t=0, connection=1, lines=214), "dropped", "214 lines not recorded"),
    (notes.UnknownNote("weather", 0, 1, b'{"note":"weather"}'), "weather", "a note of a later format"),
]


@pytest.mark.parametrize(("note", "name", "seen"), NOTES)
def test_each_kind_says_its_own(note: AnyNote, name: str, seen: str) -> None:
    assert kind(note) == name
    assert "".join(span.text for span in summary(note)) == seen


@pytest.mark.parametrize(("note", "name", "seen"), NOTES)
def test_in_full_a_note_begins_with_the_same_words(note: AnyNote, name: str, seen: str) -> None:
    word = f"{state(note).text}  " if state(note).text else ""
    wanted = name if isinstance(note, notes.Stderr) else f"{name}  {word}{seen}"
    assert text(note_rows(note, LOOK), 400).startswith(wanted)


def test_stderr_is_shown_line_by_line_with_its_codes_visible() -> None:
    note = notes.Stderr(t=0, connection=1, text="one\n\x1b[31mtwo")
    assert text(note_rows(note, LOOK)) == "stderr\none\n␛[31mtwo"


def test_a_line_of_stderr_is_said_once() -> None:
    assert text(note_rows(notes.Stderr(t=0, connection=1, text="the index is locked\n"), LOOK)).count("index") == 1


def test_a_gate_note_lists_what_stood_for_and_against() -> None:
    note = notes.GateNote(t=0, connection=1, allowed=False, bytes=164, needs=(NEED, HELD), ledger=LEDGER)
    full = text(note_rows(note, LOOK), 120)
    assert full.startswith("gate  refused  query, 164 bytes, 2 needs: no_receipt")
    assert "need        scope third-party-index  refused: no_receipt" in full
    assert "need        scope third-party-model  permitted  receipt rcp-1" in full
    assert "ledger      #42 L1  head 9f9f" in full


def test_a_gate_note_without_needs_says_why() -> None:
    note = notes.GateNote(t=0, connection=1, allowed=True, bytes=164, exchange=2)
    full = text(note_rows(note, LOOK))
    assert full.startswith("gate  allowed  query, 164 bytes") and "nothing leaves this machine" in full


def test_a_target_is_shown_with_its_digests() -> None:
    note = notes.Connect(t=0, connection=1, provider_id="docs-1", target=TARGET)
    full = text(note_rows(note, LOOK))
    assert "target      /usr/bin/python3 provider.py" in full
    assert "code        not pinned" in full


def test_a_note_keeps_the_json_of_the_file() -> None:
    assert note_json(notes.UnknownNote("weather", 0, 1, b'{"note":"weather"}')) == b'{"note":"weather"}'
    assert note_json(notes.Dropped(t=1.5, connection=1, lines=2)) == b'{"note":"dropped","t":1.5,"connection":1,"lines":2}'
