"""Home: continue with a recording, start a provider, see the state of consent."""

from __future__ import annotations

from functools import partial

from cgp_tui.present.home import Choice, Home, choices, home_rows, obstacle
from cgp_tui.ui.entrance import ask
from cgp_tui.ui.screens.entries import Menu


def menu(home: Home) -> Menu[Choice]:
    """What home lists."""
    return Menu(
        title="cgp-tui",
        aside="home",
        greeting="See, prove and consent to every piece of context an agent is given.",
        rows=partial(home_rows, home),
        obstacle=partial(obstacle, home),
        does=lambda place: (choices(home)[place].does, choices(home)[place].name),
        answer=choices(home).__getitem__,
        home=True,
    )


def choose(home: Home) -> Choice | int:
    """What was chosen, or the exit code where nothing was. Raises what `entrance.ask` raises."""
    return ask(menu(home))
