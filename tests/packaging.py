"""What is shipped: the wheel and the sdist hold what they should, and both start from an empty folder.

`python -m tests.packaging` builds and installs as a stranger would, dependencies fetched anew; the tests use the same
steps with the dependencies of their own environment.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.conftest import ROOT
from tests.terminal import Terminal

FIRST_PAINT = "example-docs"
"""What the demo's first screen shows."""


def run(*argv: str | Path, cwd: Path) -> None:
    """Run a step. Raises AssertionError with what it said."""
    ran = subprocess.run([str(part) for part in argv], cwd=cwd, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, f"{argv}\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}"


def build(out: Path, *options: str) -> tuple[Path, Path]:
    """The wheel and the sdist, the wheel made from the sdist, so that the sdist is known to be enough."""
    run(sys.executable, "-m", "build", *options, "--outdir", out, ROOT, cwd=out)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist


def styles(names: Sequence[str], folder: str) -> set[str]:
    return {name.removeprefix(folder) for name in names if name.startswith(folder) and name.endswith(".tcss")}


def check_wheel(wheel: Path) -> None:
    """One top-level package; inside it every stylesheet, the pages of the bundled provider and the typing marker."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"cgp_tui"}, f"site-packages would get {sorted(tops)}"
    assert styles(names, "cgp_tui/styles/") == {path.name for path in (ROOT / "styles").glob("*.tcss")} != set()
    pages = {path.name for path in (ROOT / "cgp_tui/providers/library").glob("*.md")}
    assert pages
    assert pages <= {name.rpartition("/")[2] for name in names if name.startswith("cgp_tui/providers/library/")}
    assert "cgp_tui/py.typed" in names
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "cgp_tui").rglob("*.py")}
    assert modules == {name for name in names if name.endswith(".py")}


def check_sdist(sdist: Path) -> None:
    """Tests, styles, README and licence are there; nothing of the machine it was made on is."""
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {"README.md", "LICENSE", "pyproject.toml", "tests/conftest.py", "cgp_tui/cli/main.py"} <= set(names)
    assert styles(names, "styles/") == {path.name for path in (ROOT / "styles").glob("*.tcss")}
    assert not [name for name in names if ".venv" in name or "__pycache__" in name or name.startswith("dist/")]


def check_paints(command: Path, folder: Path) -> None:
    """In an empty folder and an empty home: the version is told, and the demo paints and leaves when told to."""
    home = folder / "home"
    home.mkdir()
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}
    run(command, "--version", cwd=home)
    with Terminal([str(command), "demo"], rows=40, columns=120, cwd=home, env=env) as screen:
        screen.wait(FIRST_PAINT, 60)
        assert "Error" not in screen.text, screen.text
        screen.send("q")
        screen.read(0.5)
        if screen.process.poll() is None:
            screen.send("\t\r")
        code = screen.ended(20)
    assert code == 0, f"the demo ended with {code}"


def venv(folder: Path) -> Path:
    """A new environment's `bin` folder."""
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    return folder / "bin"


def borrowing_venv(folder: Path) -> Path:
    """A new environment that finds this one's packages behind its own; nothing is fetched."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder / "bin"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "dist").mkdir()
        wheel, sdist = build(folder / "dist")
        check_wheel(wheel)
        check_sdist(sdist)
        print(f"built {wheel.name} ({wheel.stat().st_size:,} bytes) and {sdist.name} ({sdist.stat().st_size:,} bytes)")
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        source = folder / sdist.name.removesuffix(".tar.gz")
        kinds: dict[str, tuple[str | Path, ...]] = {"wheel": (wheel,), "sdist": ("-e", source)}
        with ThreadPoolExecutor(len(kinds)) as beside:
            commands = dict(zip(kinds, beside.map(lambda kind: install(folder / kind, *kinds[kind]), kinds), strict=True))
        for kind in kinds:
            check_paints(commands[kind] / "cgp-tui", folder / kind)
            print(f"the {kind}, installed, paints from an empty folder")


def install(place: Path, *what: str | Path) -> Path:
    """Install into an environment of its own, with whatever that needs fetched: its `bin` folder."""
    place.mkdir()
    commands = venv(place / "env")
    run(commands / "python", "-m", "pip", "install", "-q", *what, cwd=place)
    return commands


if __name__ == "__main__":
    main()
