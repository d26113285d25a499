"""A disk that fails at any call of any act, once or for good; and real ones that are full or read-only."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
from pathlib import Path

from cgp_tui.errors import Error
from tests.conftest import ROOT
from tests.reliability.acts import ACTS, Act, Place, judge
from tests.reliability.calls import CHANGES, Counted, Fails, met
from tests.reliability.campaign import Figures, Run, folder

_ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, 0)


def faults(run: Run) -> Figures:
    found = Figures()
    with folder() as made:
        place = Place(made)
        cases = [
            (act, at, error, lasting)
            for act in ACTS
            for at, name in enumerate(_calls(place, act))
            for error in _ERRORS
            for lasting in (False, True)
            if (error or name == "write") and not (lasting and name not in CHANGES)
        ]
        tried = run.random().sample(cases, run.count(len(cases)))
        for act, at, error, lasting in tried:
            place.begin(act)
            name = errno.errorcode.get(error, "half a write")
            with met(Fails(at, error, lasting=lasting)):
                done = attempt(place, act)
            judge(place, act, done=done, case=f"{act.name}, {name} at call {at}{' and on' * lasting}", found=found)
        found.more["faults"] = f"{len(tried)} of {len(cases)} at a call"
        found.more["real disks"] = _real(made, run, found)
    return found


def attempt(place: Place, act: Act) -> object:
    """What the act returns, or the error that it tells its caller."""
    try:
        return act.do(place.ledger(), place.send)
    except Error as raised:
        return raised


def _real(made: Path, run: Run, found: Figures) -> str:
    """Disks that are really full or read-only, mounted where nobody else sees them."""
    command = ["unshare", "--map-root-user", "--mount", sys.executable, "-m", __name__]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*command[:3], "true"], capture_output=True, check=False).returncode
    ):
        return "none can be mounted here"
    ran = subprocess.run(
        [*command, str(made), str(run.share), str(run.seed)], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    told = json.loads(ran.stdout)
    found.tried += told["tried"]
    found.bad += told["bad"]
    return str(told["disks"])


def mounted(made: Path, run: Run) -> dict[str, object]:
    """The same acts where ledger, head or both are on a disk of 16 pages that is full up to some pages, or read-only."""
    found = Figures()
    places = (("data",), ("state",), ("data", "state"))
    cases = [(act, names, free) for act in ACTS for names in places for free in (*range(4), None)]
    tried = run.random().sample(cases, run.count(len(cases)))
    for number, (act, names, free) in enumerate(tried):
        place = Place(made / f"disk{number}")
        folders = [made / f"disk{number}" / name for name in names]
        for on in folders:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", on], check=True)
        place.begin(act)
        for on in folders:
            _remount("ro", on) if free is None else _fill(on, free)
        done = attempt(place, act)
        for on in folders:
            _remount("rw", on) if free is None else (on / "filler").unlink()
        said = "read-only" if free is None else f"{free} pages free"
        judge(place, act, done=done, case=f"{act.name}, {' and '.join(names)} {said}", found=found)
    return {"tried": found.tried, "bad": found.bad, "disks": len(tried)}


def _remount(how: str, folder: Path) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", folder], check=True)


def _fill(folder: Path, free: int) -> None:
    with (folder / "filler").open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            filler.truncate(max(0, filler.tell() - 4096 * free))


def _calls(place: Place, act: Act) -> list[str]:
    counted = Counted()
    place.begin(act)
    with met(counted):
        act.do(place.ledger(), place.send)
    return counted.names


if __name__ == "__main__":
    print(json.dumps(mounted(Path(sys.argv[1]), Run(float(sys.argv[2]), int(sys.argv[3])))))
