"""The app behind a screen, as the class that all of ours are: the toolkit knows only that it is some `App`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from textual.app import App

if TYPE_CHECKING:
    from cgp_tui.ui.base_app import BaseApp


class _InAnApp(Protocol):
    @property
    def app(self) -> App[object]: ...


def our_app(within: _InAnApp) -> BaseApp:
    """The app that a screen, a widget or a source of commands belongs to."""
    return cast("BaseApp", within.app)
