"""What the consent commands share: the ledger named by the options, and the provider named by the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cgp_tui.cli import diagnostics
from cgp_tui.errors import InputError, RefusedError
from cgp_tui.text import compose, show

if TYPE_CHECKING:
    from cgp_tui.consent.ledger import Ledger, Opened
    from cgp_tui.consent.types import Need
    from cgp_tui.store.seen import Sighting
    from cgp_tui.target import Target

Scopes = Annotated[list[str] | None, typer.Option("--scope", metavar="SCOPE", help="An off-machine scope; repeatable.")]
Boolean = Annotated[bool, typer.Option("--boolean", help="Sending at all, for a provider that names no scope.")]

By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who asked for it; only a note in the record.")]


def noted(by: str | None) -> str:
    """What `--by` puts into a record. Raises InputError usage where no record can hold it."""
    from cgp_tui.consent.receipt import NOTE_CHARS
    from cgp_tui.protocol.utf8 import halved

    if by is not None and (len(by) > NOTE_CHARS or not by.strip() or halved(by)):
        raise InputError("usage", "--by cannot be kept as a note.", f"Name them in up to {NOTE_CHARS} characters.")
    return by or ""


def open_ledger(path: Path | None, head: Path | None) -> Ledger:
    """The ledger named by the options, the person's own by default."""
    from cgp_tui.consent.ledger import Ledger
    from cgp_tui.store import paths

    return Ledger(path or paths.ledger_path(), head)


def shut(opened: Opened) -> RefusedError | None:
    """What is wrong with a ledger that gives no answers, None for one that does."""
    return None if opened.answers else opened.refused()


def warn(book: Ledger) -> None:
    """Say on stderr how the ledger had to be mended, if a person must know."""
    if book.warning:
        diagnostics.say(show(book.warning))


def target_of(argv: list[str], env: list[str] | None) -> Target | None:
    """The target of CMD, None without one. Raises InputError."""
    from cgp_tui.target import stdio_target

    return stdio_target(argv, env=env or ()) if argv else None


def last_seen() -> Mapping[str, Sighting]:
    """Who was last met under each of our ids; a file that cannot be read is named on stderr and left out."""
    from cgp_tui.store import paths
    from cgp_tui.store.seen import Sightings

    known = Sightings(paths.seen_dir()).read()
    for path, why in known.unread:
        diagnostics.say(compose("Left out, who was last seen: {path}: {why}", path=show(str(path)), why=show(why)))
    return known.by_id


def named_needs(provider_id: str, scopes: Sequence[str], boolean: bool) -> tuple[Need, ...]:
    """The needs that `--scope` and `--boolean` name."""
    from cgp_tui.consent.types import Need

    named = [Need(provider_id, "scope", scope) for scope in dict.fromkeys(scopes)]
    return (*named, *([Need(provider_id, "boolean")] if boolean else []))
