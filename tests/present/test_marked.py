"""Our own Markdown on a screen."""

from __future__ import annotations

import pytest

from cgp_tui.consent.promise import PROMISE
from cgp_tui.present.marked import marked


@pytest.mark.parametrize(
    ("text", "seen", "strong"),
    [
        ("plain, 2 * 3", "plain, 2 * 3", []),
        ("when `revoke` says *all gone*.", 'when revoke says "all gone".', ["revoke", '"all gone"']),
        ("**No** gate", '"No" gate', ['"No"']),
        ("", "", []),
    ],
)
def test_marks_are_drawn_and_not_shown(text: str, seen: str, strong: list[str]) -> None:
    spans = marked(text)
    assert "".join(one.text for one in spans) == seen
    assert [one.text for one in spans if one.token == "strong"] == strong


def test_the_promise_has_marks_and_none_is_left() -> None:
    assert any("`" in one for one in PROMISE) and any("*" in one for one in PROMISE)
    assert not [one for one in PROMISE for part in marked(one) if "`" in part.text or "*" in part.text]
