"""The detail pane as a widget: what it shows next, and what it keeps."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import ComposeResult
from textual.pilot import Pilot

from cgp_tui.present.detail import Record
from cgp_tui.present.spans import Jump
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import UNICODE
from cgp_tui.text import own
from cgp_tui.transcript.record import Damaged
from cgp_tui.ui.tokens import TokenApp
from cgp_tui.ui.widgets.detail import Detail
from cgp_tui.wire.note import Spawn
from tests.present.samples import HANDSHAKE, ack, attested_answer, frame, frames, query, subjects, trusted

SIGNED = subjects(attested_answer(), [trusted()])
PLAIN = subjects([HANDSHAKE, ack(), query(1), frames(1, frame("a"), frame("bad", score="high"))])


class DetailApp(TokenApp):
    def __init__(self) -> None:
        super().__init__()
        self.detail = Detail(UNICODE)

    def compose(self) -> ComposeResult:
        yield self.detail


@asynccontextmanager
async def shown(record: Record, height: int = 30) -> AsyncIterator[tuple[Detail, Pilot[object]]]:
    app = DetailApp()
    async with app.run_test(size=(80, height)) as pilot:
        app.detail.show(record)
        await pilot.pause()
        yield app.detail, pilot


def texts(detail: Detail) -> str:
    return "\n".join(row.text for row in detail.view.rows)


async def test_a_frame_is_gone_into_and_left_for_the_row_it_was_on() -> None:
    async with shown(SIGNED[3]) as (detail, _pilot):
        detail.follow(Jump(place=1))
        assert (detail.place.frame, detail.tab) == (1, "Frame")
        assert detail.up()
        assert detail.view.rows[detail.view.cursor].jump == Jump(place=1)
        assert not detail.up()


async def test_a_proof_opens_at_its_end_and_walks_within_its_steps() -> None:
    async with shown(SIGNED[3]) as (detail, _pilot):
        detail.follow(Jump(place=1))
        detail.open_tab(2)
        assert detail.in_proof
        last = detail.place.step
        detail.step(1)
        assert detail.place.step == last
        detail.follow(Jump(step=1))
        assert detail.place.step == 1
        row = detail.view.rows[detail.view.cursor]
        assert row.jump == Jump(step=1)
        detail.step(-5)
        assert detail.place.step == 0


async def test_a_step_comes_into_view_with_its_hashes_and_the_last_one_with_what_it_comes_to() -> None:
    async with shown(SIGNED[3], 11) as (detail, pilot):
        detail.follow(Jump(place=1))
        detail.open_tab(2)
        view = detail.view
        for step in range(detail.place.step, -1, -1):
            detail.follow(Jump(step=step))
            await pilot.pause()
            height = view.scrollable_content_region.height
            assert height < len(view.rows)
            drawn = [view.render_line(line).text for line in range(height)]
            below = view.rows[view.cursor + 1 :]
            until = next((at for at, row in enumerate(below) if row.jump is not None), len(below))
            for row in below[:until]:
                assert any(row.text[:20] in line for line in drawn), (step, row.text, drawn)


async def test_the_tab_of_a_line_is_kept_and_a_frames_tab_is_not() -> None:
    async with shown(PLAIN[0]) as (detail, _pilot):
        detail.turn(1)
        assert detail.tab == "JSON"
        detail.show(PLAIN[3])
        assert detail.tab == "JSON"
        detail.follow(Jump(place=0))
        detail.turn(-1)
        assert detail.tab == "Raw"
        detail.up()
        assert detail.tab == "JSON"
        detail.show(Spawn(t=0, connection=1, pid=1, sandbox="none"))
        assert detail.tab == "JSON"


async def test_a_tab_that_a_line_lacks_gives_way_to_its_first() -> None:
    async with shown(PLAIN[3]) as (detail, _pilot):
        detail.open_tab(1)
        assert detail.tab == "Findings"
        detail.show(PLAIN[0])
        assert detail.tab == "Handshake"


async def test_more_known_about_the_same_line_moves_nothing() -> None:
    unjudged = Subject(SIGNED[3].line, SIGNED[3].decoded)
    async with shown(unjudged) as (detail, _pilot):
        detail.view.move_to(2)
        detail.renew(SIGNED[3])
        assert detail.view.cursor == 2
        assert "standing" in texts(detail)


async def test_an_undecoded_frame_has_its_bytes() -> None:
    async with shown(PLAIN[3]) as (detail, _pilot):
        detail.follow(Jump(place=1))
        assert detail.names == ("Frame", "JSON", "Raw")
        detail.open_tab(1)
        assert '"score": "high"' in texts(detail)


async def test_notes_damage_and_nothing_have_a_view_of_their_own() -> None:
    async with shown(None) as (detail, _pilot):
        assert texts(detail) == "Nothing is selected."
        detail.follow(Jump(place=0))
        detail.show(Damaged(b"{broken", "no JSON"))
        assert "This record cannot be read: no JSON" in texts(detail)
        detail.show(Spawn(t=0, connection=1, pid=7, sandbox="none"))
        assert "pid 7" in texts(detail)
        assert not detail.up()


async def test_a_long_line_has_a_sentence_in_its_place() -> None:
    async with shown(PLAIN[0]) as (detail, _pilot):
        detail.wait(own("50M line"), lambda _look: iter(()))
        assert detail.record is None
        assert texts(detail) == ""
        for by in (1, -1):
            detail.turn(by)
            assert texts(detail) == ""
        detail.open_tab(0)
        assert texts(detail) == ""
        detail.show(PLAIN[0])
        assert detail.tab == "Handshake"


async def test_a_hash_is_searched_for_in_every_step_of_a_proof() -> None:
    async with shown(SIGNED[3]) as (detail, pilot):
        detail.follow(Jump(place=1))
        detail.open_tab(2)
        last = detail.place.step
        detail.step(-last)
        first = next(word for row in detail.view.rows for word in row.text.split() if len(word) == 64)
        detail.step(last)
        assert first not in texts(detail) and detail.place.step == last > 0
        for wanted, step in ((first.upper(), 0), ("ab" * 32, 0)):
            detail.view.search(wanted)
            await pilot.pause()
            assert detail.place.step == step, "what is nowhere moves nothing"
            assert first in detail.view.rows[detail.view.cursor].text
        detail.view.search("")
        await pilot.pause()
        assert detail.place.step == 0
