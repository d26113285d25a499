"""Signed answers, half of them damaged: the transcript and the bundle never say something different of one frame."""

from __future__ import annotations

import random

from tests.reliability.campaign import Figures, Run
from tests.report.agreement import disagreement
from tests.report.signed_answers import DAMAGES, drawn, greeting

_ANSWERS = 1000


def agreement(run: Run) -> Figures:
    found = Figures()
    frames = 0
    for number in range(run.count(_ANSWERS)):
        chance = random.Random(f"{run.seed} {number}")
        result = drawn(chance)
        if number % 2:
            result = chance.choice(DAMAGES)(result, chance)
        frames += len(result.frames)
        different = disagreement(result, greeting(chance))
        found.expect(different is None, f"answer {number}: {different}")
    found.more["frames"] = f"{frames:,}"
    return found
