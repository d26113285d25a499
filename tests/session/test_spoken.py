"""What a line by itself tells: its sender, and the code by which it cannot be acted on."""

from __future__ import annotations

import pytest

from cgp_tui.protocol.requirements import Party
from cgp_tui.session.spoken import fault_code, sender
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from tests.dialogue import message


@pytest.mark.parametrize(
    ("raw", "recorded", "by"),
    [
        (message("query q1"), None, "host"),
        (message("frames q1 f1"), None, "provider"),
        (b"junk", None, None),
        (b'{"type":"later"}', None, None),
        (message("query q1"), "provider", "provider"),
        (b"junk", "host", "host"),
    ],
)
def test_a_line_is_whose_its_record_says_else_its_type(raw: bytes, recorded: Party | None, by: Party | None) -> None:
    assert sender(Seen(Line(1, 1, recorded, 0.0, raw), decode(raw))) == by


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"junk", "not_json"),
        (b'{"a":1}', "unexpected_envelope"),
        (b'{"type":"query","id":7,"query":{"goal":"g","max_frames":1,"max_tokens":1}}', "correlation_mismatch"),
        (b'{"type":"query","query":{"goal":7,"max_frames":1,"max_tokens":1}}', "unexpected_envelope"),
        (b'{"type":"error","message":"m","message":"n"}', "duplicate_member"),
        (message("query q1"), "unexpected_envelope"),
    ],
)
def test_why_a_line_cannot_be_acted_on_has_one_code(raw: bytes, code: str) -> None:
    assert fault_code(decode(raw)) == code
