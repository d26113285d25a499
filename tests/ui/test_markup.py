"""Text that looks like markup is text: every line and frame of the field's example, in every tab."""

from __future__ import annotations

from pathlib import Path

from cgp_tui.present.detail import tabs
from cgp_tui.present.subject import Place, Subject
from cgp_tui.ui.screens.help import HelpScreen
from tests.ui.pilots import app_over, inspector_of, opened, screen_text, settled

LITERAL = ("[/", "[/#888888]", "[@click=app.quit]go[/]", "[link=http://e]x", "ZLEXCOUNT z [b + should reply 3", '"booleans"')


async def test_every_line_and_frame_is_literal(shared: Path) -> None:
    seen: list[str] = []
    async with opened(app_over(shared / "field" / "inputs" / "F44_markup.ndjson"), (200, 50)) as pilot:
        inspector = inspector_of(pilot)
        for line in range(7):
            inspector.traffic.move_to(line)
            await settled(pilot)
            record = inspector.detail.record
            assert isinstance(record, Subject)
            for tab in range(len(tabs(record, Place()))):
                inspector.detail.open_tab(tab)
                await settled(pilot)
                seen.append(screen_text(pilot))
        inspector.traffic.move_to(3)
        await settled(pilot)
        await pilot.press("enter")
        for _ in range(7):
            await pilot.press("enter")
            for _ in range(5):
                await pilot.press("right_square_bracket")
                await settled(pilot)
                seen.append(screen_text(pilot))
                assert _no_links(inspector.detail.view)
            await pilot.press("escape", "j")
        await pilot.click(inspector.detail.view, offset=(40, 3), times=2)
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(pilot.app.screen, HelpScreen)
        assert inspector.source.analysis.counts[0] == 0
        assert pilot.app.is_running
    whole = "\n".join(seen)
    assert [text for text in LITERAL if text not in whole] == []
    assert "vendor:[/#888888]" in whole


def _no_links(view: object) -> bool:
    from cgp_tui.ui.widgets.rows import RowsView

    assert isinstance(view, RowsView)
    segments = (segment for y in range(view.size.height) for segment in view.render_line(y))
    return not any(segment.style and (segment.style.link or segment.style.meta) for segment in segments)
