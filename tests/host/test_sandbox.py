"""A sandboxed provider reaches nobody; a sandbox that cannot be had is a refusal, and nothing is started."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.errors import InputError, OurError
from cgp_tui.host import sandbox
from cgp_tui.host.process import Exited
from cgp_tui.wire import note
from tests.host.bench import PATIENT, UNHEARD, Bench, ask, bench, kinds, target
from tests.host.test_process import alive, linux, pids, until


@pytest.fixture(scope="module")
def namespaces() -> None:
    """Skips where this system lets nobody make namespaces."""
    try:
        asyncio.run(sandbox.launcher("no-network"))
    except OurError as error:
        pytest.skip(error.message)


@pytest.fixture
def listener() -> Iterator[str]:
    """The port of a socket that takes connections on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield str(server.getsockname()[1])


async def told(made: Bench, kind: str, port: str) -> Any:
    await made.host.connect(target("dials", port=port), kind, kind)
    (frame,) = (await made.host.query(kind, ask())).frames
    return json.loads(frame.content or "")


@linux
@pytest.mark.usefixtures("namespaces")
async def test_what_each_kind_lets_a_provider_reach(tmp_path: Path, listener: str) -> None:
    async with bench(tmp_path) as made:
        free, alone, cut_off = [await told(made, kind, listener) for kind in sandbox.KINDS]
        spawned = [record.sandbox for record in made.notes(note.Spawn) if isinstance(record, note.Spawn)]
        connections = list(made.host.connections.values())
        assert [connection.sandbox for connection in connections] == spawned == ["none", "processes", "no-network"]
        assert free["others"] > 2
        assert [free["reached"], alone["reached"]] == ["reached", "reached"]
        assert cut_off["reached"].startswith("OSError")
        assert [(one["pid"], one["others"]) for one in (alone, cut_off)] == [(1, 0), (1, 0)]
        # Its three pipes, and the one that lists them.
        assert [one["open"] for one in (free, alone, cut_off)] == [["0", "1", "2", "3"]] * 3
        assert connections[2].whole_tree
    assert [connection.exited for connection in connections] == [Exited(0, None)] * 3


@linux
@pytest.mark.usefixtures("namespaces")
async def test_a_restart_keeps_the_sandbox(tmp_path: Path, listener: str) -> None:
    async with bench(tmp_path) as made:
        await told(made, "no-network", listener)
        again = await made.host.restart("no-network")
        assert again.sandbox == "no-network"
        (frame,) = (await made.host.query("no-network", ask())).frames
        assert json.loads(frame.content or "")["reached"].startswith("OSError")


@linux
@pytest.mark.usefixtures("namespaces")
async def test_how_it_ended_and_that_it_ended_is_known_of_a_sandboxed_one_too(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    async with bench(tmp_path, PATIENT) as made:
        # A segmentation fault of its own is one that the first process of a namespace would not send itself.
        crashed = await made.host.connect(target("exits"), "exits", "processes")
        with pytest.raises(Exception, match="ended before it answered"):
            await crashed.query(ask())
        assert crashed.exited == Exited(0, None)
        hung = await made.host.connect(target("hangs-with-child", pids=str(file)), "hangs", "processes")
        hung._deadlines = UNHEARD
        waiting = asyncio.create_task(hung.query(ask()))
        assert await until(lambda: len(pids(file)) == 2)
        (pending,) = hung.pending
        hung.give_up(pending.number or 0)
        with pytest.raises(Exception, match="No reply"):
            await waiting
        assert file.read_text().split() == ["1", "2"], "they know themselves by these numbers alone"
        (pid,) = [record.pid for record in made.notes(note.Spawn) if isinstance(record, note.Spawn)][1:]
        inside = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        assert inside
        assert all(map(alive, inside))
    assert await until(lambda: not any(map(alive, inside)))


@pytest.mark.parametrize(
    ("script", "said"),
    [(None, "no unshare"), ("echo 'unshare failed: Operation not permitted' >&2; exit 1", "Operation not permitted")],
)
async def test_a_sandbox_that_cannot_be_had_starts_nothing(
    script: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    if script is not None:
        (folder / "unshare").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "unshare").chmod(0o755)
    async with bench(tmp_path) as made:
        monkeypatch.setenv("PATH", str(folder))
        with pytest.raises(OurError) as caught:
            await made.host.connect(target("honest"), "p", "no-network")
        assert caught.value.code == "sandbox_unavailable"
        assert said in caught.value.message or sys.platform != "linux"
        assert "--sandbox none" in caught.value.fix
        assert made.host.connections == {}
        assert kinds(made.records()) == ["connect", "send_failed"]
        with pytest.raises(InputError):
            await made.host.connect(target("honest"), "p", "magic")
        assert "spawn" not in kinds(made.records())
        # What was not asked for is not missed.
        assert (await made.host.connect(target("honest"), "p")).sandbox == "none"


async def test_a_probe_that_hangs_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_PROBE_SECONDS", 0.2)
    (tmp_path / "unshare").write_text("#!/bin/sh\nexec /bin/sleep 30\n")
    (tmp_path / "unshare").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(OurError):
        await sandbox.launcher("processes")
