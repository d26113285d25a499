"""Odd containers of one good session: each is read as far as it goes, and what is wrong with it is named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.field.conftest import Runner


@pytest.fixture(scope="module")
def made(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder of the containers, and what each must show."""
    folder = tmp_path_factory.mktemp("containers")
    ran = subprocess.run(
        [sys.executable, shared / "field" / "inputs" / "F19_make.py", folder], capture_output=True, check=True
    )
    return folder, json.loads(ran.stdout)


def test_one_that_was_cut(run: Runner, made: tuple[Path, dict[str, str]]) -> None:
    folder, wanted = made
    ran = run("check", "--format", "json", folder / "cut.ndjson.gz")
    assert ran.code == 2
    assert f"{ran.document['lines']} whole lines readable" in wanted["cut.ndjson.gz"]
    assert "(gzip) ends in the middle" in ran.document["error"]["message"]


@pytest.mark.parametrize("name", ["members.ndjson.gz", "garbage_tail.ndjson.gz", "not_gz.ndjson.gz"])
def test_those_that_are_whole(run: Runner, made: tuple[Path, dict[str, str]], name: str) -> None:
    ran = run("check", "--format", "json", made[0] / name)
    assert (ran.code, ran.document["lines"], ran.document["findings"]) == (0, 8002, [])


def test_a_hole_is_one_line_that_is_no_message(run: Runner, made: tuple[Path, dict[str, str]]) -> None:
    ran = run("check", "--format", "json", made[0] / "hole.ndjson")
    assert ran.code == 1
    assert ran.document["lines"] == 8003
    assert {found["line"] for found in ran.document["findings"] if found["level"] == "violation"} == {1}
    assert all(len(found["found"] or "") < 1000 for found in ran.document["findings"])
