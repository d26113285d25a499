"""Reading: records by number from a file that may grow, be cut, be replaced or be damaged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.errors import InputError
from cgp_tui.transcript import index as index_module
from cgp_tui.transcript import reader as reader_module
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.record import Damaged
from cgp_tui.transcript.writer import Writer
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import GaveUp

HANDSHAKE = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}'
QUERY = b'{"type":"query","id":"q1","query":{"goal":"g","max_frames":1,"max_tokens":1}}'
ACK = b'{"type":"handshake_ack"}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.ndjson"


def writing(path: Path) -> Writer:
    return Writer(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "test")


def bare(path: Path, *lines: bytes, end: bytes = b"\n") -> Path:
    path.write_bytes(b"\n".join(lines) + end)
    return path


def test_a_wire_line_stands_on_a_line_of_the_file(path: Path) -> None:
    writer = writing(path)
    for at in range(3):
        writer.note(GaveUp(t=writer.now(), connection=1, exchange=1, after_s=0.5))
        writer.line(1, "provider", b'{"a":%d}' % at)
    writer.close()
    with Transcript.open(path) as transcript:
        places = [transcript.file_line(n) for n in (1, 2, 3, 4)]
        assert (transcript.complete, places[3]) == (True, None)
    for at, place in enumerate(places[:3]):
        assert place is not None
        assert b'"line":{"a":%d}' % at in path.read_bytes().splitlines()[place - 1]
    with Transcript.open(bare(path, HANDSHAKE, b"", ACK), growing=True) as transcript:
        assert [transcript.file_line(n) for n in (1, 3, 4)] == [1, 3, None]
        assert not transcript.complete


raws = st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b" ")) | st.sampled_from([HANDSHAKE, QUERY, b'{"a":1}\r'])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(st.tuples(raws, st.booleans()), max_size=12), st.integers(1, 64))
def test_a_recording_reads_back_byte_for_byte(path: Path, written: list[tuple[bytes, bool]], piece: int) -> None:
    path.unlink(missing_ok=True)
    writer = writing(path)
    wanted: list[Line | GaveUp] = []
    for raw, noted in written:
        wanted.append(writer.line(2, "provider", raw))
        if noted:
            note = GaveUp(t=writer.now(), connection=2, exchange=1, after_s=0.5)
            writer.note(note)
            wanted.append(note)
    writer.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "PIECE", piece)
        transcript = Transcript.open(path)
        assert list(transcript.records()) == wanted
        assert [transcript.record(at) for at in range(len(transcript))] == wanted
        assert transcript.lines == len(written)
        rows = [transcript.row(at) for at in range(len(transcript))]
        assert [(row.kind, row.n) for row in rows] == [
            ("line", one.n) if isinstance(one, Line) else ("note", None) for one in wanted
        ]
        assert [row.size for row in rows if row.kind == "line"] == [len(raw) for raw, _ in written]
        for at, one in enumerate(wanted):
            assert not isinstance(one, Line) or transcript.place(one.n) == at
        transcript.close()


def test_a_bare_file_counts_physical_lines(path: Path) -> None:
    transcript = Transcript.open(bare(path, HANDSHAKE, b"", b"{broken", ACK, QUERY, b'{"type":"later"}', end=b""))
    assert (transcript.format, transcript.header, len(transcript), transcript.lines) == ("bare", None, 6, 6)
    found = list(transcript.records())
    assert [one.n for one in found if isinstance(one, Line)] == [1, 2, 3, 4, 5, 6]
    senders = [one.sender for one in found if isinstance(one, Line)]
    assert senders == ["host", None, None, "provider", "host", None]
    assert [transcript.row(at).sender for at in range(6)] == senders


def test_a_damaged_line_of_a_bare_file_shows_who_began_it(path: Path) -> None:
    transcript = Transcript.open(bare(path, HANDSHAKE, b'{"type":"frames","result":{"fra', b'{"type":"query","x":NaN}'))
    assert [one.sender for one in transcript.records() if isinstance(one, Line)] == ["host", "provider", "host"]


def test_a_type_that_is_cut_off_is_none(path: Path) -> None:
    lines = [HANDSHAKE, *(b'{"type":"query"'[:-at] for at in range(1, 8)), b'{"type":"queryX', b'{"type":"Query"}']
    transcript = Transcript.open(bare(path, *lines))
    assert [one.sender for one in transcript.records() if isinstance(one, Line)] == ["host", *[None] * 9]


@pytest.mark.parametrize("first", [b'{"type":"query",', b'{"type":"frames",'])
def test_a_line_of_two_types_is_of_the_one_it_begins_with_and_opens_no_connection(path: Path, first: bytes) -> None:
    greeting = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}'
    with Transcript.open(bare(path, greeting, first + greeting[1:], greeting)) as transcript:
        assert [transcript.connection(at) for at in range(3)] == [1, 1, 2]


def test_each_handshake_of_a_bare_file_opens_a_connection(path: Path) -> None:
    quoting = b'{"type":"error","message":"a \\"handshake\\" is missing","x":"handshake"}'
    spaced = b'{ "protocol_version" : "contextgraph/1.0", "type" : "handshake" }'
    lines = [QUERY, HANDSHAKE, ACK, quoting, spaced, QUERY, HANDSHAKE]
    for piece in (7, 1 << 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(index_module, "PIECE", piece)
            transcript = Transcript.open(bare(path, *lines))
            found = [one.connection for one in transcript.records() if isinstance(one, Line)]
            assert found == [1, 1, 1, 1, 2, 2, 3]
            assert [transcript.row(at).connection for at in range(7)] == found


def test_damaged_records_are_records_of_their_own(path: Path) -> None:
    writer = writing(path)
    writer.line(1, "host", QUERY)
    writer.close()
    path.write_bytes(path.read_bytes() + b'\n{"n":2,"t":0.5,"conn')
    transcript = Transcript.open(path)
    kinds = [type(one) for one in transcript.records()]
    assert kinds == [Line, Damaged, Damaged]
    assert (len(transcript), transcript.lines) == (3, 1)
    assert [transcript.row(at).kind for at in range(3)] == ["line", "damaged", "damaged"]


def test_lines_of_another_programs_spelling_count_as_lines(path: Path) -> None:
    writer = writing(path)
    writer.line(1, "host", QUERY)
    writer.note(GaveUp(t=0.5, connection=1, exchange=1, after_s=0.5))
    writer.close()
    path.write_bytes(path.read_bytes() + b'{"connection":1,"n":2,"from":"host","t":1,"line":{"type":"shutdown"}}\n')
    transcript = Transcript.open(path)
    assert (len(transcript), transcript.lines) == (3, 2)
    assert [transcript.row(at).n for at in range(3)] == [1, None, 2]
    assert [transcript.place(n) for n in (1, 2)] == [0, 2]


def test_growth_is_read_on_and_a_torn_end_waits_for_its_newline(path: Path) -> None:
    writer = writing(path)
    transcript = Transcript.open(path, growing=True)
    assert (len(transcript), transcript.refresh()) == (0, False)
    writer.line(1, "host", QUERY)
    assert transcript.refresh()
    assert (len(transcript), transcript.event) == (1, "")
    with path.open("ab") as file:
        file.write(b'{"n":2,"t":0.5,"connection":1,"from":"host","line":{"a"')
        file.flush()
        assert not transcript.refresh()
        assert (len(transcript), transcript.tail > 0) == (1, True)
        file.write(b":1}}\n")
    assert transcript.refresh()
    assert transcript.record(1) == Line(2, 1, "host", 0.5, b'{"a":1}')
    assert (transcript.tail, transcript.generation) == (0, 0)


def test_a_file_that_grows_after_all_is_read_anew(path: Path) -> None:
    transcript = Transcript.open(bare(path, HANDSHAKE, b'{"type":"shut', end=b""))
    assert len(transcript) == 2
    with path.open("ab") as file:
        file.write(b'down"}\n')
    assert transcript.refresh()
    assert (transcript.event, transcript.generation) == ("replaced", 1)
    assert [one.raw for one in transcript.records() if isinstance(one, Line)] == [HANDSHAKE, b'{"type":"shutdown"}']


def test_a_shrunken_file_is_named_and_read_anew(path: Path) -> None:
    transcript = Transcript.open(bare(path, HANDSHAKE, ACK, QUERY), growing=True)
    bare(path, HANDSHAKE)
    assert transcript.refresh()
    assert (transcript.event, transcript.generation, len(transcript)) == ("shrunken", 1, 1)
    assert not transcript.refresh()
    assert transcript.event == ""


def test_a_replaced_file_is_named_and_read_anew(path: Path, tmp_path: Path) -> None:
    transcript = Transcript.open(bare(path, HANDSHAKE, ACK))
    bare(tmp_path / "other", QUERY, QUERY, QUERY, QUERY).rename(path)
    assert transcript.refresh()
    assert (transcript.event, len(transcript)) == ("replaced", 4)


def test_a_file_written_anew_in_its_place_is_named(path: Path) -> None:
    transcript = Transcript.open(bare(path, HANDSHAKE, ACK), growing=True)
    bare(path, QUERY, QUERY, QUERY, QUERY)
    assert transcript.refresh()
    assert (transcript.event, len(transcript)) == ("replaced", 4)


@pytest.mark.parametrize("gone", ["unlinked", "not a transcript"])
def test_what_was_read_stays_where_the_file_is_gone(path: Path, tmp_path: Path, gone: str) -> None:
    transcript = Transcript.open(bare(path, HANDSHAKE, ACK))
    path.unlink()
    if gone == "not a transcript":
        path.write_bytes(b"something else")
    assert not transcript.refresh()
    assert transcript.event == "gone"
    assert (len(transcript), transcript.row(0).type) == (2, "handshake")


def test_a_cut_file_never_raises(path: Path) -> None:
    transcript = Transcript.open(bare(path, HANDSHAKE, ACK, QUERY))
    os.truncate(path, 10)
    assert len(list(transcript.records())) == 3
    assert [transcript.row(at).n for at in range(3)] == [1, 2, 3]


def test_a_large_file_is_counted_over_several_looks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "AT_ONCE", 400)
    assert len(Transcript.open(bare(path, *[QUERY] * 20))) > 1
    transcript = Transcript.open(path, look=100)
    counted = [len(transcript)]
    while not transcript.indexed:
        transcript.refresh()
        counted.append(len(transcript))
    assert counted[0] == 1
    assert counted == sorted(set(counted))
    assert counted[-1] == 20


def test_a_lost_line_has_no_place(path: Path) -> None:
    writer = writing(path)
    for n in range(6):
        writer.line(1, "host", QUERY)
        if n % 2:
            writer.note(GaveUp(t=0.5, connection=1, exchange=1, after_s=0.5))
    writer.close()
    kept = [line for line in path.read_bytes().split(b"\n") if not line.startswith((b'{"n":2,', b'{"n":3,'))]
    path.write_bytes(b"\n".join(kept))
    transcript = Transcript.open(path)
    places = {n: transcript.place(n) for n in range(8)}
    assert [n for n, at in places.items() if at is not None] == [1, 4, 5, 6]
    assert all(transcript.row(at).n == n for n, at in places.items() if at is not None)


def test_no_descriptor_is_left_behind(path: Path) -> None:
    def held() -> int:
        return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").is_dir() else 0

    before = held()
    for data in (b"no transcript", HANDSHAKE):
        path.write_bytes(data)
        try:
            transcript = Transcript.open(path)
        except InputError:
            continue
        path.write_bytes(HANDSHAKE * 2)
        transcript.refresh()
        transcript.close()
    assert held() == before


def test_notes_are_read_without_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "notes.ndjson"
    header = b'{"format":"cgp-transcript/1","started_at":"2026-11-29T12:00:00Z","recorder":"t","payload":"whole"}\n'
    line = b'{"n":1,"t":0.1,"connection":1,"from":"host","line":{"type":"shutdown"}}\n'
    path.write_bytes(header + b'{"note":"spawn","t":0,"connection":1,"pid":1,"sandbox":"none"}\n' + line + b"broken\n")
    with Transcript.open(path) as transcript:
        assert [at for at, _ in transcript.notes()] == [0, 2]
        assert [type(record).__name__ for _, record in transcript.notes(1)] == ["Damaged"]
        assert list(transcript.notes(3)) == []
    bare = tmp_path / "bare.ndjson"
    bare.write_bytes(b'{"type":"handshake","protocol_version":"contextgraph/1.0"}\n')
    with Transcript.open(bare) as transcript:
        assert list(transcript.notes()) == []


_LONG_LINES = [
    b'{"type":"handshake","protocol_version":"contextgraph/1.0-draft","more":"%b"}' % (b"x" * 300),
    b'{"type":"query","id":"q1","query":{"goal":"%b"}}' % (b"x" * 300),
    b'{"more":"%b","type":"handshake","protocol_version":"contextgraph/1.0-draft"}' % (b"x" * 900),
    b'{"type":"shutdown"}',
    b"x" * 400,
]
_LONG_RECORDS = [
    b'{"n":1,"t":0.1,"connection":1,"from":"host","line":%b}' % _LONG_LINES[1],
    b'{"note":"stderr","t":0.2,"connection":1,"text":"%b"}' % (b"x" * 300),
    b'{"t":0.3,"n":2,"connection":1,"from":"host","line":%b}' % _LONG_LINES[1],
    b"x" * 400,
    b'{"n":3,"t":0.4,"connection":1,"from":"host","line":{"type":"shutdown"}}',
]


@pytest.mark.parametrize("end", [b"\n", b""], ids=["whole", "without its LF"])
@pytest.mark.parametrize(
    "records", [_LONG_LINES, [*_LONG_LINES, _LONG_LINES[0]], None], ids=["bare", "long at its end", "ours"]
)
def test_a_long_line_is_counted_by_its_beginning_as_if_it_were_read(
    records: list[bytes] | None, end: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = b'{"format":"cgp-transcript/1","started_at":"2026-11-29T12:00:00Z","recorder":"inspect","payload":"whole",'
    ours = [header + b'"redactions":[],"ledger":null}', *_LONG_RECORDS, _LONG_RECORDS[0].replace(b'"n":1', b'"n":4')]
    path = tmp_path / "s.ndjson"
    path.write_bytes(b"\n".join(ours if records is None else records) + end)

    def seen() -> list[object]:
        with Transcript.open(path) as transcript:
            rows = [(transcript.row(at), transcript.record(at)) for at in range(len(transcript))]
            places = [transcript.place(n) for n in range(transcript.lines + 2)]
            connections = [transcript.connection(at) for at in range(len(transcript))]
            return [rows, list(transcript.records()), places, transcript.lines, connections]

    expected = seen()
    monkeypatch.setattr(index_module, "PIECE", 40)
    monkeypatch.setattr(index_module, "LONG", 64)
    assert seen() == expected
    monkeypatch.setattr(limits, "SHELL_AT_ONCE_BYTES", 40)
    monkeypatch.setattr(reader_module, "_PIECE", 16)
    assert seen() == expected


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file whose first bytes cannot be read")
def test_a_file_that_fails_to_be_read_is_told_and_is_no_defect(path: Path) -> None:
    with pytest.raises(InputError, match=r"^/proc/self/mem cannot be read: Input/output error\.") as caught:
        Transcript.open("/proc/self/mem")
    assert caught.value.code == "unreadable"
    with Transcript.open(bare(path, HANDSHAKE, ACK)) as transcript:
        broken = os.open("/proc/self/mem", os.O_RDONLY)
        os.dup2(broken, transcript._fd)  # the same descriptor, on a disk that has failed meanwhile
        os.close(broken)
        for look in (transcript.row, transcript.raw, transcript.record):
            with pytest.raises(InputError, match=r"t\.ndjson cannot be read: Input/output error"):
                look(0)
        with pytest.raises(InputError, match=r"t\.ndjson cannot be read"):
            list(transcript.records())
        transcript._size += 1
        with pytest.raises(InputError, match=r"t\.ndjson cannot be read"):
            transcript._index = index_module.Index(transcript._fd, transcript._sort)
            transcript._grow(1)
