"""What every error carries, and what the system says of its failures."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from cgp_tui.errors import Error, os_reason


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
