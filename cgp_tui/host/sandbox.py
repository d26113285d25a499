"""Namespaces of the kernel around a provider, where the person wants them and the system has them.

`processes` gives it a process tree of its own, in which it is the first one: it sees and signals nobody else. `no-network`
leaves it no IP network either, not even loopback; sockets that are files stay reachable. No right of root is needed for
either, but some systems allow neither. Then nothing is started: what was asked for is never left out in silence.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

from cgp_tui.errors import InputError, OurError
from cgp_tui.target import search_path

NONE: Final = "none"
KINDS: Final[dict[str, tuple[str, ...]]] = {NONE: (), "processes": (), "no-network": ("--net",)}
"""The kinds of sandbox, with what each adds to the namespaces of user, mounts and processes; `none` has none of them."""

_BASE: Final = ("--map-current-user", "--pid", "--fork", "--kill-child", "--mount-proc")
_PROBE_SECONDS: Final = 10.0
_WORKS: Final[set[tuple[str, str]]] = set()
"""The launchers and kinds that were seen to work: what the kernel allows does not change under us."""


async def launcher(kind: str) -> tuple[str, ...]:
    """The command that starts another one in a sandbox of this kind; empty for `none`.

    Raises InputError usage for a kind that is none, OurError sandbox_unavailable where this system has it not.
    """
    if kind not in KINDS:
        raise InputError("usage", f"{kind!r} is not a kind of sandbox.", f"One of: {', '.join(KINDS)}.")
    if kind == NONE:
        return ()
    program = shutil.which("unshare", path=search_path() or "/nowhere") if sys.platform == "linux" else None
    if program is None:
        raise _unavailable(kind, "There is no unshare(1) here.")
    command = (program, *_BASE, *KINDS[kind], "--")
    if (program, kind) not in _WORKS:
        await asyncio.to_thread(_probe, command, kind)
        _WORKS.add((program, kind))
    return command


def _probe(command: Sequence[str], kind: str) -> None:
    """Start a program that does nothing in such a sandbox. Raises OurError where that does not work."""
    true = shutil.which("true", path=search_path() or "/nowhere") or "/bin/true"
    try:
        done = subprocess.run(
            [*command, true], stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROBE_SECONDS, env={}, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _unavailable(kind, f"{error}.") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "backslashreplace").strip().splitlines()
        raise _unavailable(kind, f"{said[-1]}." if said else f"unshare ended with {done.returncode}.")


def _unavailable(kind: str, why: str) -> OurError:
    return OurError(
        "sandbox_unavailable",
        f"This system has no sandbox of the kind {kind}, so the provider was not started. {why}",
        "Let users make namespaces (sysctl user.max_user_namespaces), or start it with --sandbox none.",
    )
