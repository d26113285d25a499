"""Where a session is recorded when nobody names a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.cli.recording import recording


def test_recordings_that_begin_at_once_are_files_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In two containers, too, where both processes have the same number and share the folder."""
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path))
    begun = [recording(None, "docs", "inspect", None) for _ in range(3)]
    places = [one.kept for one in begun]
    for one in begun:
        one.writer.close()
    assert len(set(places)) == 3
    assert sorted((tmp_path / "transcripts").iterdir()) == sorted(filter(None, places))
