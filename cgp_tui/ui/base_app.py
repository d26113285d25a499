"""What all our apps share: theme, alphabet, the keys that always work, and the check behind everything that is drawn."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import BindingType
from textual.command import CommandPalette
from textual.events import Event, InputEvent
from textual.filter import LineFilter
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender

from cgp_tui.present.symbols import ASCII, Symbols
from cgp_tui.store.settings import Complaint, Settings
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.ui import themes
from cgp_tui.ui.content import SecondNet
from cgp_tui.ui.keymap import Keymap, resolve
from cgp_tui.ui.keys import Key, bindings
from cgp_tui.ui.toolkit import renew_colors, scope_of
from cgp_tui.ui.typeahead import TypeAheadApp

if TYPE_CHECKING:
    from cgp_tui.ui.palette import Commands


def _commands() -> type[Commands]:
    # Loaded when they are asked for: the first paint does not wait for them.
    from cgp_tui.ui.palette import Commands

    return Commands


class BaseApp(TypeAheadApp):
    """Everything it draws passes `SecondNet`. `first` is the screen it begins with, `theme` the name of a theme, by default
    what the environment or `settings` ask for."""

    TITLE = "cgp-tui"
    ENABLE_COMMAND_PALETTE = False
    COMMANDS = {_commands}  # noqa: RUF012 - the base class's own form
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]

    _themed = False
    """Whether the theme to begin with is decided."""

    def __init__(
        self, first: Screen[Any], symbols: Symbols, theme: str | None = None, settings: Settings | None = None
    ) -> None:
        super().__init__()
        self.first = first
        self.symbols = symbols
        self.settings = Settings() if settings is None else settings
        self.keymap = resolve(self.settings.keys) if self.settings.keys else Keymap()
        if self.keymap.changed:
            self.set_keymap(self.keymap.overrides)
        self.animation_level = "none"
        self.register_theme(themes.OWN)
        self._begin_in(theme or self._asked_for() or themes.DEFAULT)
        self.set_class(symbols is ASCII, "-ascii")
        ScrollBar.renderer = themes.AsciiScrollBar if symbols is ASCII else ScrollBarRender
        self._net = SecondNet()
        self.touched = 0.0
        """When the last key or mouse event came, by the monotonic clock."""

    def _begin_in(self, theme: str) -> None:
        """Set the theme before anything is drawn. Set in the usual way, every style sheet would be read a second time."""
        self.set_reactive(BaseApp.theme, theme)
        dark = self.current_theme.dark
        self.update_classes({f"-theme-{theme}": True, "-dark-mode": dark, "-light-mode": not dark}, update=False)
        renew_colors(self)
        self._themed = True
        self.stylesheet.set_variables(self.get_css_variables())

    def get_css_variables(self) -> dict[str, str]:
        """The names that style sheets may use; none while the toolkit still sets itself up with another theme."""
        return super().get_css_variables() if self._themed else {}

    def get_default_screen(self) -> Screen[Any]:
        """The first screen, not pushed over a blank one, which would be laid out too. Its style sheet is read with the
        app's own."""
        kind = type(self.first)
        place = inspect.getfile(kind), f"{kind.__name__}.CSS"  # where the toolkit looks for it when one is pushed
        self.stylesheet.add_source(kind.CSS, read_from=place, is_default_css=False, scope=scope_of(kind))
        return self.first

    @property
    def covered(self) -> bool:
        """Whether another screen is in front of the first one."""
        return len(self.screen_stack) > 1

    async def on_event(self, event: Event) -> None:
        if isinstance(event, InputEvent):
            self.touched = monotonic()
        await super().on_event(event)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The stock filters, and `SecondNet` after them."""
        return [*super().get_line_filters(), self._net]

    def _asked_for(self) -> str | None:
        """The theme that TEXTUAL_THEME names, else the settings, else the terminal's own 16 colours where it says that it
        has no more."""
        for wanted in (os.environ.get("TEXTUAL_THEME"), self.settings.theme):
            if wanted in self.available_themes:
                return wanted
        return "ansi-dark" if os.environ.get("TERM") in ("linux", "vt100") else None

    @property
    def answers(self) -> tuple[str, ...]:
        """The kinds of keys, and ids, that the help screen lists first if the screen names none itself."""
        return ("app",)

    @property
    def complaints(self) -> tuple[Complaint, ...]:
        """The person's settings that are not used."""
        theme = self.settings.theme
        known = sorted(self.available_themes)
        unknown = Complaint("theme", f"There is no theme {theme}.", f"There are: {', '.join(known)}.")
        mine = (unknown,) if theme and theme not in known else ()
        return (*self.settings.complaints, *mine, *self.keymap.complaints)

    @cached_property
    def complaint(self) -> Shown | None:
        """Which they are, and where it stands why."""
        names = [one.name for one in self.complaints]
        if not names:
            return None
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return compose(
            "Ignored in settings.toml: {name}{more}. {why}",
            name=show(names[0], 40),
            more=own(more),
            why=self.keymap.say("{app.help} says why."),
        )

    async def run_row(self, row: Key) -> None:
        """Do what a row of the key table names, chosen in the command list or the key line."""
        inner = (self.screen,) if self.focused is None else self.focused.ancestors_with_self
        for target in dict.fromkeys((*inner, self)):
            if hasattr(target, f"action_{row.action.partition('(')[0]}"):
                await self.run_action(row.action, default_namespace=target)
                return

    def action_app_palette(self) -> None:
        from cgp_tui.ui.palette import Palette

        if not CommandPalette.is_open(self):
            places = ", a place: 214, 50%, B3, @docs" if hasattr(self.screen, "jump_to") else ""
            self.push_screen(Palette(placeholder=f"a command, a key, a theme{places}"))

    def action_app_help(self) -> None:
        # Loaded when it is asked for: the first paint does not wait for it.
        from cgp_tui.ui.screens.help import HelpScreen

        here = getattr(self.screen, "answers", None) or self.answers
        self.push_screen(HelpScreen(self.symbols, here, self.keymap, self.complaints))
