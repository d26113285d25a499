"""The person's settings for the screens, and how they last left what they open: read before the first paint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cgp_tui.analysis.filter import Filter
    from cgp_tui.store.filters import Filters
    from cgp_tui.store.settings import Settings
    from cgp_tui.store.views import Views
    from cgp_tui.ui.source import Source

_LAST_LOOK: Final = 0.2
"""Seconds that leaving a session may wait until its last lines are judged."""


def person_settings() -> Settings:
    """What `settings.toml` says. Never raises."""
    from cgp_tui.store import paths, settings

    return settings.read(paths.settings_path())


def saved_filters() -> Filters:
    """The filters that the person saved under a name, read when first needed."""
    from cgp_tui.store import filters, paths

    return filters.Filters(paths.filters_path())


def compiled(where: str) -> Filter:
    """The filter of a command line, in which `@name` stands for a saved one. Raises FilterError, which also says why saved
    filters could not be read, if so."""
    from cgp_tui.analysis.filter import FilterError, compile_filter

    saved = saved_filters()
    try:
        return compile_filter(where, saved.texts)
    except FilterError as error:
        if not saved.problem:
            raise
        raise FilterError(f"{error.message} The saved {saved.problem}.", error.at, error.fix) from None


def kept_views(target: Path | str) -> Views:
    """The store of how a transcript (by its path) or a provider (by its id) was looked at."""
    from cgp_tui.store import paths, views

    found = views.of_file(target) if isinstance(target, Path) else views.of_provider(target)
    return views.Views(paths.views_dir(), found)


def keep_glance(source: Source) -> None:
    """Remember that a transcript was looked at, and what was found in it if all of it was judged. Never raises."""
    import time

    from cgp_tui.store import glances, paths

    transcript, analysis = source.transcript, source.analysis
    source.refresh()
    source.advance(_LAST_LOOK)
    violations, advice, _ = analysis.counts
    whole = transcript.indexed and analysis.done == source.count and not transcript.event
    found = (violations, advice) if whole else None
    glances.Glances(paths.looked_dir()).put(transcript.path, time.time(), transcript.lines, found)
