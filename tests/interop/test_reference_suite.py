"""Our bundled providers before the reference's conformance suite: a second opinion, written by others."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest


def judged(reference: Path, argv: list[str]) -> dict[str, Any]:
    """The suite's report: each check's name and what came of it. Text for people precedes the document."""
    ran = subprocess.run(
        [str(reference / "contextgraph-inspect"), "stdio", "--json", "--", *argv],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    lines = ran.stdout.splitlines()
    start = next((place for place, line in enumerate(lines) if line == "{"), None)
    assert start is not None, f"{ran.stdout}\n{ran.stderr}"
    return {check["name"]: check for check in json.loads("\n".join(lines[start:]))["checks"]}


@pytest.mark.parametrize("sign", [False, True], ids=["plain", "signed"])
def test_example_docs_passes_all_that_applies(reference: Path, cgp: list[str], sign: bool) -> None:
    checks = judged(reference, [*cgp, "serve", "example-docs", *(["--sign"] if sign else [])])
    verdicts = {name: check["status"] for name, check in checks.items()}
    assert verdicts.pop("embedding-fingerprint") == "skipped", "it declares no fingerprint"
    assert set(verdicts.values()) == {"pass"}
    assert len(verdicts) == 13
    assert ("verified 8 detached attestation" in checks["attestation"]["evidence"]) is sign


def test_example_index_fails_nothing(reference: Path, cgp: list[str]) -> None:
    verdicts = {name: check["status"] for name, check in judged(reference, [*cgp, "serve", "example-index"]).items()}
    assert "fail" not in verdicts.values()
    assert verdicts["consent-scope"] == verdicts["budget-honesty"] == verdicts["correlation"] == "pass"
