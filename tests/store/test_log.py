"""In which state a log is, whatever was done to its files, and how a block gets in, is taken back, or is set aside."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.consent.receipt import Receipt, encode, parse
from cgp_tui.errors import OurError
from cgp_tui.store import chain, files, head
from cgp_tui.store.head import SLOT, Head
from cgp_tui.store.heads import Heads
from cgp_tui.store.log import Log
from cgp_tui.store.place import NotWrittenError
from tests.store.ledgers import LEDGER_ID, Stored, append, blocks, draft, forged, six

NO_HEAD = (b"#" * SLOT) * 2


def tip(stored: Stored) -> tuple[Head, Receipt | None, Path] | None:
    """End, last record and head of what the end alone says, with nothing left open."""
    place = stored.log.tip()
    if place is None:
        return None
    with place:
        return place.end, place.last, place.slots.path


def test_whole_and_covered_is_ok(stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data, heads[6])
    view = stored.log.view()
    assert (view.state, view.detail) == ("ok", "")
    assert list(view.records) == records
    assert view.end == view.head == heads[6]
    assert view.head_path == stored.head
    assert view.marks == stored.log.marks(view.head_path)


def test_nothing_is_fresh(stored: Stored) -> None:
    assert stored.log.view().state == "fresh"
    data, _, heads = blocks([])
    stored.put(data, None)
    view = stored.log.view()
    assert (view.state, view.end, view.head) == ("fresh", heads[0], None)
    stored.put(data + b"\n[[rec", None)
    assert stored.log.view().state == "head_missing"


@pytest.mark.parametrize("headed", [True, False])
def test_a_file_that_grew_by_a_hole_is_not_read_to_its_end(headed: bool, stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data, heads[6] if headed else None)
    os.truncate(stored.path, 1 << 40)
    view = stored.log.view()
    assert (view.state, list(view.records)) == ("damaged" if headed else "head_missing", records)
    assert view.size == 1 << 40
    os.truncate(stored.path, len(data))
    assert stored.log.view().state == ("ok" if headed else "head_missing")


def test_records_beyond_what_is_read_are_neither_adopted_nor_lost(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    data, records, heads = blocks(six())
    monkeypatch.setattr(limits, "LEDGER_UNCOVERED_BYTES", heads[5].size - heads[2].size)
    stored.put(data, heads[2])
    view = stored.log.view()
    assert (view.state, list(view.records)) == ("damaged", records[:5])
    assert f"{heads[6].size - heads[5].size:,} bytes follow record 5 and were not read" in view.detail
    stored.put(data, heads[3])
    assert stored.log.view().state == "adopt"
    assert stored.path.read_bytes() == data


@pytest.mark.parametrize("keep", range(1, 7))
def test_records_without_a_head(keep: int, stored: Stored) -> None:
    data, _, _ = blocks(six()[:keep])
    stored.put(data, None)
    assert stored.log.view().state == "head_missing"


def test_a_head_without_a_whole_slot(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, heads[6])
    for content in (NO_HEAD, b"", b"junk"):
        stored.head.write_bytes(content)
        assert stored.log.view().state == "head_damaged"


def test_a_torn_write_of_one_slot_leaves_the_other(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.head.write_bytes(head.slot(heads[6])[:100].ljust(SLOT, b"#") + head.slot(heads[5]))
    stored.path.write_bytes(data)
    stored.head.chmod(0o600)
    stored.path.chmod(0o600)
    view = stored.log.view()
    assert (view.state, view.head) == ("adopt", heads[5])


def test_every_truncation_denies_and_keeps_only_what_was_written(stored: Stored) -> None:
    """Cut at every byte: no state but `ok` for the whole file, and never a record that was not written."""
    data, records, heads = blocks(six())
    stored.put(data, heads[6])
    ends = {one.size: number for number, one in enumerate(heads)}
    for size in range(len(data)):
        stored.path.write_bytes(data[:size])
        view = stored.log.view()
        whole = max((number for end, number in ends.items() if end <= size), default=-1)
        assert list(view.records) == records[: max(whole, 0)]
        assert view.state == ("shortened" if size in ends else "damaged"), size
        assert view.detail


def test_every_byte_changed_is_tampering(stored: Stored) -> None:
    data, records, heads = blocks(six()[:2])
    stored.put(data, heads[2])
    for at in range(len(data)):
        stored.path.write_bytes(data[:at] + bytes([data[at] ^ 0x01]) + data[at + 1 :])
        view = stored.log.view()
        record = next(number for number, one in enumerate(heads) if at < one.size)
        assert view.state == "tampered", at
        assert f"Record {record}, byte " in view.detail
        assert list(view.records) == records[: max(record - 1, 0)]


def test_records_swapped_deleted_or_doubled_are_tampering(stored: Stored) -> None:
    data, _, heads = blocks(six())
    bounds = [0, *(one.size for one in heads)]
    parts = [data[start:end] for start, end in pairwise(bounds)]
    stored.put(data, heads[6])
    for at in range(1, 7):
        for other in range(at + 1, 7):
            swapped = parts.copy()
            swapped[at], swapped[other] = swapped[other], swapped[at]
            stored.path.write_bytes(b"".join(swapped))
            assert stored.log.view().state == "tampered"
        stored.path.write_bytes(b"".join(parts[:at] + parts[at + 1 :]))
        assert stored.log.view().state == ("tampered" if at < 6 else "shortened")
        stored.path.write_bytes(b"".join(parts[: at + 1] + parts[at:]))
        assert stored.log.view().state == ("tampered" if at < 6 else "forked")


def test_an_older_copy_is_shortened(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data[: heads[4].size], heads[6])
    view = stored.log.view()
    assert view.state == "shortened"
    assert "remembers record 6, the file ends with record 4" in view.detail


def test_an_older_head_is_caught_up(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, heads[4])
    view = stored.log.view()
    assert (view.state, view.head, view.end) == ("adopt", heads[4], heads[6])
    assert "2 not acknowledged yet" in view.detail
    stored.log.adopt(view)
    assert stored.log.view().state == "ok"


def test_another_record_at_the_heads_place_is_a_fork(stored: Stored) -> None:
    data, _, _ = blocks(six())
    _, _, others = blocks([*six()[:5], draft(note="another")])
    stored.put(data, others[6])
    assert stored.log.view().state == "forked"
    longer, _, heads = blocks([*six(), draft("revoke")])
    stored.put(longer, others[6])
    assert stored.log.view().state == "forked"
    stored.put(longer, Head(LEDGER_ID, 6, heads[6].size, "0" * 64))
    assert stored.log.view().state == "forked"
    stored.put(longer, Head(LEDGER_ID, 6, heads[6].size - 1, heads[6].hash))
    assert stored.log.view().state == "forked"


@pytest.mark.parametrize("remembers", [0, 1])
def test_two_records_after_one_block_are_a_fork(remembers: int, stored: Stored) -> None:
    """Two writers that no lock kept apart: whichever head was written last, neither record is cut off as a torn one."""
    data, _, heads = blocks(six())
    written = [forged(7, heads[6].hash, lambda text: text, note=note) for note in ("one", "another")]
    block, digest = written[remembers]
    stored.put(data + b"".join(block for block, _ in written), Head(LEDGER_ID, 7, len(data) + len(block), digest))
    view = stored.log.view()
    assert view.state == "forked"
    assert "ecord 7" in view.detail
    assert tip(stored) is None


def test_a_head_of_another_ledger_is_a_fork(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, None)
    head.create(stored.head, Head("f" * 32, 6, heads[6].size, heads[6].hash))
    view = stored.log.view()
    assert view.state == "forked"
    assert "f" * 32 in view.detail


@pytest.mark.parametrize(("size", "state"), [(1, "torn"), (65_536, "torn"), (65_537, "damaged")])
def test_a_tail_is_torn_up_to_64_kib(size: int, state: str, stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data + b"x" * size, heads[6])
    view = stored.log.view()
    assert (view.state, list(view.records)) == (state, records)


def test_a_cut_record_after_the_head_is_torn(stored: Stored) -> None:
    data, _, heads = blocks(six())
    for size in range(heads[5].size + 1, heads[6].size):
        stored.put(data[:size], heads[5])
        assert stored.log.view().state == "torn"


def test_whose_head_goes_with_a_log_is_read_whatever_follows_its_first_block(stored: Stored) -> None:
    data, _, heads = blocks([])
    block, digest = forged(1, heads[0].hash, lambda text: text.removeprefix("\n"))
    stored.put(data + block, Head(LEDGER_ID, 1, len(data + block), digest))
    view = stored.log.view()
    assert (view.state, view.head is not None) == ("tampered", True)


@pytest.mark.parametrize(("new", "state"), [("weight = 1\nuses = ", "newer_format"), ("uses = 7\nuses = ", "tampered")])
@pytest.mark.parametrize("acknowledged", [True, False])
def test_well_chained_strangers_are_never_skipped(new: str, state: str, acknowledged: bool, stored: Stored) -> None:
    data, records, heads = blocks(six()[:1])
    block, digest = forged(2, heads[1].hash, lambda text: text.replace("uses = ", new))
    end = Head(LEDGER_ID, 2, len(data + block), digest)
    stored.put(data + block, end if acknowledged else heads[1])
    view = stored.log.view()
    assert (view.state, list(view.records)) == (state, records)
    assert "Record 2, byte " in view.detail


@pytest.mark.parametrize(
    ("content", "state"), [(b"", "damaged"), (b"junk", "damaged"), (b'\nhash = "x"\n# end 0\n', "tampered")]
)
def test_a_file_that_is_no_ledger(content: bytes, state: str, stored: Stored) -> None:
    stored.put(content, None)
    assert stored.log.view().state == state


def test_a_named_head_speaks_where_the_file_is_gone(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, heads[6])
    named = type(stored.log)(stored.path, stored.log._parse, Heads(stored.head, lambda _: stored.path))
    assert named.view().state == "ok"
    stored.path.unlink()
    assert named.view().state == "shortened"
    stored.head.write_bytes(NO_HEAD)
    assert named.view().state == "head_damaged"
    stored.head.unlink()
    assert named.view().state == "fresh"


@pytest.mark.parametrize("which", ["path", "head"])
def test_unsafe_files_are_a_state_with_the_command(which: str, stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, heads[6])
    getattr(stored, which).chmod(0o666)
    view = stored.log.view()
    assert (view.state, view.records) == ("store_unsafe", ())
    assert view.fix.startswith("chmod 600 ")
    assert view.head_path == stored.head


def test_the_tip_says_ok_only_where_everything_would(stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data, heads[6])
    assert stored.log.view().state == "ok"
    assert tip(stored) == (heads[6], records[5], stored.head)
    for content, remembered in (
        (data + b"x", heads[6]),
        (data, heads[5]),
        (data[: heads[5].size], heads[6]),
        (data[:-2] + b"7\n", heads[6]),
        (b"# " + data, heads[6]),
        (data, None),
    ):
        stored.put(content, remembered)
        assert tip(stored) is None
    empty, _, first = blocks([])
    stored.put(empty, first[0])
    assert tip(stored) == (first[0], None, stored.head)
    stored.path.chmod(0o666)
    assert tip(stored) is None


def test_the_tip_is_the_very_end_of_the_file(stored: Stored) -> None:
    """What follows the last block would stand before the next one; here its bytes were taken from an earlier place."""
    data, _, heads = blocks(six())
    stored.put(data[:400] + data[403:] + b"###", heads[6])
    assert stored.path.stat().st_size == heads[6].size
    assert tip(stored) is None


def test_the_tip_of_a_long_last_block(stored: Stored) -> None:
    """Longer than what is read at first, so that it begins before that."""
    data, records, heads = blocks([draft(), draft("deny", target_shown=("x" * 500,) * 60)])
    assert heads[2].size - heads[1].size > 30_000
    stored.put(data, heads[2])
    assert tip(stored) == (heads[2], records[1], stored.head)
    stored.put(data[:-3_000] + b"y" + data[-2_999:], heads[2])
    assert tip(stored) is None


def test_the_tip_notices_another_ledger_in_the_place(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, heads[6])
    assert tip(stored) is not None
    stored.path.unlink()
    stored.log.create("2026-11-29T18:00:00Z")
    found, view = tip(stored), stored.log.view()
    assert found is not None
    assert view.header is not None
    assert found == (view.end, None, view.head_path)
    assert found[0].ledger_id == view.header.ledger_id != LEDGER_ID


def test_what_this_process_wrote_last_is_known_only_as_long_as_it_stands(stored: Stored) -> None:
    data, records, heads = blocks(six())
    at = heads[5].size
    stored.put(data[:at], heads[5])
    place = stored.log.tip()
    assert place is not None
    with place:
        place.append(encode(records[5]), records[5])
        stored.log.keep(place)
    assert stored.path.read_bytes() == data
    slots = stored.head.read_bytes()
    assert tip(stored) == (heads[6], records[5], stored.head)
    for changed in (10, at + 30, len(data) - 3):
        stored.path.write_bytes(data[:changed] + bytes([data[changed] ^ 1]) + data[changed + 1 :])
        assert tip(stored) is None, changed
    stored.path.write_bytes(data[:at])
    assert tip(stored) is None
    stored.path.write_bytes(data)
    stored.head.write_bytes(b"#" * SLOT + slots[SLOT:])
    assert tip(stored) is None, "the slot of record 6 is gone"
    stored.head.write_bytes(slots[:SLOT] + b"#" * SLOT)
    assert tip(stored) == (heads[6], records[5], stored.head), "and that of record 5 is not needed"
    block, digest = forged(7, heads[6].hash, lambda text: text)
    stored.put(data + block, Head(LEDGER_ID, 7, len(data) + len(block), digest))
    found = tip(stored)
    assert found is not None
    assert found[0].seq == 7


def test_no_descriptor_is_left_of_a_place(stored: Stored) -> None:
    data, records, heads = blocks(six())
    before = set(Path("/dev/fd").iterdir())
    for content, remembered, mode in (
        (data, heads[6], 0o600),
        (data, heads[5], 0o600),
        (b"x", None, 0o600),
        (data, heads[6], 0o666),
    ):
        stored.put(content, remembered)
        stored.head.chmod(mode) if remembered else None
        tip(stored)
        with contextlib.suppress(OurError):
            append(stored, heads[5], encode(records[5]))
        with contextlib.suppress(OurError):
            append(stored, heads[6], encode(records[5]))
    assert set(Path("/dev/fd").iterdir()) == before


def test_create_then_append(stored: Stored) -> None:
    stored.path.parent.rmdir()
    stored.log.create("2026-11-29T18:00:00Z")
    view = stored.log.view()
    assert (view.state, view.end) == ("ok", view.head)
    assert view.header is not None
    assert (view.header.previous, view.header.reason) == ("", "")
    assert view.end is not None
    assert view.head_path is not None
    _, records, _ = blocks(six())
    body = encode(records[0]).replace(records[0].prev.encode(), view.end.hash.encode())
    with stored.log.place(view) as place:
        end = place.append(body)
    after = stored.log.view()
    assert (after.state, after.end, after.records[0].receipt_id) == ("ok", end, records[0].receipt_id)
    for path in (stored.path, view.head_path):
        assert path.stat().st_mode & 0o777 == 0o600


def test_nothing_is_appended_to_a_ledger_that_changed(stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data, heads[6])
    with pytest.raises(NotWrittenError, match="changed in the meantime"):
        append(stored, heads[5], encode(records[5]))
    assert stored.path.read_bytes() == data
    stored.path.unlink()
    with pytest.raises(NotWrittenError, match=rf"No such file or directory \({re.escape(str(stored.path))}\)\."):
        append(stored, heads[5], encode(records[5]))
    stored.put(data, heads[6])
    stored.path.chmod(0o666)
    with pytest.raises(OurError, match="0666"):
        append(stored, heads[6], encode(records[5]))


def test_a_torn_tail_is_kept_aside_and_cut(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data + b"half a record", heads[6])
    tail = stored.log.cut(stored.log.view())
    assert stored.path.read_bytes() == data
    assert tail.size == 13
    assert tail.kept.parent == stored.path.parent / "quarantine"
    assert tail.kept.read_bytes() == b"half a record"
    assert tail.kept.stat().st_mode & 0o777 == 0o600
    assert tail.kept.parent.stat().st_mode & 0o777 == 0o700
    assert stored.log.view().state == "ok"


def test_the_archive_keeps_both_files_as_they_were(stored: Stored) -> None:
    data, _, heads = blocks(six())
    broken = data.replace(b"org-tenant", b"org-tenanu")
    stored.put(broken, heads[6])
    remembered = stored.head.read_bytes()
    kept = stored.log.succeed(stored.log.view(), "2026-11-29T18:00:00Z", "tampered")
    assert kept.name.startswith(f"{stored.path.name}.20261129T180000Z.")
    assert kept.parent == stored.path.parent / "archive"
    assert kept.read_bytes() == broken
    assert kept.with_name(kept.name + ".head").read_bytes() == remembered
    begun = stored.log.view()
    assert (begun.state, begun.records) == ("ok", ())
    assert begun.header is not None and begun.header.ledger_id != LEDGER_ID
    assert (begun.header.previous, begun.header.reason) == (heads[2].hash, "tampered")
    stored.path.write_bytes(data)
    assert stored.log.view().state == "head_missing", "the old ledger, put back, grants nothing"


@pytest.mark.parametrize("call", range(1, 5))
def test_a_disk_that_is_full_leaves_the_old_one_where_it_is(
    call: int, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, _, heads = blocks(six())
    stored.put(data[:-40], heads[6])
    files_before = {path: path.read_bytes() for path in stored.path.parent.rglob("*") if path.is_file()}
    view, calls = stored.log.view(), iter(range(1, 100))
    name = "write" if call % 2 else "fsync"
    real = getattr(os, name)

    def full(*arguments: object) -> object:
        if next(calls) == (call + 1) // 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments)

    (stored.path.parent / "archive").mkdir()
    monkeypatch.setattr(os, name, full)
    with pytest.raises(OSError, match="No space"):
        stored.log.succeed(view, "2026-11-29T18:00:00Z", "shortened")
    monkeypatch.undo()
    assert {path: path.read_bytes() for path in stored.path.parent.rglob("*") if path.is_file()} == files_before
    assert stored.log.view().state == view.state


def test_the_head_is_found_without_trust_only_to_be_removed(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, heads[6])
    stored.path.chmod(0o666)
    assert stored.log.head_to_stop() == stored.head
    for content in (b"", b'ledger_id = "../../etc/passwd"\n', b'ledger_id = "ABC"\n'):
        stored.path.write_bytes(content)
        assert stored.log.head_to_stop() is None
    stored.path.unlink()
    assert stored.log.head_to_stop() is None
    os.mkfifo(stored.path)
    assert stored.log.head_to_stop() is None


def test_marks_of_absent_files_are_absent(stored: Stored) -> None:
    assert stored.log.marks(None) == (files.ABSENT, files.ABSENT)
    assert chain.read(b"", stored.log._parse).last == -1


def test_a_place_that_cannot_be_looked_at_is_no_store(stored: Stored) -> None:
    stored.path.parent.mkdir(parents=True, exist_ok=True)
    stored.path.parent.rmdir()
    stored.path.parent.write_text("no folder")
    view = stored.log.view()
    assert (view.state, view.records) == ("store_unsafe", ())
    assert "Not a directory" in view.detail


def named(stored: Stored) -> Log[Receipt]:
    """The log with its head at a path that a person gave."""
    return Log(stored.path, parse, Heads(stored.head, stored.heads.joinpath))


def test_the_head_to_stop_is_found_with_no_trust_in_the_file(stored: Stored, tmp_path: Path) -> None:
    data, _, heads = blocks(six())
    stored.put(data.replace(b"org-tenant", b"org-tenanu"), heads[6])
    place = tmp_path / "place"
    by_id = Log(stored.path, parse, Heads(None, tmp_path.joinpath, lambda: place))
    assert by_id.head_to_stop() == tmp_path / LEDGER_ID
    stored.path.write_bytes(b"no ledger")
    assert by_id.head_to_stop() is None
    Heads(None, tmp_path.joinpath, lambda: place).keep("a" * 32)
    assert by_id.head_to_stop() == tmp_path / ("a" * 32), "that of the one that stood here last"
    assert named(stored).head_to_stop() == stored.head, "a head that is named is the one"


def test_what_a_person_named_is_spared_unless_it_may_be_a_head(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, heads[6])
    assert named(stored).spared(stored.head) == ""
    stored.head.write_bytes(b"# what I wrote\n")
    assert named(stored).spared(stored.head) == f"{stored.head} is not a ledger's head, so it is left alone."
    assert stored.log.spared(stored.head) == "", "in our own folder nothing else stands"


def test_a_successor_is_made_where_file_or_head_is_gone(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, heads[6])
    stored.head.unlink()
    log = named(stored)
    kept = log.succeed(log.view(), "2026-11-29T18:00:00Z", "head_missing")
    assert kept.read_bytes() == data
    assert not kept.with_name(kept.name + ".head").exists()
    assert log.view().state == "ok"
    stored.path.unlink()
    kept = log.succeed(log.view(), "2026-11-29T18:00:00Z", "shortened")
    assert not kept.exists(), "there was nothing to move"
    assert kept.with_name(kept.name + ".head").exists()
    assert log.view().state == "ok"


def test_marks_are_those_of_both_files(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, heads[6])
    log = stored.log
    marks = log.marks(stored.head)
    assert marks == (files.mark(stored.path), files.mark(stored.head))
    assert log.is_marked(stored.head, marks)
    for path in (stored.path, stored.head):
        path.touch()
        assert not log.is_marked(stored.head, marks), path
        marks = log.marks(stored.head)
        assert log.is_marked(stored.head, marks)
    assert log.marks(None) == (marks[0], files.ABSENT), "nobody knows where its head is"
    assert log.is_marked(None, (marks[0], files.ABSENT))
    assert not log.is_marked(None, marks)
    assert named(stored).is_marked(None, marks), "a head that is named is the one"


def test_what_was_foreseen_is_read_again_only_where_it_changed(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    data, records, heads = blocks(six())
    stored.put(data[: heads[5].size], heads[5])
    reads: list[int] = []
    really = files.read_whole

    def counted(fd: int, most: int = 1 << 40) -> bytes:
        reads.append(fd)
        return really(fd, most)

    monkeypatch.setattr(files, "read_whole", counted)
    stored.log.foresee()
    foreseen = stored.log.view()
    assert (len(reads), foreseen.state, list(foreseen.records)) == (1, "ok", records[:5])
    assert stored.log.view() == foreseen
    assert len(reads) == 2, "what was foreseen serves one view"
    stored.log.foresee()
    stored.put(data, heads[6])
    assert stored.log.view().end == heads[6]
    stored.log.foresee()
    head.create(stored.head, heads[5])
    assert stored.log.view().state == "adopt", "the head alone is another"


def test_what_was_foreseen_in_part_is_read_again_where_its_head_covers_more(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, _, heads = blocks(six())
    monkeypatch.setattr(limits, "LEDGER_UNCOVERED_BYTES", heads[5].size - heads[2].size)
    stored.put(data, heads[2])
    stored.log.foresee()
    head.create(stored.head, heads[3])
    assert stored.log.view().state == "adopt"


def test_an_unsafe_log_that_was_mended_meanwhile_is_read(stored: Stored) -> None:
    data, _, heads = blocks(six())
    stored.put(data, heads[6])
    stored.path.chmod(0o666)
    stored.log.foresee()
    assert stored.log.view().state == "store_unsafe"
    stored.log.foresee()
    stored.path.chmod(0o600)
    assert stored.log.view().state == "ok"


def test_where_nothing_was_appended_only_the_place_is_kept(stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data, heads[6])
    with stored.log.place(stored.log.view()) as place:
        stored.log.keep(place)
    assert tip(stored) == (heads[6], records[5], stored.head)


def test_the_end_that_was_kept_is_no_end_of_another_ledger_under_the_same_head(stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data[: heads[5].size], heads[5])
    log = named(stored)
    with log.place(log.view()) as place:
        place.append(encode(records[5]), records[5])
        log.keep(place)
    found = log.tip()
    assert found is not None
    found.close()
    other, _ = chain.first_block(chain.Header("f" * 32, view_time(log)))
    assert len(other) == heads[0].size
    stored.path.write_bytes(other + data[heads[0].size :])
    assert log.tip() is None


def view_time(log: Log[Receipt]) -> str:
    """When the ledger was begun."""
    header = log.view().header
    assert header is not None
    return header.created_at
