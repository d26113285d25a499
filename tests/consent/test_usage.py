"""What recordings have noted of the gate: read from notes alone, as far as they have grown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.consent import usage
from cgp_tui.consent.usage import Reading, Sum, Usage, payload, total, under
from cgp_tui.errors import InputError
from cgp_tui.transcript import reader

HEADER = {"format": "cgp-transcript/1", "started_at": "2026-11-29T12:00:00Z", "recorder": "inspect", "payload": "whole"}
NEED = {"basis": "scope", "scope": "third-party-index", "receipt_id": "ab" * 16}
QUERY = {"type": "query", "id": "q1", "query": {"goal": "why", "max_frames": 1, "max_tokens": 1}}


def note(kind: str, t: float = 1.0, **more: Any) -> dict[str, Any]:
    return {"note": kind, "t": t, "connection": 1, **more}


def connect(provider_id: str = "docs", connection: int = 1) -> dict[str, Any]:
    shown = {"kind": "stdio", "shown": ["/usr/bin/p"], "digest": "aa" * 32, "code": ""}
    return {**note("connect", provider_id=provider_id, target=shown), "connection": connection}


def gate(allowed: bool = True, **more: Any) -> dict[str, Any]:
    asked = {"allowed": allowed, "bytes": 82, "needs": [NEED], **more}
    return note("gate", **({"exchange": 2, **asked} if allowed else asked))


def line(n: int, message: dict[str, Any] = QUERY, sender: str = "host") -> dict[str, Any]:
    return {"n": n, "t": 1.5, "connection": 1, "from": sender, "line": message}


def write(path: Path, *records: dict[str, Any], header: dict[str, Any] | None = HEADER) -> Path:
    body = [*([header] if header else []), *records]
    with path.open("a") as file:
        file.write("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in body))
    return path


def test_a_yes_and_a_no_with_whom_they_were_about(tmp_path: Path) -> None:
    refused = gate(False, asked="verify", needs=[{**NEED, "reason": "expired"}], t=61.5)
    path = write(tmp_path / "a.ndjson", connect(), gate(), line(1), refused)
    reading = Reading(path)
    assert reading.grow()
    yes, no = reading.uses
    assert (yes.at, yes.provider_id, yes.asked, yes.allowed, yes.bytes) == (
        "2026-11-29T12:00:01Z",
        "docs",
        "query",
        True,
        82,
    )
    assert (yes.target, yes.shown, yes.kind) == ("aa" * 32, ("/usr/bin/p",), "stdio")
    assert (no.at, no.asked, no.allowed, no.needs[0].reason) == ("2026-11-29T12:01:01Z", "verify", False, "expired")
    found = payload(yes)
    assert found is not None
    assert (found.n, json.loads(found.raw)["type"]) == (1, "query")
    assert payload(no) is None
    reading.close()


def test_a_recording_that_grows_is_read_on(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ndjson", connect())
    reading = Reading(path)
    assert not reading.grow() or reading.uses == []
    write(path, gate(), line(1), header=None)
    assert reading.grow()
    assert len(reading.uses) == 1
    assert not reading.grow()
    write(path, note("cut", exchange=2, bytes=40), header=None)
    assert reading.grow()
    assert (reading.uses[0].bytes, reading.uses[0].whole) == (40, False)
    path.unlink()
    write(path, connect("else"), gate(), line(1))
    reading.grow()
    assert [used.provider_id for used in reading.uses] == ["else"]
    reading.close()


def test_what_failed_to_leave_is_not_whole(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.ndjson",
        connect(),
        gate(),
        line(1),
        note("send_failed", exchange=2),
        gate(False),
        note("cut", exchange=9, bytes=1),
    )
    reading = Reading(path)
    reading.grow()
    assert [(used.allowed, used.whole, used.bytes) for used in reading.uses] == [(True, False, 82), (False, True, 82)]
    reading.close()


def test_notes_that_make_no_sense_are_no_uses(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.ndjson",
        {**gate(), "connection": 7},
        connect(),
        gate(t=1e300),
        note("gate", allowed="yes"),
        note("of_a_later_version", x=1),
    )
    reading = Reading(path)
    reading.grow()
    assert reading.uses == []
    reading.close()
    bare = tmp_path / "bare.ndjson"
    bare.write_text(json.dumps(QUERY) + "\n")
    plain = Reading(bare)
    plain.grow()
    assert plain.uses == []
    plain.close()


def test_only_the_newest_uses_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "KEPT", 4)
    path = write(tmp_path / "a.ndjson", connect(), *(gate(exchange=n) for n in range(21)))
    reading = Reading(path)
    reading.grow()
    assert len(reading.uses) < 8
    assert reading.uses[-1].exchange == 20
    reading.close()


def test_a_folder_of_recordings_and_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("20261127T", "20261128T", "20261129T"):
        write(tmp_path / f"{name}-docs-1.ndjson", connect(name), gate(), line(1))
    (tmp_path / "20261130T-odd-1.ndjson").write_text("not a transcript\n")
    own = tmp_path / "20261129T-docs-1.ndjson"
    uses = Usage(tmp_path, own)
    assert [used.provider_id for used in uses.all()] == ["20261129T"], "until it has looked around"
    uses.look_around()
    assert sorted(used.provider_id for used in uses.all()) == ["20261127T", "20261128T", "20261129T"]
    assert uses.left_out == 1
    write(tmp_path / "20261127T-docs-1.ndjson", gate(), line(2), header=None)
    uses.look_around()
    assert len(uses.all()) == 4
    monkeypatch.setattr(usage, "RECORDINGS", 2)
    uses.look_around()
    assert (len(uses.all()), uses.left_out) == (2, 2), "the newest two, of which one is no transcript, and our own"
    monkeypatch.setattr(usage, "BYTES", 10)
    fresh = Usage(tmp_path, own)
    fresh.look_around()
    assert ([used.provider_id for used in fresh.all()], fresh.left_out) == (["20261129T"], 3)
    fresh.close()
    uses.close()
    assert Usage(None, None).all() == ()
    nowhere = Usage(tmp_path / "nowhere", tmp_path / "not-yet")
    nowhere.look_around()
    assert nowhere.all() == ()


def test_a_payload_whose_recording_is_gone(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ndjson", connect(), gate(), note("stderr", text="x"), line(1, {"type": "verify"}))
    reading = Reading(path)
    reading.grow()
    (used,) = reading.uses
    reading.close()
    assert payload(used) is None, "the line that follows is another one"
    path.unlink()
    with pytest.raises((InputError, OSError)):
        payload(used)


def test_the_uses_of_one_need(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ndjson", connect(), gate(), gate(needs=[{**NEED, "scope": "a:b"}]), gate(needs=[]))
    reading = Reading(path)
    reading.grow()
    assert len(list(under(reading.uses, "docs", "scope", "a:b"))) == 1
    assert list(under(reading.uses, "else", "scope", "a:b")) == []
    reading.close()


def test_a_sum_counts_what_left_and_what_was_refused_from_a_time_on(tmp_path: Path) -> None:
    records = [gate(t=t, exchange=t, bytes=10 * t) for t in (1, 3, 2)]
    reading = Reading(write(tmp_path / "a.ndjson", connect(), *records, gate(False, t=4)))
    reading.grow()
    reading.close()
    assert total(reading.uses) == Sum(3, 60, 1, "2026-11-29T12:00:03Z")
    assert total(reading.uses, "2026-11-29T12:00:02Z") == Sum(2, 50, 1, "2026-11-29T12:00:03Z")
    assert total(reading.uses, "2026-11-29T12:00:05Z") == Sum() == total(())


def test_its_own_recording_is_let_go(tmp_path: Path) -> None:
    own = write(tmp_path / "a.ndjson", connect(), gate())
    uses = Usage(None, own)
    assert len(uses.all()) == 1
    uses.close()
    uses.close()
    write(own, gate(), header=None)
    assert len(uses.all()) == 2, "and opened again where it is asked for"
    uses.close()


def test_a_folder_that_cannot_be_listed_holds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    write(tmp_path / "a.ndjson", connect(), gate())
    uses = Usage(tmp_path, None)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "glob", refused)
        uses.look_around()
    assert (uses.all(), uses.left_out) == ((), 0)
    uses.look_around()
    assert len(uses.all()) == 1


def test_a_recording_that_is_gone_says_nothing_new(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ndjson", connect(), gate())
    reading = Reading(path)
    assert reading.grow()
    path.unlink()
    assert not reading.grow()
    assert len(reading.uses) == 1
    reading.close()


def test_without_a_folder_there_is_nothing_to_look_around_in(tmp_path: Path) -> None:
    uses = Usage(None, write(tmp_path / "a.ndjson", connect(), gate()))
    uses.look_around()
    assert (len(uses.all()), uses.left_out) == (1, 0)
    uses.close()


def test_a_large_recording_that_goes_before_all_of_it_is_counted_says_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ndjson", connect(), gate())
    with path.open("ab") as file:
        file.truncate(reader.AT_ONCE + 1024)
    reading = Reading(path)
    path.unlink()
    assert not reading.grow()
    assert reading.uses == []
    reading.close()
