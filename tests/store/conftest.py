"""What several tests of the store begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.ledgers import Stored


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    return Stored(tmp_path)
