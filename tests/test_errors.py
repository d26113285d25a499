"""What every error carries, and what the system says of its failures."""

from __future__ import annotations

import ast
import errno
import re
from pathlib import Path
from typing import get_args

import pytest

from cgp_tui.checks.outcome import CAUSES
from cgp_tui.errors import CODES, Error, os_reason
from cgp_tui.host import problems
from cgp_tui.host.errors import BY_CODE
from cgp_tui.store.states import NotWhole
from cgp_tui.store.trust import State
from tests.conftest import ROOT

RAISED = {"Error", "InputError", "OurError", "PeerError", "RefusedError", "Problem"}


def spelled() -> set[str]:
    """The codes that stand in the code as they are, where an error is made."""
    found = set[str]()
    for path in (ROOT / "cgp_tui").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                made = ast.unparse(node.func)
                code = str(getattr(node.args[0], "value", ""))
                if (made.split(".")[-1] in RAISED or made == "super().__init__") and re.fullmatch("[a-z_]+", code):
                    found.add(code)
    return found


def test_the_table_has_every_code_and_no_other() -> None:
    of_a_provider = {*CAUSES, problems.CRASHED, problems.CLOSED, problems.WITHDRAWN, "provider_error"}
    of_a_store = {*get_args(NotWhole), *get_args(State)} - {"ok", "absent"}
    assert spelled() | of_a_provider | of_a_store == set(CODES)
    assert set(BY_CODE) <= set(CODES)
    assert all(said.endswith(".") for said in CODES.values())


def test_an_error_has_a_code_a_message_and_a_next_step() -> None:
    error = Error("usage", "No file is named.", "Name one.")
    assert (error.code, error.message, error.fix) == ("usage", "No file is named.", "Name one.")
    assert str(error) == "No file is named. Name one."


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/some/file"), "No space left on device"),
        (OSError("in words"), "in words"),
        (ValueError("embedded null byte"), "embedded null byte"),
        (OSError(), "no reason is given"),
    ],
)
def test_the_system_speaks_of_the_failure_and_not_of_the_file(error: OSError | ValueError, said: str) -> None:
    assert os_reason(error) == said


def test_a_real_failure_is_told_in_the_systems_words(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r".") as caught:
        (tmp_path / "none").read_bytes()
    assert os_reason(caught.value) == "No such file or directory"
