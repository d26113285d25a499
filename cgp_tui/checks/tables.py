"""Every table of checks in one value, so that a judgement can be made without one of the rows."""

from __future__ import annotations

from typing import Final

import msgspec

from cgp_tui.checks import answer, course, frame, handshake, line, query, reply, verify
from cgp_tui.checks import evidence as proof


class Tables(msgspec.Struct, frozen=True):
    """The rows of each module, in the order in which they are asked."""

    line: tuple[line.Row, ...] = line.ROWS
    course: tuple[course.Row, ...] = course.ROWS
    offers: tuple[handshake.Offer, ...] = handshake.OFFERS
    acks: tuple[handshake.Row, ...] = handshake.ROWS
    refusals: tuple[handshake.Refusal, ...] = handshake.REFUSALS
    requests: tuple[query.Row, ...] = query.ROWS
    pairings: tuple[reply.Row, ...] = reply.ROWS
    frames: tuple[frame.Row, ...] = frame.ROWS
    answers: tuple[answer.Row, ...] = answer.ROWS
    verifies: tuple[verify.Row, ...] = verify.ROWS
    evidence: tuple[proof.Row, ...] = proof.ROWS
    signed: tuple[proof.Row, ...] = proof.SIGNED_ROWS


TABLES: Final = Tables()
