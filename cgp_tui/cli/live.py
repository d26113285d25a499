"""A session on the screen: recorded from its first byte, shown until the person leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cgp_tui.cli.recording import Kept
    from cgp_tui.consent.ledger import Ledger
    from cgp_tui.host.deadlines import Deadlines
    from cgp_tui.text import Shown
    from cgp_tui.ui.live.peer import Plan
    from cgp_tui.ui.live.session import Live
    from cgp_tui.wire.note import LedgerMark


def run_live(
    plans: Callable[[], Sequence[Plan]],
    ledger: Callable[[], Ledger],
    record: Path | None,
    name: str,
    recorder: str,
    *,
    mark: LedgerMark | None = None,
    whose: Shown | None = None,
    ledger_words: Shown | None = None,
    hint: Shown | None = None,
    deadlines: Deadlines | None = None,
    roots: Sequence[Path] = (),
    kept: Kept = "whole",
) -> int:
    """Record a session and show it until the person leaves; the exit code.

    `kept` is what of it stays. `plans` and `ledger` are made once the screen stands; `mark` is where the ledger ended
    before; `roots` are the folders that provenance may be held against. `whose`, `ledger_words`, `hint` and `deadlines` are
    as in `Live`.

    Raises InputError no_terminal or usage, OurError where nothing can be recorded, and whatever made the app fail.
    """
    from cgp_tui.cli.preferences import keep_glance, kept_views, person_settings, saved_filters
    from cgp_tui.cli.recording import recording
    from cgp_tui.cli.trusted import apart_from_all, surroundings
    from cgp_tui.text import own
    from cgp_tui.transcript.reader import Transcript
    from cgp_tui.ui import crash, themes
    from cgp_tui.ui.app import CgpApp
    from cgp_tui.ui.live.opening import Opening
    from cgp_tui.ui.live.trusting import Trusting
    from cgp_tui.ui.screens.inspector import InspectorScreen
    from cgp_tui.ui.source import Source

    shown, path, writer = recording(record, name, recorder, mark, kept)
    transcript = Transcript.open(shown, growing=True)

    def live() -> Live:
        import msgspec

        from cgp_tui.host.protect import Terminal, seal
        from cgp_tui.ui.live.memory import Memory
        from cgp_tui.ui.live.session import Live

        seal()
        book = ledger()
        terminal = Terminal.open()
        # A ledger that is thrown away at the end has nothing to remember either.
        memory = Memory.of_this_person(source.background) if whose is None else None
        if memory is not None and kept != "whole":
            memory = msgspec.structs.replace(memory, queries=None)
        return Live(
            plans(),
            path or shown,
            writer,
            book,
            terminal=terminal,
            whose=whose,
            ledger_words=ledger_words,
            hint=hint,
            memory=memory,
            deadlines=deadlines,
        )

    # A session whose ledger is thrown away knows of nobody, and trusts nobody beyond its end.
    apart = whose is not None
    with ExitStack() as stack:
        settings = person_settings()
        source = Source.unread(
            transcript,
            themes.alphabet(settings.symbols),
            lambda: stack.enter_context(apart_from_all(transcript) if apart else surroundings(transcript, roots, ours=True)),
        )
        if kept != "whole":
            source.called = own("not recorded" if path is None else "payload not recorded")
        if roots:  # a folder that is none is told before anything is drawn
            source.begin()
        screen = InspectorScreen(source, Opening(live))
        screen.truster = Trusting(lambda: source.background, ledger, apart=apart)
        if not apart:
            screen.views = kept_views(name)
            screen.list_filter.shelf = saved_filters
        try:
            code = crash.run(CgpApp(screen, settings=settings))
        finally:
            if path is not None:
                _say_where(path)
        if kept == "whole" and not apart:
            keep_glance(source)
        return code


def _say_where(path: Path) -> None:
    """The screen is gone, and with it the name of what it wrote."""
    from cgp_tui.cli import diagnostics
    from cgp_tui.text import compose, show

    diagnostics.say(compose("Recorded in {path}", path=show(str(path))))
