"""A corpus of small dialogues: for every row of every table of checks one that it names, and beside it the nearest one that
nobody may accuse. The witnesses of a table stand in the order of its rows."""

from __future__ import annotations

from typing import NamedTuple


class Witness(NamedTuple):
    """`named` is the finding that `broken` must have and that goes with the row, as `B3 line 4 f1`; `legal` has none."""

    named: str
    broken: str
    legal: str
