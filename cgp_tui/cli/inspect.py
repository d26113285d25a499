"""`cgp-tui inspect`: the live inspector on a provider that runs as our child."""

from __future__ import annotations

from typing import Final

from cgp_tui.cli import options
from cgp_tui.cli.lookups import RootFolders
from cgp_tui.cli.recording import kept_of
from cgp_tui.cli.screen import open_screen

_USAGE: Final = "cgp-tui inspect -- CMD..."


def inspect(
    argv: options.Argv,
    *,
    provider_id: options.ProviderId = None,
    env: options.EnvNames = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    record: options.RecordFile = None,
    no_record: options.NoRecord = False,
    no_payload: options.NoPayload = False,
    sandbox: options.Sandbox = None,
    root: RootFolders = None,
    handshake: options.HandshakeSeconds = None,
    exchange: options.ExchangeSeconds = None,
) -> int:
    """Start a provider and watch it: every line both ways, what is wrong with it, what it may be sent.

    Without CMD, --id names an entry of the providers file; without either, one is picked from a list.
    """
    kept = kept_of(record, no_record, no_payload)
    if not argv and provider_id is None:
        picked = _picked()
        if isinstance(picked, int):
            return picked
        provider_id = picked
    open_screen()
    from cgp_tui.cli.configured import chosen, waiting
    from cgp_tui.cli.ledgers import open_ledger
    from cgp_tui.cli.live import run_live
    from cgp_tui.host.process import child_environment
    from cgp_tui.ui.live.peer import Plan

    provider = waiting(chosen(argv, provider_id, env, _USAGE, sandbox), handshake=handshake, exchange=exchange)
    child_environment(provider.target.env_names)
    book = open_ledger(ledger, head)
    return run_live(
        lambda: [Plan(provider.target, provider.id, sandbox=provider.sandbox)],
        lambda: book,
        record,
        provider.id,
        "inspect",
        mark=book.open().head,
        deadlines=provider.deadlines,
        roots=root or provider.roots,
        kept=kept,
    )


def _picked() -> str | int:
    """The entry of a providers file that the person picks, or the exit code where they leave.

    Raises InputError usage where nothing is configured, and no_terminal.
    """
    from cgp_tui.store.registry import every

    files = every()
    if not any(file.specs or file.faults or file.problem for file in files):
        options.need_argv((), _USAGE)
    open_screen()
    from cgp_tui.ui.picker import pick

    return pick(files)
