"""What a command judges evidence by: the keys that the person trusts, the time, and the keys met in earlier runs.

A store that cannot be used is named on stderr and left out; no command fails because of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cgp_tui.errors import Error
from cgp_tui.text import Shown, join, show

if TYPE_CHECKING:
    from cgp_tui.analysis.background import Background, When
    from cgp_tui.protocol.timestamp import Instant
    from cgp_tui.store.keys import SeenKeys
    from cgp_tui.store.trust import Trusted
    from cgp_tui.transcript.reader import Transcript


class Judging(msgspec.Struct, frozen=True):
    """What the evidence of one transcript is judged by; `at` is the time of this run, as it is written down."""

    trusted: Trusted
    when: When
    memory: SeenKeys
    at: str


def trusted_store() -> Trusted:
    """The trust store. Where it is damaged, unsafe or of a newer format: no keys, and a line on stderr."""
    from cgp_tui.consent.trusting import store_at

    trusted = store_at().read()
    tell(trusted.problem())
    return trusted


def words(error: Error) -> Shown:
    """What happened and what leads out, on one line."""
    return join(" ", [part for part in (show(error.message), show(error.fix)) if part])


def tell(error: Error | None) -> None:
    """Say on stderr, on one line, what the command does without."""
    if error is not None:
        from cgp_tui.cli import diagnostics

        diagnostics.say(words(error))


def this_moment() -> Instant | None:
    """The time at which windows of keys are judged where nothing tells when evidence was received."""
    from cgp_tui.protocol.timestamp import parse, utc_text

    return parse(utc_text(time.time()))


@contextmanager
def judging(transcript: Transcript, *, ours: bool | None = None, trusted: Trusted | None = None) -> Iterator[Judging]:
    """What to judge a transcript's evidence by; new keys are written down at the end. `ours` says whether this installation
    recorded it, None to decide by its place; `trusted` is the store if it has been read already."""
    from cgp_tui.analysis.background import received
    from cgp_tui.protocol.timestamp import utc_text
    from cgp_tui.store import paths
    from cgp_tui.store.keys import SeenKeys

    trusted = trusted_store() if trusted is None else trusted
    memory = SeenKeys(paths.seen_keys_path())
    ours = recorded_here(transcript.path) if ours is None else ours
    try:
        yield Judging(trusted, received(transcript, this_moment(), ours=ours), memory, utc_text(time.time()))
    finally:
        tell(memory.damage)
        try:
            memory.save()
        except Error as error:
            if memory.damage is None:
                tell(error)


@contextmanager
def apart_from_all(transcript: Transcript) -> Iterator[Background]:
    """The surroundings of a session that is thrown away: no key is trusted, nothing is remembered."""
    from cgp_tui.analysis.background import Background

    yield Background(transcript)


@contextmanager
def surroundings(transcript: Transcript, folders: Sequence[Path] = (), *, ours: bool | None = None) -> Iterator[Background]:
    """What is known about a transcript beyond its lines, for a screen, which is closed before anything is said on stderr.
    Raises InputError for an invalid folder."""
    from cgp_tui.analysis.background import Background
    from cgp_tui.analysis.cited_files import CitedFiles
    from cgp_tui.consent.trusting import store_at
    from cgp_tui.store.roots import Roots

    trusted = store_at().read()
    problem = trusted.problem()
    try:
        with judging(transcript, ours=ours, trusted=trusted) as by, Roots(folders) as roots:
            yield Background(
                transcript,
                trusted.keys,
                by.when,
                cited_files=CitedFiles(roots) if folders else None,
                memory=by.memory,
                at=by.at,
                warning=None if problem is None else words(problem),
            )
    finally:
        tell(problem)


def recorded_here(path: Path) -> bool:
    """Whether a file lies in this user's own folder of recordings and nobody else could have written it."""
    from cgp_tui.store import paths
    from cgp_tui.store.files import unsafe

    try:
        folder = paths.transcripts_dir().resolve(strict=True)
        return path.parent.resolve(strict=True) == folder and unsafe(os.lstat(path), path) is None
    except (OSError, RuntimeError):  # what pathlib says of links that lead in a circle is no OSError
        return False
