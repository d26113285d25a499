"""Whom the consent tests are about: a target, a binding, a ledger with a clock that can be set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.receipt import Draft
from cgp_tui.consent.types import Binding, Need
from cgp_tui.target import Pin, Target
from tests.store import ledgers

SCOPE = "third-party-index"
START = ledgers.START


def target(**changes: Any) -> Target:
    """A command that never runs."""
    plain = Target(
        kind="stdio",
        argv=("/usr/bin/p", "x.py"),
        start="/usr/bin/p",
        program="/usr/bin/p",
        cwd=Path("/"),
        env_names=(),
        digest="aa" * 32,
        code="bb" * 32,
        pins=(Pin("program", "/usr/bin/p", "11" * 32),),
        shown=("/usr/bin/p", "x.py"),
    )
    return msgspec.structs.replace(plain, **changes)


def binding(**changes: Any) -> Binding:
    """What `ledgers.draft()` grants to."""
    values: dict[str, Any] = {
        "provider_id": "docs",
        "provider_name": "example",
        "provider_version": "1.0.0",
        "target": target(),
    }
    return Binding(**(values | changes))


def scoped(*scopes: str, provider_id: str = "docs") -> tuple[Need, ...]:
    return tuple(Need(provider_id, "scope", scope) for scope in scopes or (SCOPE,))


BOOLEAN = (Need("docs", "boolean"),)


class Clock:
    """Seconds since 1970, as set."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def draft(kind: str = "grant", **changes: Any) -> Draft:
    return ledgers.draft(kind, **changes)


class Books:
    """A ledger in a folder of its own."""

    def __init__(self, folder: Path, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.path = folder / "data" / "receipts.toml"
        self.head = folder / "state" / "head"
        self.ledger = self.open()

    def open(self) -> Ledger:
        """The ledger as another process would open it."""
        return Ledger(self.path, self.head, self.clock)
