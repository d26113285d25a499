"""Trusting a key on the screen: the person types its fingerprint; only that is a yes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.color import Color
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Button, Input

from cgp_tui.analysis.background import Background
from cgp_tui.consent.ledger import Ledger
from cgp_tui.present.symbols import UNICODE
from cgp_tui.protocol.envelope import Frames, Handshake, Query
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.keys import SeenKeys
from cgp_tui.store.trust import TrustStore, fingerprint
from cgp_tui.transcript.reader import Transcript
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.live.memory import Memory
from cgp_tui.ui.live.trusting import Trusting
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.screens.trust import TrustScreen
from cgp_tui.ui.source import Source
from cgp_tui.wire.encode import encode
from tests.checks import signed
from tests.ui.pilots import inspector_of, opened, screen_text, settled, until, write_bare

KEY = signed.trusted().public_key
BARE = fingerprint(KEY).removeprefix("sha256:")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CGP_TUI_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture
def store(home: Path) -> TrustStore:
    return TrustStore(home / "config" / "trust.toml")


def ledger(home: Path) -> Callable[[], Ledger]:
    return lambda: Ledger(home / "data" / "receipts.toml")


def answer() -> list[bytes]:
    """A signed answer on line 4."""
    question = encode(Query(ContextQuery("why", 9, 999), "q1"))
    greeting = encode(Handshake("contextgraph/1.0"))
    served = encode(Frames(signed.answer(signed.frame("a"), signed.frame("b")), "q1"))
    return [greeting, encode(signed.ack()), question, served]


@pytest.fixture
def app(home: Path) -> CgpApp:
    return trusting(home)


def trusting(home: Path, theme: str = "cgp") -> CgpApp:
    """An inspector on the signed answer, which can put its key into a trust store; what it keeps is kept in `home`."""
    transcript = Transcript.open(write_bare(home / "a.ndjson", answer()))
    background = Background(transcript)
    screen = InspectorScreen(Source(transcript, background.analysis(), UNICODE, background), at=4)
    screen.truster = Trusting(lambda: background, ledger(home))
    return CgpApp(screen, theme=theme)


async def into_a_frame(pilot: Pilot[object]) -> None:
    """Open the first frame of the answer on line 4."""
    await settled(pilot)
    await pilot.press("enter", "enter")
    await settled(pilot)
    assert inspector_of(pilot).detail.place.frame == 0


async def asked(pilot: Pilot[object]) -> TrustScreen:
    await into_a_frame(pilot)
    await pilot.press("T")
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, TrustScreen)
    return screen


async def fill(pilot: Pilot[object], screen: TrustScreen, label: str, typed: str) -> None:
    screen.query_one("#label", Input).value = label
    screen.query_one("#typed", Input).focus()
    screen.query_one("#typed", Input).value = typed
    await pilot.pause()


async def test_a_fingerprint_may_be_pasted_in_lines_and_a_label_is_one(app: CgpApp, store: TrustStore) -> None:
    async with opened(app) as pilot:
        screen = await asked(pilot)
        pilot.app.post_message(Paste("Ada\nLovelace\n"))
        await until(pilot, lambda: "2 lines pasted: only the first is taken" in screen_text(pilot))
        screen.query_one("#typed", Input).focus()
        await pilot.pause()
        pilot.app.post_message(Paste(f"{BARE[:32]}\n{BARE[32:]}\n"))
        await until(pilot, lambda: "agrees; enter or Trust" in screen_text(pilot))
        assert screen.query_one("#label", Input).value == "Ada"
        assert pilot.app.screen is screen and store.read().entries == (), "a paste trusts nobody"


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_fingerprint_that_is_typed_makes_the_signer_known(
    size: tuple[int, int], app: CgpApp, store: TrustStore, home: Path
) -> None:
    async with opened(app, size) as pilot:
        await into_a_frame(pilot)
        assert "Built correctly, signer unknown" in screen_text(pilot)
        await pilot.press("T")
        await pilot.pause()
        text = screen_text(pilot)
        for group in (BARE[:4], BARE[28:32], BARE[32:36], BARE[60:]):
            assert group in text
        assert "Trust this key?" in text
        assert signed.NAME in text
        assert "Not now" in text
        await pilot.press(*"Ada")
        await pilot.pause()
        assert "Then enter, and the fingerprint." in screen_text(pilot)
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press(*BARE[:16], "enter")
        await until(pilot, lambda: not isinstance(pilot.app.screen, TrustScreen))
        await settled(pilot)
        text = screen_text(pilot)
        assert "Ada is trusted for docs, on record as #1." in text
        assert "Ada, whom you trust for this provider" in text
    (entry,) = store.read().entries
    assert (entry.public_key, entry.label, entry.provider_names) == (KEY, "Ada", (signed.NAME,))
    assert entry.how == "screen: fingerprint typed; line 4 of a transcript"
    (record,) = ledger(home)().open().receipts
    assert (record.note, record.grantor.kind) == (f"trust add {fingerprint(KEY)}", "human")


@pytest.mark.parametrize(
    ("label", "typed", "says"),
    [
        ("Ada", "", "Type the fingerprint."),
        ("Ada", BARE[:15], "Type the fingerprint."),
        ("Ada", BARE[:15] + "g", "not this key's fingerprint"),
        ("Ada", BARE[1:40], "not this key's fingerprint"),
        ("  ", BARE, "Say whose key it is."),
    ],
)
async def test_anything_else_is_no_yes(
    label: str, typed: str, says: str, app: CgpApp, store: TrustStore, home: Path
) -> None:
    async with opened(app, (80, 24)) as pilot:
        screen = await asked(pilot)
        await fill(pilot, screen, label, typed)
        assert says in screen_text(pilot)
        assert screen.query_one("#yes", Button).disabled
        screen.query_one("#typed", Input).focus()
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen is screen
        await pilot.press("escape")
        await settled(pilot)
    assert store.read().state == "absent"
    assert ledger(home)().open().receipts == ()


async def test_the_groups_as_they_are_shown_and_the_button(app: CgpApp, store: TrustStore) -> None:
    async with opened(app, (80, 24)) as pilot:
        screen = await asked(pilot)
        await fill(pilot, screen, "Ada", " ".join(BARE[at : at + 4] for at in range(0, 64, 4)).upper())
        assert "agrees" in screen_text(pilot)
        await pilot.click("#yes")
        await until(pilot, lambda: pilot.app.screen is not screen)
    assert [entry.label for entry in store.read().entries] == ["Ada"]


async def test_what_cannot_be_recorded_is_told_and_not_trusted(app: CgpApp, store: TrustStore, home: Path) -> None:
    (home / "data").touch()
    async with opened(app, (80, 24)) as pilot:
        screen = await asked(pilot)
        await fill(pilot, screen, "Ada", BARE)
        await pilot.click("#yes")
        await until(pilot, lambda: pilot.app.screen is not screen)
        assert "Not trusted." in screen_text(pilot)
    assert store.read().keys == ()


async def test_where_nothing_is_signed_the_key_says_so(app: CgpApp) -> None:
    async with opened(app, (80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("g", "T")
        await until(pilot, lambda: "Select an answer" in screen_text(pilot))


async def test_on_the_answer_itself_the_key_of_its_root_is_meant(app: CgpApp) -> None:
    async with opened(app, (80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("T")
        await pilot.pause()
        assert isinstance(pilot.app.screen, TrustScreen)


async def test_without_a_store_nobody_can_be_trusted(app: CgpApp) -> None:
    app.inspector.truster = None
    async with opened(app, (80, 24)) as pilot:
        await into_a_frame(pilot)
        await pilot.press("T")
        await pilot.pause()
        assert "No key can be trusted here" in screen_text(pilot)


async def test_a_session_that_is_thrown_away_keeps_its_trust_beside_its_ledger(home: Path, store: TrustStore) -> None:
    background = Background(Transcript.open(write_bare(home / "a.ndjson", answer())))
    said = await Trusting(lambda: background, ledger(home), apart=True).trust(KEY, "Ada", signed.NAME, "screen")
    assert said.good
    assert [key.label for key in background.keys] == ["Ada"]
    assert store.read().state == "absent"
    assert TrustStore(home / "data" / "trust.toml").read().keys == background.keys
    background.transcript.close()


async def test_a_key_that_is_trusted_for_another_name_is_told(home: Path, app: CgpApp) -> None:
    assert app.inspector.truster is not None
    await app.inspector.truster.trust(KEY, "Ada", "another", "screen")
    async with opened(app, (80, 24)) as pilot:
        await into_a_frame(pilot)
        told = " ".join(screen_text(pilot).split())
        assert "Built correctly by Ada, whom you trust for others, or at other dates." in told
        screen = await asked_again(pilot)
        await fill(pilot, screen, "Ada", BARE)
        await pilot.click("#yes")
        await until(pilot, lambda: pilot.app.screen is not screen)
        assert "Not trusted. This key is trusted already, as 'Ada'." in screen_text(pilot)


async def asked_again(pilot: Pilot[object]) -> TrustScreen:
    await pilot.press("T")
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, TrustScreen)
    return screen


def test_what_a_session_remembers_tells_of_keys_that_changed(home: Path) -> None:
    path = write_bare(home / "a.ndjson", answer())
    memory = SeenKeys(home / "state" / "seen-keys.json")
    memory.add(f"name:{signed.NAME}", "k1", "bb" * 32, "2026-01-01T00:00:00Z")
    with Transcript.open(path) as transcript:
        background = Background(transcript, memory=memory, at="2026-01-02T00:00:00Z")
        analysis = background.analysis()
        while analysis.advance() or not transcript.indexed:
            transcript.refresh()
    assert Memory(background=background).changed_keys(1) == ("k1",)
    assert Memory(background=background).changed_keys(2) == ()
    assert Memory().changed_keys(1) == ()


@pytest.mark.parametrize("theme", ["cgp", "textual-light", "ansi-dark", "ansi-light"])
async def test_what_is_typed_can_be_read_in_every_theme(home: Path, theme: str) -> None:
    async with opened(trusting(home, theme), (80, 24)) as pilot:
        screen = await asked(pilot)
        for name in ("label", "typed"):
            field = screen.query_one(f"#{name}", Input)
            field.focus()
            await pilot.pause()
            style = field.rich_style
            assert style.color is not None and style.bgcolor is not None
            if theme.startswith("ansi"):
                assert style.color.is_default and style.bgcolor.is_default
            else:
                ground, ink = Color.from_rich_color(style.bgcolor), Color.from_rich_color(style.color)
                assert abs(ground.brightness - ink.brightness) > 0.3
