"""Keys, text, clicks and window sizes at random, in the app over spoilt recordings and over providers that misbehave.

Whatever is pressed, the app lives; a replay leaves its file as it was; nothing is sent in a session that its gate did not
allow, and no provider outlives it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from textual.pilot import OutOfBounds, Pilot

from cgp_tui.errors import InputError
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.keys import KEYS
from tests.present.samples import raw_lines
from tests.reliability.campaign import Figures, Run, folder
from tests.ui.pilots import DIALOGUE, app_over, opened, records
from tests.ui.sessions import WHY, Stage, alive, plan, session

_RECORDINGS, _SESSIONS, _PRESSED = 60, 40, 40
_SIZES: Final = ((80, 24), (120, 40), (200, 50), (40, 12), (20, 5), (1, 1))
_ENDS: Final = frozenset({"app.quit", "app.suspend"})
_KEYS: Final = [key for row in KEYS if row.id not in _ENDS for key in row.keys if not key.startswith("ctrl+c")]
_COMMON: Final = ["enter", "escape", "tab", "down", "right", "space", "c", "a", "g", "r", "x", "d", "y", "2"]
_WORDS: Final = (
    "type:frames",
    "finding:B3",
    "text~/a/",
    "(",
    "B3",
    "12",
    "frm_retry",
    "@slow",
    "latency>1ms",
    "7d",
    "never",
)
_MODES: Final = (
    *("egress", "boolean-egress", "slow-egress", "mute", "grumbles", "half-a-line", "garbage", "wrong-version", "refuses"),
    *("frames-first", "contradiction", "malformed-scope", "closes-stdout", "flood", "leaves", "noisy", "fine"),
)
_ODD_TEXT: Final = (
    *("\ud800x", "\x1b[31mred", "\u202eabc", "\u0000", "\U0001f468\u200d\U0001f469", "[bold]x[/", "\t\n\r", "", "a" * 5000),
    *("\u0600\u0301" * 30, "\ufffe", "$x"),
)
_ODD: Final[tuple[Any, ...]] = (None, True, -1, 1e308, 2**70, [], {}, [[[[]]]], {"a": {"b": [1]}}, *_ODD_TEXT)


def pressed(run: Run) -> Figures:
    found, kinds = Figures(), Counter[str]()
    state = os.environ.get("CGP_TUI_STATE")
    # A view that is saved goes where the app was begun.
    with folder() as made, contextlib.chdir(made):
        os.environ["CGP_TUI_STATE"] = str(made / "kept")
        try:
            for number in range(run.count(_RECORDINGS)):
                chance = random.Random(f"{run.seed} recording {number}")
                kinds["recordings"] += asyncio.run(
                    _replayed(found, chance, made / f"{number}.ndjson", f"recording {number}")
                )
            for number in range(run.count(_SESSIONS)):
                chance = random.Random(f"{run.seed} session {number}")
                place = made / f"session {number}"
                place.mkdir(mode=0o700)
                kinds["queries sent"] += asyncio.run(_lived(found, chance, place, f"session {number}"))
        finally:
            os.environ.pop("CGP_TUI_STATE") if state is None else os.environ.update(CGP_TUI_STATE=state)
    found.more = {what: f"{count:,}" for what, count in kinds.items()}
    return found


async def _replayed(found: Figures, chance: random.Random, path: Path, case: str) -> int:
    path.write_bytes(b"\n".join(_spoilt(chance)) + b"\n" * chance.randrange(2))
    held = path.read_bytes()
    try:
        app = app_over(path)
    except InputError:
        return 0
    with _told(found, case) as keys:
        async with opened(app, chance.choice(_SIZES)) as pilot:
            await _press(app, pilot, chance, keys)
        assert path.read_bytes() == held, "the recording was changed"
    return 1


async def _lived(found: Figures, chance: random.Random, place: Path, case: str) -> int:
    modes = chance.sample(_MODES, chance.choice((1, 1, 2)))
    plans = [
        plan(f"p{at}", mode, questions=[WHY] * chance.randrange(3), verify=chance.random() < 0.3)
        for at, mode in enumerate(modes)
    ]
    sent = 0
    with _told(found, f"{case} ({', '.join(modes)})") as keys:
        async with session(place, *plans, size=chance.choice(_SIZES[:4])) as stage:
            await _press(stage.app, stage.pilot, chance, keys)
        sent = _allowed(stage)
        assert not [pid for pid in stage.pids if alive(pid)], "a provider is alive"
    return sent


def _allowed(stage: Stage) -> int:
    """How many queries were sent; each after the gate had said yes for its exchange."""
    allowed, sent = 0, 0
    for record in stage.records:
        if record.get("note") == "gate" and record["allowed"]:
            allowed += 1
        elif "n" in record and record["from"] == "host" and record["line"]["type"] in ("query", "verify"):
            sent += 1
            assert sent <= allowed, f"line {record['n']} was not allowed"
    return sent


async def _press(app: CgpApp, pilot: Pilot[Any], chance: random.Random, keys: list[str]) -> None:
    for _ in range(_PRESSED):
        kind = chance.random()
        if kind < 0.05:
            word = chance.choice(_WORDS)
            keys.append(f"`{word}`")
            await pilot.press(*word)
        elif kind < 0.08:
            size = chance.choice(_SIZES)
            keys.append(f"{size}")
            await pilot.resize_terminal(*size)
        elif kind < 0.11:
            place = (chance.randrange(80), chance.randrange(24))
            keys.append(f"click {place}")
            with contextlib.suppress(OutOfBounds):
                await pilot.click(offset=place)
        elif kind < 0.18:
            keys.append("-")
            await pilot.pause(0.05)
        else:
            keys.append(chance.choice(_KEYS if chance.random() < 0.6 else _COMMON))
            await pilot.press(keys[-1])
        if app.failure is not None:
            raise app.failure
        if not app.is_running:
            return


@contextlib.contextmanager
def _told(found: Figures, case: str) -> Iterator[list[str]]:
    """The keys of one case, as they are pressed; whatever ends it otherwise than well is bad, and said with them."""
    keys: list[str] = []
    try:
        yield keys
    except Exception as error:
        found.expect(False, f"{case}: {type(error).__name__}: {error!s:.200}, after {' '.join(keys[-12:])}")
    else:
        found.expect(True, case)


def _spoilt(chance: random.Random) -> list[bytes]:
    """The lines of a recording, or bare ones: some with other values, cut, with a byte changed, doubled or out of order."""
    out: list[bytes] = []
    for record in records() if chance.random() < 0.6 else raw_lines(DIALOGUE):
        kind, line = chance.random(), record
        if kind < 0.4:
            made = json.dumps(_changed(chance, json.loads(record)), ensure_ascii=chance.random() < 0.5)
            line = made.encode("utf-8", "surrogatepass")
        elif kind < 0.45:
            line = record[: chance.randrange(len(record))]
        elif kind < 0.5:
            at = chance.randrange(len(record))
            line = record[:at] + bytes([chance.randrange(256)]) + record[at + 1 :]
        elif kind < 0.53:
            line = b""
        out += [line] * (2 if chance.random() < 0.1 else 1)
    if chance.random() < 0.05:
        chance.shuffle(out)
    return out


def _changed(chance: random.Random, value: Any) -> Any:
    """A JSON value, here and there without a member, with one more, or with something else in its place."""
    if isinstance(value, dict):
        made = {name: _changed(chance, one) for name, one in value.items() if chance.random() > 0.03}
        return {**made, chance.choice(_ODD_TEXT): chance.choice(_ODD)} if chance.random() < 0.05 else made
    if isinstance(value, list):
        items = [_changed(chance, one) for one in value]
        return items + items[:1] if chance.random() < 0.05 else items
    return chance.choice(_ODD) if chance.random() < 0.05 else value
