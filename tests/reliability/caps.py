"""Inputs of any size through the real `check`, within a memory and a time that are set beforehand.

A line of 200 MB, 100,000 nested arrays, a million frames in one answer, a million lines: each is told what it is, and none
costs more than its share. `CASES` make them; the tests try each of them small.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.dialogue import frame, message
from tests.reliability.campaign import Figures, Run, folder

MB = 1_000_000
FULL_LINE = 200 * MB
FULL_COUNT = 1_000_000
NESTED = 100_000

BASE_SECONDS, BASE_BYTES = 20, 400 * MB
"""What any run may take, in seconds of CPU and in bytes: a busy machine is no fault of it."""

_HANGS = 20
"""After so many times its seconds a run is waited for no longer."""

ASKED = [message("handshake"), message("ack correlation"), message('query q1 {"max_tokens":4000000000}')]


class Case(NamedTuple):
    """`line` makes the provider's answer of a number of bytes or parts (`full` of them in the full size); `told` is what
    the text of `check` must hold. A run may take `seconds` and `memory` beyond the base where it is of full size."""

    line: Callable[[int], Iterable[bytes]]
    full: int
    told: str
    seconds: int
    memory: int


def answer(frames: Iterable[bytes], more: bytes = b"") -> Iterator[bytes]:
    """The pieces of one line: an answer with these frames, and more members of the envelope."""
    yield b'{"type":"frames","id":"q1","result":{"frames":['
    for place, one in enumerate(frames):
        yield one if place == 0 else b"," + one
    yield b'],"truncated":false}' + more + b"}\n"


def one(name: str, **members: object) -> bytes:
    return json.dumps(frame(name, members), separators=(",", ":")).encode()


def numbered(count: int, **members: object) -> Iterator[bytes]:
    made = one("NAME", **members)
    return (made.replace(b"NAME", b"f%d" % place) for place in range(count))


def turns(count: int) -> Iterator[bytes]:
    """So many lines, of which none is answered wrongly."""
    yield b"".join(answer(()))
    for place in range(count // 2):
        yield b'{"type":"query","id":"a%d","query":{"goal":"g","max_frames":1,"max_tokens":9}}\n' % place
        yield b'{"type":"frames","id":"a%d","result":{"frames":[],"truncated":false}}\n' % place


def nested(count: int) -> Iterator[bytes]:
    return answer([one("f1")], b',"x":' + b"[" * count + b"]" * count)


CASES = {
    "a frame of 200 MB": Case(
        lambda size: answer([one("f1", content="x" * size, token_cost=-(-size // 4))]),
        FULL_LINE,
        "0 violations, ",
        60,
        900 * MB,
    ),
    "200 MB that are no JSON": Case(lambda size: [b"x" * size + b"\n"], FULL_LINE, "ENV", 60, 900 * MB),
    "200 MB of blanks": Case(
        lambda size: [*answer([one("f1")], b" " * size)], FULL_LINE, "0 violations, ", 60, 900 * MB
    ),
    "200 MB of brackets": Case(lambda size: [b"[" * size + b"\n"], FULL_LINE, "nested too deeply", 60, 900 * MB),
    "100,000 nested arrays": Case(nested, NESTED, "nested too deeply", 10, 100 * MB),
    "a million frames": Case(lambda count: answer(numbered(count)), FULL_COUNT, "B4", 120, 2_500 * MB),
    "a million frames that break rules": Case(
        lambda count: answer(numbered(count, score=2, title="", token_cost=7, content_digest="no")),
        FULL_COUNT, " more", 180, 2_500 * MB,
    ),
    "a million frames that are none": Case(
        lambda count: answer([b"{}"] * count), FULL_COUNT, "the rest was not checked", 60, 900 * MB
    ),
    "a million frames, the last of them none": Case(
        lambda count: answer([*numbered(count - 1), b"{}"]), FULL_COUNT, "F2", 240, 3_500 * MB
    ),
    "a million lines": Case(turns, FULL_COUNT, "0 violations, ", 240, 400 * MB),
    "a million lines that are none": Case(lambda count: [b"x\n"] * count, FULL_COUNT, "ENV", 240, 600 * MB),
}  # fmt: skip


def write(path: Path, case: Case, share: float) -> None:
    """The case as a bare file of `share` of its full size."""
    with path.open("wb") as file:
        file.writelines(line + b"\n" for line in ASKED)
        file.writelines(case.line(max(2, round(case.full * share))))
        file.write(message("shutdown") + b"\n")


def checked(path: Path, case: Case, share: float) -> str:
    """Why a run of `check` on the file fell short; empty where it did not."""
    memory = BASE_BYTES + round(case.memory * share)
    seconds = BASE_SECONDS + round(case.seconds * share)

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    argv = [sys.executable, "-m", "cgp_tui", "check", str(path)]
    try:
        ran = subprocess.run(argv, capture_output=True, timeout=_HANGS * seconds, preexec_fn=bound, check=False)
    except subprocess.TimeoutExpired:
        return f"not done after {_HANGS * seconds} s"
    if ran.returncode not in (0, 1) or ran.stderr:
        return f"exit {ran.returncode} within {seconds} s and {memory // MB} MB: {ran.stderr[-300:]!r}"
    return "" if case.told in ran.stdout.decode() else f"{case.told!r} is not told: {ran.stdout[-300:]!r}"


def of_any_size(run: Run) -> Figures:
    figures = Figures()
    slowest = 0.0
    for name, case in CASES.items():
        with folder() as place:
            write(place / "t.ndjson", case, run.share)
            began = time.monotonic()
            wrong = checked(place / "t.ndjson", case, run.share)
            slowest = max(slowest, time.monotonic() - began)
        figures.expect(not wrong, f"{name}: {wrong}")
    figures.more["slowest"] = f"{slowest:.1f} s"
    return figures
