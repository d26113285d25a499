"""Notes: one kind each, written for good, and read by what they carry and nothing else."""

from __future__ import annotations

import json
from typing import get_args

import msgspec
import pytest

from cgp_tui.wire import note as notes
from tests.wire.notes import WRITTEN

IDS = [f"{place}-{type(note).__name__}" for place, (note, _) in enumerate(WRITTEN)]
KINDS = {kind.__struct_config__.tag: kind for kind in get_args(notes.KnownNote)}
NEEDED = {
    "connect": {"provider_id", "target"},
    "spawn": {"pid", "sandbox"},
    "exit": set(),
    "stderr": {"text"},
    "gate": {"allowed", "bytes"},
    "gave_up": {"exchange", "after_s"},
    "refused": set(),
    "cut": {"exchange", "bytes"},
    "answered_after_revoke": {"line"},
    "poisoned": set(),
    "send_failed": set(),
    "dropped": {"lines"},
}
"""Without these a note of its kind tells nothing: it is damaged. The rest may be missing, from an older writer too."""


def read(raw: bytes) -> notes.KnownNote:
    return msgspec.json.decode(raw, type=notes.KnownNote)


def test_every_kind_is_written_somewhere_here() -> None:
    assert len(KINDS) == len(get_args(notes.KnownNote))
    assert {type(note) for note, _ in WRITTEN} == set(KINDS.values())
    assert set(get_args(notes.AnyNote)) == {*KINDS.values(), notes.UnknownNote}


@pytest.mark.parametrize(("note", "raw"), WRITTEN, ids=IDS)
def test_a_note_is_spelled_as_ever(note: notes.KnownNote, raw: bytes) -> None:
    """The file format has no new number, so that a file written yesterday and one written today are alike."""
    assert msgspec.json.encode(note) == raw
    assert read(raw) == note


@pytest.mark.parametrize(("note", "raw"), WRITTEN, ids=IDS)
def test_members_of_a_later_writer_are_ignored_at_every_depth(note: notes.KnownNote, raw: bytes) -> None:
    def sprinkled(value: object) -> object:
        if isinstance(value, dict):
            return {**{name: sprinkled(item) for name, item in value.items()}, "later": [None]}
        return [sprinkled(item) for item in value] if isinstance(value, list) else value

    assert read(json.dumps(sprinkled(json.loads(raw))).encode()) == note


def test_what_each_kind_must_carry() -> None:
    needed = {
        tag: {field.encode_name for field in msgspec.structs.fields(kind) if field.required} - {"t", "connection"}
        for tag, kind in KINDS.items()
    }
    assert needed == NEEDED


@pytest.mark.parametrize(("note", "raw"), WRITTEN, ids=IDS)
def test_a_note_without_what_it_must_carry_is_none(note: notes.KnownNote, raw: bytes) -> None:
    whole = json.loads(raw)
    for missing in {"t", "connection", *NEEDED[whole["note"]]}:
        with pytest.raises(msgspec.ValidationError, match=f"`{missing}`"):
            read(json.dumps({name: value for name, value in whole.items() if name != missing}).encode())


@pytest.mark.parametrize(
    "raw",
    [
        b'{"note":"weather","t":0.5,"connection":1}',
        b'{"note":"Exit","t":0.5,"connection":1}',
        b'{"note":"exit","t":"0.5","connection":1}',
        b'{"note":"gate","t":0.5,"connection":1,"allowed":true,"bytes":9,"asked":"handshake"}',
        b'{"note":"gate","t":0.5,"connection":1,"allowed":1,"bytes":9}',
        b'{"note":"connect","t":0.5,"connection":1,"provider_id":"p",'
        b'"target":{"kind":"tcp","shown":[],"digest":"","code":""}}',
    ],
    ids=["kind", "case", "time", "asked", "allowed", "target"],
)
def test_what_no_version_wrote_is_not_taken_for_a_note(raw: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(raw)


def test_a_note_of_a_later_kind_keeps_its_bytes_and_is_never_one_of_ours() -> None:
    later = notes.UnknownNote("weather", 0.5, 1, b"{}")
    assert not isinstance(later, notes.Note)
    assert later.raw == b"{}"
    with pytest.raises(AttributeError):
        later.raw = b""  # type: ignore[misc]
