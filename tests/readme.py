"""The parts of README.md that are made from the code. `python -m tests.readme` writes them anew."""

from __future__ import annotations

import re
from typing import Final

from cgp_tui.protocol.requirements import REQUIREMENTS, Party, Requirement, Where
from tests.conftest import ROOT

README: Final = ROOT / "README.md"
HEADING: Final = "## What is checked"

_BINDS: Final[dict[Party | None, str]] = {"host": "host", "provider": "provider", None: "both"}
_WHERE: Final[dict[Where, str]] = {
    "wire": "on the wire",
    "host": "by our host",
    "conformance": "by probes only",
    "inapplicable": "does not apply",
    "unobservable": "not observable",
}
_INTRODUCTION: Final = """\
Every anchor of the SPEC, section numbers for requirements in its prose, and two anchors of our own: `ENV` for a line that is
not a message, and `SHAPE` for a malformed member that no other anchor covers. *On the wire*: checked in every transcript,
live or recorded. *By our host*: cgp-tui complies when it is the host; no transcript shows whether another host does. *By
probes only*: visible to the conformance suite alone. *Does not apply*: cgp-tui never does what it is about, such as building
a prompt. `cgp-tui check --explain B3` adds how to fix it, where the reference implementation differs, and why a requirement
cannot be observed or does not apply."""


def section() -> str:
    """The table of requirements, heading and introduction included, ended by an empty line."""
    rows = [_row(row) for row in REQUIREMENTS.values()]
    table = ["| anchor | binds | level | meaning | checked |", "|---|---|---|---|---|", *rows]
    return "\n".join((HEADING, "", _INTRODUCTION, "", *table, "", ""))


def _row(row: Requirement) -> str:
    meaning = row.meaning.replace("|", "\\|")
    return f"| {row.anchor} | {_BINDS[row.binds]} | {row.level} | {meaning} | {_WHERE[row.where]} |"


def renewed(text: str) -> str:
    """A README with that section as it has to be. Raises ValueError where it has none, or more than one."""
    made, places = re.subn(rf"^{HEADING}\n.*?(?=^## )", lambda _: section(), text, flags=re.MULTILINE | re.DOTALL)
    if places != 1:
        raise ValueError(f"README.md has {places} sections '{HEADING}'")
    return made


if __name__ == "__main__":
    README.write_text(renewed(README.read_text("utf-8")), "utf-8")
