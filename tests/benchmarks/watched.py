"""Programs for `live`, each in a process of its own: `write` a transcript at a pace, and show it as it grows.

`python -m tests.benchmarks.watched write LINES OUT RATE SECONDS` repeats the lines of a file; `… inspector FILE LOG` is our
own screen, `… bare FILE LOG` a line-API widget over the same index and nothing else. Both follow the end until a key comes;
`… replay FILE LOG` is our screen over a file that is whole, begun at its start. Each writes two numbers to LOG for each
cursor key: the time, by the clock all processes share, at which the moved cursor was painted, and the processor seconds that
went since the key was read. At the end (`q`) they write how many lines they listed,
and their processor seconds in all.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.events import Key
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from cgp_tui.analysis import Analysis
from cgp_tui.cli.screen import open_screen
from cgp_tui.transcript.index import Index, read_at
from cgp_tui.transcript.reader import Transcript
from cgp_tui.ui import pace
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.source import Source
from cgp_tui.ui.themes import symbols

_BATCH_SECONDS = 0.01
_SHOWN = 400


def write(lines: Path, out: Path, rate: int, seconds: float) -> None:
    """Append `rate` lines a second, a batch each hundredth of one; prints how many came to be written."""
    greeting, *body = lines.read_bytes().splitlines(keepends=True)[:20_001]
    batches = itertools.cycle(body)
    written, start = 1, time.monotonic()
    with out.open("wb", buffering=0) as file:
        file.write(greeting)
        while (gone := time.monotonic() - start) < seconds:
            due = int(gone * rate) - written
            if due > 0:
                file.write(b"".join(itertools.islice(batches, due)))
                written += due
            time.sleep(_BATCH_SECONDS)
    print(written)


class Log:
    """Which keys have moved the cursor, which of them are drawn, and when that left for the terminal."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", buffering=1)
        self._read: deque[float] = deque()
        self._moved = self._drawn = 0

    def read(self) -> None:
        self._read.append(time.process_time())

    def moved(self) -> None:
        self._moved += 1

    def drawn(self) -> None:
        self._drawn, self._moved = self._drawn + self._moved, 0

    def displayed(self) -> None:
        for _ in range(self._drawn):
            print(time.monotonic(), time.process_time() - self._read.popleft(), file=self._file)
        self._drawn = 0

    def end(self, listed: int) -> None:
        print("listed", listed, time.process_time(), file=self._file)


class _Bare(ScrollView, can_focus=True):
    """The least that a list of the lines of a growing file can be."""

    BINDINGS: ClassVar[list[BindingType]] = [("up", "up"), ("down", "down")]

    def __init__(self, path: Path, log: Log) -> None:
        super().__init__()
        self._fd = os.open(path, os.O_RDONLY)
        self._index = Index(self._fd, lambda *_: None)
        self._log = log
        self._follows, self.cursor = True, 0

    @property
    def listed(self) -> int:
        return len(self._index)

    def on_mount(self) -> None:
        self.look()
        self.set_interval(pace.LOOK_SECONDS, self.look)

    def look(self) -> None:
        if self._index.extend(os.fstat(self._fd).st_size):
            self.virtual_size = Size(0, len(self._index))
            if self._follows:
                self._place(len(self._index) - 1)
            self.refresh()

    def action_up(self, by: int = -1) -> None:
        self._follows = False
        self._log.moved()
        self._place(self.cursor + by)

    def action_down(self) -> None:
        self.action_up(1)

    def _place(self, row: int) -> None:
        self.cursor = row
        top = max(0, min(self.scroll_offset.y, row), row - self.size.height + 1)
        self.scroll_to(y=top, animate=False, immediate=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        if row >= len(self._index):
            return Strip.blank(self.size.width)
        if row == self.cursor:
            self._log.drawn()
        start, length = self._index.span(row)
        text = read_at(self._fd, min(length, _SHOWN), start).decode("utf-8", "replace")
        strip = Strip([Segment("> " if row == self.cursor else "  "), Segment(text)])
        return strip.adjust_cell_length(self.size.width)


def _timed(app: type[App[Any]], log: Log, listed: Callable[[], int]) -> type[App[Any]]:
    """The app with a note of each key and each repaint."""

    class Timed(app):  # type: ignore[misc, valid-type]
        def get_driver_class(self) -> Any:
            class Noted(super().get_driver_class()):  # type: ignore[misc]
                def process_message(self, message: Message) -> None:
                    if isinstance(message, Key) and message.key in ("up", "down"):
                        log.read()
                    super().process_message(message)

            return Noted

        def _display(self, screen: Any, renderable: Any) -> None:
            super()._display(screen, renderable)
            log.displayed()

        def on_unmount(self) -> None:
            log.end(listed())

    return Timed


def bare(path: Path, log: Log) -> None:
    """The floor."""
    rows = _Bare(path, log)

    class BareApp(App[None]):
        BINDINGS: ClassVar[list[BindingType]] = [("q", "quit")]

        def compose(self) -> ComposeResult:
            yield rows

    _timed(BareApp, log, lambda: rows.listed)().run()


def inspector(path: Path, log: Log, *, grows: bool = True) -> None:
    """Our own screen, analysis and all."""
    open_screen()
    transcript = Transcript.open(path, growing=grows)
    source = Source(transcript, Analysis(transcript), symbols())
    screen = InspectorScreen(source)
    rows = screen.traffic
    rows.following = grows
    place, line = rows.move_by, rows.render_line

    def moved(lines: int) -> None:
        log.moved()
        place(lines)

    def drawn(y: int) -> Strip:
        if rows.scroll_offset.y + y == rows.row_of(rows.cursor):
            log.drawn()
        return line(y)

    rows.move_by, rows.render_line = moved, drawn  # type: ignore[method-assign]
    timed: Any = _timed(CgpApp, log, lambda: rows.known)
    app = timed(screen)
    app.call_later(lambda: setattr(rows, "following", grows))
    app.run()


def replay(path: Path, log: Log) -> None:
    """Our own screen over a recording."""
    inspector(path, log, grows=False)


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "write":
        write(Path(rest[0]), Path(rest[1]), int(rest[2]), float(rest[3]))
    else:
        {"bare": bare, "inspector": inspector, "replay": replay}[what](Path(rest[0]), Log(Path(rest[1])))
