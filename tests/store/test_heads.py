"""A ledger that is gone, or that is none any more, is missed by the head that its id leads to."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.types import Denial
from cgp_tui.errors import RefusedError
from cgp_tui.store import paths
from cgp_tui.store.heads import Heads
from tests.consent.people import binding, scoped
from tests.store.disk import Disk
from tests.store.ledgers import draft


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv(paths.STATE_VARIABLE, str(tmp_path / "state"))
    made = Ledger(tmp_path / "data" / "receipts.toml")
    made.grant([draft(expires_at="never")])
    return made


def head_of(ledger: Ledger) -> Path:
    head = ledger.open().head_path
    assert head is not None
    return head


def test_a_ledger_that_is_gone_is_shortened_and_takes_no_grant(ledger: Ledger) -> None:
    head = head_of(ledger)
    ledger.path.unlink()
    later = Ledger(ledger.path)
    opened = later.open()
    assert (opened.state, opened.head_path, opened.head and opened.head.seq) == ("shortened", head, 1)
    assert opened.command == later.command("recover")
    answer = Gate(later).peek(binding(), scoped())
    assert isinstance(answer, Denial)
    assert answer.code == "shortened"
    with pytest.raises(RefusedError) as caught:
        later.grant([draft()])
    assert caught.value.code == "shortened"
    later.recover()
    assert (later.open().state, later.open().receipts, head.exists()) == ("ok", (), False)


def test_a_no_leaves_a_ledger_that_is_gone_shut(ledger: Ledger) -> None:
    """Without ledger and head it would be one that never was, and take the next grant."""
    head = head_of(ledger)
    ledger.path.unlink()
    assert Ledger(ledger.path).revoke([draft("revoke")]).outcome == "emergency_stop"
    assert head.exists()
    assert Ledger(ledger.path).open().state == "shortened"
    named = Ledger(ledger.path.with_name("named.toml"), head)
    assert named.revoke([draft("revoke")]).outcome == "emergency_stop"
    assert named.open().state == "shortened"


@pytest.mark.parametrize("content", [b"", b"x\n"], ids=["empty", "other"])
def test_a_no_that_a_spoilt_ledger_does_not_take_finds_the_head_all_the_same(content: bytes, ledger: Ledger) -> None:
    head = head_of(ledger)
    ledger.path.write_bytes(content)
    later = Ledger(ledger.path)
    assert (later.open().state, later.open().head_path) == ("damaged", head)
    assert later.revoke([draft("revoke")]).outcome == "emergency_stop"
    assert not head.exists()


def test_a_head_that_is_spoilt_or_gone_with_its_ledger(ledger: Ledger) -> None:
    head = head_of(ledger)
    ledger.path.unlink()
    head.write_bytes(b"#" * 1024)
    assert Ledger(ledger.path).open().state == "head_damaged"
    head.unlink()
    assert Ledger(ledger.path).open().state == "fresh"


def test_another_path_is_another_ledger(ledger: Ledger) -> None:
    assert Ledger(ledger.path.with_name("other.toml")).open().state == "fresh"


def test_a_ledger_that_was_moved_is_known_from_the_first_record_written_there(ledger: Ledger) -> None:
    moved = ledger.path.rename(ledger.path.with_name("moved.toml"))
    assert Ledger(moved).open().state == "ok"
    assert not paths.whose_path(moved).exists(), "looking writes nothing"
    Ledger(moved).revoke([draft("revoke")])
    moved.unlink()
    assert Ledger(moved).open().state == "shortened"


@pytest.mark.parametrize("kept", [b"", b"ab\n", b"../x\n", b"0" * 32, b"0" * 32 + b"\nx"])
def test_what_is_no_id_leads_nowhere(kept: bytes, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.write_bytes(kept)
    place.chmod(0o600)
    heads = Heads(None, tmp_path.joinpath, lambda: place)
    assert heads.last() is None
    heads.keep("0" * 32)
    assert heads.last() == tmp_path / ("0" * 32)
    place.chmod(0o666)
    assert heads.last() is None, "others may have written it"


def test_what_cannot_be_kept_is_no_fault_and_a_named_head_needs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    heads = Heads(None, tmp_path.joinpath, lambda: tmp_path / "file" / "place")
    heads.keep("0" * 32)
    assert heads.last() is None
    named = Heads(tmp_path / "head", tmp_path.joinpath, lambda: tmp_path / "place")
    named.keep("0" * 32)
    assert (named.last(), named.of("1" * 32), (tmp_path / "place").exists()) == (tmp_path / "head", tmp_path / "head", False)


def test_what_is_known_already_is_not_written_again(tmp_path: Path) -> None:
    place = tmp_path / "place"
    Heads(None, tmp_path.joinpath, lambda: place).keep("0" * 32)
    written = place.stat()
    again = Heads(None, tmp_path.joinpath, lambda: place)
    again.keep("0" * 32)
    assert (place.stat().st_ino, place.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    again.keep("1" * 32)
    assert again.last() == tmp_path / ("1" * 32)


def test_an_id_that_cannot_be_read_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "place"
    heads = Heads(None, tmp_path.joinpath, lambda: place)
    heads.keep("0" * 32)
    before = len(list(Path("/dev/fd").iterdir()))

    def failing(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "read", failing)
        assert heads.last() is None
    assert heads.last() == tmp_path / ("0" * 32)
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_stop_with_another_head_shuts_those_who_name_none_too(ledger: Ledger, tmp_path: Path) -> None:
    usual = head_of(ledger)
    named = Ledger(ledger.path, tmp_path / "elsewhere" / "head")
    done = named.revoke([draft("revoke")])
    assert (done.outcome, usual.exists()) == ("emergency_stop", False)
    assert "elsewhere" not in done.detail, "something was removed"
    answer = Gate(Ledger(ledger.path)).peek(binding(), scoped())
    assert isinstance(answer, Denial)
    assert answer.code == "head_missing"


def test_a_stop_in_the_middle_of_a_record_removes_both_heads(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = head_of(ledger)
    named = Ledger(ledger.path, tmp_path / "head")
    (tmp_path / "head").write_bytes(usual.read_bytes())
    (tmp_path / "head").chmod(0o600)
    with monkeypatch.context() as patch:
        Disk(patch, 2, lasting=False)
        patch.setattr(os, "ftruncate", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
        done = named.revoke([draft("revoke")])
    assert (done.outcome, usual.exists(), (tmp_path / "head").exists()) == ("emergency_stop", False, False)
    assert "There was no head" not in done.detail


def test_a_stop_that_finds_no_head_says_who_may_go_on(ledger: Ledger, tmp_path: Path) -> None:
    """A program that was started with another --head cannot be known here."""
    head_of(ledger).unlink()
    for one in (Ledger(ledger.path), Ledger(ledger.path, tmp_path / "head")):
        done = one.revoke([draft("revoke")])
        assert done.outcome == "emergency_stop"
        assert done.detail.endswith("a program that keeps its head elsewhere, with --head, goes on.")


def test_a_stop_without_a_known_home_still_stops_what_was_named(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = Ledger(ledger.path, tmp_path / "head")
    (tmp_path / "head").write_bytes(b"#" * 1024)
    (tmp_path / "head").chmod(0o600)
    monkeypatch.setenv(paths.STATE_VARIABLE, "~nobody-here/state")
    assert named.revoke([draft("revoke")]).outcome == "emergency_stop"
    assert not (tmp_path / "head").exists()
