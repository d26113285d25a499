"""What is taken along: bounded, counted, and nothing in it that a terminal or a shell would act on."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.present.copying import (
    MOST,
    Item,
    command_item,
    copied,
    entry_items,
    envelope_item,
    finding_items,
    item_rows,
    list_item,
    member_items,
    pane_item,
    place_item,
    query_command,
    query_item,
    raw_item,
    text_item,
    value_item,
)
from cgp_tui.present.spans import Row, Span
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.requirements import finding
from cgp_tui.target import default_id, stdio_target
from cgp_tui.text import show


def test_a_raw_line_keeps_its_text_and_loses_its_controls() -> None:
    item = raw_item("line", b"a\x1b[31mb\x00\x7f\xc2\x9b\tc\nd\xff")
    assert item.text == "a[31mb\tc\nd\ufffd" and item.left_out == 4
    assert copied(item) == f"Copied the line: {item.size} bytes, 4 control characters left out"
    assert raw_item("line", b"x" * (MOST + 5)).size == MOST


@given(st.binary(max_size=300))
def test_no_control_character_is_ever_copied(raw: bytes) -> None:
    for item in (raw_item("line", raw), envelope_item(raw), value_item(show(raw.decode("latin-1")))):
        if item is not None:
            assert all(char in "\n\t" or char.isprintable() for char in item.text)


def test_an_envelope_is_indented_and_what_is_none_is_not_offered() -> None:
    item = envelope_item(b'{"type":"shutdown"}')
    assert item is not None and item.text == '{\n  "type": "shutdown"\n}'
    assert envelope_item(b"no json") is None
    assert envelope_item(b"[" * 100_000) is None


@pytest.mark.parametrize(
    ("path", "value", "offered"),
    [
        ("/a/0", b'"a\\u001b[31m\\nb"', {"value": '"a\\u001b[31m\\nb"', "text": "a[31m\nb", "path": "/a/0"}),
        ("/a~1b", b"12", {"value": "12", "path": "/a~1b"}),
        ("", b"{}", {"value": "{}"}),
        ("/gone", None, {"path": "/gone"}),
        (None, b'"\xff', {"value": '"\ufffd'}),
        (None, b'"\\ud800"', {"value": '"\\ud800"', "text": "?"}),
    ],
)
def test_a_member_is_offered_as_it_came_as_what_it_says_and_by_its_pointer(
    path: str | None, value: bytes | None, offered: dict[str, str]
) -> None:
    assert {item.name: item.text for item in member_items(path, value)} == offered


def test_a_finding_is_offered_with_the_member_it_is_about() -> None:
    said, path = finding_items(finding("B3", line=8, path="/result/frames/0/token_cost", message="token_cost is 5"))
    assert said.text == "B3 line 8: token_cost is 5"
    assert (path.name, path.text) == ("path", "/result/frames/0/token_cost")


def test_a_text_is_taken_along_line_by_line_without_blanks_at_the_end() -> None:
    assert text_item("screen", ["a  ", " b", ""]).text == "a\n b\n\n"
    assert pane_item([Row((Span(show("x \x1b[1m ")),), lead=Span(show("  ")))]).text == "  x \u241b[1m\n"
    assert len(text_item("screen", ["x" * MOST, "y"]).text) == MOST + 1


def test_a_value_is_one_line() -> None:
    assert value_item(show("a\n  b")).text.count("\n") == 0


def test_places_and_commands_name_file_and_line() -> None:
    path = Path("/a b/s.ndjson")
    assert place_item(path, 7).text == "/a b/s.ndjson:7"
    assert command_item(path, 7).text == "cgp-tui replay '/a b/s.ndjson' --at 7"
    assert "\x1b" not in command_item(Path("/\x1b[31m"), 1).text and "\\x1b" in command_item(Path("/\x1b[31m"), 1).text


@pytest.mark.parametrize("width", [40, 100])
def test_rows_say_what_and_how_much(width: int) -> None:
    rows = list(item_rows([Item("line", '{"a":1}\n\x1b'), Item("place", "x:1")], Look(width=width)))
    assert [row.jump.place for row in rows if row.jump is not None] == [0, 1]
    assert "line" in rows[0].text and "9 bytes" in rows[0].text and "\x1b" not in rows[0].text
    (long,) = item_rows([Item("line", "x" * 500)], Look(width=width))
    assert long.text.endswith("x…") and width - 4 <= len(long.text) <= width, "what is cut says so"


def test_the_command_of_a_query_says_what_differs_from_the_usual_and_hides_credentials() -> None:
    target = stdio_target([sys.executable, "-c", "a 'b'", "--token", "s3cr3t"], env=("HOME",))
    usual = default_id(target)
    tail = ["--", *target.shown]
    assert "s3cr3t" not in " ".join(tail)
    plain = ContextQuery("why; reboot", 8, 2000)
    assert shlex.split(query_command(plain, target, usual)) == ["cgp-tui", "query", "why; reboot", "--env", "HOME", *tail]
    full = ContextQuery(
        "-v", 3, 60, query_text="-x", kinds=("doc", "a b"), anchors=("file:///a",), as_of="2026-07-01T00:00:00Z"
    )
    words = shlex.split(query_command(full, target, "mine", "no-network"))
    assert words[: words.index("--")] == [
        *("cgp-tui", "query", " -v", "--query-text=-x", "--kind", "doc", "--kind", "a b", "--anchor", "file:///a"),
        *("--max-frames", "3", "--max-tokens", "60", "--as-of", "2026-07-01T00:00:00Z"),
        *("--id", "mine", "--env", "HOME", "--sandbox", "no-network"),
    ]


def test_a_provider_of_the_file_is_called_by_its_id() -> None:
    target = msgspec.structs.replace(stdio_target([sys.executable, "-c", "x"]), named=True)
    line = query_command(ContextQuery("why\x1b[2J\n", 8, 2000), target, default_id(target))
    assert line == rf"cgp-tui query $'why\x1b[2J\x0a' --id {default_id(target)}"


def test_commands_for_several_stand_one_a_line() -> None:
    assert query_item(["a", "b"]) == Item("command", "a\nb")
    assert copied(query_item(["a", "b --token ***"])) == "Copied the command: 15 bytes; put what *** hides back in"


def test_of_a_list_no_more_lines_are_taken_than_there_is_room_for() -> None:
    taken: list[int] = []

    def lines() -> Iterator[str]:
        for number in range(100):
            taken.append(number)
            yield "x" * 99_999

    item = list_item(lines())
    assert len(item.text) == MOST + 1 and len(taken) == 11
    assert list_item(["a  ", "b"]) == Item("list", "a\nb\n")


@pytest.mark.parametrize(
    ("does", "name", "texts"),
    [
        ("replay", "/s/two words.ndjson", ["cgp-tui replay '/s/two words.ndjson'", "/s/two words.ndjson"]),
        ("inspect", "docs", ["cgp-tui inspect --id docs"]),
        ("demo", "", ["cgp-tui demo"]),
    ],
)
def test_an_entry_of_a_menu_is_a_command(does: str, name: str, texts: list[str]) -> None:
    assert [item.text for item in entry_items(does, name)] == texts
