"""What every test may use: the shared documents beside the checkout, the reference implementation, our own command."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no fault of the code under test. In CI the same commit is tried with the same examples, so that what
# turns red was turned red by a change; at a desk every run looks for new ones.
settings.register_profile(
    "house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("house")

# Whom the developer trusts must not decide what a test finds.
os.environ["CGP_TUI_CONFIG"] = str(Path(tempfile.gettempdir()) / f"cgp-tui-tests-{os.getpid()}-no-config")

# Nor may what a test opens be kept where the developer's own things are.
_STATE = Path(tempfile.gettempdir()) / f"cgp-tui-tests-{os.getpid()}-state"
os.environ["CGP_TUI_STATE"] = str(_STATE)
atexit.register(shutil.rmtree, _STATE, ignore_errors=True)

# Nor may a zone other than UTC decide what an end looks like: it is said beside it.
os.environ["TZ"] = "UTC"
if hasattr(time, "tzset"):
    time.tzset()

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = "reference-2.0.0"


def pytest_collection_finish() -> None:
    """What was collected lives until the end, so no test's collection of garbage need go through it again; nor is there
    little enough memory that it had to run as often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the SPEC, its schema and the inputs from the field; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "spec" / "envelope.schema.json").is_file():
        pytest.skip("the shared documents are not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder with the reference's `contextgraph-inspect` and `contextgraph-example-docs`: `$CGP_REFERENCE_BIN`, else
    where `.ci/run` builds them."""
    cache = os.environ.get("CGP_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cgp-tui"
    folder = Path(os.environ.get("CGP_REFERENCE_BIN") or Path(cache) / REFERENCE / "bin")
    if shutil.which("contextgraph-inspect", path=str(folder)) is None:
        pytest.skip("the reference implementation is not installed here (.ci/run builds it where there is cargo)")
    return folder


@pytest.fixture(scope="session")
def cgp() -> list[str]:
    """The argv that runs the command line of this checkout."""
    return [sys.executable, "-m", "cgp_tui"]
