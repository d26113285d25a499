"""A session told line by line to a provider's process, and the recording of it: for what our own host never sends."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from cgp_tui.transcript.writer import Writer
from cgp_tui.wire.note import Exit

HELLO = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}'
SHUTDOWN = b'{"type":"shutdown"}'


def ask(id: str | None = "q1", **members: Any) -> bytes:
    """A query with room for everything."""
    query = {"goal": "how are tokens counted", "max_frames": 8, "max_tokens": 4096, **members}
    return json.dumps({"type": "query", "query": query, **({} if id is None else {"id": id})}).encode()


def tell(argv: list[str], lines: list[bytes], record: Path) -> list[dict[str, Any]]:
    """Say `lines`, each after the reply to the one before; whatever comes back, as JSON. All of it is in `record`."""
    writer = Writer(os.open(record, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "test")
    connection, heard = writer.connection(), []
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for line in (HELLO, *lines):
            writer.line(connection, "host", line)
            child.stdin.write(line + b"\n")
            child.stdin.flush()
            if line == SHUTDOWN:
                break
            reply = child.stdout.readline().rstrip(b"\n")
            if not reply:
                break
            writer.line(connection, "provider", reply)
            heard.append(json.loads(reply))
        child.stdin.close()
        code = child.wait(10)
    writer.note(Exit(t=writer.now(), connection=connection, code=max(code, 0), signal=max(-code, 0) or None))
    writer.close()
    return heard
