"""What every test may use: the shared documents, where they stand beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the SPEC, its schema and the inputs from the field; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "spec" / "envelope.schema.json").is_file():
        pytest.skip("the shared documents are not beside this checkout")
    return folder
