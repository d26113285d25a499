"""The styles of the tokens, looked up once for each theme and used for everything that is painted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

from rich.style import Style
from textual.widget import Widget

from cgp_tui.present.spans import TOKENS
from cgp_tui.ui import themes
from cgp_tui.ui.content import COMPONENTS, PREFIX
from cgp_tui.ui.crash import SafeApp
from cgp_tui.ui.stylesheets import stylesheet


class TokenApp(SafeApp):
    """The app, rather than each widget, declares the component classes of the tokens.

    Each component class costs its widget a pass over the style sheet whenever any of its classes changes: with thirteen in
    each bar and pane, that was a third of the work before the first paint. A token means the same everywhere.
    """

    CSS = stylesheet("app")
    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)

    def __init__(self) -> None:
        super().__init__()
        self._tokens: Mapping[str, Style] = {}

    def on_ready(self) -> None:
        self.dress()

    def dress(self) -> None:
        """Load, once, the style sheet of what no first screen draws: it is too long for the first paint."""
        place = ("more.tcss", "")
        if not self.stylesheet.has_source(*place):
            self.stylesheet.add_source(stylesheet("more"), read_from=place)

    def get_css_variables(self) -> dict[str, str]:
        """The theme's variables and our tokens, which every style sheet may name."""
        variables = super().get_css_variables()
        return {**variables, **themes.token_variables(variables)}

    def notify_style_update(self) -> None:
        """The theme may have changed, so the tokens are looked up anew."""
        self._tokens = {}
        super().notify_style_update()

    @property
    def tokens(self) -> Mapping[str, Style]:
        """The style of each token in the current theme, to be laid over what is under it."""
        if not self._tokens:
            names = (*TOKENS, "cursor", "unfocused", "after")
            self._tokens = {name: self.get_component_styles(f"{PREFIX}{name}").partial_rich_style for name in names}
        return self._tokens


def tokens(widget: Widget) -> Mapping[str, Style]:
    """The tokens of a widget's app."""
    return cast("TokenApp", widget.app).tokens
