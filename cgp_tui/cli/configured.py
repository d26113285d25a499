"""Which provider a command line means: CMD after `--`, or the entry of a providers file named by `--id`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cgp_tui import limits
from cgp_tui.cli import options
from cgp_tui.errors import Error, InputError

if TYPE_CHECKING:
    from cgp_tui.host.deadlines import Deadlines
    from cgp_tui.store.registry import Configured
    from cgp_tui.target import Target


class Chosen(msgspec.Struct, frozen=True):
    """What to start and under which id; `deadlines`, `sandbox` and `roots` (folders with the files that provenance may cite)
    are those of an entry."""

    target: Target
    id: str
    deadlines: Deadlines | None = None
    sandbox: str = "none"
    roots: tuple[Path, ...] = ()


def chosen(
    argv: Sequence[str],
    provider_id: str | None,
    env: Sequence[str] | None,
    usage: str,
    sandbox: options.SandboxKind | None = None,
) -> Chosen:
    """The provider that is meant; nothing is started. With CMD no file is read; without it, `--env` and `--sandbox` replace
    what the entry says. `usage` is the form of a line with CMD.

    Raises InputError, RefusedError project_untrusted, and OurError for a file that is not safe to read.
    """
    from cgp_tui.target import ID_FORM, default_id, provider_id_fits, stdio_target

    if provider_id is not None and not provider_id_fits(provider_id):
        raise InputError("usage", f"{provider_id!r} cannot be an id.", ID_FORM)
    if argv:
        target = stdio_target(argv, env=env or ())
        return Chosen(target, provider_id or default_id(target), sandbox=sandbox or "none")
    if provider_id is None:
        options.need_argv(argv, usage)
        raise AssertionError
    from cgp_tui.store.registry import entry

    found = of_entry(entry(provider_id), env)
    return found if sandbox is None else msgspec.structs.replace(found, sandbox=sandbox)


def waiting(provider: Chosen, *, handshake: float | None = None, exchange: float | None = None) -> Chosen:
    """`provider` with so many seconds for its answers in place of the entry's, where they are given. Raises InputError."""
    from cgp_tui.host.deadlines import Deadlines

    given = {name: value for name, value in (("handshake", handshake), ("exchange", exchange)) if value is not None}
    for name, seconds in given.items():
        if not 0 < seconds <= limits.PROVIDERS_SECONDS:
            most = f"Give seconds: more than 0, and at most {limits.PROVIDERS_SECONDS:,}."
            raise InputError("usage", f"--timeout-{name} {seconds:g} is not a valid timeout.", most)
    deadlines = msgspec.structs.replace(provider.deadlines or Deadlines(), **given) if given else provider.deadlines
    return msgspec.structs.replace(provider, deadlines=deadlines)


def of_entry(found: Configured, env: Sequence[str] | None = None) -> Chosen:
    """What an entry starts. Raises InputError."""
    from cgp_tui.host.deadlines import Deadlines
    from cgp_tui.target import stdio_target

    spec = found.spec
    target = stdio_target(spec.command, env=env or spec.env, cwd=found.folder)
    given = {name: value for name in ("handshake", "exchange") if (value := getattr(spec.timeouts, name)) is not None}
    deadlines = Deadlines(**given) if given else None
    return Chosen(msgspec.structs.replace(target, named=True), spec.id, deadlines, spec.sandbox, found.roots)


def entry_target(provider_id: str) -> Target | None:
    """What the entry of an id would start, None where no entry can be used."""
    from cgp_tui.store.registry import entry

    try:
        return of_entry(entry(provider_id)).target
    except Error:
        return None
