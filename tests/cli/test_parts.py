"""Several processes over one file: the same findings, in the same order, as one; and none of them left running."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui.cli.lookups import Wanted, looking
from cgp_tui.cli.parts import PART_BYTES, Parts
from cgp_tui.protocol.envelope import Frames
from cgp_tui.protocol.requirements import Finding
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.encode import encode
from tests.checks.signed import FORGER, ack, by_root, frame
from tests.dialogue import message

OPEN = (message("handshake"), message("ack correlation"))


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterable[None]:
    """Keys that are met are remembered in a place of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CGP_TUI_STATE", str(tmp_path_factory.mktemp("state")))
        yield


def everything(finding: Finding) -> bool:
    return True


def violations(finding: Finding) -> bool:
    return finding.level == "violation"


def compared(path: Path, size: int, takes: Callable[[Finding], bool] = everything) -> bool:
    """Judge a file whole and in parts of about `size` bytes: it must come to the same. Whether all was shared out."""
    with Transcript.counted(path) as whole:
        with looking(Wanted(), whole, "json") as beside:
            passed = beside.full_pass(whole, takes)
            wanted = list(passed.findings()), passed.counts, passed.left_out, list(beside.attestations.items())
        with looking(Wanted(), whole, "json") as beside:
            parts = Parts(whole, takes, beside, 0, size=size)
            found = list(parts.findings()), parts.counts, parts.left_out, list(beside.attestations.items())
    assert found == wanted
    return not parts.alone


def written(path: Path, lines: Iterable[bytes]) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def asked(ident: str, answer: str = 'f1 f2{"score":2}') -> list[bytes]:
    return [message(f"query {ident}"), message(f"frames {ident} {answer}")]


def many(count: int, name: str = "q") -> list[bytes]:
    return [line for place in range(count) for line in asked(f"{name}{place}")]


SIGNED = [
    encode(ack()),
    *(line for at in range(30) for line in (message(f"query s{at}"), encode(Frames(by_root(frame("a")), f"s{at}")))),
]

SHARED: dict[str, list[bytes]] = {
    "an honest session": [*OPEN, *many(60), message("shutdown")],
    "no correlation": [
        message("handshake"),
        message("ack"),
        *(b for at in range(60) for b in (message("query -"), message("frames - f1"))),
    ],
    "several connections": [*OPEN, *many(30), message("shutdown"), *OPEN, *many(30, "r"), *OPEN, *many(30)],
    "faults of single lines": [
        *OPEN,
        *many(20),
        b'{"type":"later"}',
        b"{}",
        message('query z {"as_of":"soon"}'),
        message("error z"),
        *many(20, "r"),
    ],
    "ids that are used again": [*OPEN, *many(20), *many(20), *many(20)],
    "pipelined": [
        *OPEN,
        *(
            line
            for at in range(0, 60, 2)
            for line in (
                message(f"query q{at}"),
                message(f"query q{at + 1}"),
                message(f"frames q{at + 1} f1"),
                message(f"frames q{at} f1"),
            )
        ),
    ],
    "blank lines": [*OPEN, b"", *many(30), b" \t"],
    "a signed session": [message("handshake"), *SIGNED],
    "answers and requests with findings each": [
        *OPEN,
        *(
            b
            for at in range(40)
            for b in (message(f'query q{at} {{"as_of":"x"}}'), message(f'frames q{at} f1{{"title":""}}'))
        ),
    ],
    "the last request unanswered": [*OPEN, *many(40), message("query z")],
}

ALONE: dict[str, list[bytes]] = {
    "a late reply": [*OPEN, message("query late"), *many(40), message("frames late f1"), *many(10, "r")],
    "never a reply": [*OPEN, message("query never"), *many(40)],
    "a reply to an id of long ago": [*OPEN, *many(40), message("frames q1 f1"), *many(40, "r")],
    "an id that nobody asked under": [*OPEN, *many(40), message("frames zz f1"), *many(40, "r")],
    "a damaged answer": [
        *OPEN,
        *many(20),
        message("query z"),
        b'{"type":"frames","id":"z",',
        *many(20, "r"),
        message("frames z f1"),
    ],
    "a second ack": [*OPEN, *many(20), message("ack"), *many(20, "r")],
    "a query after shutdown": [*OPEN, *many(20), message("shutdown"), *many(20, "r")],
    "no handshake": many(60),
    "an ack before any handshake": [message("ack"), *many(20), *OPEN, *many(20, "r")],
    "an ack alone, and a strange id in the last part": [OPEN[1], *many(5), message("query z"), message("frames zz f1")],
    "a question before the ack": [OPEN[0], message("query q"), OPEN[1], message("frames q f1"), *many(40)],
    "an answer before the handshake": [*many(20), *OPEN, *many(20, "r")],
    "a handshake without an ack": [message("handshake"), *many(40)],
    "a graph provider": [
        message("handshake"),
        message("ack correlation graph"),
        *(
            b
            for at in range(40)
            for b in (
                message(f'query q{at} {{"anchors":["file:///a"]}}'),
                message(f'frames q{at} f1{{"uri":"file:///{"ab"[at % 2]}"}}'),
            )
        ),
    ],
    "a verifying provider": [
        message("handshake"),
        message("ack correlation verify"),
        *many(40),
        message("verify - f1 f2"),
        message("verified - f1=valid f2=valid"),
    ],
    "a key that changed": [message("handshake"), *SIGNED, message("handshake"), encode(ack(FORGER.key)), *many(30)],
    "a connection that ends in the middle of a question": [*OPEN, *many(30), message("query z"), *OPEN, *many(30)],
    "junk that gets its error later": [
        *OPEN,
        *many(10),
        message("frames - f1").replace(b'"frames"', b'"query"'),
        *many(30, "r"),
        message("error -"),
    ],
    "costs nobody can agree on": [
        *OPEN,
        *many(30),
        message("ack verify"),
        *many(5, "r"),
        *OPEN,
        message("query a"),
        message("query a"),
        *many(20, "s"),
        message("frames a f1"),
    ],
}


@pytest.mark.parametrize("name", SHARED)
def test_what_depends_on_nothing_before_is_shared_out(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / "t", SHARED[name])
    assert compared(path, 2_000)
    compared(path, 300)


@pytest.mark.parametrize("name", ALONE)
def test_what_may_depend_on_more_is_judged_by_one(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / "t", ALONE[name])
    assert not compared(path, 2_000)
    compared(path, 300, violations)


def test_inputs_from_the_field(shared: Path) -> None:
    tried = 0
    for path in sorted((shared / "field" / "inputs").glob("*.ndjson")):
        compared(path, 500)
        tried += 1
    assert tried > 10


WORDS = [
    *("handshake", "handshake", "ack correlation", "ack correlation", "ack", "ack graph correlation", "shutdown"),
    *(f"query {ident}" for ident in ("a", "b", "c", "a", "b", "c", "-")),
    *(f'frames {ident} f1 f2{{"score":2}}' for ident in ("a", "b", "c", "a", "b", "c", "-")),
    *("error a", "error -", "verify - f1", "verified - f1=valid", 'query d {"as_of":"soon"}', "frames d f1"),
    *('raw {"type":"frames","id":"a"', "raw []", 'raw {"type":"later","id":"a"}', 'raw {"type":"query"}', "raw  "),
]
LINES = st.sampled_from([message(text) for text in WORDS])
TURNS = st.sampled_from([b"\n".join(asked(ident)) for ident in ("a", "b", "c", "d", "e")])
BEGINS = st.sampled_from([OPEN, OPEN, OPEN[1:], (message("query a"),), (message("frames a f1"),)])
"""What a file begins with: some message, or nobody takes it for a transcript."""
GREETED = st.just(b"\n".join(OPEN))


@given(st.lists(TURNS | TURNS | LINES | GREETED, max_size=40), st.sampled_from([1, 300, 900, 3_000]), BEGINS)
@settings(max_examples=200, deadline=None)
def test_no_order_of_lines_is_told_apart(
    tmp_path_factory: pytest.TempPathFactory, told: list[bytes], size: int, begin: tuple[bytes, ...]
) -> None:
    path = tmp_path_factory.mktemp("any") / "t"
    compared(written(path, [*begin, *told, *OPEN[:1]]), size)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A little more than three parts, with findings in each."""
    words = "x" * 40_000
    answer = [f'frames q{at} f1{{"content":"{words}","score":{at % 3},"token_cost":10000}}' for at in range(330)]
    lines = [
        *OPEN,
        *(message(text) for at, said in enumerate(answer) for text in (f"query q{at}", said)),
        message("shutdown"),
    ]
    path = written(tmp_path_factory.mktemp("large") / "t.ndjson", lines)
    assert path.stat().st_size > 3 * PART_BYTES
    return path


def command(path: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "cgp_tui", "check", str(path), *more]


@pytest.mark.parametrize("format", ["text", "json", "junit", "sarif"])
def test_every_format_is_the_same_bytes(large: Path, format: str) -> None:
    ran = [
        subprocess.run(command(large, "--format", format, "--jobs", jobs), capture_output=True, timeout=120, check=False)
        for jobs in ("1", "2")
    ]
    assert [(one.returncode, one.stderr) for one in ran] == [(1, b""), (1, b"")]
    assert ran[0].stdout == ran[1].stdout
    assert b"F1" in ran[0].stdout


def test_a_choice_of_findings_is_the_same_too(large: Path) -> None:
    ran = [
        subprocess.run(command(large, "--only", "B3", "--jobs", jobs), capture_output=True, timeout=120, check=False)
        for jobs in ("1", "2")
    ]
    assert ran[0].stdout == ran[1].stdout
    assert b"440 findings left out" in ran[0].stdout


def blocked(path: Path) -> tuple[subprocess.Popen[bytes], list[psutil.Process]]:
    """A run whose output nobody reads, so that it cannot end, and its workers."""
    running = subprocess.Popen(
        command(path, "--format", "json", "--jobs", "2"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    end = time.monotonic() + 60
    children: list[psutil.Process] = []
    while len(children) < 2 and time.monotonic() < end:
        time.sleep(0.02)
        children = psutil.Process(running.pid).children(recursive=True)
    assert len(children) == 2
    return running, children


@pytest.fixture(scope="module")
def talkative(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Several parts whose findings fill any pipe."""
    answer = message("frames ID " + " ".join(f'f{at}{{"score":2,"title":""}}' for at in range(50)))
    lines = [line for at in range(1_200) for line in (message(f"query q{at}"), answer.replace(b'"ID"', b'"q%d"' % at))]
    return written(tmp_path_factory.mktemp("talkative") / "t.ndjson", [*OPEN, *lines])


def wait_until_full(running: subprocess.Popen[bytes]) -> None:
    """Wait until the pipe that nobody reads has taken all that it takes, and the next write waits for ever."""
    assert running.stdout is not None
    filled, since = b"", time.monotonic()
    while time.monotonic() < since + 0.5 or not any(filled):
        now = fcntl.ioctl(running.stdout, termios.FIONREAD, bytes(4))
        if now != filled:
            filled, since = now, time.monotonic()
        time.sleep(0.02)


@pytest.mark.parametrize("full", [False, True], ids=["early", "in a write"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_it_is_interrupted_nothing_is_left_running(talkative: Path, number: int, full: bool) -> None:
    running, children = blocked(talkative)
    try:
        if full:
            wait_until_full(running)
        running.send_signal(number)
        code = running.wait(20)
        gone, alive = psutil.wait_procs(children, timeout=120)
        assert (len(gone), alive) == (2, [])
        assert code == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[signal.Signals(number)]
    finally:
        running.kill()
        running.communicate()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_while_the_workers_are_made_is_not_lost(talkative: Path, number: int, code: int) -> None:
    script = (
        "import os, sys\n"
        "made = []\n"
        "def interrupt():\n"
        "    made.append(0)\n"
        f"    len(made) == 2 and os.kill(os.getpid(), {int(number)})\n"
        "os.register_at_fork(after_in_parent=interrupt)\n"
        "from cgp_tui.cli.main import main\n"
        "sys.exit(main())\n"
    )
    argv = [sys.executable, "-c", script, "check", str(talkative), "--jobs", "2"]
    ran = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120, check=False)
    assert (ran.returncode, ran.stderr) == (code, b"")


def test_a_worker_that_dies_costs_time_only(talkative: Path) -> None:
    running, children = blocked(talkative)
    for child in children:
        child.kill()
    out, err = running.communicate(timeout=120)
    wanted = subprocess.run(command(talkative, "--format", "json"), capture_output=True, timeout=120, check=False)
    assert (running.returncode, err, out) == (wanted.returncode, b"", wanted.stdout)


def test_a_recording_is_judged_by_one(tmp_path: Path, large: Path) -> None:
    header = {"format": "cgp-transcript/1", "started_at": "2026-08-29T12:00:00Z", "recorder": "t"}
    lines: list[dict[str, Any]] = [header]
    for n, raw in enumerate([*OPEN, *many(5)], 1):
        lines.append({"n": n, "t": 0.0, "connection": 1, "from": "host" if n % 2 else "provider", "line": json.loads(raw)})
    path = written(tmp_path / "r", [json.dumps(line).encode() for line in lines])
    ran = [
        subprocess.run(command(path, "--jobs", jobs), capture_output=True, timeout=300, check=False) for jobs in ("1", "2")
    ]
    assert ran[0].stdout == ran[1].stdout
    assert b"recording, 12 lines" in ran[0].stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_progress_is_told_to_a_terminal_and_rubbed_out(large: Path, jobs: str) -> None:
    ours, theirs = pty.openpty()
    try:
        ran = subprocess.run(command(large, "--jobs", jobs), stdout=subprocess.PIPE, stderr=theirs, timeout=120, check=False)
        os.set_blocking(ours, False)
        told = os.read(ours, 1 << 16)
    finally:
        os.close(ours)
        os.close(theirs)
    assert ran.returncode == 1
    assert b" of 663 lines, " in told
    assert told.endswith(b"\r")
    assert told.split(b"\r")[-2].strip() == b""
