"""Version strings and families."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.version import PROTOCOL_VERSION, family, interoperate, is_version


@pytest.mark.parametrize(
    "text", ["contextgraph/1.0", "contextgraph/1.0-draft", "contextgraph/1.17", "contextgraph/10.0", "contextgraph/01.00"]
)
def test_what_follows_the_grammar_is_a_version(text: str) -> None:
    assert is_version(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "contextgraph/1", "contextgraph/1.", "contextgraph/.1", "contextgraph/1.0.0", "contextgraph/1.0-Draft",
        "contextgraph/1.0-rc1", "contextgraph/1.0 ", "contextgraph/1.0\n", "Contextgraph/1.0", "contextgraph 1.0", "1.0",
        "contextgraph/-1.0", "contextgraph/\u0661.0", "contextgraph/1.0-draft-draft",
    ],
)  # fmt: skip
def test_what_breaks_the_grammar_is_no_version_and_interoperates_with_none(text: str) -> None:
    assert not is_version(text)
    assert not interoperate(PROTOCOL_VERSION, text)


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 200), st.integers(0, 200), st.booleans())
def test_only_the_major_number_counts(major: int, minor: int, other_major: int, other_minor: int, draft: bool) -> None:
    ours = f"contextgraph/{major}.{minor}"
    theirs = f"contextgraph/{other_major}.{other_minor}{'-draft' if draft else ''}"
    assert interoperate(ours, theirs) == (major == other_major)
    assert interoperate(ours, theirs) == interoperate(theirs, ours)


def test_a_family_is_compared_whole() -> None:
    assert family("contextgraph/1.0-draft") == "contextgraph/1"
    assert family("contextgraph/1.0.9") == "contextgraph/1"
    assert family("contextgraph/1") == "contextgraph/1"
    assert not interoperate("contextgraph/1.0", "contextgraph/10.0")
    assert not interoperate("contextgraph/1.0", "contextgraph/01.0")
    assert interoperate(PROTOCOL_VERSION, "contextgraph/1.0-draft")
