"""A recording whose disk is full at any byte: what a provider has read stands in it, each payload before it went."""

from __future__ import annotations

import asyncio
import json
import resource
from pathlib import Path

from cgp_tui.errors import Error
from cgp_tui.host import Deadlines
from tests.host.bench import Bench, ask
from tests.host.test_host import grant
from tests.reliability.campaign import Figures, Run, folder

_DISKS = 200
_QUESTIONS = 6
_ROOM = 4_000
"""Bytes: more than all that is recorded of the questions."""


def full(run: Run) -> Figures:
    found, chance = Figures(), run.random()
    sent = refused = 0
    for _ in range(run.count(_DISKS)):
        room = chance.randrange(_ROOM)
        with folder() as place:
            heard, told = asyncio.run(_session(place, room))
            recorded = [
                json.dumps(line["line"], separators=(",", ":"))
                for line in map(json.loads, (place / "recording.ndjson").read_bytes().splitlines())
                if line.get("from") == "host"
            ]
        for line in heard:
            found.expect(json.dumps(json.loads(line), separators=(",", ":")) in recorded, f"{room} bytes: {line!r} left")
        found.expect(told == [] or set(told) == {"unrecordable"}, f"{room} bytes: told {told}")
        sent, refused = sent + len(heard), refused + len(told)
    found.more = {"payloads": str(sent), "refused": str(refused)}
    return found


async def _session(place: Path, room: int) -> tuple[list[bytes], list[str]]:
    """The payloads that the provider read, and the codes of the refusals."""
    told: list[str] = []
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    log = place / "log"
    # What cannot be recorded cannot be told again either, so this bench is not held against its recording.
    made = Bench(place, Deadlines(), None)
    async with made.host:
        connection = await made.connect("egress", log=str(log))
        grant(made.ledger, connection)
        # The provider runs already, so this is about our files alone.
        resource.setrlimit(resource.RLIMIT_FSIZE, (made.path.stat().st_size + room, hard))
        try:
            for number in range(_QUESTIONS):
                told += await _ask(made, number)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    made.writer.close()
    lines = log.read_bytes().splitlines() if log.exists() else []
    return [line for line in lines if b'"query"' in line], told


async def _ask(made: Bench, number: int) -> list[str]:
    try:
        await made.host.query("egress", ask(f"question {number}"))
    except Error as error:
        return [error.code]
    return []
