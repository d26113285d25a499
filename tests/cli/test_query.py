"""`query` as people and programs run it: one document, one exit code, a whole recording, and no process left behind."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cgp_tui.transcript.record import Damaged, decode_header, decode_record
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import Exit, GateNote, Spawn, Stderr
from tests.cli.desk import within
from tests.host.bench import PROVIDER
from tests.host.test_process import CHILDREN, alive, linux, pids

TIOCGEXCL = 0x80045440
MEMBERS = ["provider", "outcome", "frames", "truncated", "findings", "usage", "transcript"]


class Ran(msgspec.Struct):
    code: int
    out: bytes
    err: bytes

    @property
    def document(self) -> Any:
        assert self.out.isascii()
        assert self.out.count(b"\n}\n") == 1
        return json.loads(self.out)


class Runner:
    """`cgp-tui query` in a home of its own."""

    def __init__(self, cgp: list[str], folder: Path) -> None:
        self.cgp = cgp
        self.folder = folder
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.environment = {**kept, "HOME": str(folder / "home"), "CGP_TUI_STATE": str(folder / "state")}

    def argv(self, *words: str, mode: str = "honest", **options: str) -> list[str]:
        provider = [sys.executable, "-I", "-S", PROVIDER, mode, *(f"{name}={value}" for name, value in options.items())]
        return [*self.cgp, *words, "--", *provider]

    def start(self, argv: list[str], **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**self.environment, **environment},
            cwd=self.folder,
        )

    def run(self, argv: list[str], **environment: str) -> Ran:
        """A line as a process of its own."""
        process = self.start(argv, **environment)
        out, err = process.communicate(timeout=300)
        return Ran(process.returncode, out, err)

    def within(self, argv: list[str]) -> Ran:
        """A line within this process, which is quicker to start; in one of its own where something was recorded, since two
        recordings of one process and one second have one name."""
        if (self.folder / "state" / "transcripts").exists():
            return self.run(argv)
        with contextlib.chdir(self.folder):
            ran = within(argv[len(self.cgp) :], self.environment)
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def __call__(self, *words: str, mode: str = "honest", **options: str) -> Ran:
        return self.within(self.argv("query", *words, mode=mode, **options))


@pytest.fixture
def query(cgp: list[str], tmp_path: Path) -> Runner:
    return Runner(cgp, tmp_path)


def recorded(path: str | Path) -> list[object]:
    head, *rest = Path(path).read_bytes().splitlines()
    assert decode_header(head) is not None
    records = [decode_record(raw) for raw in rest]
    assert not any(isinstance(record, Damaged) for record in records)
    return list(records)


def test_an_answer_is_one_document(query: Runner) -> None:
    ran = query("why not", "--json", "--id", "docs")
    assert (ran.code, ran.err) == (0, b"")
    document = ran.document
    assert list(document) == MEMBERS
    assert document["provider"] == {"id": "docs", "name": "odd", "version": "1.0.0"}
    assert document["outcome"] == "frames"
    assert document["frames"] == [
        {"id": "f0", "kind": "doc", "title": "t", "content": "why not", "score": 0.5, "token_cost": 2, "citation_label": "c"}
    ]
    assert document["truncated"] is False
    assert document["findings"] == []
    usage = document["usage"]
    assert (usage["budget_requested"], usage["budget_consumed"]) == (2000, 2)
    (leg,) = usage["providers"]
    assert leg["provider_id"] == "docs"
    assert (leg["frames_served"], leg["frames_rejected"], leg["token_cost"]) == (1, 0, 2)
    assert leg["served_frames"] == [{"frame": {"provider_id": "odd", "frame_id": "f0"}, "token_cost": 2}]
    assert Path(document["transcript"]).parent == query.folder / "state" / "transcripts"


ENDS = [
    ("honest", "frames", None, 0),
    ("lies", "budget_lie", None, 1),
    ("floods-frames", "frame_flood", None, 1),
    ("egress", "consent_required", "consent_required", 3),
    ("boolean-egress", "consent_required", "consent_required", 3),
    ("crashes", "failed", "provider_crashed", 4),
    ("dies-at-once", "failed", "provider_crashed", 4),
    ("garbage", "failed", "not_json", 4),
    ("not-UTF-8", "failed", "invalid_utf8", 4),
    ("wrong-version", "failed", "version_mismatch", 4),
    ("contradiction", "failed", "scope_contradiction", 4),
    ("malformed-scope", "failed", "scope_malformed", 4),
    ("frames-first", "failed", "unexpected_envelope", 4),
    ("other-id", "failed", "correlation_mismatch", 4),
    ("errors", "failed", "provider_error", 4),
    ("long-answer", "failed", "line_too_long", 4),
]


@pytest.mark.parametrize(("mode", "outcome", "code", "exit_code"), ENDS, ids=[row[0] for row in ENDS])
def test_every_end_has_its_outcome_code_and_exit(
    query: Runner, mode: str, outcome: str, code: str | None, exit_code: int
) -> None:
    ran = query("abcd", "--json", mode=mode)
    document = ran.document
    assert (ran.code, document["outcome"], ran.err) == (exit_code, outcome, b"")
    assert document.get("error", {}).get("code") == code
    assert [name for name in document if name != "error"] == MEMBERS
    assert bool(document["frames"]) is (outcome == "frames")
    records = recorded(document["transcript"])
    asked = [
        record for record in records if isinstance(record, Line) and b'"query"' in record.raw and record.sender == "host"
    ]
    assert (document["usage"] is None) is (not asked)
    if outcome != "frames" and asked:
        assert document["usage"]["budget_consumed"] == 0
    if code is not None:
        assert document["error"]["message"]
        assert document["error"]["fix"]
    assert isinstance(records[-1], Exit)


def test_how_long_it_waits_can_be_said(query: Runner) -> None:
    ran = query("abcd", "--timeout-handshake", "0.2", mode="mute")
    assert (ran.code, b"within 0.2 s" in ran.err) == (4, True), ran.err
    refused = query("abcd", "--timeout-exchange", "0")
    said = b"--timeout-exchange 0 is not a valid timeout. Give seconds"
    assert (refused.code, said in refused.err) == (2, True), refused.err


def test_frames_that_cannot_be_read_are_counted(query: Runner, cgp: list[str]) -> None:
    code = (
        "import json\n"
        "def say(**made): print(json.dumps(made), flush=True)\n"
        "input()\n"
        "say(type='handshake_ack', protocol_version='contextgraph/1.0', capabilities={'query': {'kinds': ['doc']}},\n"
        "    provider={'name': 'n', 'version': '1', 'data_flow': {'reads': True, 'writes': False, 'egress': False}})\n"
        "input()\n"
        "good = {'id': 'a', 'kind': 'doc', 'title': 't', 'content': 'abcd', 'score': 0.5, 'token_cost': 1,\n"
        "        'citation_label': 'c', 'provenance': []}\n"
        "bad = {**good, 'id': 'b'}; bad['tokencost'] = bad.pop('token_cost')\n"
        "say(type='frames', result={'frames': [good, bad], 'truncated': False})\n"
        "input()\n"
    )
    ran = query.within([*cgp, "query", "x", "--id", "docs", "--", sys.executable, "-I", "-S", "-c", code])
    told = ran.out.decode()
    assert "1 frame from n (here docs), 1 of 2,000 tokens. 1 more could not be read.\n" in told, told
    assert "at /result/frames/1/token_cost\n" in told
    assert "    expected a whole number from 0 to 4294967295\n    found nothing, but `tokencost` is there\n" in told
    assert "Fix: Write `token_cost` instead of `tokencost`.\n" in told


def test_a_dropped_answer_says_what_it_would_have_cost(query: Runner) -> None:
    document = query("abcd", "--json", mode="lies").document
    assert [(finding["anchor"], finding["level"]) for finding in document["findings"]] == [("B3", "violation")]
    (leg,) = document["usage"]["providers"]
    assert (leg["frames_served"], leg["frames_rejected"], leg["token_cost"]) == (0, 1, 0)
    lenient = query("abcd", "--json", "--reference-parity", mode="lies")
    assert (lenient.code, lenient.document["outcome"]) == (0, "frames")


def test_a_refusal_names_each_need(query: Runner) -> None:
    log = query.folder / "log"
    document = query("canary", "--json", mode="egress", scopes="org-tenant,acme:x", log=str(log)).document
    assert document["provider"]["name"] == "odd"
    assert document["error"]["needs"] == [
        {"basis": "scope", "scope": "org-tenant", "reason": "no_receipt"},
        {"basis": "scope", "scope": "acme:x", "reason": "no_receipt"},
    ]
    assert "cgp-tui consent grant" in document["error"]["fix"]
    assert log.read_bytes() == b'{"type":"shutdown"}\n'
    assert "canary" not in Path(document["transcript"]).read_text()


def test_a_grant_from_the_command_line_opens_the_gate(query: Runner) -> None:
    words = ("--scope", "third-party-model", "--id", "far")
    granted = query.within(query.argv("consent", "grant", *words, mode="egress"))
    assert granted.code == 0, granted.err
    assert query("now", "--json", "--id", "far", mode="egress").document["outcome"] == "frames"
    # Another name for the same provider is another consent.
    assert query("now", "--json", "--id", "other", mode="egress").code == 3


def test_records_that_nobody_acknowledged_are_told_of(query: Runner) -> None:
    grant = query.argv("consent", "grant", "--scope", "third-party-model", "--id", "far", mode="egress")
    assert query.within(grant).code == 0
    (head,) = query.folder.rglob("heads/*")
    before = head.read_bytes()
    assert query.within(grant).code == query.within(grant).code == 0
    head.write_bytes(before)
    ran = query("now", "--json", "--id", "far", mode="egress")
    assert ran.document["outcome"] == "frames"
    assert b"2 records that its head did not cover were adopted" in ran.err


def test_the_provider_s_own_error_keeps_its_code(query: Runner) -> None:
    error = query("x", "--json", mode="errors").document["error"]
    assert error["provider_code"] == "unsupported_kind"
    assert error["message"] == "\x1b[2Jno"


def test_the_question_is_sent_as_asked(query: Runner) -> None:
    log = query.folder / "log"
    words = ["--query-text", "t", "--kind", "doc", "--kind", "acme:x", "--anchor", "file:///a", "--max-frames", "3"]
    ran = query("g", *words, "--max-tokens", "40", "--as-of", "2026-07-01T00:00:00Z", "--json", log=str(log))
    assert ran.code == 0
    sent = json.loads(log.read_bytes().splitlines()[0])
    assert sent["query"] == {
        "goal": "g",
        "max_frames": 3,
        "max_tokens": 40,
        "query_text": "t",
        "kinds": ["doc", "acme:x"],
        "anchors": ["file:///a"],
        "as_of": "2026-07-01T00:00:00Z",
    }


def test_frames_are_spelled_as_on_the_wire(query: Runner) -> None:
    (frame,) = query("x", "--json", mode="extra").document["frames"]
    assert frame["acme:note"] == {"kept": [1, 2.5, None]}
    assert frame["content"] == "x"
    # What no double can hold is left out rather than written as something else.
    (frame,) = query("x", "--json", mode="beyond").document["frames"]
    assert frame == {
        "id": "f0",
        "kind": "doc",
        "title": "t",
        "content": "x",
        "score": 0.5,
        "token_cost": 1,
        "citation_label": "c",
    }


USAGE = [
    (["query", "x"], "No provider is named"),
    (["query", "x", "provider"], "-- provider"),
    (["query", "x", "--"], "Nothing follows"),
    (["query", "--", "provider"], "GOAL"),
]


@pytest.mark.parametrize(("words", "says"), USAGE, ids=[str(row[0]) for row in USAGE])
def test_a_line_that_cannot_be_run_is_a_usage_error(query: Runner, words: list[str], says: str) -> None:
    plain = query.within([*query.cgp, *words])
    assert plain.code == 2
    assert says in plain.err.decode()
    assert plain.out == b""
    assert plain.err.count(b"\n") == 1
    split = words.index("--") if "--" in words else len(words)
    machine = query.within([*query.cgp, *words[:split], "--json", *words[split:]])
    assert machine.code == 2
    assert machine.document["error"]["code"] == "usage"


@pytest.mark.parametrize("words", [["--as-of", "yesterday"], ["--max-frames", "-1"], ["--id", "a b"], ["--id", ""]])
def test_a_question_that_may_not_be_sent_starts_nothing(query: Runner, words: list[str]) -> None:
    log = query.folder / "log"
    ran = query("x", "--json", *words, log=str(log))
    assert ran.code == 2
    assert ran.document["error"]["code"] == "usage"
    assert ran.document["transcript"] is None
    assert not (query.folder / "state").exists()


def test_a_command_that_does_not_exist(query: Runner) -> None:
    ran = query.within([*query.cgp, "query", "x", "--json", "--", "no-such-program"])
    assert ran.code == 4
    assert ran.document["error"]["code"] == "spawn_failed"
    assert ran.document["provider"] is None
    plain = query.within([*query.cgp, "query", "x", "--", "no-such-program"])
    assert (plain.code, plain.out) == (4, b"")
    assert b"no-such-program" in plain.err


def test_a_named_recording_is_made_and_never_written_over(query: Runner) -> None:
    path = query.folder / "mine.ndjson"
    ran = query("x", "--json", "--record", str(path))
    assert (ran.code, ran.document["transcript"]) == (0, str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    again = query("x", "--json", "--record", str(path))
    assert again.code == 2
    assert again.document["error"]["code"] == "usage"
    assert path.read_bytes() == before
    other = query("x", "--json", "--record", str(query.folder / "none" / "x.ndjson"))
    assert other.code == 2


def test_no_recording_is_kept_where_none_is_wanted(query: Runner) -> None:
    ran = query("canary-4711", "--json", "--no-record")
    assert (ran.code, ran.document["outcome"], ran.document["transcript"]) == (0, "frames", None)
    plain = query("canary-4711", "--no-record")
    assert plain.code == 0 and b"canary-4711" in plain.out
    assert plain.err.endswith(b"Not recorded (--no-record).\n")
    holders = [path for path in query.folder.rglob("*") if path.is_file() and b"canary-4711" in path.read_bytes()]
    assert holders == []
    for other in (("--record", str(query.folder / "mine.ndjson")), ("--no-payload",)):
        both = query("x", "--json", "--no-record", *other)
        assert (both.code, both.document["error"]["code"]) == (2, "usage")
    assert not (query.folder / "mine.ndjson").exists()


def test_a_recording_without_payload_still_answers_what_left(query: Runner) -> None:
    ran = query("canary-4711", "--json", "--no-payload", "--id", "docs")
    assert (ran.code, ran.document["outcome"]) == (0, "frames")
    path = Path(ran.document["transcript"])
    raw = path.read_bytes()
    header = decode_header(raw.partition(b"\n")[0])
    assert header is not None and header.payload == "digests" and b"canary" not in raw
    assert [path for path in query.folder.rglob("*") if path.is_file() and b"canary-4711" in path.read_bytes()] == []
    (gate,) = [record for record in recorded(path) if isinstance(record, GateNote)]
    audited = query.within([*query.cgp, "consent", "audit", "--json", str(path)])
    assert audited.code == 0, audited.err
    assert [(one["asked"], one["bytes"]) for one in json.loads(audited.out)["sent"]] == [("query", gate.bytes)]
    spoilt = query.folder / "spoilt.ndjson"
    spoilt.write_bytes(raw.replace(b'"of":"query","bytes":', b'"of":"query","bytes":1'))
    assert query.within([*query.cgp, "consent", "audit", str(spoilt)]).code == 1
    assert query.within([*query.cgp, "check", str(path)]).code == 0


def test_the_usual_place_is_private(query: Runner) -> None:
    path = Path(query("x", "--json", "--id", "docs").document["transcript"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert "-docs-" in path.name
    kinds = [type(record).__name__ for record in recorded(path)]
    assert kinds == ["Connect", "Spawn", "Line", "Line", "GateNote", "Line", "Line", "Line", "Exit"]


def test_for_people_frames_go_to_stdout_and_the_rest_to_stderr(query: Runner) -> None:
    ran = query("two\nlines", "--id", "docs")
    assert ran.code == 0
    assert ran.out.decode().splitlines() == [
        "1. t (doc, score 0.50, 3 tokens)",
        "   cite: c",
        "   | two",
        "   | lines",
        "",
        "1 frame from odd (here docs), 3 of 2,000 tokens.",
    ]
    assert ran.err.startswith(b"Recorded in ")
    ran = query("x", "--id", "odd")
    assert ran.out.decode().splitlines()[::4] == ["1. t (doc, score 0.50, 1 token)", "1 frame from odd, 1 of 2,000 tokens."]


def test_control_bytes_reach_neither_stream(query: Runner) -> None:
    for words, mode in ((["\x1b]52;c;aGk=\x07\x9b2J"], "honest"), (["x"], "errors")):
        ran = query(*words, mode=mode)
        assert not any(byte < 0x20 and byte != 0x0A for byte in ran.out + ran.err)
        assert b"\x7f" not in ran.out + ran.err


def test_a_refusal_in_words(query: Runner) -> None:
    ran = query("x", mode="egress")
    assert (ran.code, ran.out) == (3, b"")
    said = ran.err.decode().splitlines()[0]
    assert said.startswith("Nothing was sent: no consent for third-party-model (no_receipt). Next: cgp-tui consent grant ")


def test_what_the_provider_says_is_told_apart_from_what_we_say(query: Runner) -> None:
    ran = query("x", mode="errors")
    assert ran.out == b""
    assert ran.err.decode().startswith(
        "The provider answered with an error, unsupported_kind: \u241b[2Jno. Narrow the kinds"
    )


def test_the_provider_s_stderr_is_not_ours(query: Runner) -> None:
    ran = query("x", "--json", mode="noisy")
    assert (ran.code, ran.err) == (0, b"")
    assert b"nnnn" in Path(ran.document["transcript"]).read_bytes()


def test_the_document_is_the_same_everywhere(query: Runner) -> None:
    def printed(**environment: str) -> bytes:
        argv = query.argv("query", "caf\u00e9", "--json", "--id", "docs", mode="errors")
        document = query.run(argv, **environment).out
        told = (b'"transcript"', b'"as_of"')
        return b"\n".join(line for line in document.splitlines() if not line.strip().startswith(told))

    plain = printed()
    assert printed(COLUMNS="20", LANG="C", LC_ALL="C") == plain
    assert printed(COLUMNS="400", FORCE_COLOR="1", TERM="xterm") == plain


def test_a_variable_reaches_the_provider_only_by_name(query: Runner) -> None:
    code = "import os,sys; sys.exit(not os.environ.get('API_KEY', '').startswith('can'))"
    for words, exit_code in (((), 1), (("--env", "API_KEY"), 0)):
        argv = [*query.cgp, "query", "x", "--json", *words, "--", sys.executable, "-c", code]
        document = query.run(argv, API_KEY="canary").document
        (end,) = [record for record in recorded(document["transcript"]) if isinstance(record, Exit)]
        assert end.code == exit_code
        assert "canary" not in Path(document["transcript"]).read_text()
    missing = query("x", "--json", "--env", "NO_SUCH_VARIABLE")
    assert missing.document["transcript"] is None, "nothing was begun"
    assert missing.code == 2


@linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_tree_and_leaves_a_whole_recording(query: Runner, number: signal.Signals) -> None:
    path = query.folder / "pids"
    process = query.start(query.argv("query", "x", "--json", mode="hangs-with-child", pids=str(path)))
    _wait(lambda: len(pids(path)) == 2)
    assert all(map(alive, pids(path)))
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 128 + number
    document = Ran(0, out, err).document
    assert document["error"]["code"] == "interrupted"
    assert not any(map(alive, pids(path)))
    records = recorded(document["transcript"])
    assert isinstance(records[-1], Exit)
    assert [type(record).__name__ for record in records[-4:]] == ["Line", "GaveUp", "Line", "Exit"]


@linux
def test_a_signal_before_the_ack_ends_the_tree_too(query: Runner) -> None:
    path = query.folder / "pids"
    argv = [*query.cgp, "query", "x", "--json", "--", sys.executable, "-I", "-S", CHILDREN, "escape", str(path)]
    process = query.start(argv)
    _wait(lambda: len(pids(path)) == 2)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 143
    assert not any(map(alive, pids(path)))
    assert isinstance(recorded(Ran(0, out, err).document["transcript"])[-1], Exit)


@linux
def test_a_kill_ends_the_tree(query: Runner) -> None:
    path = query.folder / "pids"
    process = query.start(query.argv("query", "x", "--json", mode="hangs-with-child", pids=str(path)))
    _wait(lambda: len(pids(path)) == 2)
    process.kill()
    process.communicate(timeout=10)
    _wait(lambda: not any(map(alive, pids(path))))
    (transcript,) = (query.folder / "state" / "transcripts").iterdir()
    assert isinstance(recorded(transcript)[-1], Line)


@linux
def test_the_terminal_is_ours_alone_while_the_provider_runs_and_given_back_for_a_pause(query: Runner) -> None:
    master, slave = os.openpty()
    path = query.folder / "pids"
    argv = query.argv("query", "x", "--json", mode="hangs-with-child", pids=str(path))
    launcher = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", launcher, *argv],
        stdin=slave,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        env=query.environment,
    )

    def exclusive() -> bool:
        return fcntl.ioctl(slave, TIOCGEXCL, b"\0\0\0\0") != b"\0\0\0\0"

    def state() -> bytes:
        return Path(f"/proc/{process.pid}/stat").read_bytes().rpartition(b")")[2].split()[0]

    _wait(lambda: len(pids(path)) == 2)
    assert exclusive()
    process.send_signal(signal.SIGTSTP)
    _wait(lambda: state() == b"T")
    assert not exclusive()
    process.send_signal(signal.SIGCONT)
    _wait(exclusive)
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 143
    assert not exclusive()
    os.close(slave)
    os.close(master)


def test_a_reader_that_goes_away_ends_it_quietly(query: Runner) -> None:
    read, write = os.pipe()
    os.close(read)
    argv = query.argv("query", "x", "--json")
    done = subprocess.run(argv, stdout=write, stderr=subprocess.PIPE, env=query.environment, check=False, timeout=300)
    os.close(write)
    assert done.returncode in (0, 1, 141)
    assert done.stderr == b""


def test_nothing_of_the_screen_is_loaded(query: Runner) -> None:
    argv = query.argv("query", "x", "--json")
    spy = (
        "import sys; from cgp_tui.cli.main import main; code = main(sys.argv[1:]); "
        "print(sorted({'textual', 'httpx', 'tomlkit', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    ran = query.run([sys.executable, "-c", spy, *argv[len(query.cgp) :]])
    assert ran.err == b"[]\n"


def _wait(what: Any) -> None:
    last = time.monotonic() + 120
    while not what():
        assert time.monotonic() < last
        time.sleep(0.01)


def test_a_provider_that_died_is_told_with_its_end_and_its_last_words(query: Runner) -> None:
    script = "import sys; sys.stderr.write('one\\ntwo\\nthree\\nboom \\x1b[2J' + 'x' * 900 + '\\n'); sys.exit(7)"
    argv = [*query.cgp, "query", "x", "--", sys.executable, "-c", script]
    ran = query.run(argv)
    assert ran.code == 4
    said = ran.err.decode().splitlines()[0]
    assert "ended before it answered: exit status 7. Last on stderr: two | three | boom ␛[2Jxxx" in said
    assert len(said) < 800
    error = query.run([*query.cgp, "query", "--json", *argv[len(query.cgp) + 1 :]]).document["error"]
    assert "exit status 7" in error["message"]
    assert "boom" in error["message"] and "\x1b" not in error["message"]
    closed = query("x", "--json", mode="closes-stdout").document["error"]["message"]
    assert closed.endswith("it closed its end of a pipe, and cgp-tui stopped it.")
    assert "ended by signal 11" in query("x", "--json", mode="crashes").document["error"]["message"]


MANY = """
import json, sys
def say(message): print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "handshake":
        flow = {"reads": True, "writes": False, "egress": False}
        say({"type": "handshake_ack", "protocol_version": "contextgraph/1.0", "capabilities": {"query": {"kinds": ["doc"]}},
             "provider": {"name": "many", "version": "1", "data_flow": flow}})
    elif message["type"] == "query":
        one = {"kind": "doc", "title": "t", "content": "abcd", "score": 2.5, "token_cost": 1, "citation_label": "c"}
        say({"type": "frames", "result": {"frames": [{"id": f"f{n}", **one} for n in range(20)], "truncated": False}})
    else:
        break
"""


def test_the_finding_that_decides_comes_first_and_the_rest_is_counted(query: Runner) -> None:
    ran = query.within([*query.cgp, "query", "x", "--", sys.executable, "-c", MANY])
    assert ran.code == 1
    told = [line for line in ran.out.decode().splitlines() if line]
    assert told[0].split()[1] == "B4"
    assert sum(line.split()[1] == "F1" for line in told) == 9
    assert told[-2] == "and 11 more findings; `cgp-tui check` on the recording lists them all."


@pytest.mark.parametrize(("name", "said"), [("", "--record names no file."), ("home", "a folder.")])
def test_a_recording_needs_a_file_name(query: Runner, name: str, said: str) -> None:
    (query.folder / "home").mkdir()
    ran = query("x", "--json", "--record", name)
    assert (ran.code, ran.document["error"]["code"]) == (2, "usage")
    assert said in ran.document["error"]["message"]


def test_a_recording_whose_name_is_too_long_is_told_in_words(query: Runner) -> None:
    ran = query("x", "--json", "--record", "x" * 300)
    assert (ran.code, ran.document["error"]["code"]) == (3, "unrecordable")
    assert "cannot be created: File name too long." in ran.document["error"]["message"]


def test_a_provider_that_fails_has_its_last_words_beside_the_failure(query: Runner) -> None:
    ran = query("x", "--json", mode="complains")
    error = ran.document["error"]
    assert (ran.code, error["code"]) == (4, "not_json")
    assert error["message"].startswith("The reply is not JSON")
    assert error["message"].endswith("Last on stderr: first | no module\u241b[2J named index.")
    told = query("x", mode="complains")
    assert b"no module" in told.err
    assert b"\x1b[2J" not in told.err
    stderr = [record for record in recorded(ran.document["transcript"]) if isinstance(record, Stderr)]
    assert "".join(record.text for record in stderr) == "first\nno module\x1b[2J named index\n"
    refused = query("x", "--json", mode="egress")
    assert "stderr" not in refused.document["error"]["message"]
    assert "stderr" not in query("x", "--json", mode="errors").document["error"]["message"]


@linux
def test_a_sandbox_is_on_record_and_one_that_cannot_be_had_starts_nothing(query: Runner, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        free = query("why", "--json", mode="dials", port=port)
        confined = query("why", "--json", "--sandbox", "no-network", mode="dials", port=port)
    assert "reached" in json.loads(free.document["frames"][0]["content"])["reached"]
    if "error" in confined.document and confined.document["error"]["code"] == "sandbox_unavailable":
        pytest.skip("reason: this system gives no user namespaces to make a sandbox of")
    assert "OSError" in json.loads(confined.document["frames"][0]["content"])["reached"]
    (spawn,) = [record for record in recorded(confined.document["transcript"]) if isinstance(record, Spawn)]
    assert spawn.sandbox == "no-network"
    refused = query.run(query.argv("query", "why", "--json", "--sandbox", "processes"), PATH=str(tmp_path))
    assert refused.code == 2
    assert refused.document["error"]["code"] == "sandbox_unavailable"
    assert not any(isinstance(record, Spawn) for record in recorded(refused.document["transcript"]))


def test_what_was_wrong_where_is_told_of_an_exchange_that_failed(query: Runner) -> None:
    ran = query("abcd", mode="other-id")
    assert (ran.code, ran.out) == (4, b"")
    said = ran.err.decode().splitlines()
    assert said[0].startswith("The reply does not carry the id")
    assert said[1] == "Line 4 /id, H4: The reply does not carry the id of its request (expected: q1, found: q77)."
    assert said[2].startswith("Recorded in ")
