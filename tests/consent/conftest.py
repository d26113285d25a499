from __future__ import annotations

from pathlib import Path

import pytest

from tests.consent.people import Books


@pytest.fixture
def books(tmp_path: Path) -> Books:
    """A ledger that nobody has written to, its clock set by hand."""
    return Books(tmp_path)
