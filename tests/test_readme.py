"""README.md says what the code says."""

from __future__ import annotations

from typing import get_args

import pytest

from cgp_tui.analysis.language import FIELDS, OPERATORS
from cgp_tui.cli.check import Format
from cgp_tui.protocol.requirements import REQUIREMENTS
from tests.readme import HEADING, README, renewed, section


def test_the_table_of_requirements_is_the_one_in_the_code() -> None:
    text = README.read_text("utf-8")
    assert section() in text, "`python -m tests.readme` writes it anew"
    assert renewed(text) == text


def test_the_table_has_a_row_for_each_requirement() -> None:
    rows = [line for line in section().splitlines() if line.startswith("| ")][1:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == list(REQUIREMENTS)
    for line, row in zip(rows, REQUIREMENTS.values(), strict=True):
        assert line.count(" | ") == 4
        assert row.meaning in line


def test_a_stale_section_is_written_anew_and_nothing_else() -> None:
    stale = f"# t\n\nbefore\n\n{HEADING}\n\nold\n\n## Next\n\nafter\n"
    assert renewed(stale) == f"# t\n\nbefore\n\n{section()}## Next\n\nafter\n"
    for text in ("# t\n", f"{HEADING}\n\n{HEADING}\n\n## Next\n"):
        with pytest.raises(ValueError, match="sections"):
            renewed(text.replace(f"{HEADING}\n\n{HEADING}", f"{HEADING}\n\n## A\n\n{HEADING}"))


def test_the_formats_of_check_are_named() -> None:
    (row,) = [line for line in README.read_text("utf-8").splitlines() if line.startswith("| `cgp-tui check FILE` |")]
    for format in get_args(Format):
        assert f"`{format}`" in row


def test_every_field_of_a_filter_is_told_with_what_compares_it() -> None:
    text = README.read_text("utf-8")
    for field in FIELDS.values():
        signs = " ".join(f"`{one.sign}`" for one in OPERATORS if field.kind in one.kinds)
        assert f"| `{field.name}` | {field.help} | {signs} |" in text
