"""A line by itself: ENV, SHAPE, and the rows about members that cannot be read.

The decoder says which member is at fault; the tables here say which requirement that breaks. A member that is missing, of a
wrong type or out of range breaks the row of the SPEC's tables that covers it (a missing score is F1, a missing title F2), or
SHAPE where none does. A doubled member is always SHAPE: nobody claims its value. A line that is no message at all, as with
a doubled `type`, is ENV.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any, Final, NamedTuple

import msgspec

from cgp_tui import limits
from cgp_tui.checks.breach import Breach, Charge
from cgp_tui.checks.nearly import mending, misspelt, quoted, untagged
from cgp_tui.protocol.requirements import Finding
from cgp_tui.session.spoken import sender
from cgp_tui.wire.line import Fault, Seen

_SENTENCES: Final = {
    "invalid_utf8": "The line is not UTF-8.",
    "not_json": "The line is not JSON.",
    "not_one_object": "The line is not one object.",
    "too_deep": "The line is nested too deeply.",
    "line_too_long": "The line is too long.",
    "no_type": "The line has no message type.",
    "duplicate_member": "A member is given more than once.",
    "shape": "A member cannot be read.",
}
_MISSING: Final = "A required member is missing."

_EXPECTED: Final = {
    "invalid_utf8": "text in UTF-8",
    "not_json": "one JSON object",
    "not_one_object": "one JSON object",
    "too_deep": f"at most {limits.JSON_DEPTH} levels",
    "no_type": "a `type`, such as frames",
    "duplicate_member": "each member once",
}
"""What belongs there, where the decoder names no member."""

_SHORTER: Final = f"Keep a line within {limits.LINE_BYTES >> 20} MiB: send fewer frames, or shorter content."
_NO_MESSAGE: Final = frozenset({"invalid_utf8", "not_json", "not_one_object", "too_deep", "line_too_long", "no_type"})

_FIXES: Final = {
    "invalid_utf8": "The provider's stdout is not UTF-8: set its encoding, or write text in \\u escapes.",
    "duplicate_member": "Send each member once: readers disagree on which of two values counts.",
}
"""Fixes that say more than the requirement's own."""

_FRAME: Final = r"/result/frames/\d+"
_ENTRY: Final = r"/result/frame_attestations/\d+"

_Loose = Callable[[], Any]
"""Reads, untyped, the frame that a member belongs to; only the few rows that need it call it."""

_Where = Callable[[_Loose, str], bool]


class Row(NamedTuple):
    """Which requirement covers a member that cannot be read: the message type, the member's JSON Pointer, the anchor.
    `where` looks at the frame that the member belongs to; without it the row always applies. A row with `echo` applies only
    under correlation."""

    kind: str
    member: re.Pattern[str]
    anchor: str
    where: _Where | None = None
    echo: bool = False


def _in_file_link(frame: _Loose, path: str) -> bool:
    """F5 binds file links only; a link that cannot be read is taken for one."""
    kind = _look(frame(), "provenance", int(path.split("/")[-2]), "type")
    return kind == "file" or not isinstance(kind, str)


def _represents(name: str, frame: _Loose, path: str) -> bool:
    """Whether the frame has this representation; no row says what one that the SPEC does not list must carry."""
    return str(_look(frame(), "representation") or "full") == name


def _row(kind: str, member: str, anchor: str, where: _Where | None = None) -> Row:
    return Row(kind, re.compile(member), anchor, where)


_CARRIED: Final = rf"{_FRAME}/(content|canonical_content_hash|(content_ref|transform)(/.*)?)"

ROWS: Final = (
    *(Row(kind, re.compile(r"/id"), "H4", echo=True) for kind in ("frames", "verified", "error")),
    _row("handshake_ack", r"/protocol_version", "H1"),
    _row("handshake_ack", r"/provider/(name|version)", "H2"),
    _row("query", r"/query/as_of", "F4"),
    _row("frames", rf"{_FRAME}/score", "F1"),
    _row("frames", rf"{_FRAME}/title", "F2"),
    _row("frames", rf"{_FRAME}/citation_label", "F3"),
    _row("frames", rf"{_FRAME}/(valid_from|valid_to|recorded_at)", "F4"),
    _row("frames", rf"{_FRAME}/provenance/\d+/digest", "F5", _in_file_link),
    _row("frames", rf"{_FRAME}/content_digest", "D1"),
    _row("frames", _CARRIED, "P1", partial(_represents, "full")),
    _row("frames", _CARRIED, "P2", partial(_represents, "compact")),
    _row("frames", _CARRIED, "P3", partial(_represents, "reference")),
    _row("frames", rf"{_FRAME}/token_cost", "B3"),
    _row("frames", rf"{_FRAME}/canonical_token_cost", "P4"),
    _row("frames", rf"{_FRAME}/relations/\d+/display_name", "G1"),
    _row("frames", rf"{_FRAME}/relations/\d+/target_uri", "G2"),
    _row("frames", rf"{_ENTRY}(/frame(/.*)?)?", "F11"),
    _row("frames", rf"{_ENTRY}/attestation/signed_commitment", "F7"),
    _row("frames", rf"{_ENTRY}/attestation/signature", "6.5.4"),
    _row("frames", rf"{_ENTRY}/inclusion_proof(/.*)?", "F13"),
    _row("frames", r"/result/result_attestation/signed_commitment", "F12"),
    _row("frames", r"/result/result_attestation/signature", "6.5.4"),
    _row("verified", r"/response/verdicts/\d+/status", "V3"),
    _row("verified", r"/response/verdicts/\d+/replacement_digest", "V4"),
)
"""The members that a row of the SPEC's tables covers; a fault in any other is SHAPE."""

_NAMES: Final = (
    (re.compile(rf"({_ENTRY})(/.*)?"), ("frame", "frame_id")),
    (re.compile(r"(/response/verdicts/\d+)(/.*)?"), ("frame", "frame_id")),
    (re.compile(r"(/request/frames/\d+)(/.*)?"), ("frame_id",)),
)
"""Parts that name a frame without being one, and the member that names it."""


class _More(NamedTuple):
    """What is told beside a fault: the frame it belongs to, the name under which a missing member stands there, the
    beginning of a line that is no message, and how to mend one."""

    frame_id: str | None
    meant: str = ""
    quote: str = ""
    fix: str | None = None


_BARE: Final = ("a number", "a whole number", "true or false")
"""What JSON writes without quotation marks."""


def judge_faults(
    seen: Seen, exchange: int | None = None, rows: Iterable[Row] = ROWS, *, echoes: bool = False
) -> tuple[Finding, ...]:
    """The findings about a line by itself. `exchange` is the number of the request it belongs to, where that is known;
    `echoes` marks the reply of a provider that declared correlation.

    A line without a fault costs next to nothing. A line longer than the wire allows is advice: a file may hold one.
    """
    if is_sound(seen):
        return ()
    charge = Charge(seen.line.n, exchange, sender(seen))
    return tuple(_findings(seen, charge, tuple(row for row in rows if echoes or not row.echo)))


def is_sound(seen: Seen) -> bool:
    """Whether nothing is wrong with the line by itself."""
    decoded = seen.decoded
    return not decoded.faults and not decoded.bad_frames and len(seen.line.raw) <= limits.LINE_BYTES


def _findings(seen: Seen, charge: Charge, rows: tuple[Row, ...]) -> Iterator[Finding]:
    decoded = seen.decoded
    if len(seen.line.raw) > limits.LINE_BYTES:
        found = Breach("", f"{limits.LINE_BYTES} bytes", f"{len(seen.line.raw)} bytes", level="advice", fix=_SHORTER)
        yield charge.find("ENV", _SENTENCES["line_too_long"], found)
    whole = _loose_line(seen.line.raw) if any(_is_part(fault.path) for fault in decoded.faults) else None
    raw, kind = seen.line.raw, decoded.type
    loose = cache(partial(_loose_line, raw))
    for fault in decoded.faults:
        more = _More(
            _frame_named(whole, fault.path), _meant(raw, loose, kind, fault), quoted(raw, fault), mending(raw, fault)
        )
        yield _charged(charge, _anchor(rows, kind, fault, _no_frame), fault, more)
    for bad in decoded.bad_frames:
        frame = cache(partial(_loose_line, bad.raw))
        for fault in bad.faults:
            more = _More(bad.frame_id, misspelt(bad.raw, frame, kind, fault, _FRAME.count("/")))
            yield _charged(charge, _anchor(rows, kind, fault, frame), fault, more)


def _charged(charge: Charge, anchor: str, fault: Fault, more: _More) -> Finding:
    expected, found = fault.expected or _EXPECTED.get(fault.code, ""), fault.found or fault.detail
    fix: str | None
    if more.meant:
        found, fix = f"{found}, but `{more.meant}` is there", f"Write `{_name(fault)}` instead of `{more.meant}`."
    else:
        fix = more.fix or _FIXES.get(fault.code) or _mending(anchor, fault)
    sentence = _MISSING if fault.missing else _SENTENCES[fault.code]
    return charge.find(anchor, sentence, Breach(fault.path, expected, found + more.quote, fix=fix), frame_id=more.frame_id)


def _mending(anchor: str, fault: Fault) -> str | None:
    """How to mend a member of a wrong type, or a missing one, where that says more than the requirement's own fix."""
    if fault.missing:
        return "Send this member too; a receiver cannot do without it." if anchor == "SHAPE" else None
    if fault.found == "null":
        return f"Give `{_name(fault)}` a value instead of null, or leave it out where it is optional."
    if fault.found == "a string" and fault.expected.startswith(_BARE):
        return f"Write the value of `{_name(fault)}` without quotation marks."
    return None


def _name(fault: Fault) -> str:
    return fault.path.rpartition("/")[2] or "type"


def _meant(raw: bytes, loose: _Loose, kind: str | None, fault: Fault) -> str:
    return misspelt(raw, loose, kind, fault) or untagged(loose, fault, len(raw))


def _anchor(rows: tuple[Row, ...], kind: str | None, fault: Fault, frame: _Loose) -> str:
    if fault.code in _NO_MESSAGE or fault.path == "/type":
        return "ENV"
    if fault.code == "shape":
        for row in rows:
            speaks = row.kind == kind and row.member.fullmatch(fault.path)
            if speaks and (row.where is None or row.where(frame, fault.path)):
                return row.anchor
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
            return name if isinstance(name, str) and name.encode(errors="ignore").decode() == name else None
    return None


def _no_frame() -> None:
    """The `_Loose` of a member that belongs to no frame."""


def _loose_line(raw: bytes) -> Any:
    """The untyped value of JSON text. A lone surrogate, or a number beyond all range like 1e400, must not hide the rest."""
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return json.loads(raw, parse_int=float)


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
