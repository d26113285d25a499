"""One selected line with all that is known about it: what the detail pane draws."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from cgp_tui.wire.line import BadFrame, Decoded, Line

if TYPE_CHECKING:
    from cgp_tui.analysis.background import Background
    from cgp_tui.analysis.history import Again
    from cgp_tui.analysis.targets import At
    from cgp_tui.checks.types import Appraisal, Judged
    from cgp_tui.protocol.envelope import Frames, HandshakeAck
    from cgp_tui.protocol.frame import ContextFrame
    from cgp_tui.protocol.query import ContextQuery
    from cgp_tui.protocol.requirements import Finding


class Place(msgspec.Struct, frozen=True):
    """What the pane shows of a subject: the line itself or a frame of it, and the step of its proof, from 0."""

    frame: int | None = None
    step: int = 0


class Subject(msgspec.Struct, frozen=True, dict=True):
    """`findings` are those charged to this line, `pair` is the number of the line at the other end of its exchange,
    `background` is what is known about its frames beyond the line."""

    line: Line
    decoded: Decoded
    judged: Judged | None = None
    findings: tuple[Finding, ...] = ()
    pair: int | None = None
    background: Background | None = None

    def again(self, frame: ContextFrame) -> Again | None:
        """Other places where a frame of this answer was met."""
        if self.background is None or self.provider_name is None:
            return None
        return self.background.again(self.provider_name, frame, self.line.n)

    def target(self, uri: str, place: int) -> At | None:
        """The frame that a relation of the frame at `place` leads to, in this answer or else in another one."""
        from cgp_tui.analysis.targets import At

        for other in self.places:
            frame = self.by_place[other]
            if other != place and not isinstance(frame, BadFrame) and frame.uri == uri:
                return At(self.line.n, other)
        return None if self.background is None else self.background.target(uri, self.line.n)

    def key_changed(self, appraisal: Appraisal | None) -> bool:
        """Whether the key that a frame's evidence names had other bytes before."""
        if self.background is None or appraisal is None or appraisal.key_id is None:
            return False
        return self.background.key_changed(self.line.connection, appraisal.key_id)

    @property
    def frames(self) -> Frames | None:
        """The answer, if this line is one."""
        from cgp_tui.protocol.envelope import Frames

        return self.decoded.envelope if isinstance(self.decoded.envelope, Frames) else None

    @property
    def ack(self) -> HandshakeAck | None:
        """The acknowledgement in force for this line."""
        from cgp_tui.protocol.envelope import HandshakeAck

        if isinstance(self.decoded.envelope, HandshakeAck):
            return self.decoded.envelope
        return None if self.judged is None else self.judged.exchange.ack

    @property
    def provider_name(self) -> str | None:
        """The declared name, the one that identities and commitments carry (SPEC 6.5.2)."""
        return None if self.ack is None else self.ack.provider.name

    @property
    def asked(self) -> ContextQuery | None:
        """The query that this line asks or answers."""
        from cgp_tui.protocol.envelope import Query

        if isinstance(self.decoded.envelope, Query):
            return self.decoded.envelope.query
        request = None if self.judged is None else self.judged.exchange.request
        sent = None if request is None else request.decoded.envelope
        return sent.query if isinstance(sent, Query) else None

    @cached_property
    def by_place(self) -> dict[int, ContextFrame | BadFrame]:
        """Every frame by its wire position, the undecoded ones included."""
        good = () if self.frames is None else self.frames.result.frames
        found: dict[int, ContextFrame | BadFrame] = {self.decoded.place(index): frame for index, frame in enumerate(good)}
        return found | {bad.place: bad for bad in self.decoded.bad_frames}

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The wire positions of all frames, in order."""
        return tuple(sorted(self.by_place))

    @cached_property
    def _by_id(self) -> dict[str | None, int]:
        names: dict[str | None, int] = {}
        for place in self.places:
            frame = self.by_place[place]
            names.setdefault(frame.frame_id if isinstance(frame, BadFrame) else frame.id, place)
        return names

    def frame(self, place: int) -> ContextFrame | BadFrame | None:
        """The frame at a wire position of this answer."""
        return self.by_place.get(place)

    def appraisal(self, place: int) -> Appraisal | None:
        """What the evidence of one frame amounts to, once the answer has been judged."""
        appraisals = () if self.judged is None else self.judged.appraisals
        return next((appraisal for appraisal in appraisals if appraisal.place == place), None)

    def findings_at(self, place: int) -> tuple[Finding, ...]:
        """The findings about one frame: by its place where the path names it, else by its id."""
        return tuple(finding for finding in self.findings if self.place_of(finding) == place)

    def place_of(self, finding: Finding) -> int | None:
        """The frame a finding is about, by wire position."""
        parts = finding.path.split("/")
        if parts[1:3] == ["result", "frames"] and len(parts) > 3 and parts[3].isascii() and parts[3].isdigit():
            return int(parts[3][:9])
        return None if finding.frame_id is None else self._by_id.get(finding.frame_id)
