"""Documents as their readers get them."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from cgp_tui.cli import output


def written(document: object) -> bytes:
    """What stdout gets."""
    raw = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1"))
        output.document(document)
        return raw.getvalue()


def parsed(document: object) -> Any:
    return json.loads(written(document))
