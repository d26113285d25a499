"""What a live session shows, moment by moment: each walk presses its way through one session and names where it stops."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from cgp_tui.consent import drafts
from cgp_tui.consent.drafts import Terms
from cgp_tui.consent.ledger import Revoked
from cgp_tui.consent.types import Need
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.ui.screens.composer import Composer
from cgp_tui.ui.screens.confirm import ConfirmScreen
from cgp_tui.ui.screens.consent import ConsentScreen
from cgp_tui.ui.screens.dialog import LineDialog
from cgp_tui.ui.screens.leave import LeaveScreen
from cgp_tui.ui.screens.presets import PresetScreen
from cgp_tui.ui.screens.prompt import Prompt
from cgp_tui.ui.screens.reader import Reader
from cgp_tui.ui.screens.why import Why
from tests.ui.frozen import pass_by
from tests.ui.sessions import Stage

INDEX: Final = "third-party-index"
SCOPES: Final = f"scopes={INDEX},third-party-model"
ASKED: Final = ContextQuery(
    goal="why does the retry loop give up",
    max_frames=8,
    max_tokens=2000,
    query_text="retry loop",
    anchors=("file:///repo/src/net.rs",),
)
UNTIL: Final = "2026-12-04T23:59:59Z"

Moments = AsyncIterator[str]


class Walk(NamedTuple):
    """`plans` are (name, mode, options) of the providers, `names` what is stopped at, in order."""

    name: str
    plans: Sequence[tuple[str, ...]]
    steps: Callable[[Stage], Moments]
    names: tuple[str, ...]


async def on(stage: Stage, *kinds: type[object]) -> None:
    """Wait until a screen of one of these kinds stands in front."""
    await stage.until(lambda: isinstance(stage.app.screen, kinds))


async def shaken(stage: Stage, many: int) -> None:
    await stage.until(lambda: len(stage.live.deciding.cases()) == many)


async def consent(stage: Stage) -> ConsentScreen:
    """The consent screen, opened by its key, its timeline read."""
    await stage.pilot.press("c")
    await stage.until(lambda: isinstance(stage.app.screen, ConsentScreen) and stage.app.screen.needs.item)
    screen = stage.app.screen
    assert isinstance(screen, ConsentScreen)
    return screen


async def refused(stage: Stage, whom: str) -> None:
    """Ask what is refused, so that it is known what would leave."""
    stage.live.send(ASKED, [whom])
    await stage.until(lambda: stage.live.deciding.payload(whom))


async def granted(stage: Stage, *places: int, until: str = UNTIL) -> None:
    """Put grants on record, as the prompt would."""
    (case,) = stage.live.deciding.cases()
    needs = [case.needs[place].need for place in places]
    assert (await stage.live.deciding.grant(case, stage.live.deciding.drafts(case, needs, until, Terms()))).good


async def asking(stage: Stage) -> Moments:
    await shaken(stage, 2)
    yield "live"
    await stage.pilot.press("a")
    await on(stage, Composer)
    await stage.pilot.press(*"why")
    yield "query"
    screen = stage.app.screen
    assert isinstance(screen, Composer)
    screen._inputs["max_frames"].value = "many"
    screen._inputs["as_of"].value = "yesterday"
    await stage.pilot.press("ctrl+u", "enter")
    yield "query-wrong"
    screen._inputs["max_frames"].value = "8"
    screen._inputs["as_of"].value = ""
    await stage.pilot.press(*"why", "f3")
    await on(stage, LineDialog)
    await stage.pilot.press(*"short")
    yield "query-name"
    await stage.pilot.press("enter", "f2")
    await on(stage, PresetScreen)
    yield "query-presets"
    await stage.pilot.press("escape", "enter")
    await stage.until(lambda: stage.notes("gate") and stage.lines("frames"))
    await stage.until(lambda: not isinstance(stage.app.screen, Composer))
    yield "live-answered"
    await stage.pilot.press("q")
    await on(stage, LeaveScreen)
    yield "leaving"
    await stage.pilot.press("escape")


async def deciding(stage: Stage) -> Moments:
    await shaken(stage, 1)
    await refused(stage, "acme-search")
    screen = await consent(stage)
    yield "consent"
    await stage.pilot.press("w")
    await on(stage, Why)
    yield "why-refused"
    await stage.pilot.press("escape", "enter")
    await on(stage, Prompt)
    yield "prompt"
    prompt = stage.app.screen
    assert isinstance(prompt, Prompt)
    prompt.armed_at = 0.0
    while prompt.text.unread:
        await stage.pilot.press("pagedown")
    await stage.pilot.press("w")
    await on(stage, Reader)
    yield "promise"
    await stage.pilot.press("escape")
    yield "prompt-read"
    prompt.query_one("#grant").focus()
    await stage.pilot.press("enter")
    await stage.until(lambda: stage.app.screen is screen and stage.ledger.open().receipts)
    await stage.pilot.press("j", "d")
    await stage.until(lambda: "Denied." in stage.screen)
    yield "consent-decided"
    await stage.pilot.press("g", "j", "enter")
    await on(stage, Reader)
    yield "receipt"
    await stage.pilot.press("escape", "X")
    await on(stage, ConfirmScreen)
    yield "revoke-all"


async def withdrawing(stage: Stage) -> Moments:
    """How a withdrawal ends, from the best to the worst; what goes wrong is told by the ledger's own words."""
    await shaken(stage, 1)
    await granted(stage, 0, 1)
    stage.live.send(ASKED, ["acme-search"])
    await stage.until(lambda: stage.lines("frames"))
    screen = await consent(stage)
    yield "consent-used"
    await stage.pilot.press("g", "x")
    await on(stage, ConfirmScreen)
    yield "revoke"
    await stage.pilot.press("enter")
    await stage.until(lambda: stage.app.screen is screen and "Revoked." in stage.screen)
    yield "revoked"
    written = stage.ledger.open().receipts[-2:]
    for name, done in (
        ("revoked-not-confirmed", Revoked("not_confirmed", written, (4711,), "PID 4711 is still sending.")),
        ("revoked-by-a-stop", Revoked("emergency_stop", detail="The disk is full.")),
        ("revoked-here-alone", Revoked("not_recorded", detail="The disk is full. Its head cannot be removed: full.")),
    ):
        stage.ledger.revoke = lambda *_, done=done: done  # type: ignore[method-assign]
        await stage.pilot.press("g", "x")
        await on(stage, ConfirmScreen)
        await stage.pilot.press("enter")
        await on(stage, Reader)
        yield name
        await stage.pilot.press("escape")


async def changing(stage: Stage) -> Moments:
    """Granted to another version with other code, one scope fewer declared then."""
    await shaken(stage, 1)
    (case,) = stage.live.deciding.cases()
    before = msgspec.structs.replace(
        case.binding,
        provider_version="2.3.0",
        target=msgspec.structs.replace(case.binding.target, code="0" * 64),
    )
    old = drafts.grant_draft(
        before,
        Need("acme-search", "scope", INDEX),
        declared=(INDEX,),
        payload=drafts.PAYLOAD,
        expires_at=UNTIL,
        grantor=drafts.human(),
        terms=Terms(),
    )
    stage.ledger.grant([old])
    await stage.live.deciding.look_again()
    await refused(stage, "acme-search")
    await consent(stage)
    yield "consent-changed"
    await stage.pilot.press("enter")
    await on(stage, Prompt)
    yield "prompt-changed"


async def hanging(stage: Stage) -> Moments:
    await shaken(stage, 1)
    stage.live.send(ASKED, ["repo-graph"])
    await stage.until(lambda: stage.lines("query") and stage.notes("stderr"))
    pass_by(stage, 12.4)
    await stage.until(lambda: "bytes of an unfinished line" in (stage.live.state().hang or ""))
    yield "hang"
    await stage.pilot.press("7")
    yield "hang-provider"
    pid, *_ = stage.live._host.connections["repo-graph"].signs
    assert pid is not None, "the one that is on record is not the real one"
    os.kill(pid, signal.SIGKILL)
    await stage.until(lambda: stage.notes("exit") and not stage.live.state().running)
    await stage.pilot.press("1")
    yield "ended"


async def starting(stage: Stage) -> Moments:
    await stage.until(lambda: stage.notes("stderr"))
    pass_by(stage, 3.2)
    await stage.until(lambda: "waits" in (stage.live.state().hang or ""))
    yield "starting"


async def shut(stage: Stage) -> Moments:
    """A ledger that is not what was written."""
    await shaken(stage, 1)
    await granted(stage, 0)
    path = stage.ledger.path
    path.write_bytes(path.read_bytes().replace(b"2026-12-04", b"2036-12-04"))
    await stage.until_told("ledger tampered")
    await consent(stage)
    yield "consent-shut"


ACME: Final = ("acme-search", "egress", "version=2.4.1", SCOPES)
WALKS: Final = (
    Walk(
        "asking",
        (("repo-graph", "plain"), ACME),
        asking,
        ("live", "query", "query-wrong", "query-name", "query-presets", "live-answered", "leaving"),
    ),
    Walk(
        "deciding",
        (ACME,),
        deciding,
        ("consent", "why-refused", "prompt", "promise", "prompt-read", "consent-decided", "receipt", "revoke-all"),
    ),
    Walk(
        "withdrawing",
        (ACME,),
        withdrawing,
        ("consent-used", "revoke", "revoked", "revoked-not-confirmed", "revoked-by-a-stop", "revoked-here-alone"),
    ),
    Walk("changing", (ACME,), changing, ("consent-changed", "prompt-changed")),
    Walk("hanging", (("repo-graph", "sulks"),), hanging, ("hang", "hang-provider", "ended")),
    Walk("starting", (("repo-graph", "grumbles"),), starting, ("starting",)),
    Walk("shut", (ACME,), shut, ("consent-shut",)),
)
"""Every walk through a live session."""
