"""`cgp-tui consent grant --policy FILE`: grants that a policy makes, all of them or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from cgp_tui import limits
from cgp_tui.cli import diagnostics
from cgp_tui.cli.grant import Asked, Wanted, checked, prepared, report, writable
from cgp_tui.cli.ledgers import noted
from cgp_tui.cli.named import read_named
from cgp_tui.cli.options import SandboxKind
from cgp_tui.consent.drafts import Terms
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.receipt import Draft, Grantor
from cgp_tui.errors import Error, InputError
from cgp_tui.store import handwritten
from cgp_tui.store.handwritten import NoTomlError

_NAME_CHARS: Final = 128
_SHAPE: Final = "It holds a name, and [[grant]] tables with command = [...], or id, and the options of `consent grant`."


class _Grant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[grant]]`: the options of `consent grant` under their own names (`-` and `_` are alike), `command` for what
    follows `--`. Without that, `id` is an entry of the providers file, as on the command line."""

    command: tuple[str, ...] | None = None
    scope: tuple[str, ...] = ()
    boolean: bool = False
    until: str | None = None
    once: bool = False
    code: Literal["exact", "path"] | None = None
    version_policy: Literal["exact", "minor", "any"] = "exact"
    id: str | None = None
    env: tuple[str, ...] = ()
    sandbox: SandboxKind | None = None
    by: str | None = None


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A policy file. Its name is what the ledger says of who agreed."""

    name: str
    grant: tuple[_Grant, ...]


def read(path: Path) -> Policy:
    """The policy in a TOML file. Raises InputError unreadable, or usage for what it may not say."""
    data = read_named(path, limits.PROVIDERS_BYTES, "Name another.")
    try:
        policy = _converted(handwritten.parse(data, _SHAPE))
    except NoTomlError as error:
        raise InputError("unreadable", f"{path} is not a policy: {error.why}.", error.fix) from None
    except msgspec.ValidationError as error:
        raise InputError("unreadable", f"{path} is not a policy: {error}.", _SHAPE) from None
    if not policy.name.strip() or len(policy.name) > _NAME_CHARS or policy.name.startswith(("cli:", "tty:", "host")):
        fix = f"Up to {_NAME_CHARS} characters, not beginning with cli:, tty: or host."
        raise InputError("usage", f"{policy.name!r} cannot be the name of a policy.", fix)
    if not policy.grant:
        raise InputError("usage", f"{path} grants nothing.", _SHAPE)
    for number, one in enumerate(policy.grant, 1):
        if not one.command and (one.id is None or one.command is not None):
            raise InputError("usage", f"Grant {number} of {path} names no command.", _SHAPE)
    return policy


def _converted(document: dict[str, Any]) -> Policy:
    """A policy from its TOML. Raises msgspec.ValidationError."""
    grants = document.get("grant")
    if isinstance(grants, list):
        document = {**document, "grant": [_spelled(one) for one in grants]}
    return msgspec.convert(document, Policy)


def _spelled(table: object) -> object:
    """A table with its keys spelled like the fields; a key given in both spellings stays unknown."""
    if not isinstance(table, dict):
        return table
    spelled = {name if (field := name.replace("-", "_")) in table else field: value for name, value in table.items()}
    if "until" in spelled:
        spelled["until"] = _moment(spelled["until"])
    return spelled


def _moment(until: object) -> object:
    """A date or an instant in UTC, which TOML allows without quotes too, as the command line spells it."""
    if isinstance(until, datetime):
        return f"{until:%Y-%m-%dT%H:%M:%SZ}" if until.utcoffset() == timedelta(0) and not until.microsecond else until
    return until.isoformat() if isinstance(until, date) else until


def run(ledger: Ledger, path: Path, machine: bool) -> int:
    """Grant what a policy says and report; returns the exit code.

    Every entry is looked at, then every provider is met, before the first record is written. Raises as `grant.run`.
    """
    policy = read(path)
    opened = writable(ledger)
    now = ledger.now(opened.newest)
    every: list[Asked] = []
    for number, one in enumerate(policy.grant, 1):
        with _named(number, path):
            every.append(checked(_wanted(one), now))
    met, made = [], list[Draft]()
    for number, asked in enumerate(every, 1):
        with _named(number, path):
            provider, drafts = prepared(ledger, opened, asked, Grantor("policy", policy.name))
        met.append(provider)
        made += drafts
    with diagnostics.undisturbed():
        report(ledger, met, ledger.grant(made, seen=opened.receipts), machine)
    return diagnostics.GOOD


@contextmanager
def _named(number: int, path: Path) -> Iterator[None]:
    """An error that is raised inside says which grant of the policy it is about."""
    try:
        yield
    except Error as error:
        error.message = f"Grant {number} of {path}: {error.message}"
        raise


def _wanted(one: _Grant) -> Wanted:
    terms = Terms("once" if one.once else "unlimited", one.code, one.version_policy)
    return Wanted(one.scope, one.boolean, one.until, one.id, one.command or (), one.env, terms, one.sandbox, noted(one.by))
