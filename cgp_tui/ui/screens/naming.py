"""Filters saved under a name: saving the one in the filter bar, choosing one, forgetting one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgp_tui.store.filters import NAME_CHARS, is_name
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.ui.keymap import spoken

if TYPE_CHECKING:
    from cgp_tui.ui.screens.travel import Traveller


def recall(screen: Traveller) -> None:
    """Let the person choose a saved filter, and put it into the bar; where they cannot be read, say why."""
    from cgp_tui.ui.screens.presets import FilterScreen

    if not screen.find.completes:
        screen.foot.tell(own("This is a text search; filters are for the traffic."))
        return

    def chosen(text: str | None) -> None:
        if text is not None:
            screen.list_filter.keep()
            screen.find.set(text)

    saved = screen.list_filter.saved
    if not saved.texts and saved.problem:
        screen.foot.tell(compose("The saved {why}", why=show(saved.problem, 200)))
        return
    screen.app.push_screen(FilterScreen(saved, screen.symbols), chosen)


def keep(screen: Traveller) -> None:
    """Let the person save the current filter under a name."""
    from cgp_tui.ui.screens.presets import NameScreen

    list_filter = screen.list_filter
    if not screen.find.completes or list_filter.filter is None or list_filter.error is not None:
        screen.foot.tell(own("There is no filter to save yet."))
        return
    text = list_filter.filter.text.strip()

    def named(name: str | None) -> None:
        if name:
            screen.foot.tell(_kept(screen, name.removeprefix("@"), text))

    screen.app.push_screen(NameScreen(screen.symbols, "filter", NAME_CHARS), named)


def _kept(screen: Traveller, name: str, text: str) -> Shown:
    saved = screen.list_filter.saved
    if not is_name(name):
        return own("A name has letters, digits, - and _ only: not saved.")
    if not saved.save(name, text):
        return own("Not saved: too long, or too many are saved already.")
    problem = compose(" {why}", why=show(saved.problem, 120)) if saved.problem else own("")
    said = "Saved: @{name} stands for it in every filter, and {find.saved} lists it.{problem}"
    return spoken(screen, said, name=show(name), problem=problem)
