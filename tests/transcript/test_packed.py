"""Packed transcripts: whatever is wrong with them is named, and no whole line before that is lost."""

from __future__ import annotations

import errno
import gzip
import os
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.errors import InputError
from cgp_tui.transcript import packed
from cgp_tui.transcript.packed import Unpacking, unpacking
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Writer
from cgp_tui.wire.line import Line

Pack = Callable[[bytes], bytes]
PACKS: dict[str, Pack] = {"gzip": lambda data: gzip.compress(data, mtime=0), "zstd": zstandard.compress}
HANDSHAKE = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}\n'

both = pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)


def lines(count: int) -> bytes:
    """A bare session whose lines hardly repeat themselves."""
    chance = random.Random(count)
    query = b'{"type":"query","id":"%d","query":{"goal":"%s","max_frames":1,"max_tokens":9}}\n'
    return HANDSHAKE + b"".join(query % (at, chance.randbytes(40).hex().encode()) for at in range(count - 1))


def counted(path: Path) -> Transcript:
    transcript = Transcript.open(path)
    while not transcript.indexed:
        transcript.refresh()
        assert transcript.event == ""
    return transcript


def raws(transcript: Transcript) -> list[bytes]:
    found = [record.raw for record in transcript.records() if isinstance(record, Line)]
    assert found == [transcript.raw(at) for at in range(len(transcript))]
    return found


def unpacked(data: bytes, step: int = 1 << 20) -> tuple[bytes, Unpacking]:
    """What comes out of `data`, taken in steps."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        made = unpacking(os.dup(file.fileno()), "f")
    assert made is not None
    sizes = [0]
    while not made.done:
        made.more(step)
        sizes.append(made.size)
    assert sizes == sorted(sizes)
    found = os.pread(made.spool, made.size, 0)
    made.close()
    return found, made


@both
def test_a_packed_file_reads_as_what_is_in_it_whatever_its_name(pack: Pack, tmp_path: Path) -> None:
    whole = lines(30_000)
    path = tmp_path / "session.bin"
    path.write_bytes(pack(whole))
    with counted(path) as transcript:
        assert (transcript.format, transcript.lines, transcript.trouble) == ("bare", 30_000, None)
        assert raws(transcript) == whole.split(b"\n")[:-1]
        assert transcript.complete


@both
def test_a_recording_keeps_its_header_and_notes(pack: Pack, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    writer = Writer(os.open(plain, os.O_WRONLY | os.O_CREAT, 0o600), "query")
    writer.line(1, "host", HANDSHAKE.strip())
    writer.close()
    path = tmp_path / "session.gz"
    path.write_bytes(pack(plain.read_bytes()))
    with counted(path) as transcript:
        assert transcript.header is not None and transcript.header.recorder == "query"
        assert [record.raw for record in transcript.records() if isinstance(record, Line)] == [HANDSHAKE.strip()]


def test_what_is_not_packed_is_left_alone() -> None:
    for data in (b"", b"\x1f", HANDSHAKE):
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.flush()
            assert unpacking(file.fileno(), "f") is None


@both
@pytest.mark.parametrize("step", [1, 100_000])
def test_several_members_and_zeros_behind_them_are_one_file(pack: Pack, step: int) -> None:
    whole = lines(2_000)
    data, made = unpacked(pack(whole[:50_000]) + pack(whole[50_000:]) + b"\0" * 512, step)
    assert data == whole
    assert made.trouble is None


@both
def test_a_file_that_was_cut_keeps_its_whole_lines(pack: Pack, tmp_path: Path) -> None:
    whole = lines(5_000)
    path = tmp_path / "cut.gz"
    path.write_bytes(pack(whole)[: len(pack(whole)) * 6 // 10])
    with counted(path) as transcript:
        found = raws(transcript)
        assert 100 < len(found) < 5_000
        assert found == whole.split(b"\n")[: len(found)]
        assert transcript.trouble is not None and transcript.trouble.code == "unreadable"
        assert "cut.gz (" in transcript.trouble.message and "ends in the middle" in transcript.trouble.message


@both
def test_what_follows_and_is_none_of_it_is_damage(pack: Pack) -> None:
    whole = lines(2_000)
    data, made = unpacked(pack(whole) + b"no stream")
    assert data == whole
    assert made.trouble is not None and "is damaged" in made.trouble.message


@both
@given(at=st.integers(10, 5_000), flip=st.integers(1, 255))
def test_a_changed_byte_never_raises_and_loses_no_line_that_was_whole(pack: Pack, at: int, flip: int) -> None:
    whole = lines(100)
    data = bytearray(pack(whole))
    data[at % len(data)] ^= flip
    if not bytes(data).startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        return
    found, made = unpacked(bytes(data))
    assert made.done
    assert made.trouble is not None or found == whole or len(found) == len(whole)
    assert not found or made.trouble is None or found.endswith(b"\n")


@both
def test_where_not_one_line_comes_out_the_trouble_is_said(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(pack(lines(100))[:30])
    with pytest.raises(InputError, match="ends in the middle, after 0 unpacked bytes") as caught:
        Transcript.open(path)
    assert caught.value.fix == "Nothing of it can be read: get the file again."  # no line of it is here


@both
def test_something_else_that_is_packed_is_named(pack: Pack, tmp_path: Path) -> None:
    for content, looks in ((b"import os\n", "plain text"), (b"", "it is empty"), (pack(HANDSHAKE), "compressed data")):
        path = tmp_path / "other.gz"
        path.write_bytes(pack(content))
        with pytest.raises(InputError, match=looks) as caught:
            Transcript.open(path)
        assert caught.value.code == "not_a_transcript"


@both
def test_a_first_line_longer_than_what_is_looked_at_first_is_read(pack: Pack, tmp_path: Path) -> None:
    long = b'{"type":"frames","result":{"frames":[],"truncated":false,"x":"' + os.urandom(1 << 20).hex().encode() + b'"}}'
    path = tmp_path / "long.zst"
    path.write_bytes(pack(long + b"\n" + HANDSHAKE))
    with counted(path) as transcript:
        assert raws(transcript) == [long, HANDSHAKE.strip()]


@both
def test_what_grows_beyond_measure_is_stopped_with_its_first_lines_kept(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_LEEWAY", 1 << 20)
    _, bomb = unpacked(pack(HANDSHAKE + b"\n" * (64 << 20)))
    assert bomb.trouble is not None and "over 200 times its size" in bomb.trouble.message
    assert "-k f" in bomb.trouble.fix
    assert len(HANDSHAKE) <= bomb.size < 48 << 20
    monkeypatch.setattr(limits, "UNPACKED_BYTES", 100_000)
    _, large = unpacked(pack(lines(5_000)))
    assert large.trouble is not None and "over 100,000 bytes" in large.trouble.message
    assert large.size < 3 << 20


def test_a_short_session_may_repeat_itself(tmp_path: Path) -> None:
    data, made = unpacked(gzip.compress(HANDSHAKE * 100_000))
    assert len(data) == len(HANDSHAKE) * 100_000
    assert made.trouble is None


def test_a_disk_that_is_full_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    path = tmp_path / "session.gz"
    path.write_bytes(gzip.compress(lines(10)))
    with pytest.raises(InputError, match="cannot be unpacked: No such file") as caught:
        Transcript.open(path)
    assert "TMPDIR" in caught.value.fix
    monkeypatch.undo()
    full = os.open("/dev/full", os.O_RDWR)
    with tempfile.TemporaryFile() as file:
        file.write(path.read_bytes())
        file.flush()
        made = unpacking(os.dup(file.fileno()), "f")
    assert made is not None
    os.dup2(full, made.spool)
    os.close(full)
    made.more(1)
    assert made.trouble is not None and os.strerror(errno.ENOSPC) in made.trouble.message
    made.close()


@both
def test_a_file_that_is_replaced_is_read_anew_and_one_that_is_gone_is_gone(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "session.gz"
    path.write_bytes(pack(lines(10)))
    with counted(path) as transcript:
        other = tmp_path / "other"
        other.write_bytes(pack(lines(20)))
        other.replace(path)
        transcript.refresh()
        assert (transcript.event, transcript.generation, transcript.lines) == ("replaced", 1, 20)
        with path.open("ab") as file:
            file.write(pack(HANDSHAKE))
        transcript.refresh()
        assert (transcript.event, transcript.lines) == ("replaced", 21)
        path.unlink()
        transcript.refresh()
        assert transcript.event == "gone"


@both
def test_no_descriptor_is_left_open(pack: Pack, tmp_path: Path) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("this system does not list open files")
    path = tmp_path / "session.gz"
    before = len(list(Path("/proc/self/fd").iterdir()))
    for data in (lines(10), b"import os\n"):
        path.write_bytes(pack(data))
        try:
            counted(path).close()
        except InputError:
            assert data != lines(10)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
