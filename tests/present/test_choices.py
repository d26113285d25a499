"""What a person may choose about a grant: only what could ever hold."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from cgp_tui.consent.drafts import Terms
from cgp_tui.present.choices import choices
from cgp_tui.target import stdio_target
from tests.present.consents import binding, target


def fields(of: object) -> dict[str, list[str]]:
    return {line.field: [value for value, _ in line.options] for line in choices(of)}  # type: ignore[arg-type]


def test_a_command_of_ones_own_has_all_three_lines(tmp_path: Path) -> None:
    lines = choices(binding(target(tmp_path)))
    assert fields(binding(target(tmp_path))) == {
        "version": ["exact", "minor", "any"],
        "code": ["exact", "path"],
        "uses": ["unlimited", "once"],
    }
    assert [str(words) for _, words in lines[0].options] == ["exactly 2.4.1", "2.4 and later 2.x", "any"]
    assert [line.of(Terms()) for line in lines] == [0, 0, 0]
    assert [line.of(Terms("once", "path", "any")) for line in lines] == [2, 1, 1]


@pytest.mark.parametrize("version", ["nightly", "v2.4", "", "２.４"])
def test_a_version_without_numbers_has_no_minor(tmp_path: Path, version: str) -> None:
    assert fields(binding(target(tmp_path), version=version))["version"] == ["exact", "any"]


def test_a_launcher_and_an_address_have_no_files_to_hold_to(tmp_path: Path) -> None:
    assert "code" not in fields(binding(stdio_target(["sh", "-c", "true"])))
    far = msgspec.structs.replace(target(tmp_path), kind="http")
    assert "code" not in fields(binding(far))


def test_what_a_provider_calls_its_version_cannot_fill_the_line(tmp_path: Path) -> None:
    (line, *_) = choices(binding(target(tmp_path), version="\x1b]52;" + "9" * 500))
    assert len(line.options[0][1]) < 80
    assert "\x1b" not in line.options[0][1]
