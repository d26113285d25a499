"""`b` hands on what is selected: a frame's evidence, or an answer's, into a new file of the current folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.present.spans import Jump
from cgp_tui.report.proven import read
from tests.checks.signed import answer, by_root, frame, replace, trusted
from tests.cli.test_prove import session
from tests.ui.pilots import Replay, app_over, opened, write_bare


async def test_a_frame_and_an_answer_are_written_and_verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = session(tmp_path / "s.ndjson", answer(frame("a/../x"), frame("b")))
    async with opened(app_over(path)) as pilot:
        replay = Replay(pilot)
        assert "Select an answer" in await replay.press("b")
        await replay.press("G")
        seen = await replay.press("b")
        assert "bytes: cgp-tui verify-bundle bundle-line-4.json" in seen
        while replay.tab != "Answer":
            await replay.press("right_square_bracket")
        await replay.press("enter", "enter")
        seen = await replay.press("b")
        assert "bundle-line-4-frame-1.json" in seen
        assert "already exists" in await replay.press("b")
    bundles = sorted(tmp_path.glob("bundle-*.json"))
    assert [one.name for one in bundles] == ["bundle-line-4-frame-1.json", "bundle-line-4.json"]
    one, whole = (read(path.read_bytes()) for path in bundles)
    assert one.appraise((trusted(),)).attested and not one.whole
    assert whole.appraise((trusted(),)).attested and len(whole.result.frames) == 2


async def test_nothing_signed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        replay = Replay(pilot)
        for _ in range(5):
            await replay.press("j")
        assert "Nothing here is signed" in await replay.press("b")
    assert not list(tmp_path.glob("bundle-*.json"))


async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session(tmp_path / "s.ndjson", answer(frame("a")))
    monkeypatch.chdir("/proc")
    async with opened(app_over(path)) as pilot:
        replay = Replay(pilot)
        await replay.press("G")
        assert "cannot be written" in await replay.press("b")
        monkeypatch.setattr(limits, "BUNDLE_BYTES", 1000)
        assert "larger than any that is read" in await replay.press("b")


async def test_a_frame_whose_answer_tells_against_it_is_not_handed_on_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = by_root(frame("a"), frame("b"), frame("c"))
    cut = replace(whole, frames=whole.frames[:2], frame_attestations=whole.frame_attestations[:2])
    path = session(tmp_path / "s.ndjson", cut)
    async with opened(app_over(path)) as pilot:
        replay = Replay(pilot)
        await replay.press("G")
        replay.inspector.detail.follow(Jump(place=0))
        assert "Only the other frames of the answer" in await replay.press("b")
    assert not list(tmp_path.glob("bundle-*.json"))
