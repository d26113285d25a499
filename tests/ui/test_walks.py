"""The eight walks: questions that people come with, and the number of keys, from the opened transcript, that answer them.

Each is walked with exactly its keys, on a real pty in the smallest terminal and by the toolkit's own pilot in larger ones,
and its answer is read off the screen. In the smallest the text of the prompt does not fit: before anybody may say yes,
`pgdn` turns it once, and `enter` in the field of the end leads to Grant as `tab tab` does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, Final, Protocol

import pytest
from textual.pilot import Pilot

from cgp_tui.analysis.background import Background
from cgp_tui.consent.ledger import Ledger
from cgp_tui.present.symbols import UNICODE
from cgp_tui.protocol.envelope import Frames, Handshake, Query
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.transcript.reader import Transcript
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.live.trusting import Trusting
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.screens.prompt import Prompt
from cgp_tui.ui.source import Source
from cgp_tui.wire.encode import encode
from tests.checks import signed
from tests.present.samples import frame, frames, query
from tests.terminal import Terminal
from tests.ui.pilots import screen_text, settled, until, write_bare
from tests.ui.sessions import PROVIDER, armed, plan, session

STATED: Final = {
    "my frame was rejected, why?": 1,
    "my frame was rejected, why? the frame": 2,
    "which frame blew the budget?": 3,
    "signed by whom I think?": 2,
    "signed by whom I think? every hash": 4,
    "one scope until Friday": 9,
    "revoke everything now": 2,
    "what did it get last week, under what consent?": 4,
    "first violation in a customer's file": 1,
    "it hangs": 0,
    "it hangs: give up": 1,
    "it hangs: give up, restart": 2,
}
"""Each walk and the most keys it may take."""

SMALL: Final = (80, 24)
MIDDLE: Final = (120, 40)
LARGE: Final = (200, 50)
SCOPES: Final = "scopes=third-party-index,third-party-model"

BYTES: Final = {"enter": "\r", "tab": "\t", "shift+tab": "\x1b[Z", "escape": "\x1b", "pagedown": "\x1b[6~", "]": "]"}


class Hands(Protocol):
    """Somebody at the app: presses keys and reads the screen."""

    pressed: int
    size: tuple[int, int]

    async def press(self, *keys: str) -> None: ...

    async def sees(self, *words: str) -> None:
        """Wait until all of it is on the screen. Raises AssertionError with the screen."""
        ...

    async def asked(self) -> None:
        """Wait until the prompt takes keys."""
        ...


class ByPilot:
    def __init__(self, pilot: Pilot[object], size: tuple[int, int]) -> None:
        self.pilot, self.size, self.pressed = pilot, size, 0

    async def press(self, *keys: str) -> None:
        self.pressed += len(keys)
        await self.pilot.press(*keys)

    async def sees(self, *words: str) -> None:
        await until(self.pilot, lambda: all(word in screen_text(self.pilot) for word in words))

    async def asked(self) -> None:
        def counts() -> bool:
            screen = self.pilot.app.screen
            return isinstance(screen, Prompt) and monotonic() > screen.armed_at

        await until(self.pilot, counts)


class ByPty:
    def __init__(self, terminal: Terminal, size: tuple[int, int]) -> None:
        self.terminal, self.size, self.pressed = terminal, size, 0

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.pressed += 1
            self.terminal.press(BYTES.get(key, key))

    async def sees(self, *words: str) -> None:
        self.terminal.wait(lambda seen: all(word in seen.text for word in words), 60)

    async def asked(self) -> None:
        armed(self.terminal)


@contextmanager
def walk(hands: Hands, name: str, before: int = 0) -> Iterator[None]:
    """What is pressed inside is at most what is stated; `before` were pressed in the walk that this one goes on."""
    began = hands.pressed - before
    yield
    assert hands.pressed - began <= STATED[name], f"{name}: {hands.pressed - began} keys"


# -- a recording


def customer_file(folder: Path) -> Path:
    """A signed answer on line 4; on line 6 one over its budget, with a false cost."""
    greeting = encode(Handshake("contextgraph/1.0"))
    served = encode(Frames(signed.answer(signed.frame("a"), signed.frame("b")), "q1"))
    question = encode(Query(ContextQuery("why", 9, 999), "q1"))
    over = frames(2, frame("frm_retry"), frame("frm_config", token_cost=9), frame("frm_gaveup"))
    lines: list[dict[str, Any] | bytes] = [
        greeting,
        encode(signed.ack()),
        question,
        served,
        query(2, "GaveUp", max_tokens=10),
        over,
    ]
    return write_bare(folder / "customer.ndjson", lines)


async def ask_of_a_recording(hands: Hands) -> None:
    """From line 1 of the file; nothing has a finding before line 6."""
    await hands.sees("REPLAY offline", "✗2")
    with walk(hands, "first violation in a customer's file"), walk(hands, "my frame was rejected, why?"):
        await hands.press("e")
        await hands.sees("✗ B3 frm_config: The declared cost is not", "expected 4", "found 9", "Fix: Set token_cost")
    with walk(hands, "my frame was rejected, why? the frame", before=1):
        await hands.press("enter")
        await hands.sees("frm_config]", "[Frame]", "2 of 3")
    await hands.press("escape", "escape", "g")
    await hands.sees("[Handshake]")
    with walk(hands, "which frame blew the budget?"):
        await hands.press("e")
        await hands.sees("✗ B1 The answer costs more", "17 in sum, over at frame frm_config")
        if hands.size == SMALL:
            await hands.press("tab", "G")
        await hands.sees("13✗")


async def ask_of_a_signed_answer(hands: Hands) -> None:
    with walk(hands, "signed by whom I think?"):
        await hands.press("enter", "enter")
        await hands.sees("standing", "Built correctly, signer unknown")
    with walk(hands, "signed by whom I think? every hash", before=2):
        await hands.press("]", "]")
        await hands.sees("[Proof]", "✓ node", "computed", "expected")
    if hands.size == SMALL:
        await hands.press("g")  # the last step is in view, and what is above it does not fit
    await hands.sees("root", "given, right", "✓ commitment", "✓ compare", "✓ signature")
    await hands.press("T")
    await hands.sees("Trust this key?")


# -- a session


async def decide(hands: Hands) -> None:
    """Grant the two scopes one after the other, the first by its walk; then ask, be answered, and look back."""
    await hands.sees("handshake_ack", "waits for your consent")
    with walk(hands, "one scope until Friday"):
        await hands.press("c")
        await hands.sees("third-party-index", "not decided")
        await hands.press("enter")
        await hands.sees("receive your queries?")
        await hands.asked()
        if hands.size == SMALL:
            await hands.press("pagedown", "shift+tab", *"fri", "enter", "enter")
        else:
            await hands.press("shift+tab", *"fri", "tab", "tab", "enter")
        await hands.sees("Granted until", "23:59:59Z, on record as #1.")
    await hands.press("j", "enter")
    await hands.sees("receive your queries?")
    await hands.asked()
    await hands.press(*["pagedown"] * (3 if hands.size == SMALL else 0), "tab", "enter")
    await hands.sees("on record as #2.")
    await hands.press("escape", "a")
    await hands.sees("goal")
    await hands.press(*"why", "enter")
    await hands.sees("← frames")
    with walk(hands, "what did it get last week, under what consent?"):
        await hands.press("c")
        await hands.sees("last 7 days: 1 send, 82 bytes; 0 refused", "sent      query  82 bytes  under #1")
        await hands.press("j", "tab", "enter")
        await hands.sees("query to ", '"goal"', '"why"')
    await hands.press("escape", "escape")
    await hands.sees("← frames")
    with walk(hands, "revoke everything now"):
        await hands.press("X")
        await hands.sees("Revoke everything, from every provider?")
        await hands.press("enter")
        await hands.sees("Revoked, all of it. Confirmed: no more leaves.")


async def wait_in_vain(hands: Hands) -> None:
    await hands.sees("handshake_ack")
    await hands.press("a")
    await hands.sees("goal")
    await hands.press(*"why", "enter")
    with walk(hands, "it hangs"):
        await hands.sees("q1 waits", "of 30 s. Running (pid", "last byte", "20 bytes of", "stderr: the index is locked")
    with walk(hands, "it hangs: give up"):
        await hands.press("x")
        await hands.sees("gave_up")
    with walk(hands, "it hangs: give up, restart", before=1):
        await hands.press("R")
        await hands.sees("2← handshake_ack")


# -- who walks


async def on_a_recording(path: Path, size: tuple[int, int], at: int = 1) -> AsyncIterator[ByPilot]:
    transcript = Transcript.open(path)
    background = Background(transcript)
    screen = InspectorScreen(Source(transcript, background.analysis(), UNICODE, background), at=at)
    screen.truster = Trusting(lambda: background, lambda: Ledger(path.parent / "receipts.toml"))
    app = CgpApp(screen, theme="cgp")
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        yield ByPilot(pilot, size)
    transcript.close()


recording = asynccontextmanager(on_a_recording)


@pytest.mark.parametrize("size", [MIDDLE, LARGE])
async def test_a_recording_answers_in_so_many_keys(tmp_path: Path, size: tuple[int, int]) -> None:
    async with recording(customer_file(tmp_path), size) as hands:
        await ask_of_a_recording(hands)


@pytest.mark.parametrize("size", [MIDDLE, LARGE])
async def test_who_signed_is_seen_in_so_many_keys(tmp_path: Path, size: tuple[int, int]) -> None:
    async with recording(customer_file(tmp_path), size, at=4) as hands:
        await ask_of_a_signed_answer(hands)


async def test_consent_is_given_seen_and_taken_back_in_so_many_keys(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", SCOPES), size=LARGE) as stage:
        await decide(ByPilot(stage.pilot, LARGE))


async def test_a_hang_is_seen_and_left_in_so_many_keys(tmp_path: Path) -> None:
    async with session(tmp_path, plan("slow", "sulks"), size=MIDDLE) as stage:
        await wait_in_vain(ByPilot(stage.pilot, MIDDLE))


def on_a_pty(folder: Path, *arguments: str) -> Terminal:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    places = {"HOME": folder, "CGP_TUI_STATE": folder / "state", "CGP_TUI_CONFIG": folder / "config"}
    env = {**kept, **{name: str(place) for name, place in places.items()}, "CGP_TUI_LEDGER": str(folder / "receipts.toml")}
    columns, rows = SMALL
    return Terminal([sys.executable, "-m", "cgp_tui", *arguments], rows, columns, env=env, cwd=folder)


pty_only = pytest.mark.skipif(os.name == "nt", reason="a pty is needed")


@pty_only
async def test_a_recording_answers_in_so_many_keys_on_a_small_terminal(tmp_path: Path) -> None:
    with on_a_pty(tmp_path, "replay", str(customer_file(tmp_path))) as terminal:
        hands = ByPty(terminal, SMALL)
        await ask_of_a_recording(hands)
        await hands.press("escape", "k", "k")
        await hands.sees("4 ← frames q1")
        await ask_of_a_signed_answer(hands)


@pty_only
async def test_consent_is_given_seen_and_taken_back_in_so_many_keys_on_a_small_terminal(tmp_path: Path) -> None:
    (tmp_path / "p.py").symlink_to(PROVIDER)
    with on_a_pty(tmp_path, "inspect", "--id", "far", "--", sys.executable, "p.py", "egress", SCOPES) as terminal:
        await decide(ByPty(terminal, SMALL))


@pty_only
async def test_a_hang_is_seen_and_left_in_so_many_keys_on_a_small_terminal(tmp_path: Path) -> None:
    with on_a_pty(tmp_path, "inspect", "--id", "slow", "--", sys.executable, str(PROVIDER), "sulks") as terminal:
        await wait_in_vain(ByPty(terminal, SMALL))
