"""One query to a child process and back: what asking, recording, pairing and judging add to the bare pipe."""

from __future__ import annotations

import asyncio
import fcntl
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cgp_tui.consent.drafts import grant_draft, human
from cgp_tui.consent.ledger import Ledger
from cgp_tui.host import Host
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.files import create_private
from cgp_tui.target import stdio_target
from cgp_tui.transcript.writer import Writer
from tests.benchmarks.measure import Row, by_turns

QUERIES: Final = 400

_CHILD: Final = """
import sys
import msgspec

decode = msgspec.json.decode
frame = {"id": "f", "kind": "doc", "title": "t", "content": "x" * 400, "score": 0.5, "token_cost": 100}
frame["citation_label"] = "c"
frames = [{**frame, "id": f"f{number}"} for number in range(4)]
for raw in sys.stdin.buffer:
    message = decode(raw)
    if message["type"] == "handshake":
        flow = {"reads": True, "writes": False, "egress": False}
        reply = {
            "type": "handshake_ack",
            "protocol_version": "contextgraph/1.0",
            "provider": {"name": "bench", "version": "1", "data_flow": flow},
            "capabilities": {"query": {"kinds": ["doc"]}, "correlation": True},
        }
    elif message["type"] == "query":
        reply = {"type": "frames", "id": message.get("id"), "result": {"frames": frames, "truncated": False}}
    else:
        break
    sys.stdout.buffer.write(msgspec.json.encode(reply) + b"\\n")
    sys.stdout.buffer.flush()
"""

_QUERY: Final = ContextQuery("why does the retry loop give up", 8, 2000, query_text="retry loop")
_HANDSHAKE: Final = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}\n'
_LINE: Final = (
    b'{"type":"query","query":{"goal":"why does the retry loop give up","max_frames":8,"max_tokens":2000,'
    b'"query_text":"retry loop"},"id":"q1"}\n'
)


def queries() -> Iterator[Row]:
    """Lock-step: the next question is asked when the answer is there. Medians of single round trips."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        child = folder / "child.py"
        child.write_text(_CHILD)
        argv = [sys.executable, str(child)]
        gated = folder / "gated.py"
        gated.write_text(_CHILD.replace('"egress": False', '"egress": True, "egress_scopes": ["third-party-index"]'))
        ways = (
            ("gated, recorded and judged", [sys.executable, str(gated)], True),
            ("recorded and judged", argv, True),
            ("judged", argv, False),
        )
        for what, command, recorded in ways:
            ours, floor = by_turns(
                lambda command=command, recorded=recorded: asyncio.run(_asked(command, folder, recorded)),  # type: ignore[misc]
                lambda: _piped(argv),
                5,
            )
            note = f"adds {(ours - floor) * 1e6:.0f} us, aim 200"
            yield Row(f"what a query of 4 frames, {what}, adds / a bare pipe", ours - floor, floor, 2, note)
        loop, floor = by_turns(lambda: asyncio.run(_looped(argv)), lambda: _piped(argv), 5)
        yield Row("what an event loop alone adds / a bare pipe", loop - floor, floor, None)
        calls, floor = by_turns(lambda: _called(argv, folder), lambda: _piped(argv), 5)
        note = f"adds {(calls - floor) * 1e6:.0f} us"
        yield Row("what the system calls of gate and recording alone add / a bare pipe", calls - floor, floor, None, note)


async def _asked(argv: list[str], folder: Path, recorded: bool) -> float:
    place = folder / str(time.monotonic_ns())
    writer = Writer(create_private(place / "record.ndjson"), "bench") if recorded else None
    ledger = Ledger(place / "receipts.toml", place / "head")
    times = []
    async with Host(ledger, writer) as host:
        connection = await host.connect(stdio_target(argv), id="bench")
        for need in connection.needs:
            ledger.grant(
                [
                    grant_draft(
                        connection.binding,
                        need,
                        declared=(need.scope,),
                        payload=("goal",),
                        expires_at="2099-01-01T00:00:00Z",
                        grantor=human(),
                    )
                ]
            )
        for _ in range(QUERIES):
            start = time.perf_counter()
            outcome = await host.query("bench", _QUERY)
            times.append(time.perf_counter() - start)
            assert len(outcome.frames) == 4
    if writer is not None:
        writer.close()
    return statistics.median(times)


async def _looped(argv: list[str]) -> float:
    """The same lines over a reader of the event loop and a future, with nothing done to them."""
    loop = asyncio.get_running_loop()
    times, buffer = [], bytearray()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        source, sink = child.stdout.fileno(), child.stdin.fileno()
        waiting: asyncio.Future[None] = loop.create_future()

        def arrived() -> None:
            buffer.extend(os.read(source, 1 << 18))
            if buffer.endswith(b"\n"):
                buffer.clear()
                waiting.set_result(None)

        loop.add_reader(source, arrived)
        os.write(sink, _HANDSHAKE)
        await waiting
        for _ in range(QUERIES):
            waiting = loop.create_future()
            start = time.perf_counter()
            os.write(sink, _LINE)
            await waiting
            times.append(time.perf_counter() - start)
        loop.remove_reader(source)
        child.stdin.close()
    return statistics.median(times)


def _called(argv: list[str], folder: Path) -> float:
    """The same lines with every system call that a gated and recorded query cannot do without, and no code around them.

    Whether ledger and head are unchanged is looked at before the gate's answer is recorded, under the locks, and before the
    reply is handed on; the answer, the request and the reply are recorded; each lock is checked to be the file at its path.
    """
    ledger, head, append, send, record = (
        str(folder / name) for name in ("l.toml", "l.head", "l.append", "l.send", "record")
    )
    for name in (ledger, head, append, send):
        Path(name).touch(0o600)
    locks = [os.open(name, os.O_RDWR) for name in (append, send)]
    kept = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    times = []
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        source, sink = child.stdout.fileno(), child.stdin.fileno()
        os.write(sink, _HANDSHAKE)
        os.read(source, 1 << 18)
        for _ in range(QUERIES):
            start = time.perf_counter()
            os.lstat(ledger)
            os.lstat(head)
            os.write(kept, _LINE)
            os.write(kept, _LINE)
            fcntl.flock(locks[0], fcntl.LOCK_SH | fcntl.LOCK_NB)
            os.lstat(append)
            os.lstat(folder)
            fcntl.flock(locks[1], fcntl.LOCK_SH | fcntl.LOCK_NB)
            os.lstat(send)
            fcntl.flock(locks[0], fcntl.LOCK_UN)
            os.lstat(ledger)
            os.lstat(head)
            os.write(sink, _LINE)
            fcntl.flock(locks[1], fcntl.LOCK_UN)
            reply = os.read(source, 1 << 18)
            os.write(kept, reply)
            os.lstat(ledger)
            os.lstat(head)
            times.append(time.perf_counter() - start)
        child.stdin.close()
    for descriptor in (*locks, kept):
        os.close(descriptor)
    return statistics.median(times)


def _piped(argv: list[str]) -> float:
    times = []
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(_HANDSHAKE)
        child.stdin.flush()
        child.stdout.readline()
        for _ in range(QUERIES):
            start = time.perf_counter()
            child.stdin.write(_LINE)
            child.stdin.flush()
            child.stdout.readline()
            times.append(time.perf_counter() - start)
        child.stdin.close()
    return statistics.median(times)
