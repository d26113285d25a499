"""What is known of a provider that has been started, for whoever only looks: nothing here asks or sends."""

from __future__ import annotations

from cgp_tui.consent.types import Binding, Need
from cgp_tui.host.inbox import Inbox
from cgp_tui.host.link import Link, Signs
from cgp_tui.host.process import Exited
from cgp_tui.host.sending import Question
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.session import Exchange


class Facts:
    """How a connection stands: what was declared and asked for at its handshake, what is in flight, how it ended."""

    def __init__(self, link: Link, inbox: Inbox) -> None:
        self._link = link
        self._inbox = inbox
        self._ack: HandshakeAck | None = None
        self._question: Question | None = None

    @property
    def ack(self) -> HandshakeAck:
        """The acknowledgement that this connection goes by. RuntimeError before the handshake is over."""
        if self._ack is None:
            raise RuntimeError("the handshake is not over")
        return self._ack

    @property
    def question(self) -> Question:
        """What the gate is asked: binding and needs, fixed by the ack. RuntimeError before the handshake is over."""
        if self._question is None:
            raise RuntimeError("the handshake is not over")
        return self._question

    @property
    def binding(self) -> Binding:
        """Whom this connection leads to, as consent sees it. RuntimeError before the handshake is over."""
        return self.question.binding

    @property
    def needs(self) -> tuple[Need, ...]:
        """What the declaration needs consent for; empty for a local provider. RuntimeError before the handshake is over."""
        return self.question.needs

    @property
    def greeted(self) -> bool:
        """Whether hands were shaken."""
        return self._question is not None

    @property
    def alive(self) -> bool:
        """Whether a request can be sent."""
        return self.greeted and not self.ended_by

    @property
    def ended_by(self) -> str:
        """The code of what made this connection unusable; empty while it can be used."""
        return self._inbox.ended_by

    @property
    def exited(self) -> Exited | None:
        """How the provider's process ended, None while it runs."""
        return self._inbox.exited

    @property
    def pending(self) -> tuple[Exchange, ...]:
        """The requests in flight, oldest first."""
        return self._inbox.session.pending

    @property
    def whole_tree(self) -> bool:
        """Whether everything the provider starts ends with it; where not, `protect.GROUP_ONLY` says so."""
        return self._link.whole_tree

    @property
    def stderr_tail(self) -> bytes:
        """The end of what the provider wrote to stderr, as it wrote it: foreign bytes."""
        return self._link.stderr_tail

    @property
    def signs(self) -> Signs:
        """How the provider shows that it lives."""
        return self._link.signs
