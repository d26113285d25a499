"""A wheel once left the stylesheets behind, and an app started with nothing to draw with: both archives are looked into,
and the installed wheel has to paint."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests import packaging


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return packaging.build(tmp_path_factory.mktemp("dist"), "--no-isolation")


def test_the_wheel_holds_the_package_and_its_styles_and_nothing_beside_it(archives: tuple[Path, Path]) -> None:
    packaging.check_wheel(archives[0])


def test_the_sdist_holds_tests_and_styles(archives: tuple[Path, Path]) -> None:
    packaging.check_sdist(archives[1])


def test_the_installed_wheel_paints_from_an_empty_folder(archives: tuple[Path, Path], tmp_path: Path) -> None:
    commands = packaging.borrowing_venv(tmp_path / "env")
    python = commands / "python"
    packaging.run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        archives[0],
        cwd=tmp_path,
    )
    packaging.check_paints(commands / "cgp-tui", tmp_path)
