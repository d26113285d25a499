"""Taking something along: a list of what can be copied, to the clipboard or into a new file of the current folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import App
from textual.binding import BindingType
from textual.screen import Screen

from cgp_tui.errors import os_reason
from cgp_tui.present.copying import (
    NOTHING,
    Item,
    command_item,
    consent_items,
    copied,
    entry_items,
    envelope_item,
    finding_items,
    item_rows,
    list_item,
    member_items,
    pane_item,
    place_item,
    raw_item,
    text_item,
    value_item,
)
from cgp_tui.present.grouped import whole_text
from cgp_tui.present.numbers import exact_bytes
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.transcript.record import Damaged
from cgp_tui.ui.keys import Where, bindings
from cgp_tui.ui.screens.dialog import ListDialog
from cgp_tui.ui.toolkit import drawn
from cgp_tui.ui.widgets.rows import RowsView, leads

if TYPE_CHECKING:
    from cgp_tui.ui.desk import Decider
    from cgp_tui.ui.screens.inspector import InspectorScreen
    from cgp_tui.ui.widgets.items import ItemsView


def items(inspector: InspectorScreen) -> list[Item]:
    """What can be copied of what is selected, what is under the cursor first."""
    source = inspector.source
    if not source.count:
        return []
    found: list[Item | None] = [*_under_cursor(inspector)]
    record = source.records.at(inspector.traffic.cursor)
    path = _from_root(source.transcript.path)
    if isinstance(record, Subject):
        raw, n = record.line.raw, record.line.n
        found += [raw_item("line", raw), envelope_item(raw)]
        found += [place_item(path, n), command_item(path, n)] if source.kept else []
    else:
        raw = record.raw if isinstance(record, Damaged) else source.transcript.raw(inspector.traffic.cursor)
        found.append(raw_item("record", raw))
    text, findings = inspector.text, inspector.findings
    if findings is not None and text is findings.list and len(findings.list.grouped):
        found.append(list_item(whole_text(findings.list.grouped, findings.list.named)))
    elif isinstance(text, RowsView) and text.rows:
        found.append(pane_item(text.rows))
    found.append(screen_item(inspector))
    return [item for item in found if item is not None]


def _from_root(path: Path) -> Path:
    """The whole path, or what is known of it where the current folder was removed meanwhile."""
    try:
        return path.absolute()
    except FileNotFoundError:
        return path


def _under_cursor(inspector: InspectorScreen) -> list[Item]:
    """A finding of the findings view with the path it is about; in the detail pane a member of the JSON, or a row."""
    detail, findings = inspector.detail, inspector.findings
    if inspector.view == "findings" and findings is not None:
        at = findings.list.cursor
        return [] if at is None or at.finding is None else finding_items(at.finding)
    view = detail.view
    if not (view.has_focus and view.rows):
        return []
    row = view.rows[view.cursor]
    if row.member is not None:
        return member_items(*detail.member())
    return [value_item(row.text), *member_items(None if row.jump is None else row.jump.path, None)]


def shown_items(screen: Screen[Any], view: ItemsView, decider: Decider) -> list[Item]:
    """What can be copied of the consent screen: what the cursor is on, the list it is in, the screen."""
    found: list[Item] = []
    entry = view.item
    if entry is not None:
        open_ones = {case.binding.provider_id for case in decider.cases() if case.open}
        decide = decider.advice(entry.provider_id) if entry.need and entry.provider_id in open_ones else ""
        found += consent_items(entry, decide)
    return [*found, list_item(row.text for row in view.rows), screen_item(screen)]


def menu_items(screen: Screen[Any], view: RowsView, does: tuple[str, str] | None) -> list[Item]:
    """What can be copied of a menu: the entry that the cursor is on, the command that it stands for (`does`, see
    `entry_items`; None where it stands for none now), the list, the screen."""
    if not view.rows:
        return []
    found = () if does is None else entry_items(*does)
    return [value_item(view.rows[view.cursor].text), *found, list_item(row.text for row in view.rows), screen_item(screen)]


def save(text: str, kind: str, aside: Shown = NOTHING) -> Shown:
    """Write a new file of the current folder, named by kind and time alone; what came of it, and where that is a file what
    must be known of it."""
    from cgp_tui.store.files import write_new

    stem = f"cgp-tui-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    data = text.encode("utf-8", "replace")
    for number in range(100):
        path = Path(f"{stem}{f'-{number}' if number else ''}.{kind}")
        try:
            write_new(path, data)
        except FileExistsError:
            continue
        except OSError as error:
            return compose("{name} cannot be written: {why}.", name=show(path.name), why=show(os_reason(error)))
        return compose("{size} in {name}{aside}", size=exact_bytes(len(data)), name=show(path.name), aside=aside)
    return own("Too many files of this second already exist here.")


class CopyScreen(ListDialog[Shown]):
    """What came of it; None where the person left."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("copy")]
    answers: ClassVar[tuple[Where, ...]] = ("list", "copy")
    opens = "Copy"

    def __init__(self, items: Sequence[Item], symbols: Symbols) -> None:
        super().__init__(own("Copy"), own("to the terminal's clipboard"), symbols)
        self._items = items

    def on_mount(self) -> None:
        self.view.show(partial(item_rows, self._items), leads)

    @property
    def chosen(self) -> Item:
        return self._items[self.view.cursor]

    @on(RowsView.Opened)
    def _opened(self, event: RowsView.Opened) -> None:
        event.stop()
        item = self.chosen
        self.app.copy_to_clipboard(item.text)
        self.dismiss(copied(item))

    def action_copy_save(self) -> None:
        """For terminals that take no clipboard from a program."""
        self.dismiss(save(self.chosen.text, "txt", self.chosen.aside))


def screen_item(screen: Screen[Any]) -> Item:
    """The cells as they are drawn."""
    return text_item("screen", (strip.text for strip in drawn(screen)))


def offer(screen: Screen[Any], symbols: Symbols, found: Sequence[Item], tell: Callable[[Shown], None]) -> None:
    """Offer what can be copied over a screen, and have it told what came of it."""
    if not found:
        tell(own("There is nothing to copy yet."))
        return

    def told(said: Shown | None) -> None:
        if said is not None:
            tell(said)

    screen.app.push_screen(CopyScreen(found, symbols), told)


def open_copy(inspector: InspectorScreen) -> None:
    """Offer what is selected, and tell at the foot what came of it."""
    offer(inspector, inspector.symbols, items(inspector), inspector.foot.tell)


def save_picture(app: App[Any]) -> Shown:
    """Save what the screen shows as a picture; what came of it."""
    return save(app.export_screenshot(title="cgp-tui"), "svg")
