"""Picking a provider to start: each entry of the providers files, what it would run, and whether the person trusts it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from cgp_tui.present.providers import Offer, advice, offer, offer_rows
from cgp_tui.ui.entrance import ask
from cgp_tui.ui.screens.entries import Menu

if TYPE_CHECKING:
    from cgp_tui.store.registry import ProvidersFile


def menu(made: Offer) -> Menu[str]:
    """The configured entries, each answered by its id."""
    return Menu(
        title="Providers",
        aside=f"{len(made.entries)} configured",
        greeting="Enter starts an entry; that sends nothing.",
        rows=partial(offer_rows, made),
        obstacle=lambda place: advice(made.entries[place]),
        does=lambda place: ("inspect", made.entries[place].spec.id),
        answer=lambda place: made.entries[place].spec.id,
    )


def pick(files: Sequence[ProvidersFile]) -> str | int:
    """The id that was picked, or the exit code where none was. Raises what `entrance.ask` raises."""
    return ask(menu(offer(files)))
