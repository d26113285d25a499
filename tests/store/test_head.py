"""The remembered head: two slots, written in turn, of which the newer valid one counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cgp_tui.store import head
from cgp_tui.store.files import UnsafeStoreError
from cgp_tui.store.head import SLOT, Head

LEDGER = "00112233445566778899aabbccddeeff"
THIRD = Head(LEDGER, 3, 2808, "c17457ef0f1a193a2e22eeebfd711d781a8102b428561b86c354c3bbbbc9c2c9")


def at(number: int) -> Head:
    return Head(LEDGER, number, 100 * number, f"{number:064x}")


def test_the_published_slot() -> None:
    made = head.slot(THIRD)
    assert len(made) == SLOT
    line, _, padding = made.partition(b"\n")
    assert line == (
        b"cgp-tui-head/1 00112233445566778899aabbccddeeff 3 2808 "
        b"c17457ef0f1a193a2e22eeebfd711d781a8102b428561b86c354c3bbbbc9c2c9 "
        b"697e2baeb0290bfae07a7311b73dad227bf4650743218d763bfab688df9b38b9"
    )
    assert set(padding) == {ord("#")}
    assert THIRD.mark.seq == 3


def test_number_decides_the_slot_and_the_higher_one_counts(tmp_path: Path) -> None:
    path = tmp_path / "heads" / LEDGER
    head.create(path, at(0))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    for number in range(1, 6):
        with head.Slots(path) as slots:
            before = slots.at(number)
            assert before == path.read_bytes()[SLOT * (number % 2) :][:SLOT]
        head.advance(path, at(number))
        data = path.read_bytes()
        assert len(data) == 2 * SLOT
        assert data[SLOT * (number % 2) :][:SLOT] == head.slot(at(number))
        assert head.load(path) == at(number)
        with head.Slots(path) as slots:
            slots.put(number, before)
            assert slots.data == path.read_bytes()
        assert head.load(path) == at(number - 1)
        head.advance(path, at(number))


def test_the_number_counts_and_not_the_size() -> None:
    older, newer = Head(LEDGER, 2, 900, "a" * 64), Head(LEDGER, 3, 100, "b" * 64)
    assert head.read(head.slot(older) + head.slot(newer)) == newer


def test_created_in_the_slot_of_its_number(tmp_path: Path) -> None:
    path = tmp_path / "head"
    head.create(path, THIRD)
    assert path.read_bytes() == b"#" * SLOT + head.slot(THIRD)


def test_any_changed_byte_spoils_a_slot_and_the_other_stands() -> None:
    both = head.slot(at(2)) + head.slot(at(3))
    for index in range(2 * SLOT):
        spoilt = both[:index] + bytes([both[index] ^ 1]) + both[index + 1 :]
        assert head.read(spoilt) == (at(3) if index < SLOT else at(2))
    assert head.read(b"#" * 1024) is None
    assert head.read(b"") is None
    assert head.read(head.slot(at(2))[:-1]) is None


def test_a_slot_needs_its_own_checksum() -> None:
    forged = head.slot(at(2)).replace(b" 2 200 ", b" 9 200 ")
    assert head.read(forged) is None
    assert head.read(head.slot(at(2)).replace(b" 2 ", b" 02 ")) is None


def test_stop_removes_it_for_good_and_twice_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "head"
    head.create(path, THIRD)
    synced: list[tuple[int, bool]] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append((os.fstat(fd).st_ino, path.exists())))
    head.stop(path)
    assert not path.exists()
    assert synced == [(tmp_path.stat().st_ino, False)], "the folder goes to the disk after the name is gone"
    head.stop(path)


def test_a_removal_that_the_disk_does_not_confirm_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "head"
    head.create(path, THIRD)

    def failing(_: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        told = head.stop(path)
    assert "did not confirm it (Input/output error)" in told
    assert not path.exists()
    assert head.stop(path) == ""
    path.mkdir()
    with pytest.raises(OSError, match=r"irectory|not permitted"):
        head.stop(path)


def test_a_stop_says_what_the_disk_did_not_confirm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "head"
    head.create(path, THIRD)
    assert head.stop(path) == ""
    head.create(path, THIRD)

    def failing(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    said = head.stop(path)
    assert not path.exists()
    assert said.startswith("Its head is removed, but the disk did not confirm it (Input/output error)")


def test_a_head_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "head"
    head.create(path, THIRD)
    path.chmod(0o666)
    for use in (lambda: head.load(path), lambda: head.advance(path, at(4)), lambda: head.Slots(path)):
        with pytest.raises(UnsafeStoreError, match="0666"):
            use()


@pytest.mark.parametrize(
    ("data", "may_be"),
    [
        (b"", True),
        (b"x" * (2 * SLOT), True),
        (b"x" * (2 * SLOT - 1), False),
        (b"x" * (2 * SLOT + 1), False),
        (b"cgp-tui-head/9 of a later version", True),
        (b"#" * 16 + b"x", True),
        (b"#" * 15 + b"x", False),
        (b"# what I wrote\n", False),
    ],
)
def test_what_may_be_a_head_is_told_from_a_file_of_another_kind(data: bytes, may_be: bool) -> None:
    assert head.resembles(data) == may_be


def test_a_place_that_cannot_be_read_is_closed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise OSError(5, "Input/output error")

    path = tmp_path / LEDGER
    head.create(path, at(1))
    before = len(list(Path("/dev/fd").iterdir()))
    with monkeypatch.context() as patch, pytest.raises(OSError, match="Input/output"):
        patch.setattr(os, "read", failing)
        head.Slots(path)
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_an_open_head_stands_only_while_its_name_does_and_nobody_else_may_write_it(tmp_path: Path) -> None:
    path = tmp_path / LEDGER
    head.create(path, at(1))
    with head.Slots(path) as slots:
        slots.must_stand()
        path.chmod(0o666)
        with pytest.raises(UnsafeStoreError, match="0666"):
            slots.must_stand()
        path.chmod(0o600)
        slots.must_stand()
        path.unlink()
        with pytest.raises(FileNotFoundError):
            slots.must_stand()
