"""Where the style sheets are."""

from __future__ import annotations

import pytest

from cgp_tui.errors import OurError
from cgp_tui.ui.stylesheets import stylesheet
from tests.conftest import ROOT

NAMES = sorted(path.stem for path in (ROOT / "styles").glob("*.tcss"))


@pytest.mark.parametrize("name", NAMES)
def test_every_sheet_is_found(name: str) -> None:
    assert stylesheet(name) == (ROOT / "styles" / f"{name}.tcss").read_text()


def test_a_missing_sheet_is_our_error() -> None:
    with pytest.raises(OurError) as caught:
        stylesheet("nothing")
    assert caught.value.code == "styles_missing"
