"""What a connection needs from its transport: bytes out under the gate's permit, whole lines in, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from cgp_tui.host.process import Exited

if TYPE_CHECKING:
    from cgp_tui.consent.types import Permit
    from cgp_tui.errors import PeerError


class Signs(NamedTuple):
    """`pid` is None where the peer is no process of ours. `heard_at` is when the last byte of its messages arrived, by
    `time.monotonic`, None where none has; `unfinished` counts the bytes of a line that has no end yet."""

    pid: int | None
    heard_at: float | None
    unfinished: int


class Listener(Protocol):
    """Who hears what arrives, in the order it arrived, always on the event loop."""

    def line(self, raw: bytes) -> None:
        """One line without its newline; also a last one that had none."""

    def narration(self, text: str) -> None:
        """A piece of the peer's stderr, for people: foreign text."""

    def broken(self, error: PeerError) -> None:
        """The stream cannot be cut into lines any more; nothing further is read."""

    def ended(self, exited: Exited) -> None:
        """The peer is gone, and with it everything it had still written. Last call, once."""


class Link(Protocol):
    """One connection's bytes."""

    @property
    def whole_tree(self) -> bool:
        """Whether everything the peer starts ends with it, even what leaves its process group."""

    @property
    def stderr_tail(self) -> bytes:
        """The last `limits.STDERR_KEPT_BYTES` that the peer wrote to stderr, as it wrote them."""

    @property
    def signs(self) -> Signs:
        """How the peer shows that it lives."""

    def start(self, listener: Listener) -> None:
        """Begin to read."""

    async def writable(self) -> None:
        """Return when a write will take at least a byte. Raises ConnectionError when the peer takes no more."""

    def send_payload(self, raw: memoryview, permit: Permit) -> int:
        """One write of at most `limits.PAYLOAD_WRITE_BYTES` of a query or verify, under a live permit; how many bytes went,
        0 where the peer takes none just now. Raises ConnectionError when it takes no more.

        The only way out for payloads. Raises RuntimeError where the permit is not alive: that would be our own mistake.
        """

    def send_control(self, raw: memoryview) -> int:
        """The same for `handshake` and `shutdown`, which carry nothing that consent is needed for."""

    def stop_reading(self) -> None:
        """Take no more lines from the peer."""

    async def close(self) -> None:
        """End the peer and everything it started, and close our ends. Once; later calls wait for the first."""
