"""The one spelling of each value: what is written is what is accepted, and nothing else."""

from __future__ import annotations

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.errors import RefusedError
from cgp_tui.store import canon

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
INNER = re.compile(canon.TEXT)


@given(TEXT)
def test_a_string_is_ascii_toml_and_reads_back(text: str) -> None:
    written = canon.write_string(text)
    assert written.isascii()
    assert written.isprintable()
    assert tomllib.loads(f"x = {written}\n")["x"] == text
    assert INNER.fullmatch(written[1:-1])
    assert canon.read_text(written[1:-1]) == text


@given(st.lists(TEXT, max_size=5))
def test_an_array_reads_back(items: list[str]) -> None:
    written = canon.write_array(items)
    assert tomllib.loads(f"x = {written}\n")["x"] == items
    assert re.fullmatch(rf"\[{canon.ITEMS}\]", written)
    assert canon.read_items(written[1:-1]) == tuple(items)


ESCAPES = ['\\"', "\\\\", "\\u0041", "\\u00e9", "\\u00E9", "\\uD800", "\\uDFFF", "\\u007F", "\\u001F", "\\u0020", "\\n"]
ESCAPES += [
    "\\U0001D11E",
    "\\U0000FFFF",
    "\\U00110000",
    "\\U0010FFFF",
    "\\U0001d11e",
    "\\u12",
    "é",
    "\t",
    '"',
    "a b",
    "\x7f",
]


@given(st.lists(st.sampled_from(ESCAPES), min_size=1, max_size=3).map("".join))
def test_what_is_accepted_is_exactly_what_is_written(inner: str) -> None:
    """Accepted text, read and written again, is the same text: so equal values have equal bytes."""
    if INNER.fullmatch(inner):
        assert canon.write_string(canon.read_text(inner)) == f'"{inner}"'
    else:
        try:
            value = tomllib.loads(f'x = "{inner}"\n')["x"]
        except ValueError:
            return
        assert canon.write_string(value) != f'"{inner}"'


def test_every_code_point_has_one_spelling() -> None:
    for code in [*range(0x3000), 0xD7FF, 0xE000, 0xFFFE, 0xFFFF, 0x10000, 0x1D11E, 0xFFFFF, 0x100000, 0x10FFFF]:
        inner = canon.write_string(chr(code))[1:-1]
        assert INNER.fullmatch(inner)
        assert canon.read_text(inner) == chr(code)
    assert canon.write_string("\x7f\x1f\u00e9\U0001d11e") == '"\\u007F\\u001F\\u00E9\\U0001D11E"'


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_half_characters_are_refused(text: str) -> None:
    with pytest.raises(RefusedError) as caught:
        canon.write_string(text)
    assert caught.value.code == "identity_unrepresentable"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-11-29T18:00:00Z", 1_795_975_200),
        ("2028-02-29T23:59:59Z", 1_835_481_599),
        ("2026-02-29T00:00:00Z", None),
        ("2026-11-29T18:00:60Z", None),
        ("2026-11-29T18:00:00.5Z", None),
        ("2026-11-29T18:00:00z", None),
        ("never", None),
    ],
)
def test_a_time_has_one_spelling_and_names_a_day_that_exists(text: str, value: int | None) -> None:
    assert canon.seconds(text) == value


@pytest.mark.parametrize(
    ("day", "there"),
    [("2026-02-28", True), ("2026-02-29", False), ("2028-02-29", True), ("2026-04-31", False), ("2026-12-31", True)],
)
def test_days_of_the_calendar(day: str, there: bool) -> None:
    assert canon.is_day(f"{day}T00:00:00Z") == there


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "1970-01-01T00:00:00Z"),
        (0.9, "1970-01-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
        (1e18, "9999-12-31T23:59:59Z"),
    ],
)
def test_any_clock_gives_a_time_that_can_be_spelled(seconds: float, said: str) -> None:
    assert canon.time_text(seconds) == said
    assert canon.seconds(said) is not None
