"""What a frame did, beside what it cost (SPEC 14). A host's report about itself; never on the wire."""

from __future__ import annotations

import msgspec

from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.usage import UsageReport


class FrameUse(msgspec.Struct, frozen=True):
    """Three observations, never one score (A2)."""

    frame: FrameId
    selected: bool
    rendered: bool
    cited: bool

    def is_coherent(self) -> bool:
        """A3: cited implies rendered implies selected."""
        return (self.rendered or not self.cited) and (self.selected or not self.rendered)


class AttributionReport(msgspec.Struct, frozen=True):
    """What every frame of an answer did, beside what all of them cost."""

    uses: tuple[FrameUse, ...]
    usage: UsageReport

    def is_reconcilable(self) -> bool:
        """A3: every use is coherent and names a frame that the usage report billed."""
        billed = {served.frame for provider in self.usage.providers for served in provider.served_frames}
        return all(use.is_coherent() and use.frame in billed for use in self.uses)
