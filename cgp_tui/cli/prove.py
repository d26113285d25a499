"""`cgp-tui prove`: the evidence of one frame, or of a whole answer, for somebody who has no transcript."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from cgp_tui import limits
from cgp_tui.cli import diagnostics, output
from cgp_tui.errors import InputError, OurError, os_reason
from cgp_tui.text import compose, show

if TYPE_CHECKING:
    from cgp_tui.analysis.background import When
    from cgp_tui.checks.types import Appraisal, Judged
    from cgp_tui.protocol.attestation import TrustedKey
    from cgp_tui.protocol.identity import FrameId
    from cgp_tui.transcript.reader import Transcript


_OTHERS: Final = 8
"""How many frames are named where the one that is asked for is not there."""
_LARGE: Final = "Its content is too large for a bundle: pass on the recording instead."


class _Met(NamedTuple):
    """One frame of the id that was asked for: the line that carries it and what its evidence amounts to."""

    line: int
    appraisal: Appraisal

    @property
    def digest(self) -> str:
        return self.appraisal.frame.content_digest or "no digest"


def prove(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording, or a file of bare envelopes, one per line.")],
    frame: Annotated[
        str,
        typer.Option(
            "--frame",
            metavar="ID[@LINE]",
            help="The frame's id; add its line or digest if the id is not unique.",
        ),
    ],
    whole: Annotated[bool, typer.Option("--all", help="Prove the whole answer that the frame is in.")] = False,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="BUNDLE", help="A new file for the bundle, instead of stdout.")
    ] = None,
) -> int:
    """Write a frame's evidence as one file that anybody can verify offline; exit 1 where it does not hold.

    With -o the steps of the verification are shown. A bundle holds the frame's whole content.
    """
    from cgp_tui.analysis.background import received
    from cgp_tui.checks.exhibit import Proven, agrees, exhibit
    from cgp_tui.cli.trusted import recorded_here, this_moment, trusted_store
    from cgp_tui.present.proven import proven_lines
    from cgp_tui.report.bundle import bundle_bytes
    from cgp_tui.transcript.reader import Transcript

    with Transcript.counted(file) as transcript:
        keys, when = trusted_store().keys, received(transcript, this_moment(), ours=recorded_here(file))
        judged, found = _found(transcript, frame, keys, when, whole=whole)
    place = None if whole else found
    try:
        shown = exhibit(judged, place)
        if not agrees(shown, judged, place, keys, when(judged.exchange)):
            raise ValueError("Only the other frames of its answer show what is wrong with it.")
    except ValueError as error:
        signed = judged.root is not None or any(one.standing != "unattested" for one in judged.appraisals)
        fix = "Try the whole answer: --all" if signed and not whole else f"See: cgp-tui check {file}"
        diagnostics.fail(InputError("no_evidence", f"Frame {frame} cannot be proved. {error}", fix))
        return diagnostics.FELL_SHORT
    proven = Proven(tuple(one for one in judged.appraisals if whole or one.place == place), judged.root if whole else None)
    data = bundle_bytes(shown)
    if len(data) > limits.BUNDLE_BYTES:
        message = f"The bundle would be {len(data):,} bytes, and no larger one is read than {limits.BUNDLE_BYTES:,}."
        raise InputError("usage", message, "Prove single frames of the answer: leave --all out." if whole else _LARGE)
    if out is None:
        output.document(data)
    else:
        _write(out, data)
        with diagnostics.stands([compose("The bundle is written to {path}.", path=show(str(out)))]):
            output.text(proven_lines(shown, proven))
    return diagnostics.GOOD if proven.holds else diagnostics.FELL_SHORT


def _found(transcript: Transcript, frame: str, keys: Sequence[TrustedKey], when: When, *, whole: bool) -> tuple[Judged, int]:
    """The answer that carries the frame, and the frame's place in it; of several with one digest the last with evidence.

    Raises InputError usage where there is none, or where it is not clear which one is meant, or which answer for a `whole`
    one; unreadable where the number of its line leads elsewhere.
    """
    from cgp_tui.analysis import Analysis

    met: list[_Met] = []
    others: dict[str, None] = {}

    def keep(judged: Judged) -> None:
        reply = judged.exchange.reply
        if len(others) <= _OTHERS:
            others.update((one.frame.frame_id, None) for one in itertools.islice(judged.appraisals, _OTHERS + 1))
        if reply is not None:
            met.extend(_Met(reply.line.n, one) for one in judged.appraisals if _means(frame, one.frame, reply.line.n))

    analysis = Analysis(transcript, keys, when=when, on_judged=keep, keep=0)
    while analysis.advance():
        pass
    if not met:
        some = ", ".join([*list(others)[:_OTHERS], *["and more"] * (len(others) > _OTHERS)])
        fix = f"There are: {some}." if some else "There is no frame in it."
        raise InputError("usage", f"No answer carries a frame {frame}.", fix)
    lines = {one.line for one in met}
    if len({one.digest for one in met}) > 1 and not (whole and len(lines) == 1):
        seen = ", ".join(dict.fromkeys(f"{one.digest} at line {one.line}" for one in met))
        name = met[0].appraisal.frame.frame_id
        fix = f"Name the line: --frame {name}@LINE" if len(lines) > 1 else f"Name the digest: --frame {name}@sha256:..."
        raise InputError("usage", f"Frame {frame} is ambiguous: {seen}.", fix)
    chosen = next((one for one in reversed(met) if one.appraisal.standing != "unattested"), met[-1])
    judged, place = analysis.judged(chosen.line), chosen.appraisal.place
    if judged is None or not any((one.frame, one.place) == (chosen.appraisal.frame, place) for one in judged.appraisals):
        message = f"Line {chosen.line} cannot be found again: lines are not numbered in order, or the file has changed."
        raise InputError("unreadable", message, "Prove it from the original recording.")
    return judged, place


def _means(asked: str, frame: FrameId, line: int) -> bool:
    """Whether ID, ID@LINE or ID@DIGEST is this frame; an id may itself end like one of these."""
    return asked in (frame.frame_id, f"{frame.frame_id}@{line}", f"{frame.frame_id}@{frame.content_digest}")


def _write(path: Path, data: bytes) -> None:
    """A new file. Raises InputError usage for one that is there already, OurError unwritable."""
    from cgp_tui.store.files import write_new

    try:
        write_new(path, data)
    except FileExistsError:
        raise InputError("usage", f"{path} already exists; a bundle is written to a new file.", "Name another.") from None
    except OSError as error:
        reason = os_reason(error)
        raise OurError("unwritable", f"{path} cannot be written: {reason}.", "Name another place with -o.") from None
