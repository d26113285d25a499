"""A line by itself: ENV, SHAPE, and the rows that speak of a member which cannot be read.

The decoder says which member is at fault; the tables here say which requirement that breaks. A member that is missing, of a
wrong type or out of its range breaks the row of the SPEC's tables that speaks of it (a missing score is F1, a missing title
F2), else SHAPE. A doubled member is always SHAPE: its value is nobody's claim. What leaves no message at all, a doubled
`type` included, is ENV.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from cgp_tui import limits
from cgp_tui.checks.breach import Breach, Charge
from cgp_tui.protocol.requirements import Finding
from cgp_tui.session.machine import sender
from cgp_tui.wire.line import BadFrame, Fault, Seen

_SENTENCES: Final = {
    "invalid_utf8": "The line is not UTF-8.",
    "not_json": "The line is not JSON.",
    "not_one_object": "The line is not one object.",
    "too_deep": "The line is nested too deeply.",
    "line_too_long": "The line is too long.",
    "no_type": "The line does not say what type of message it is.",
    "duplicate_member": "A member is given more than once.",
    "shape": "A member is missing or cannot be read.",
}

_NO_MESSAGE: Final = frozenset({"invalid_utf8", "not_json", "not_one_object", "too_deep", "line_too_long", "no_type"})

_FIXES: Final = {
    "invalid_utf8": "The provider's stdout is not UTF-8: set its encoding, or write text in \\u escapes.",
    "duplicate_member": "Send each member once: two readers take different values from a doubled one.",
}
"""Fixes that say more than the requirement's own."""

_FRAME: Final = r"/result/frames/\d+"
_ENTRY: Final = r"/result/frame_attestations/\d+"


def _by_link(bad: BadFrame | None, path: str) -> str | None:
    """F5 holds file links only; a link that cannot be read is taken for one."""
    link = _look(_loose(bad), "provenance", int(path.split("/")[-2]))
    kind = _look(link, "type")
    return None if isinstance(kind, str) and kind != "file" else "F5"


def _by_representation(bad: BadFrame | None, path: str) -> str | None:
    """The row that says what a frame of this representation carries; none for one that the SPEC does not list."""
    representation = _look(_loose(bad), "representation") or "full"
    return {"full": "P1", "compact": "P2", "reference": "P3"}.get(str(representation))


Chooser = Callable[[BadFrame | None, str], str | None]

SPEAKS: Final[dict[str, tuple[tuple[re.Pattern[str], str | Chooser], ...]]] = {
    kind: tuple((re.compile(pattern), anchor) for pattern, anchor in rows)
    for kind, rows in {
        "handshake_ack": (
            (r"/protocol_version", "H1"),
            (r"/provider/(name|version)", "H2"),
        ),
        "query": ((r"/query/as_of", "F4"),),
        "frames": (
            (rf"{_FRAME}/score", "F1"),
            (rf"{_FRAME}/title", "F2"),
            (rf"{_FRAME}/citation_label", "F3"),
            (rf"{_FRAME}/(valid_from|valid_to|recorded_at)", "F4"),
            (rf"{_FRAME}/provenance/\d+/digest", _by_link),
            (rf"{_FRAME}/content_digest", "D1"),
            (rf"{_FRAME}/(content|canonical_content_hash|(content_ref|transform)(/.*)?)", _by_representation),
            (rf"{_FRAME}/token_cost", "B3"),
            (rf"{_FRAME}/canonical_token_cost", "P4"),
            (rf"{_FRAME}/relations/\d+/display_name", "G1"),
            (rf"{_FRAME}/relations/\d+/target_uri", "G2"),
            (rf"{_ENTRY}(/frame(/.*)?)?", "F11"),
            (rf"{_ENTRY}/attestation/signed_commitment", "F7"),
            (rf"{_ENTRY}/attestation/signature", "6.5.4"),
            (rf"{_ENTRY}/inclusion_proof(/.*)?", "F13"),
            (r"/result/result_attestation/signed_commitment", "F12"),
            (r"/result/result_attestation/signature", "6.5.4"),
        ),
        "verified": (
            (r"/response/verdicts/\d+/status", "V3"),
            (r"/response/verdicts/\d+/replacement_digest", "V4"),
        ),
    }.items()
}
"""By message type: which requirement speaks of a member, found by its JSON Pointer."""

_NAMES: Final = (
    (re.compile(rf"({_ENTRY})(/.*)?"), ("frame", "frame_id")),
    (re.compile(r"(/response/verdicts/\d+)(/.*)?"), ("frame", "frame_id")),
    (re.compile(r"(/request/frames/\d+)(/.*)?"), ("frame_id",)),
)
"""Parts that name a frame without being one, and where they name it."""


def judge_line(seen: Seen, exchange: int | None = None) -> tuple[Finding, ...]:
    """The findings of a line by itself; `exchange` is the number of the request it belongs to, where it is known.

    A line without a fault costs next to nothing. A line longer than the wire allows is advice: a file may hold one.
    """
    decoded = seen.decoded
    if not decoded.faults and not decoded.bad_frames and len(seen.line.raw) <= limits.LINE_BYTES:
        return ()
    charge = Charge(seen.line.n, exchange, sender(seen))
    return tuple(_findings(seen, charge))


def _findings(seen: Seen, charge: Charge) -> Iterator[Finding]:
    decoded = seen.decoded
    if len(seen.line.raw) > limits.LINE_BYTES:
        found = Breach("", f"{limits.LINE_BYTES} bytes", f"{len(seen.line.raw)} bytes", level="advice")
        yield charge.find("ENV", _SENTENCES["line_too_long"], found)
    whole = _loose_line(seen.line.raw) if any(_is_part(fault.path) for fault in decoded.faults) else None
    for fault in decoded.faults:
        yield _charged(charge, decoded.type, fault, None, _frame_named(whole, fault.path))
    for bad in decoded.bad_frames:
        for fault in bad.faults:
            yield _charged(charge, decoded.type, fault, bad, bad.frame_id)


def _charged(charge: Charge, kind: str | None, fault: Fault, bad: BadFrame | None, frame_id: str | None) -> Finding:
    breach = Breach(fault.path, found=fault.detail, fix=_FIXES.get(fault.code))
    return charge.find(_anchor(kind, fault, bad), _SENTENCES[fault.code], breach, frame_id=frame_id)


def _anchor(kind: str | None, fault: Fault, bad: BadFrame | None) -> str:
    if fault.code in _NO_MESSAGE or fault.path == "/type":
        return "ENV"
    if fault.code == "shape":
        for pattern, anchor in SPEAKS.get(kind or "", ()):
            if pattern.fullmatch(fault.path):
                return (anchor if isinstance(anchor, str) else anchor(bad, fault.path)) or "SHAPE"
    return "SHAPE"


def _is_part(path: str) -> bool:
    return any(pattern.fullmatch(path) for pattern, _ in _NAMES)


def _frame_named(whole: Any, path: str) -> str | None:
    """The frame that a faulty entry, verdict or identity names, where that much can be read."""
    for pattern, names in _NAMES:
        match = pattern.fullmatch(path)
        if match is not None:
            steps = [int(step) if step.isdecimal() else step for step in match[1].split("/")[1:]]
            name = _look(whole, *steps, *names)
            return name if isinstance(name, str) else None
    return None


def _loose(bad: BadFrame | None) -> Any:
    return None if bad is None else _loose_line(bad.raw)


def _loose_line(raw: bytes) -> Any:
    """The untyped value of JSON text, None where it has none for msgspec."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def _look(value: Any, *steps: str | int) -> Any:
    """What stands at the end of `steps`, None where a step leads nowhere."""
    for step in steps:
        if isinstance(step, int) and isinstance(value, list) and step < len(value):
            value = value[step]
        elif isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value
