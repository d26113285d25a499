"""The analysis: what the live session and the checks say, in columns, in slices, and again on demand."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.analysis import Analysis, FindingsChange, RowFacts
from cgp_tui.checks.types import Judged
from cgp_tui.errors import InputError
from cgp_tui.protocol.requirements import Finding
from cgp_tui.session import Exchange
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Writer
from cgp_tui.wire.line import Seen
from tests import dialogue
from tests.dialogue import Played

DIALOGUES = {
    "a clean session": """
        >> handshake
        << ack correlation verify
        >> query q1
        << frames q1 f1 f2
        >> verify - f1
        << verified - f1=valid
        >> shutdown
    """,
    "findings on request and reply": """
        >> handshake
        << ack correlation
        >> query q1 {"as_of":"soon"}
        << frames q1 f1{"score":2} f2{"token_cost":9,"title":""}
        >> query q2 {"max_tokens":1}
        << frames q2 f1 f2
    """,
    "replies out of order, late, doubled and of nobody": """
        >> handshake
        << ack correlation
        >> query q1
        >> query q2
        << frames q2 f1{"score":2}
        note gave_up q1
        << frames q1 f1
        << frames q1 f1
        << frames q9 f1
        << raw {"type":"frames"
        << raw {"type":"later","id":"q7"}
        << error -
    """,
    "lock-step and a crash": """
        >> handshake
        << ack
        >> query -
        << frames - f1
        >> query -
        note exit
    """,
    "a refused ack": """
        >> handshake
        << ack {"protocol_version":"contextgraph/2.0"}
        note refused 2 version_mismatch
    """,
    "what was served before, an id in flight, and lines after shutdown": """
        >> handshake
        << ack correlation verify graph
        >> query q1
        << frames q1 f1{"uri":"file:///a","content_digest":"sha256:1111111111111111111111111111111111111111111111111111111111111111"}
        >> query q2 {"anchors":["file:///a"]}
        << frames q2 f2
        >> verify - f1
        << verified - f1=valid
        >> query q3
        >> query q3
        << frames q3 f1
        << frames q3 f1
        >> shutdown
        << raw {"type":"later"}
        << frames q4 f1
        >> query q5
        note exit 3
    """,
    "a bad line, and a provider that ends at one": """
        >> handshake
        << ack {"protocol_version":"contextgraph/2.0"}
        >> raw {{{
        << error - internal
        >> raw }}}
        note exit 1
    """,
    "a bad request that a provider ends at": """
        >> handshake
        << ack
        >> raw {"type":"query"}
        note exit 1
    """,
    "a reply before its handshake": """
        << frames q1 f1
        >> handshake
        << ack
    """,
}


@pytest.fixture(params=list(DIALOGUES.values()), ids=list(DIALOGUES))
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def write(text: str, path: Path) -> Played:
    """Record a dialogue as a host lives it; what its own session and checks said of it."""
    writer = Writer(
        os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "test", clock=(clock := dialogue.Clock()), started=0.0
    )
    played = dialogue.play(dialogue.live(dialogue.script(text), writer, clock))
    writer.close()
    return played


def analysed(path: Path, **more: object) -> Analysis:
    analysis = Analysis(Transcript.open(path), **more)  # type: ignore[arg-type]
    assert not analysis.advance()
    return analysis


def standing(played: Played) -> list[Finding]:
    """What still holds of all that the live session's checks said: a reply that came late is missing no more."""
    late = {change.number for change in played.changes if change.state == "late"}
    return [finding for finding in played.findings if finding.level != "note" or finding.exchange not in late]


def by_line(played: Played) -> dict[int, Exchange]:
    """The last word on the exchange that each line belongs to."""
    last: dict[int, Exchange] = {}
    for exchange in played.changes:
        for seen in (exchange.request, exchange.reply):
            if seen is not None:
                last[seen.line.n] = exchange
    return last


def test_it_says_what_the_live_session_said(text: str, tmp_path: Path) -> None:
    played = write(text, tmp_path / "t")
    analysis = analysed(tmp_path / "t")
    found = standing(played)
    assert set(analysis.findings) == set(found)
    assert len(analysis.findings) == len(found)
    levels = [finding.level for finding in found]
    assert analysis.counts == (levels.count("violation"), levels.count("advice"), levels.count("note"))
    for n in range(analysis.lines + 2):
        assert set(analysis.findings_at(n)) == {finding for finding in found if finding.line == n}


def test_every_line_leads_to_its_exchange_and_back(text: str, tmp_path: Path) -> None:
    played = write(text, tmp_path / "t")
    analysis = analysed(tmp_path / "t")
    exchanges = by_line(played)
    for n in range(analysis.lines + 2):
        exchange, judged = exchanges.get(n), analysis.judged(n)
        assert (None if judged is None else judged.exchange) == exchange
        pair = (
            {exchange.request.line.n, exchange.reply.line.n} - {n}
            if exchange and exchange.request and exchange.reply
            else set()
        )
        assert analysis.pair(n) == (pair.pop() if pair else None)
        if exchange is not None and exchange.number is not None and exchange.request is not None:
            assert judged is not None
            assert set(judged.findings) <= set(played.findings)


def test_rows_know_state_latency_and_findings(text: str, tmp_path: Path) -> None:
    played = write(text, tmp_path / "t")
    analysis = analysed(tmp_path / "t")
    exchanges, previous = by_line(played), 0.0
    for at in range(analysis.done):
        row, facts = analysis.transcript.row(at), analysis.facts(at)
        assert row.t is not None
        assert facts.delta == (row.t - previous if at else None)
        previous = row.t
        exchange = exchanges.get(row.n or 0)
        if exchange is None:
            assert (facts.state, facts.exchange, facts.latency) == (None, None, None)
            continue
        is_reply = exchange.reply is not None and exchange.reply.line.n == row.n
        assert (facts.state, facts.exchange) == (exchange.state, exchange.number)
        assert facts.latency == (exchange.latency if is_reply else None)
        mine = [finding.level for finding in played.findings if finding.line == row.n]
        assert (facts.violations, facts.advice) == (mine.count("violation"), mine.count("advice"))


def growing(whole: bytes, path: Path) -> Iterator[None]:
    """The file growing by a few bytes at a time."""
    with path.open("ab", buffering=0) as file:
        for at in range(0, len(whole), 37):
            file.write(whole[at : at + 37])
            yield


def test_a_growing_file_comes_to_the_same(text: str, tmp_path: Path) -> None:
    write(text, tmp_path / "t")
    whole = (tmp_path / "t").read_bytes()
    header = whole.index(b"\n") + 1
    (tmp_path / "g").write_bytes(whole[:header])
    analysis = Analysis(Transcript.open(tmp_path / "g", growing=True))
    for _ in growing(whole[header:], tmp_path / "g"):
        analysis.transcript.refresh()
        assert not analysis.advance()
        assert analysis.done == len(analysis.transcript)
    once = analysed(tmp_path / "t")
    assert analysis.findings == once.findings
    assert [analysis.facts(at) for at in range(analysis.done)] == [once.facts(at) for at in range(once.done)]


def test_everybody_who_listens_hears_each_finding_once(text: str, tmp_path: Path) -> None:
    write(text, tmp_path / "t")
    heard: list[Judged] = []
    analysis = analysed(tmp_path / "t", on_judged=heard.append)
    told = [finding for judged in heard for finding in judged.findings]
    assert len(told) == len(set(told))
    told = [finding for finding in told if finding.level != "note" or finding in analysis.findings]
    strays = {finding.line for finding in analysis.findings} - {
        seen.line.n
        for judged in heard
        for seen in (judged.exchange.request, judged.exchange.reply)
        if isinstance(seen, Seen)
    }
    assert set(told) == {finding for finding in analysis.findings if finding.line not in strays}


def test_what_is_not_kept_is_counted_and_judged_again_where_it_is_looked_at(text: str, tmp_path: Path) -> None:
    write(text, tmp_path / "t")
    everything, little = analysed(tmp_path / "t", keep=None), analysed(tmp_path / "t", keep=1)
    assert little.counts == everything.counts
    assert little.findings == everything.findings[:1]
    for n in range(everything.lines + 2):
        assert set(little.findings_at(n)) == set(everything.findings_at(n))
    assert [little.facts(at) for at in range(little.done)] == [everything.facts(at) for at in range(everything.done)]


def test_many_findings_on_one_line_take_linear_time(tmp_path: Path) -> None:
    """Twenty thousand bad frames in one answer: the first thousand are told, the others counted."""
    frames = " ".join(f'f{{"score":2,"id":"g{at}"}}' for at in range(20_000))
    lines = ["handshake", "ack", "query -", f"frames - {frames}"]
    (tmp_path / "t").write_bytes(b"".join(dialogue.message(text) + b"\n" for text in lines))
    analysis = analysed(tmp_path / "t")
    found = [finding for finding in analysis.findings if finding.anchor == "F1"]
    assert [finding.frame_id for finding in found] == [*(f"g{at}" for at in range(limits.FINDINGS_ALIKE)), None]
    assert found[-1].found == "19,000 more"
    assert len(analysis.findings_at(4)) == len(analysis.findings)


def test_slices_end_and_go_on(tmp_path: Path) -> None:
    lines = [b'{"type":"query","id":"q","query":{"goal":"g","max_frames":1,"max_tokens":1}}'] * 500
    (tmp_path / "t").write_bytes(b"\n".join(lines))
    analysis = Analysis(Transcript.open(tmp_path / "t"))
    seen = []
    while analysis.advance(0.0):
        seen.append(analysis.done)
    assert len(seen) > 10
    assert seen == sorted(set(seen))
    assert (analysis.done, analysis.lines) == (500, 500)


def test_nothing_is_said_of_what_was_not_looked_at(tmp_path: Path) -> None:
    write(DIALOGUES["a clean session"], tmp_path / "t")
    analysis = Analysis(Transcript.open(tmp_path / "t"))
    assert analysis.facts(0) == RowFacts(None, None, None, 0, 0, None)
    assert (analysis.judged(1), analysis.pair(1), analysis.findings_at(1)) == (None, None, ())


def test_another_file_in_its_place_starts_it_again(tmp_path: Path) -> None:
    write(DIALOGUES["findings on request and reply"], tmp_path / "t")
    analysis = analysed(tmp_path / "t")
    assert analysis.counts[0]
    (tmp_path / "t").unlink()
    write(DIALOGUES["a clean session"], tmp_path / "t")
    assert analysis.transcript.refresh()
    assert not analysis.advance()
    assert (analysis.counts, analysis.findings, analysis.lines) == ((0, 0, 0), [], 7)


def test_connections_are_paired_apart_and_numbered_together(tmp_path: Path) -> None:
    messages = ["handshake", "ack", "query -", "handshake", "ack", "frames - f1", "query -", "frames - f1"]
    (tmp_path / "t").write_bytes(b"".join(dialogue.message(text) + b"\n" for text in messages))
    analysis = analysed(tmp_path / "t")
    assert [analysis.facts(at).exchange for at in range(8)] == [1, 1, 2, 3, 3, None, 4, 4]
    assert [analysis.facts(at).state for at in range(8)][2:6] == ["failed", "answered", "answered", "orphan"]
    assert analysis.facts(1).delta is None


def test_lost_lines_are_counted_and_blank_ones_are_no_fault(tmp_path: Path) -> None:
    write(DIALOGUES["a clean session"], tmp_path / "t")
    kept = [line for line in (tmp_path / "t").read_bytes().split(b"\n") if not line.startswith((b'{"n":3,', b'{"n":4,'))]
    (tmp_path / "t").write_bytes(b"\n".join(kept))
    assert (analysed(tmp_path / "t").lost, analysed(tmp_path / "t").lines) == (2, 5)
    (tmp_path / "b").write_bytes(b"\n \r\n" + dialogue.message("handshake") + b"\n\n\n")
    blank = analysed(tmp_path / "b")
    assert (blank.lines, [found.line for found in blank.findings], blank.lost) == (5, [3], 0)


@pytest.mark.parametrize("greeting", ["ack graph verify", "ack correlation graph verify"])
@pytest.mark.parametrize("gap", [b"", b"not a record"], ids=["missing", "damaged"])
def test_no_lost_line_is_held_against_anybody(tmp_path: Path, greeting: str, gap: bytes) -> None:
    def name(at: int) -> str:
        return f"q{at}" if "correlation" in greeting else "-"

    spoken = f">> handshake\n<< {greeting}\n"
    spoken += f'>> query {name(1)} {{"max_frames":1,"kinds":["fact"]}}\n<< frames {name(1)} a{{"kind":"fact"}}\n'
    spoken += f">> query {name(2)}\n<< frames {name(2)} b c\n>> verify - b\n<< verified - b=stale\n"
    spoken += f">> query {name(3)}\n<< error {name(3)} unavailable\n>> shutdown"
    write(spoken, tmp_path / "t")
    whole = (tmp_path / "t").read_bytes().split(b"\n")
    assert [found.anchor for found in analysed(tmp_path / "t").findings] == []
    for place in range(1, len(whole) - 1):
        (tmp_path / "t").write_bytes(b"\n".join((*whole[:place], *filter(None, [gap]), *whole[place + 1 :])))
        analysis = analysed(tmp_path / "t")
        held = [(found.anchor, found.level, found.line) for found in analysis.findings if found.level != "note"]
        assert held == [], f"without line {place}"


def test_damaged_records_are_counted(tmp_path: Path) -> None:
    write(DIALOGUES["a clean session"], tmp_path / "t")
    assert analysed(tmp_path / "t").damaged == 0
    lines = (tmp_path / "t").read_bytes().split(b"\n")
    (tmp_path / "t").write_bytes(b"\n".join([*lines[:3], b"garbage", b'{"n":3,"t":1}', *lines[3:]]))
    assert analysed(tmp_path / "t").damaged == 2


def heard(text: str, path: Path) -> tuple[list[FindingsChange], Analysis]:
    """A recorded dialogue analysed as a whole, and the news in their order."""
    write(text, path)
    news: list[FindingsChange] = []
    return news, analysed(path, on_news=news.append)


@pytest.mark.parametrize(
    ("record", "failure"),
    [
        ('"note":"gate","allowed":false,"bytes":9', True),
        ('"note":"gate","allowed":true,"bytes":9', False),
        ('"note":"exit","code":0', False),
        ('"note":"exit","code":1', True),
        ('"note":"exit","signal":9', True),
        ('"note":"exit","signal":9,"ours":true', False),
        ('"note":"refused","line":1,"fault":"orphan"', True),
        ('"note":"answered_after_revoke","line":1', True),
        ('"note":"poisoned","reason":"too_deep"', True),
        ('"note":"send_failed","reason":"unrecordable"', True),
        ('"note":"dropped","lines":3', True),
        ('"note":"stderr","text":"failed"', False),
        ('"n":1,"from":"provider","line":{"type":"error","code":"internal","message":""}', True),
        ('"n":1,"from":"provider","line":{"type":"shutdown"}', False),
    ],
)
def test_a_record_that_tells_of_a_failure_is_found_as_one(record: str, failure: bool, tmp_path: Path) -> None:
    path = tmp_path / "t.ndjson"
    header = '{"format":"cgp-transcript/1","started_at":"2026-11-29T12:04:31Z","recorder":"inspect","payload":"whole"}'
    path.write_text(header + '\n{"note":"stderr","t":0,"connection":1,"text":""}\n{"t":1,"connection":1,' + record + "}\n")
    with Transcript.open(path) as transcript:
        analysis = Analysis(transcript)
        analysis.advance()
        assert analysis.done == 2
        assert analysis.next_failed(0, True) == (1 if failure else None)


def test_a_reply_that_comes_late_is_missed_no_longer(tmp_path: Path) -> None:
    asked = ">> handshake\n<< ack correlation\n>> query q1\nnote gave_up q1"
    news, analysis = heard(asked, tmp_path / "t")
    (missed,) = analysis.findings
    assert (missed.anchor, missed.level, missed.line) == ("3.2", "note", 3)
    assert news == [FindingsChange((missed,), [], revocable=True)]
    late, analysis = heard(f'{asked}\n>> query q2 {{"as_of":"soon"}}\n<< frames q1 f1{{"score":2}}', tmp_path / "late")
    assert [found.anchor for found in analysis.findings] == ["F4", "F1"]
    assert (analysis.counts, analysis.taken_back, analysis.findings_at(3)) == ((2, 0, 0), 1, ())
    assert [[found.anchor for found in one.withdrawn] for one in late] == [[], [], ["3.2"]]


def test_what_is_withdrawn_was_only_counted_where_it_was_not_kept(tmp_path: Path) -> None:
    text = '>> handshake\n<< ack correlation\n>> query q1 {"as_of":"soon"}\nnote gave_up q1\n<< frames q1 f1'
    write(text, tmp_path / "t")
    analysis = analysed(tmp_path / "t", keep=0)
    assert (analysis.counts, analysis.findings, analysis.taken_back) == ((1, 0, 0), [], 0)


@pytest.mark.parametrize(
    ("last", "missed"),
    [(">> shutdown", [3, 4]), ("note exit", [3, 4]), ("", [])],
    ids=["shut down", "ended", "cut off"],
)
def test_what_a_recording_leaves_unanswered_is_missed_once_its_connection_is_over(
    last: str, missed: list[int], tmp_path: Path
) -> None:
    news, analysis = heard(f">> handshake\n<< ack correlation\n>> query q1\n>> verify q2 f1\n{last}", tmp_path / "t")
    assert [finding.line for finding in analysis.findings if finding.level == "note"] == missed
    assert [one.revocable for one in news if one.fresh[0].level == "note"] == [True for _ in missed]
    assert analysis.facts(2).state == ("failed" if missed else "pending")


def test_the_end_of_a_bare_file_is_the_end(tmp_path: Path) -> None:
    lines = [dialogue.message(text) + b"\n" for text in ("handshake", "ack", "query -", "query -")]
    (tmp_path / "t").write_bytes(b"".join(lines))
    assert [found.line for found in analysed(tmp_path / "t").findings] == [3, 4]
    growing = Analysis(Transcript.open(tmp_path / "t", growing=True))
    assert not growing.advance()
    assert growing.findings == []


def test_a_whole_file_that_grows_after_all_withdraws_what_it_missed(tmp_path: Path) -> None:
    lines = [dialogue.message(text) + b"\n" for text in ("handshake", "ack correlation", "query q1", "frames q1 f1")]
    (tmp_path / "t").write_bytes(b"".join(lines[:3]))
    analysis = analysed(tmp_path / "t")
    assert [found.line for found in analysis.findings] == [3]
    with (tmp_path / "t").open("ab") as file:
        file.write(lines[3])
    assert analysis.transcript.refresh()
    assert not analysis.advance()
    assert (analysis.findings, analysis.counts, analysis.facts(2).state) == ([], (0, 0, 0), "late")


def grown(path: Path) -> tuple[Analysis, float]:
    """An analysis of a whole file, and the bytes a record that it holds on to."""
    analysed(path).transcript.close()
    analysis = Analysis(Transcript.open(path))
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    analysis.advance()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return analysis, (after - before) / analysis.done


def test_memory_is_columns(tmp_path: Path) -> None:
    """Three thousand exchanges leave no objects behind: under 60 bytes a record, measured."""
    ask, answer = dialogue.message("query -"), dialogue.message("frames - f1 f2 f3")
    head = dialogue.message("handshake") + b"\n" + dialogue.message("ack") + b"\n"
    (tmp_path / "t").write_bytes(head + (ask + b"\n" + answer + b"\n") * 3_000)
    analysis, each = grown(tmp_path / "t")
    assert (analysis.done, analysis.findings) == (6_002, [])
    assert each < 60


def test_connections_without_end_leave_little_behind(tmp_path: Path) -> None:
    """Of a connection that is over only the place of its ack is kept; a session is some kilobytes."""
    greeting = dialogue.message("handshake") + b"\n" + dialogue.message("ack") + b"\n"
    (tmp_path / "t").write_bytes(greeting * 1_000)
    analysis, each = grown(tmp_path / "t")
    assert (analysis.done, analysis.findings) == (2_000, [])
    assert each < 300


TOKENS = [
    b'"type"',
    b"null",
    b"{",
    b"}",
    b'"',
    b"\\",
    b"\\ud800",
    b"\n",
    b"\xff",
    b"1e400",
    b"-1",
    b'"handshake"',
    b'{"n":',
    b'"line":',
]
edits = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 30), st.sampled_from(TOKENS) | st.binary(max_size=3)), max_size=6
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(sorted(DIALOGUES)), st.booleans(), edits)
def test_no_file_makes_it_raise(tmp_path: Path, name: str, bare: bool, edits: list[tuple[int, int, bytes]]) -> None:
    path = tmp_path / "t"
    path.unlink(missing_ok=True)
    write(DIALOGUES[name], path)
    data = bytearray(path.read_bytes())
    if bare:
        lines = (step.raw for step in dialogue.script(DIALOGUES[name]) if isinstance(step, dialogue.Said))
        data = bytearray(b"".join(line + b"\n" for line in lines))
    for at, length, token in edits:
        place = at % (len(data) + 1)
        data[place : place + length] = token
    path.write_bytes(data)
    try:
        transcript = Transcript.open(path)
    except InputError:
        return
    analysis = Analysis(transcript)
    assert not analysis.advance()
    assert analysis.done == len(transcript)
    for at in range(len(transcript)):
        n = transcript.row(at).n
        analysis.facts(at)
        if n is not None:
            analysis.judged(n)
            analysis.pair(n)
            analysis.findings_at(n)
    transcript.close()


def test_a_key_that_changes_between_connections_is_told(tmp_path: Path) -> None:
    """Connections of one recording share what is known of keys; each provider's name has its own."""
    hello = {"type": "handshake", "protocol_version": "contextgraph/1.0"}

    def ack(name: str, key: str) -> bytes:
        made = json.loads(dialogue.message("ack"))
        made["provider"]["name"] = name
        made["attester_keys"] = [{"key_id": "k1", "algorithm": "ed25519", "public_key": key}]
        return json.dumps(made).encode()

    writer = Writer(os.open(tmp_path / "t", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "test")
    for name, key in (("docs", "00" * 32), ("other", "11" * 32), ("docs", "00" * 32), ("docs", "22" * 32)):
        connection = writer.connection()
        writer.line(connection, "host", json.dumps(hello).encode())
        writer.line(connection, "provider", ack(name, key))
    writer.close()
    analysis = analysed(tmp_path / "t", keep=0)
    assert (analysis.counts, analysis.findings) == ((0, 1, 0), [])
    (found,) = analysis.findings_at(8)
    assert (found.anchor, found.path) == ("6.5.4", "/attester_keys/0/public_key")


def test_a_long_record_is_a_step_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "s.ndjson"
    small, large = dialogue.message("handshake"), b" " * 500
    path.write_bytes(b"\n".join([small, small, large, small]) + b"\n")
    with Transcript.open(path) as transcript:
        analysis = Analysis(transcript)
        done = []
        while analysis.advance(None, 400):
            done.append(analysis.done)
            if len(done) == 1:
                assert analysis.advance(0.0, 400)
                done.append(analysis.done)
        assert done == [2, 3]
        assert analysis.done == 4


def test_findings_beyond_those_kept_are_told_of_their_lines_all_the_same(text: str, tmp_path: Path) -> None:
    """What is kept is told as it is, a line that is kept in part is judged again, a line that is sound is not."""
    write(text, tmp_path / "t")
    everything = analysed(tmp_path / "t", keep=None)
    lines = range(1, everything.lines + 1)
    for keep in range(0, len(everything.findings) + 1, 3):
        little = analysed(tmp_path / "t", keep=keep)
        assert [set(little.findings_at(n)) for n in lines] == [set(everything.findings_at(n)) for n in lines]


def told_by(path: Path, stride: int) -> list[FindingsChange]:
    news: list[FindingsChange] = []
    with Transcript.open(path) as transcript:
        analysis = Analysis(transcript, on_news=news.append)
        while analysis.advance(0.0, stride=stride):
            pass
    return news


@pytest.mark.parametrize("stride", [2, 64])
def test_records_that_are_taken_together_are_told_of_one_by_one(stride: int, text: str, tmp_path: Path) -> None:
    write(text, tmp_path / "t")
    assert told_by(tmp_path / "t", stride) == told_by(tmp_path / "t", 1)


def test_so_many_bytes_are_taken_together_and_no_more(tmp_path: Path) -> None:
    record = dialogue.message("query -").replace(b'"goal":"', b'"goal":"' + b"x" * 100_000)
    (tmp_path / "t").write_bytes(b"\n".join([dialogue.message("handshake"), dialogue.message("ack"), *[record] * 20]))
    analysis = Analysis(Transcript.counted(tmp_path / "t"))
    while not analysis.done:
        assert analysis.advance(0.0, stride=64)
    assert 2 < analysis.done < 16
    while analysis.advance(0.0, stride=64):
        pass
    assert analysis.done == 22
