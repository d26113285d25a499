"""Sentences of ours that the README spells with Markdown, as they stand on a screen: its marks are for other readers."""

from __future__ import annotations

import re
from typing import Final

from cgp_tui.present.spans import Span, span

_MARKED: Final = re.compile(r"`([^`]+)`|\*\*?([^*]+)\*\*?")


def marked(text: str) -> tuple[Span, ...]:
    """Code and what is emphasised stand out; emphasised words are quoted too, since they are what a screen says literally.
    Never call it with anything a peer or a file supplied."""
    out: list[Span] = []
    at = 0
    for match in _MARKED.finditer(text):
        out += [span(text[at : match.start()]), span(match[1] or f'"{match[2]}"', "strong")]
        at = match.end()
    return (*out, span(text[at:]))
