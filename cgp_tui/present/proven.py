"""A verification as lines of plain text: every step with its hashes, the result, and what it leaves open."""

from __future__ import annotations

from collections.abc import Iterator

from cgp_tui.checks.exhibit import Exhibit, Proven
from cgp_tui.checks.types import Appraisal, RootAppraisal
from cgp_tui.present.evidence import every_step, standing_word, uncovered
from cgp_tui.present.symbols import Look
from cgp_tui.text import Shown, compose, own, show

_WIDE = 120


def proven_lines(shown: Exhibit, proven: Proven) -> Iterator[Shown]:
    """Each frame's verification, step by step; the root's where the whole answer is at hand."""
    look = Look(width=_WIDE)
    for one in proven.appraisals:
        yield from _frame_lines(one, shown, look)
        yield own("")
    if proven.root is not None:
        yield _root_line(proven.root)


def _frame_lines(one: Appraisal, shown: Exhibit, look: Look) -> Iterator[Shown]:
    digest = show(one.frame.content_digest) if one.frame.content_digest is not None else own("no content_digest")
    yield compose(
        "frame {id} of {provider}, {digest}",
        id=show(one.frame.frame_id),
        provider=show(one.frame.provider_id),
        digest=digest,
    )
    for row in every_step(one, look):
        yield row.text
    yield compose("standing: {word}", word=standing_word(one.standing))
    yield compose("not covered: {names}", names=own(", ".join(uncovered(one))))
    count = shown.siblings(one.frame)
    if count:
        yield compose(
            "The proof discloses {count} {noun} of other frames: nothing can be read out of them, but who guesses such a "
            "frame exactly can confirm the guess.",
            count=count,
            noun=own("hash" if count == 1 else "hashes"),
        )


def _root_line(root: RootAppraisal) -> Shown:
    return compose(
        "The signature over the whole answer of {count} {noun}: {verdict}, {word}",
        count=root.leaf_count,
        noun=own("frame" if root.leaf_count == 1 else "frames"),
        verdict=own(root.verdict.replace("_", " ")),
        word=standing_word(root.standing),
    )
