"""The query form: what it makes, what it refuses and where it says so."""

from __future__ import annotations

import msgspec
import pytest

from cgp_tui.present.form import FIELDS, Form, form_of, kinds_of, one_kind_less, preset_rows, query_words, read
from cgp_tui.present.spans import Jump
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.query import ContextQuery


def test_blank_fields_are_left_out() -> None:
    query, wrong = read(Form(goal="  why  "))
    assert query == ContextQuery(goal="why", max_frames=8, max_tokens=2000)
    assert not wrong


def test_every_field_arrives() -> None:
    form = Form("why", "retry loop", " ,doc, snippet doc ", "file:///a  urn:b", "3", " 60 ", "2026-07-01T00:00:00.5Z")
    query, _ = read(form)
    assert query == ContextQuery(
        goal="why",
        max_frames=3,
        max_tokens=60,
        query_text="retry loop",
        kinds=("doc", "snippet"),
        anchors=("file:///a", "urn:b"),
        as_of="2026-07-01T00:00:00.5Z",
    )


def test_a_query_goes_back_into_the_form() -> None:
    query, _ = read(Form("why", "retry", "doc", "file:///a", "3", "60", "2026-07-01T00:00:00Z"))
    assert query is not None
    assert read(form_of(query)) == (query, {})
    assert form_of(ContextQuery(goal="g", max_frames=8, max_tokens=2000)) == Form("g")


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("goal", "   ", "say what the context is for"),
        ("max_frames", "", "whole number up to 4294967295"),
        ("max_frames", "-1", "whole number up to 4294967295"),
        ("max_frames", "4294967296", "whole number up to 4294967295"),
        ("max_tokens", "2 000", "whole number up to 4294967295"),
        ("max_tokens", "２０", "whole number up to 4294967295"),
        ("as_of", "2026-07-01", "(F4)"),
        ("as_of", "2026-02-30T00:00:00Z", "(F4)"),
        ("anchors", "file:///\ud800", "half a character"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(field: str, text: str, said: str) -> None:
    query, wrong = read(msgspec.structs.replace(Form("why"), **{field: text}))
    assert query is None
    assert list(wrong) == [field]
    assert said in wrong[field]


def test_every_fault_is_said_at_once() -> None:
    assert set(read(Form("", max_frames="x", max_tokens="y", as_of="z"))[1]) == {"goal", "max_frames", "max_tokens", "as_of"}
    assert set(FIELDS) == {"goal", "query_text", "kinds", "anchors", "max_frames", "max_tokens", "as_of"}


def test_the_largest_counts_are_fine() -> None:
    query, _ = read(Form("g", max_frames="4294967295", max_tokens="0"))
    assert query is not None
    assert (query.max_frames, query.max_tokens) == (4294967295, 0)


def test_each_kind_is_left_out_once_and_then_all_are_back() -> None:
    seen: list[str] = []
    now: tuple[str, ...] = ("a", "b", "c")
    for _ in range(5):
        now = one_kind_less(("a", "b", "c"), now)
        seen.append("".join(now))
    assert seen == ["ab", "ac", "bc", "abc", "ab"]
    assert one_kind_less(("a",), ("a",)) == ("a",)
    assert one_kind_less((), ()) == ()
    assert one_kind_less(("a", "b"), ("x",)) == ("a",)


def test_kinds_are_read_as_they_are_sent() -> None:
    assert kinds_of(Form(kinds=" doc,symbol  doc ")) == ("doc", "symbol")


def test_a_saved_query_is_told_in_a_row_that_fits() -> None:
    loud = ContextQuery("why \x1b[31m" + "x" * 300, 8, 60, kinds=("doc", "\u202e"), anchors=("a", "b"))
    assert query_words(ContextQuery("why", 8, 60, kinds=("doc",), anchors=("a", "b"))) == "why  [doc]  2 anchors"
    rows = list(preset_rows({"n\x07" * 40: loud, "b": loud}, Look(width=78)))
    assert [row.jump for row in rows] == [Jump(place=0), Jump(place=1)]
    for row in rows:
        assert len(row.text) <= 78
        assert "\x1b" not in row.text
        assert "\x07" not in row.text
    keys = {"query.keep": "f3"}
    assert "f3 saves" in next(preset_rows({}, Look(width=78, keys=keys))).text
