"""Frames that were read before, by their exact bytes: a provider with stable identities (D1) serves the same ones again.

What is kept is a function of the bytes alone, so an answer reads the same with a memo as without. Two generations bound it:
the young one takes what comes and what is asked for again; once it is full it becomes the old one, and the old one goes.
Where hardly a frame comes twice, keeping them costs more than it saves: then the memo rests most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

import msgspec

from cgp_tui import limits
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.wire import proof, skeleton
from cgp_tui.wire.salvage import U32, within_u32

_KIND: Final = tuple[ContextFrame, ...]
_FRAMES: Final = msgspec.json.Decoder(_KIND).decode

_LEVELS: Final = limits.JSON_DEPTH - 3
"""How deep a frame may nest: it stands in an array, in a result, in an envelope."""

_WINDOW: Final = 256
"""Answers after which the memo asks itself whether it is of use."""
_WORTH: Final = 16
"""It is where at least one frame in so many was known."""
_REST: Final = 7 * _WINDOW
"""Answers that are read without it where it is not; then it tries again."""

_Told = TypeVar("_Told")


class Kept:
    """One frame: what its bytes decode to, whether members that no type knows may stand in it, and what somebody who
    looked at nothing else found out about it."""

    __slots__ = ("asked", "extras", "frame", "told")

    def __init__(self, frame: ContextFrame, extras: bool) -> None:
        self.frame = frame
        self.extras = extras
        self.asked: object = None
        self.told: Any = None


class FrameMemo:
    """The frames last read: `entries` of them and `size` bytes of their text in each of two generations, at most."""

    def __init__(self, entries: int = limits.FRAMES_KEPT, size: int = limits.FRAMES_KEPT_BYTES) -> None:
        self._entries = entries
        self._size = size
        self._held = 0
        self._answers = 0
        self._asked = 0
        self._fresh = 0
        self._young: dict[bytes, Kept] = {}
        self._old: dict[bytes, Kept] = {}
        self._young_frames: dict[int, Kept] = {}
        self._old_frames: dict[int, Kept] = {}

    def rests(self) -> bool:
        """Whether the answer that comes now is to be read without this memo. To be asked once an answer."""
        self._answers += 1
        if self._answers <= 0:
            return True
        if self._answers > _WINDOW:
            useless = (self._asked - self._fresh) * _WORTH < self._asked
            self._answers = -_REST if useless else 0
            self._asked = self._fresh = 0
        return False

    def read(self, raws: Iterable[msgspec.Raw]) -> list[Kept] | None:
        """The frames that these bytes are; None where one of them is not proved to be a frame without a fault."""
        texts = [bytes(raw) for raw in raws]
        found = [self._young.get(text) or self._again(text) for text in texts]
        self._asked += len(found)
        known = [kept for kept in found if kept is not None]
        if len(known) == len(found):
            return known
        missing = [text for text, kept in zip(texts, found, strict=True) if kept is None]
        fresh: list[Kept] = []
        for part in _parts(missing):
            read = _read(part)
            if read is None:
                return None
            fresh += read
        self._fresh += len(fresh)
        for text, kept in zip(missing, fresh, strict=True):
            self._keep(text, kept)
        left = iter(fresh)
        return [next(left) if kept is None else kept for kept in found]

    def told(self, frames: Iterable[ContextFrame], ask: Callable[[ContextFrame], _Told]) -> list[_Told]:
        """What `ask` answers about each frame, asked once for as long as the frame is kept. The answer must follow from the
        frame alone."""
        young, old = self._young_frames, self._old_frames
        answers: list[_Told] = []
        for frame in frames:
            kept = young.get(id(frame)) or old.get(id(frame))
            if kept is None:
                answers.append(ask(frame))
                continue
            if kept.asked is not ask:
                kept.asked, kept.told = ask, ask(frame)
            answers.append(kept.told)
        return answers

    def _again(self, text: bytes) -> Kept | None:
        """A frame of the old generation, which is young again for having been asked for."""
        kept = self._old.pop(text, None)
        if kept is not None:
            self._keep(text, kept)
        return kept

    def _keep(self, text: bytes, kept: Kept) -> None:
        if len(self._young) >= self._entries or self._held + len(text) > self._size:
            self._old, self._old_frames = self._young, self._young_frames
            self._young, self._young_frames, self._held = {}, {}, 0
        if len(text) <= self._size:
            self._young[text] = self._young_frames[id(kept.frame)] = kept
            self._held += len(text)


def _parts(texts: list[bytes]) -> Iterator[list[bytes]]:
    """The same in portions: reading one lets no other thread have its turn."""
    if sum(map(len, texts)) <= limits.FRAMES_AT_ONCE_BYTES:
        yield texts
        return
    part: list[bytes] = []
    held = 0
    for text in texts:
        part.append(text)
        held += len(text)
        if held > limits.FRAMES_AT_ONCE_BYTES:
            yield part
            part, held = [], 0
    if part:
        yield part


def _read(texts: list[bytes]) -> list[Kept] | None:
    """These frames read anew; None where one of them is not proved to be a frame without a fault."""
    joined = b"[%b]" % b",".join(texts)
    try:
        frames = _FRAMES(joined)
    except (msgspec.DecodeError, RecursionError):
        return None
    for frame in frames:
        if (frame.canonical_token_cost is not None or not 0 <= frame.token_cost <= U32) and not within_u32(frame):
            return None
    if skeleton.holds_only_known_members(_KIND, joined):
        return [Kept(frame, False) for frame in frames]
    found = [proof.extras(ContextFrame, text, _LEVELS) for text in texts]
    return None if None in found else [Kept(frame, bool(extras)) for frame, extras in zip(frames, found, strict=True)]
