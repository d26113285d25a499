"""`cgp-tui inspect`: the live inspector on a provider that runs as our child."""

from __future__ import annotations

from cgp_tui.cli import options
from cgp_tui.cli.screen import open_screen
from cgp_tui.errors import InputError


def inspect(
    argv: options.Argv,
    *,
    provider_id: options.ProviderId = None,
    env: options.EnvNames = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    record: options.RecordFile = None,
) -> int:
    """Start a provider and watch it: every line both ways, what is wrong with it, what it may be sent."""
    options.need_argv(argv, "cgp-tui inspect -- CMD...")
    open_screen()
    from cgp_tui.cli.ledgers import open_ledger
    from cgp_tui.cli.live import run_live
    from cgp_tui.host.process import child_environment
    from cgp_tui.target import default_id, provider_id_fits, stdio_target
    from cgp_tui.ui.live.peer import Plan

    target = stdio_target(argv, env=env or ())
    child_environment(target.env_names)
    name = provider_id or default_id(target)
    if not provider_id_fits(name):
        raise InputError("usage", f"{name!r} cannot be an id.", "Up to 64 letters, digits, dots, dashes and underscores.")
    book = open_ledger(ledger, head)
    return run_live(lambda: [Plan(target, name)], lambda: book, record, name, "inspect", mark=book.open().head)
