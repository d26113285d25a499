"""TOML from any editor: what it says, or why it cannot be used, in no time."""

from __future__ import annotations

import pytest

from cgp_tui.store.handwritten import NoTomlError, parse


@pytest.mark.parametrize("data", [b"a = 1\n", b"\xef\xbb\xbfa = 1\r\n", b"a=1"])
def test_a_file_as_editors_leave_it(data: bytes) -> None:
    assert parse(data, "") == {"a": 1}


@pytest.mark.parametrize(
    ("data", "why", "fix"),
    [
        (b"a = '\xff'", "it is not UTF-8 (byte 6)", "Save it as UTF-8."),
        (b"\xef\xbb\xbf\xef\xbb\xbfa = 1", "it is not valid TOML", "Correct that line."),
        (b"a =", "it is not valid TOML", "Correct that line."),
        (b"a = " + b"[" * 5000, "it is nested too deeply", "Write less."),
        (b"a" + b" . 'a'" * 100_000 + b" = 1", "it is nested too deeply", "Write less."),
        (b"x" * 200_000, "it is not valid TOML", "Correct that line."),
        (b"a " + b"'b' " * 50_000, "it is not valid TOML", "Correct that line."),
    ],
)
def test_why_it_is_none(data: bytes, why: str, fix: str) -> None:
    with pytest.raises(NoTomlError) as raised:
        parse(data, "Write less.")
    assert (raised.value.why.startswith(why), raised.value.fix) == (True, fix), raised.value.why
