"""Which frame a relation leads to."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cgp_tui import limits
from cgp_tui.analysis import targets
from cgp_tui.analysis.targets import At, Targets
from tests.present.samples import HANDSHAKE, ack, frame, frames, query, subjects


def met(*answers: list[dict[str, Any]]) -> Targets:
    """Answers on lines 4, 6, 8 …"""
    messages = [HANDSHAKE, ack()]
    for number, served in enumerate(answers, 1):
        messages += [query(number), frames(number, *served)]
    found = Targets()
    for one in subjects(messages):
        if one.judged is not None:
            found.meet(one.judged)
            found.meet(one.judged)
    return found


def at(uri: str, name: str = "a") -> dict[str, Any]:
    return frame(name, uri=uri)


def test_the_nearest_answer_before_the_line_comes_first() -> None:
    found = met([at("u:1"), at("u:2", "b")], [at("u:1")], [frame("c")], [at("u:1")])
    assert found.find("u:1", 8) == At(6, 0)
    assert found.find("u:1", 6) == At(4, 0)
    assert found.find("u:1", 4) == At(6, 0), "none is before it"
    assert found.find("u:2", 9) == At(4, 1)
    assert found.find("u:2", 4) is None, "the line itself is looked at elsewhere"
    assert found.find("u:none", 4) is None


def test_places_are_those_of_the_wire() -> None:
    assert met([frame("bad", score="high"), at("u:1")]).find("u:1", 1) == At(4, 1)


@pytest.mark.parametrize("n", [-4, 0, 1 << 32, 1 << 64])
def test_a_line_that_no_recorder_numbers_so_is_not_remembered(n: int) -> None:
    found = Targets()
    for one in subjects([HANDSHAKE, ack(), query(1), frames(1, at("u:1"))]):
        if one.judged is not None and one.judged.exchange.reply is not None:
            reply = replace(one.judged.exchange.reply, line=replace(one.line, n=n))
            found.meet(replace(one.judged, exchange=replace(one.judged.exchange, reply=reply)))
    assert found.find("u:1", 1) is None


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HISTORY_FRAMES", 2)
    monkeypatch.setattr(targets, "_KEPT", 3)
    found = met([at("u:1"), at("u:2", "b"), at("u:1", "c"), at("u:3", "d")], *[[at("u:3")]] * 5)
    assert found.find("u:2", 99) is None, "not met for longest"
    assert found.find("u:1", 99) == At(4, 2)
    assert found.find("u:3", 99) == At(14, 0)
    assert found.find("u:3", 12) == At(4, 3), "the first one stays"
