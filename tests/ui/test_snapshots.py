"""Frozen screens as plain text, each narrow and wide. `CGP_TUI_SNAPSHOTS=write pytest tests/ui/test_snapshots.py` writes
them anew."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from cgp_tui.present.symbols import ASCII, UNICODE, Symbols
from cgp_tui.store.filters import Filters
from cgp_tui.transcript.recent import Folder
from cgp_tui.ui.screens.trust import TrustScreen
from cgp_tui.ui.widgets import foot
from tests.conftest import ROOT
from tests.present.samples import trusted
from tests.present.test_home import home
from tests.ui.frozen import freeze, frozen, place, plan, still
from tests.ui.moments import WALKS, Walk
from tests.ui.pilots import LONGEST, app_over, inspector_of, opened, records, screen_text, settled, until, write_recording
from tests.ui.test_home import at_home
from tests.ui.test_picker import picking
from tests.ui.test_trust import BARE, into_a_frame, trusting

__all__ = ["place"]

FOLDER = ROOT / "tests" / "snapshots"
SIZES = ((80, 24), (120, 40))


class Scene(NamedTuple):
    """What is pressed over the sample recording. `symbols` are those of the terminal."""

    name: str
    keys: tuple[str, ...]
    symbols: Symbols = UNICODE


NEXT = "right_square_bracket"
SCENES = (
    Scene("traffic", ("j", "j", "j")),
    Scene("answer-over-budget", ("e", "e", "tab")),
    Scene("frame", ("e", "enter")),
    Scene("chain", ("e", "enter", NEXT, "z")),
    Scene("proof", ("e", "tab", "j", "j", "j", "enter", NEXT, NEXT, "comma", "comma")),
    Scene("json", ("e", "tab", NEXT, NEXT)),
    Scene("raw", ("e", "tab", NEXT, NEXT, NEXT)),
    Scene("findings", ("2",)),
    Scene("findings-by-line", ("2", "o")),
    Scene("findings-ascii", ("e", "tab", NEXT), ASCII),
    Scene("provider", ("7",)),
    Scene("filter", ("slash", *"type:frames")),
    Scene("filter-wrong", ("slash", *"bytes>")),
    Scene("filters-saved", ("slash", "f2")),
    Scene("filter-name", ("slash", *"type:frames", "f3")),
    Scene("search", ("e", "tab", "slash", *"digest")),
    Scene("marked", ("e", "m", "j", "j", "M", *"odd", "enter", "M")),
    Scene("commands", ("colon", *"pane")),
    Scene("jump", ("semicolon", *"B")),
    Scene("columns", ("C",)),
    Scene("copying", ("y",)),
    Scene("why", ("e", "e", "w")),
    Scene("help", ("question_mark",)),
)


def held_against(name: str, size: tuple[int, int], seen: str) -> None:
    """The screen is the frozen one."""
    frozen = FOLDER / f"{name}-{size[0]}x{size[1]}.txt"
    if os.environ.get("CGP_TUI_SNAPSHOTS") == "write":
        frozen.parent.mkdir(exist_ok=True)
        frozen.write_text(seen + "\n", encoding="utf-8")
    assert seen + "\n" == frozen.read_text("utf-8")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_the_screen_is_as_it_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scene: Scene, size: tuple[int, int]
) -> None:
    # What is told at the foot stays for as long as a slow machine takes.
    monkeypatch.setattr(foot, "TOLD_SECONDS", 2 * LONGEST)
    path = write_recording(tmp_path / "session.ndjson")
    app = app_over(path, symbols=scene.symbols, keys=[trusted()])
    app.inspector.list_filter.saved = saved = Filters(tmp_path / "filters.json")
    saved.save("answers", "type:frames")
    saved.save("slow", "latency>200ms | state:pending")
    async with opened(app, size) as pilot:
        await settled(pilot)
        await until(pilot, lambda: "Findings 5" in screen_text(pilot))
        for key in scene.keys:
            await pilot.press(key)
            if pilot.app.screen is inspector_of(pilot):
                await settled(pilot)
        seen = await still(pilot, tmp_path)
    held_against(scene.name, size, seen)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.name)
async def test_a_live_session_is_as_it_was_looked_at(
    place: Path, monkeypatch: pytest.MonkeyPatch, walk: Walk, size: tuple[int, int]
) -> None:
    ledger = freeze(monkeypatch, place)
    plans = [plan(place, *one) for one in walk.plans]
    seen = []
    async with frozen(place, ledger, plans, size) as stage:
        async for name in walk.steps(stage):
            seen.append(name)
            held_against(name, size, await still(stage.pilot, place))
    assert tuple(seen) == walk.names


class Shows(Protocol):
    """Puts a screen up at a size; `tmp_path` is a folder of its own."""

    def __call__(self, tmp_path: Path, size: tuple[int, int]) -> AbstractAsyncContextManager[Pilot[object]]: ...


@asynccontextmanager
async def at_home_with_all(tmp_path: Path, size: tuple[int, int]) -> AsyncIterator[Pilot[object]]:
    async with at_home(home(), size) as (pilot, _):
        yield pilot


@asynccontextmanager
async def at_home_at_first(tmp_path: Path, size: tuple[int, int]) -> AsyncIterator[Pilot[object]]:
    async with at_home(home(recordings=Folder(), files=()), size) as (pilot, _):
        yield pilot


@asynccontextmanager
async def among_providers(tmp_path: Path, size: tuple[int, int]) -> AsyncIterator[Pilot[object]]:
    async with picking(size=size) as (pilot, _):
        await pilot.press("j", "j", "enter")
        yield pilot


@asynccontextmanager
async def before_a_key(tmp_path: Path, size: tuple[int, int]) -> AsyncIterator[Pilot[object]]:
    async with opened(trusting(tmp_path), size) as pilot:
        await into_a_frame(pilot)
        await pilot.press("T")
        await until(pilot, lambda: isinstance(pilot.app.screen, TrustScreen) and pilot.app.screen.query("#label:focus"))
        yield pilot


@asynccontextmanager
async def at_a_wrong_fingerprint(tmp_path: Path, size: tuple[int, int]) -> AsyncIterator[Pilot[object]]:
    async with before_a_key(tmp_path, size) as pilot:
        label, typed = (pilot.app.screen.query_one(f"#{name}", Input) for name in ("label", "typed"))
        await pilot.press(*"Ada", "enter")
        await until(pilot, lambda: label.value == "Ada" and typed.has_focus)
        typed.value = BARE[1:17]
        await until(pilot, lambda: "not this key's fingerprint" in screen_text(pilot))
        yield pilot


@asynccontextmanager
async def at_what_cannot_be_read(tmp_path: Path, size: tuple[int, int]) -> AsyncIterator[Pilot[object]]:
    path = tmp_path / "session.ndjson"
    path.write_bytes(b"\n".join([*records()[:6], b'{"n":4,"t":0.4,"conn', *records()[7:]]) + b"\n")
    async with opened(app_over(path, at=3), size) as pilot:
        await pilot.press("j")
        await settled(pilot)
        yield pilot


SHOWN: dict[str, Shows] = {
    "home": at_home_with_all,
    "home-first": at_home_at_first,
    "providers": among_providers,
    "trust": before_a_key,
    "trust-wrong": at_a_wrong_fingerprint,
    "damaged": at_what_cannot_be_read,
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SHOWN)
async def test_what_stands_alone_is_as_it_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: tuple[int, int]
) -> None:
    monkeypatch.setenv("CGP_TUI_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    async with SHOWN[name](tmp_path, size) as pilot:
        held_against(name, size, await still(pilot, tmp_path))


def test_no_frozen_screen_is_left_behind() -> None:
    names = (*SHOWN, *(scene.name for scene in SCENES), *(name for walk in WALKS for name in walk.names))
    assert len(names) == len(set(names))
    assert {path.stem for path in FOLDER.glob("*.txt")} == {f"{name}-{w}x{h}" for name in names for w, h in SIZES}
