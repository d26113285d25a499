"""A short and plain member is told from any other, and great numbers of them are gone over in passing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.wire import portions
from cgp_tui.wire.decode import decode
from cgp_tui.wire.small import MEMBER
from tests.wire.test_long import HUGE, LIMITS

VALUES = st.sampled_from(
    ["0", "-0", "12", "-7", "01", "1.5", "1e3", "-", "true", "null", "nul", '"a"', '"\\n"', '"\x01"', '"é"', "[", "{}"]
)
NAMES = st.sampled_from(['"x"', '""', '"type"', '"a b"', '"\\u0061"', '"é"', '"\x7f"', "x"])


@given(NAMES, VALUES, st.sampled_from([",", " ,", "}", ",,"]), st.sampled_from(['"', " ", "}"]))
def test_what_is_taken_for_one_is_a_member_before_another(name: str, value: str, comma: str, after: str) -> None:
    raw = f"{name}:{value}{comma}{after}".encode()
    found = MEMBER.match(raw)
    if found is not None:
        whole = json.loads("{" + found[0].decode().removesuffix(",") + "}")
        assert whole == {found[1].decode(): json.loads(found[2])}
        assert raw[found.end() :] == b'"'
    else:
        assert (name, comma, after) != ('"x"', ",", '"') or value not in ("0", "12", "-7", "true", "null", '"a"')


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"frames",%b"result":{"frames":[],"truncated":false}}',
        b'{"type":"frames","result":{"frames":[],%b"truncated":false}}',
        b'{"type":"frames","result":{"frames":[{%b"id":"f","kind":5}],"truncated":false}}',
        b'{"type":"later",%b"id":"x"}',
        b'{"type":"later","x":{%b"id":"x"}}',
    ],
)
def test_great_numbers_of_them_are_gone_over_in_passing(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:

    raw, asked = line % (b'"x":1,"yy":"z",' * 4000), []
    with LIMITS() as patch:
        patch.setattr(limits, "SHELL_AT_ONCE_BYTES", HUGE)
        whole = decode(raw)
    end = portions.Passage.end

    def counted(self: portions.Passage, at: int) -> int | None:
        asked.append(at)
        return end(self, at)

    monkeypatch.setattr(portions.Passage, "end", counted)
    monkeypatch.setattr(limits, "SHELL_AT_ONCE_BYTES", 400)
    monkeypatch.setattr(portions, "PORTION", 200)
    assert decode(raw) == whole
    assert len(asked) < 100
