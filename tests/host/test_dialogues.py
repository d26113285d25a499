"""Dialogues with a real process: what the host does in each, which waiter gets what, and that the recording tells the same.

The same text is played without a host, by `tell`; both come to the same exchanges and findings.
"""

from __future__ import annotations

import asyncio
import binascii
import json
import sys
from pathlib import Path

import pytest

from cgp_tui.host import Connection, HostError
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.verify import VerifyRequest
from cgp_tui.target import stdio_target
from cgp_tui.wire.decode import decode
from tests.dialogue import Said, play, recorded, script, tell
from tests.host.bench import PATIENT, SHORT, Bench, ask, bench
from tests.host.test_process import until

SCRIPTED = str(Path(__file__).with_name("scripted.py"))

DIALOGUES: list[tuple[str, str, list[str]]] = [
    (
        "answers in any order reach who asked",
        """
        >> handshake
        << ack correlation
        >> query q1
        >> query q2
        << frames q2 b
        << frames q1 a
        """,
        ["a", "b"],
    ),
    (
        "the first answer counts, a second reaches nobody",
        """
        >> handshake
        << ack correlation
        >> query q1
        << frames q1 first
        << frames q1 second
        >> query q2
        << frames q2 next
        """,
        ["first", "next"],
    ),
    (
        "an id that was never given out reaches nobody",
        """
        >> handshake
        << ack correlation
        >> query q1
        >> query q2
        << frames q999 strange
        << frames q2 b
        << frames q1 a
        """,
        ["a", "b"],
    ),
    (
        "the only one in flight fails by a foreign id",
        """
        >> handshake
        << ack correlation
        >> query q1
        << frames q7 strange
        >> query q2
        << frames q2 own
        """,
        ["correlation_mismatch", "own"],
    ),
    (
        "a late answer is nobody else's",
        """
        >> handshake
        << ack correlation
        >> query q1
        note gave_up q1
        >> query q2
        << frames q1 late
        << frames q2 own
        """,
        ["timeout", "own"],
    ),
    (
        "ids of a provider that promised none say nothing",
        """
        >> handshake
        << ack
        >> query -
        << frames zzz a
        >> query -
        << frames - b
        """,
        ["a", "b"],
    ),
    (
        "in lock-step a late answer finds nobody to take it",
        """
        >> handshake
        << ack
        >> query -
        note gave_up query
        note poisoned timeout
        << frames - late
        """,
        ["timeout"],
    ),
    (
        "half of the traffic is noise",
        """
        >> handshake
        << raw {"type":"hello"}
        << ack correlation verify
        >> query q1
        << raw {"type":"progress","done":1}
        << frames q1 a
        >> verify - a b
        << verified - b=stale a=valid
        """,
        ["a", "valid stale"],
    ),
    (
        "an error is for who asked",
        """
        >> handshake
        << ack correlation
        >> query q1
        >> query q2
        << error q2 unsupported_kind
        << frames q1 a
        """,
        ["a", "provider_error"],
    ),
    (
        "a second ack changes nothing and ends everything",
        """
        >> handshake
        << ack correlation
        >> query q1
        << ack egress
        note refused 4 unexpected_envelope
        note poisoned unexpected_envelope
        """,
        ["unexpected_envelope"],
    ),
]


def part(text: str, on: Path) -> str:
    """The provider's part. Where the host gives up, it waits for the file `on`."""
    steps: list[str | list[str] | None] = []
    for step in script(text):
        if not isinstance(step, Said):
            steps.append([str(on)])
        else:
            steps.append(None if step.sender == "host" else binascii.b2a_base64(step.raw, newline=False).decode())
    return json.dumps(steps)


async def result(asked: asyncio.Task[str]) -> str:
    try:
        return await asked
    except HostError as error:
        return error.code


async def query(connection: Connection) -> str:
    return " ".join(frame.id for frame in (await connection.query(ask())).frames)


async def verify(connection: Connection, frames: tuple[FrameId, ...]) -> str:
    judged = await connection.verify(VerifyRequest(frames))
    reply = judged.exchange.reply
    assert reply is not None
    verdicts = {one.frame: one.status for one in reply.decoded.envelope.response.verdicts}  # type: ignore[union-attr]
    return " ".join(verdicts[frame] for frame in frames)


async def act_out(made: Bench, text: str, folder: Path) -> list[str]:
    """Live through a dialogue; what each question came to, in the order of asking."""
    on = folder / "on"
    (folder / "part").write_text(part(text, on))
    connection = await made.host.connect(stdio_target([sys.executable, "-I", "-S", SCRIPTED, str(folder / "part")]), "p")
    asked: list[asyncio.Task[str]] = []
    spoken = {"host": 0, "provider": 0}
    for step in script(text):
        if isinstance(step, Said):
            spoken[step.sender] += 1
            envelope = decode(step.raw)
            if envelope.type == "query":
                asked.append(asyncio.create_task(query(connection)))
            elif envelope.type == "verify":
                asked.append(asyncio.create_task(verify(connection, envelope.envelope.request.frames)))  # type: ignore[union-attr]
            assert await until(lambda sender=step.sender: len(made.said(sender)) >= spoken[sender])  # type: ignore[misc]
        else:
            kind = type(step({"q1": 2, "q2": 3, "query": 2}))
            assert await until(lambda kind=kind: made.notes(kind))  # type: ignore[misc]
            connection._deadlines = PATIENT
            on.touch()
    return [await result(one) for one in asked]


@pytest.mark.parametrize(("text", "comes"), [row[1:] for row in DIALOGUES], ids=[row[0] for row in DIALOGUES])
async def test_a_dialogue_lived_and_told(text: str, comes: list[str], tmp_path: Path) -> None:
    async with bench(tmp_path, SHORT if "gave_up" in text else PATIENT) as made:
        assert await act_out(made, text, tmp_path) == comes
    told, lived = tell(text), play(recorded(made.path))
    assert lived.states == told.states
    assert lived.broken == told.broken
