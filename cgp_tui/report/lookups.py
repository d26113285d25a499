"""The JSON of what `check` looks up beside the rules: provenance compared with files, and where frames were met before."""

from __future__ import annotations

from typing import Any

import msgspec

from cgp_tui.analysis.cited_files import Cited
from cgp_tui.analysis.history import Again


def cited_document(cited: Cited, *, digests: bool = False) -> dict[str, Any]:
    """An entry of `provenance`: `{"line", "frame_id", "link", "outcome", "why", "uri", "range", "bytes", "first_byte"}`.

    `link` counts the frame's links from 1. `outcome` is matches, differs, unverifiable or outside roots; `why` says what
    kept it from being compared, `bytes` how many bytes were compared, `first_byte` is the offset of the first that differs;
    each is null where it does not apply. With `digests` there is also `computed`, the digest of what is in the file.
    """
    found = cited.found
    entry: dict[str, Any] = {
        "line": cited.line,
        "frame_id": cited.frame_id,
        "link": cited.place,
        "outcome": found.outcome,
        "why": found.why or None,
        "uri": cited.link.uri,
        "range": cited.link.range,
        "bytes": found.size,
        "first_byte": found.first_byte,
    }
    return {**entry, "computed": found.computed} if digests else entry


def again_document(again: Again) -> dict[str, Any]:
    """An entry of `history`: `{"line", "frame_id", "content_digest", "times", "changed", "seen": [{"transcript", "line",
    "same"}]}`; `transcript` is null for the one that is checked, `seen` holds at most eight of the `times`."""
    made: dict[str, Any] = msgspec.to_builtins(again)
    return made
