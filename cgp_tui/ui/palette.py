"""The command list: every row of the key table by name, the saved filters, where to jump, and the themes.

The toolkit's own highlighting of a match reads markup, so it is not used; the sentences are ours and hold no bracket.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.geometry import Size
from textual.widgets import Input
from textual.worker import Worker

from cgp_tui.text import Shown, clip, compose, own, show
from cgp_tui.ui.content import plain
from cgp_tui.ui.keys import KEYS, Key, within
from cgp_tui.ui.ours import our_app
from cgp_tui.ui.screens.modal import LOW_ROWS

_SELECT = "select"


class Palette(CommandPalette):
    """The toolkit's, which looks for a page of the list where a window of one cell leaves no room for it, and which moves in
    and runs the list of the text before as long as the one for what stands there now is not whole. Here a move and enter
    wait for that one. On a small terminal it begins at the top, without a frame."""

    def __init__(self, placeholder: str = "") -> None:
        super().__init__(placeholder=placeholder)
        self._waiting: list[str] = []
        """What was pressed since the text was last changed, and is not done yet."""
        self._leaving = False
        """Whether a command was chosen that waited for the list."""

    @property
    def waits(self) -> bool:
        """Whether enter was pressed and its command is not known yet: what is typed now is for what comes after it."""
        return self.is_attached and (self._leaving or _SELECT in self._waiting)

    @property
    def _searching(self) -> bool:
        return any(one.group == self._GATHER_COMMANDS_GROUP and not one.is_finished for one in self.workers)

    def _screen_resized(self, size: Size) -> None:
        self.set_class(size.height < LOW_ROWS, "-low")
        super()._screen_resized(size)

    def _action_command_list(self, action: str) -> None:
        if not self._put_off(action) and (action == _SELECT or self.query_one(CommandList).scrollable_content_region):
            super()._action_command_list(action)

    def _action_cursor_down(self) -> None:
        if not self._put_off("cursor_down"):
            super()._action_cursor_down()

    @on(Input.Submitted)
    def _run_when_found(self, event: Input.Submitted) -> None:
        if self._put_off(_SELECT):
            event.stop()
            event.prevent_default()

    def _put_off(self, action: str) -> bool:
        """Keep what was pressed for the list that is being made; whether there is one."""
        if self._searching or self._waiting:
            self._waiting.append(action)
            return True
        return False

    @on(Input.Changed)
    def _text_changed(self) -> None:
        self._waiting.clear()

    @on(Worker.StateChanged)
    def _found(self, event: Worker.StateChanged) -> None:
        """Do what waited for the list, once it is whole."""
        if event.worker.group != self._GATHER_COMMANDS_GROUP or self._searching:
            return
        waiting, self._waiting = self._waiting, []
        for action in waiting:
            if action == _SELECT:
                # The toolkit leaves some messages later.
                self._leaving = self.query_one(CommandList).highlighted is not None
                self._select_or_command()
                break
            self._action_command_list(action)


class KeyCommands(Provider):
    """What can be done here, found by letters of label and id or by words of the sentence; the key stands beside it."""

    def _rows(self) -> list[Key]:
        screen = self.screen
        allowed = getattr(screen, "answers", None)
        idle = getattr(screen, "idle", ())
        here = (row for row in KEYS if row.id not in idle)
        return [row for row in here if allowed is None or within(row, allowed)]

    async def discover(self) -> Hits:
        for row in self._rows():
            yield DiscoveryHit(plain(own(self._title(row))), partial(our_app(self).run_row, row), help=row.sentence)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for row in self._rows():
            text = self._title(row)
            # Letters strewn over a sentence are in almost any: of that, whole words are asked for.
            said = all(word in row.sentence.lower() for word in query.lower().split())
            score = max(matcher.match(text), matcher.match(row.sentence) * 0.7 if said else 0.0)
            if score > 0:
                run = partial(our_app(self).run_row, row)
                yield Hit(score, plain(own(text)), run, text=text, help=row.sentence)

    def _title(self, row: Key) -> str:
        shown = our_app(self).keymap.shown(row)
        return f"{row.label}{'  ' + shown if shown else ''}  {row.id}"


class JumpCommands(Provider):
    """Where a jump may go, by what was typed: `214`, `:50%`, `12:04:31`, `B3`, `@docs`, `frm_retry`; and what is called so
    in part."""

    async def search(self, query: str) -> Hits:
        screen: Any = self.screen
        if not hasattr(screen, "jump_to"):
            return
        from cgp_tui.ui.jump import form_of
        from cgp_tui.ui.offers import offers

        found = form_of(query)
        if found is None:
            return
        form = found[0]
        # A word may name a frame, and is more often the name of a command: then it comes last.
        score = 1.0 if form.id != "name" else 0.001
        text = compose("Jump to {target}", target=show(query.strip(), 60))
        yield Hit(score, plain(text), partial(screen.jump_to, query), text=str(text), help=form.sentence)
        for offer in offers(screen.source, query)[1:]:
            # Not as a help text beside it: the toolkit reads that as markup.
            text = compose("Jump to {target}  {said}", target=show(offer.text, 60), said=clip(offer.sentence, 80))
            # It holds what was typed in one piece: that counts as much as it does in a command's name.
            score = max(self.matcher(query).match(str(text)), 0.5)
            yield Hit(score, plain(text), partial(screen.jump_to, offer.text), text=str(text))


class FilterCommands(Provider):
    """`filter: @name` for each filter that was saved under a name."""

    def _saved(self) -> Mapping[str, str]:
        list_filter = getattr(self.screen, "list_filter", None)
        return {} if list_filter is None else list_filter.saved.texts

    async def discover(self) -> Hits:
        for name, meant in self._saved().items():
            yield DiscoveryHit(plain(_title(name, meant)), partial(self._filter, name))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, meant in self._saved().items():
            score = matcher.match(f"filter: @{name}")
            if score > 0:
                yield Hit(score, plain(_title(name, meant)), partial(self._filter, name), text=name)

    def _filter(self, name: str) -> None:
        self.screen.filter_by(f"@{name}")  # type: ignore[attr-defined]


def _title(name: str, meant: str) -> Shown:
    # Not as a help text beside it: the toolkit reads that as markup.
    return compose("filter: @{name}  {meant}", name=show(name), meant=show(meant, 80))


class ThemeCommands(Provider):
    """`theme: NAME` for each theme there is."""

    async def discover(self) -> Hits:
        for name in sorted(self.app.available_themes):
            yield DiscoveryHit(plain(own(f"theme: {name}")), partial(self._set, name))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name in sorted(self.app.available_themes):
            score = matcher.match(f"theme: {name}")
            if score > 0:
                yield Hit(score, plain(own(f"theme: {name}")), partial(self._set, name), text=name)

    def _set(self, name: str) -> None:
        self.app.theme = name


class Commands(Provider):
    """All of them, what can be done first: of several providers the quickest would come first."""

    PARTS: ClassVar[tuple[type[Provider], ...]] = (KeyCommands, FilterCommands, JumpCommands, ThemeCommands)

    async def discover(self) -> Hits:
        for part in (part for part in self.PARTS if "discover" in vars(part)):
            async for hit in part(self.screen, self.match_style).discover():
                yield hit

    async def search(self, query: str) -> Hits:
        for part in self.PARTS:
            async for hit in part(self.screen, self.match_style).search(query):
                yield hit
