"""One query to a child process and back: what asking, recording, pairing and judging add to the bare pipe."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

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
        reply = {"type": "frames", "id": message.get("id"), "result": {"frames": [frame] * 4, "truncated": False}}
    else:
        break
    sys.stdout.buffer.write(msgspec.json.encode(reply) + b"\\n")
    sys.stdout.buffer.flush()
"""

_QUERY: Final = ContextQuery("why does the retry loop give up", 8, 2000, query_text="retry loop")
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
        for what, recorded in (("recorded and judged", True), ("judged", False)):
            ours, floor = by_turns(
                lambda recorded=recorded: asyncio.run(_asked(argv, folder, recorded)),  # type: ignore[misc]
                lambda: _piped(argv),
                5,
            )
            note = f"adds {(ours - floor) * 1e6:.0f} us, aim 200"
            yield Row(f"a query of 4 frames, {what} / a bare pipe", ours, floor, 2, note)


async def _asked(argv: list[str], folder: Path, recorded: bool) -> float:
    record = folder / f"{time.monotonic_ns()}.ndjson"
    writer = Writer(create_private(record), "bench") if recorded else None
    times = []
    async with Host(folder / "receipts.toml", writer) as host:
        await host.connect(stdio_target(argv), id="bench")
        for _ in range(QUERIES):
            start = time.perf_counter()
            outcome = await host.query("bench", _QUERY)
            times.append(time.perf_counter() - start)
            assert len(outcome.frames) == 4
    if writer is not None:
        writer.close()
    return statistics.median(times)


def _piped(argv: list[str]) -> float:
    times = []
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b'{"type":"handshake","protocol_version":"contextgraph/1.0"}\n')
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
