"""Lines and files of any size, tried small: the campaign `caps` tries them in full."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cgp_tui import limits
from tests.reliability.caps import CASES, NESTED, checked, write


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is bounded as Linux does it")
@pytest.mark.parametrize("name", CASES)
def test_it_is_told_within_its_memory_and_time(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    share = 1.0 if case.full == NESTED else 0.005
    assert case.full * share > 2 * limits.FINDINGS_ALIKE
    write(tmp_path / "t.ndjson", case, share)
    assert checked(tmp_path / "t.ndjson", case, share) == ""
