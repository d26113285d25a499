"""One connection's lines and notes, paired into exchanges."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Final

import msgspec

from cgp_tui.protocol.admission import mandatory_refusal
from cgp_tui.protocol.envelope import Handshake, HandshakeAck
from cgp_tui.protocol.messages import TYPES
from cgp_tui.session.exchange import Exchange, ExchangeKind
from cgp_tui.session.memory import Keys, Served, passed
from cgp_tui.session.past import NOTHING, Past, Remark, past_after, past_of
from cgp_tui.session.spoken import fault_code, sender
from cgp_tui.session.states import ANSWERS, ENDINGS, NEXT, REQUESTS, TIMEOUT, Event
from cgp_tui.session.unserved import Unserved
from cgp_tui.wire.line import Decoded, Seen
from cgp_tui.wire.note import AnyNote, Cut, Dropped, Exit, GaveUp, Poisoned, Refused, SendFailed

_TYPES: Final = frozenset(TYPES)


class Session:
    """The pairing of one connection (`states` holds the theory and the tables).

    `numbers` hands out exchange numbers, `keys` remembers published keys; the connections of a transcript share both. Feed
    lines and notes in the order of the transcript. A provider line that changes no exchange had no effect: nobody asked for
    it, or nobody can read it.
    """

    def __init__(self, connection: int, numbers: Iterator[int], keys: Keys | None = None) -> None:
        self.connection = connection
        self.ack: HandshakeAck | None = None
        """The first ack that could be read. A later one changes nothing."""
        self.shut = False
        """Whether the connection is over: `shutdown` was sent, the process ended or the stream was poisoned."""
        self.remarks: tuple[Remark, ...] = ()
        """The lines without an exchange that the last item was, or threw a light on."""
        self._numbers = numbers
        self._keys = Keys() if keys is None else keys
        self._served = Served()
        self._offered: str | None = None
        self._greeted_at = 0
        self._acked = False
        self._refused = ""
        self._shutdown: Seen | None = None
        self._unusable: Seen | None = None
        self._unserved_line: int | None = None
        self._pending: OrderedDict[int, Exchange] = OrderedDict()
        self._failed: dict[int, Exchange] = {}
        self._owed: set[int] = set()
        self._spoiled: int | None = None
        self._lockstep: dict[ExchangeKind, deque[int]] = {kind: deque() for kind in REQUESTS.values()}
        self._named: dict[str, int] = {}
        """The oldest request of each id."""
        self._namesakes: dict[str, deque[int]] = {}
        """Those that had its id while it was in flight: seldom any."""
        self._correlates: bool | None = None
        """Whether the ack in force declares correlation, None without one."""
        self._closed: dict[str, ExchangeKind] = {}
        self._answered: set[ExchangeKind] = set()
        self._greeting: Exchange | None = None
        self._unserved = Unserved()
        self._lossy = False

    @property
    def pending(self) -> tuple[Exchange, ...]:
        """The requests in flight, oldest first."""
        return tuple(self._pending.values())

    @property
    def settled(self) -> bool:
        """Whether what follows is judged as if nothing but the handshake had come before, as long as every later reply
        answers a later request: nothing is in flight, given up, owed or spoiled, no junk waits for its error, `shutdown` was
        not sent, and no memory of what was served is kept."""
        if self.ack is None or self.shut or self._shutdown is not None or self._lossy:
            return False
        remembers = self.ack.capabilities.graph or self.ack.capabilities.verify
        open_ends = (self._pending, self._failed, self._owed, self._unserved)
        return not remembers and self._spoiled is None and not any(open_ends)

    def feed(self, item: Seen | AnyNote) -> tuple[Exchange, ...]:
        """Take the next line or note; the exchanges it opened, changed or found, each as it now is."""
        self.remarks = ()
        if not isinstance(item, Seen):
            return self._note(item)
        self._unserved_line = None
        party = sender(item)
        changed = self._request(item) if party == "host" else self._reply(item) if party == "provider" else ()
        if party is None:
            self._unserved.add(item, self._told_apart_by(item.decoded), by_host=False)
        if not changed:
            late = self._shutdown is not None and self._shutdown is not item
            self.remarks = (Remark(item, past_of(after_shutdown=late, unserved=self._unserved_line)),)
        # Whatever comes next, the provider was still there to say this, or the host to ask for more.
        self._unusable = item if party == "host" and item.decoded.envelope is None else None
        return changed

    def lose(self) -> tuple[Exchange, ...]:
        """Lines are missing that may have been this connection's: from now on nothing is held against anybody for them.

        What is in flight in lock-step fails (`dropped`): its reply may be gone, and the next one another's.
        """
        self._lossy = True
        lost = [exchange for exchange in self.pending if not self._by_name(exchange)]
        return tuple(self._step(exchange, "ending", why="dropped") for exchange in lost)

    def end(self, why: str) -> tuple[Exchange, ...]:
        """The connection is over: everything in flight fails by this code."""
        self.shut = True
        return tuple(self._step(exchange, "ending", why=why) for exchange in self.pending)

    # Host lines

    def _request(self, seen: Seen) -> tuple[Exchange, ...]:
        decoded = seen.decoded
        kind = REQUESTS.get(decoded.type or "")
        if kind is None:
            if decoded.type == "shutdown":
                self.shut = True
                self._shutdown = self._shutdown or seen
            if decoded.type not in _TYPES:
                self._unserved.add(seen, self._told_apart_by(decoded), by_host=True)
            return ()
        # A host that goes on after a reply it could not use holds it spent: the next reply is for the next request.
        self._spoiled = None
        number = next(self._numbers)
        exchange = Exchange(number, self.connection, kind, "pending", request=seen, ack=self.ack)
        ident = exchange.request_id
        named = ident is not None and self._ids_count()
        early = kind != "handshake" and not self._acked and not self._lossy and self._offered is not None
        refused = "" if kind == "handshake" else self._refused
        reuses = ident is not None and named and self._in_flight(ident)
        if early or refused or reuses or self._shutdown is not None:
            past = Past(early, refused, reuses, self._shutdown is not None)
            exchange = msgspec.structs.replace(exchange, past=past)
        if isinstance(decoded.envelope, Handshake) and self._offered is None:
            self._offered, self._greeted_at = decoded.envelope.protocol_version, seen.line.n
        self._pending[number] = exchange
        if ident is not None and named and self._named.setdefault(ident, number) != number:
            self._namesakes.setdefault(ident, deque()).append(number)
        if ident is None or not self._strict():
            self._lockstep[kind].append(number)
        return (exchange,)

    # Provider lines

    def _reply(self, seen: Seen) -> tuple[Exchange, ...]:
        decoded = seen.decoded
        if decoded.type is not None and decoded.type not in _TYPES:
            return self._unknown(seen)
        # One that cannot be read is an ack all the same: what the host makes of it is no question before the ack.
        self._acked = self._acked or decoded.type == "handshake_ack"
        if self.ack is None and isinstance(decoded.envelope, HandshakeAck):
            self.ack = decoded.envelope
            self._correlates = self.ack.capabilities.correlation
            self._refused = "" if self._offered is None else mandatory_refusal(self._offered, self.ack) or ""
        fits = ANSWERS.get(decoded.type or "", ())
        claimed = self._addressee(decoded, fits)
        if decoded.type == "error" and self._serves_nobody(decoded, claimed):
            return ()
        if claimed is not None and decoded.envelope is not None:
            self._unserved.settle(claimed, decoded.type)
            return (self._step(claimed, "reply", seen),)
        only = claimed or self._only(decoded)
        if only is not None:
            return self._misfit(only, seen, fits)
        if decoded.envelope is None or not fits:
            return ()
        return () if not self._pending and self._unserved.answers() else (self._unclaimed(seen, fits),)

    def _unknown(self, seen: Seen) -> tuple[Exchange, ...]:
        """A type of a later minor is a notification, unless it carries the id of a request in flight."""
        named = self._find(seen.decoded.id) if self._strict() else None
        if named is None or named.state != "pending":
            return ()
        return (self._step(named, "misfit", seen, "unexpected_envelope"),)

    def _addressee(self, decoded: Decoded, fits: tuple[ExchangeKind, ...]) -> Exchange | None:
        """Rules 1 to 3: the exchange that this line answers."""
        if self._greets():
            return self._head("handshake") if "handshake" in fits else None
        if decoded.id is not None and self._ids_count() and fits != ("handshake",):
            named = self._find(decoded.id)
            if named is not None:
                return named if named.kind in fits else None
            if self._strict():
                return None
        heads = (self._head(kind) for kind in fits)
        return min((head for head in heads if head is not None), key=lambda head: head.number or 0, default=None)

    def _only(self, decoded: Decoded) -> Exchange | None:
        """Rule 4: the one exchange that this line can only belong to."""
        if self._greets():
            return self._head("handshake")
        if decoded.type == "handshake_ack" and "handshake" in self._answered:
            return None
        if decoded.id is not None and self._strict() and (decoded.id in self._closed or self._find(decoded.id)):
            return self._find(decoded.id)
        return next(iter(self._pending.values())) if len(self._pending) == 1 and not self._owed else None

    def _misfit(self, exchange: Exchange, seen: Seen, fits: tuple[ExchangeKind, ...]) -> tuple[Exchange, ...]:
        decoded = seen.decoded
        if exchange.state == "failed":
            # It was given up, and this is its reply, unusable: nothing is owed any more.
            self._discard(exchange)
            return ()
        if decoded.envelope is None:
            why = fault_code(decoded)
        else:
            why = "correlation_mismatch" if exchange.kind in fits else "unexpected_envelope"
        changed = self._step(exchange, "misfit", seen, why)
        self._spoiled = changed.number
        return (changed,)

    def _serves_nobody(self, decoded: Decoded, claimed: Exchange | None) -> bool:
        """Whether this is the `error` for an older line that opened no exchange."""
        line = self._unserved.error(self._told_apart_by(decoded), claimed, decoded.envelope is not None)
        self._unserved_line = line or None
        return line is not None

    def _unclaimed(self, seen: Seen, fits: tuple[ExchangeKind, ...]) -> Exchange:
        ident, past = seen.decoded.id, past_of(after_shutdown=self._shutdown is not None)
        if ident is not None and self._ids_count() and fits != ("handshake",):
            known = self._closed.get(ident)
        else:
            # An error names no kind; after the ack it is hardly a second answer to the handshake.
            kinds = (kind for kind in fits if kind != "handshake" or len(fits) == 1)
            known = next((kind for kind in kinds if kind in self._answered), None)
        if known is not None and not self._lossy:
            return Exchange(None, self.connection, known, NEXT["answered", "reply"], reply=seen, ack=self.ack, past=past)
        why = "dropped" if self._lossy else "" if self._pending else "unasked"
        return Exchange(None, self.connection, fits[0], "orphan", reply=seen, ack=self.ack, why=why, past=past)

    # Notes

    def _note(self, note: AnyNote) -> tuple[Exchange, ...]:
        if isinstance(note, Refused):
            return self._refusal_noted(note)
        if isinstance(note, Dropped):
            return self.lose()
        if isinstance(note, Exit):
            self._ended(note)
        reach, why = ENDINGS.get(type(note), ("none", ""))
        if isinstance(note, Poisoned | SendFailed):
            why = note.reason or why
        if reach == "all":
            return self.end(why)
        number = note.exchange if isinstance(note, GaveUp | Cut | SendFailed) else None
        exchange = None if number is None else self._pending.get(number)
        if exchange is None:
            return ()
        if isinstance(note, GaveUp):
            exchange = msgspec.structs.replace(exchange, waited=note.after_s)
        return (self._step(exchange, "ending", why=why),)

    def _ended(self, note: Exit) -> None:
        """The process is gone: after `shutdown` that should have been in order, at a line it could not use it should not."""
        if self._shutdown is not None:
            past = past_after(note, self._shutdown, hung=bool(self._owed))
            self.remarks = () if past is NOTHING else (Remark(self._shutdown, past),)
            return
        bad = self._unusable
        if bad is None:
            return
        asked = next((exchange for exchange in self._pending.values() if exchange.request is bad), None)
        if asked is not None and asked.number is not None:
            past = msgspec.structs.replace(asked.past, ended_here=True)
            self._pending[asked.number] = msgspec.structs.replace(asked, past=past)
        elif REQUESTS.get(bad.decoded.type or "") is None:
            self.remarks = (Remark(bad, Past(ended_here=True)),)

    def _refusal_noted(self, note: Refused) -> tuple[Exchange, ...]:
        """The host did not accept the ack: its handshake has failed, by the host's own word."""
        greeting = self._greeting
        if greeting is None or greeting.reply is None or greeting.reply.line.n != note.line:
            return ()
        self._refused = note.fault or self._refused
        state = NEXT.get((greeting.state, "refusal"))
        if state is None:
            return ()
        self._greeting = msgspec.structs.replace(greeting, state=state, why=note.fault)
        return (self._greeting,)

    # Who waits for what

    def _strict(self) -> bool:
        """Whether the provider promised to echo ids (H4)."""
        return self._correlates is True

    def _ids_count(self) -> bool:
        """Whether ids say anything. Without an ack, as in a fragment of a session, they are believed where they fit."""
        return self._correlates is not False

    def _told_apart_by(self, decoded: Decoded) -> str | None:
        """The id by which the `error` for a line that opens no exchange is known."""
        return decoded.id if self._ids_count() else None

    def _by_name(self, exchange: Exchange) -> bool:
        """Whether only a reply with its id answers this request."""
        return self._strict() and exchange.request_id is not None

    def _greets(self) -> bool:
        """Whether the oldest handshake is still unanswered."""
        head = self._head("handshake")
        return head is not None and head.state == "pending"

    def _in_flight(self, ident: str) -> bool:
        if self._named.get(ident) in self._pending:
            return True
        later = self._namesakes.get(ident)
        return later is not None and any(number in self._pending for number in later)

    def _claimant(self, number: int) -> Exchange | None:
        return self._pending.get(number) or self._failed.get(number)

    def _find(self, ident: str | None) -> Exchange | None:
        """The oldest request with this id that still claims a reply."""
        number = None if ident is None else self._named.get(ident)
        while ident is not None and number is not None:
            claimant = self._claimant(number)
            if claimant is not None:
                return claimant
            number = self._next_named(ident)
        return None

    def _next_named(self, ident: str) -> int | None:
        """The request after the oldest one of this id, which is the oldest now."""
        later = self._namesakes.get(ident)
        if later is None:
            del self._named[ident]
            return None
        number = self._named[ident] = later.popleft()
        if not later:
            del self._namesakes[ident]
        return number

    def _head(self, kind: ExchangeKind) -> Exchange | None:
        """The oldest request of this kind in lock-step that still claims a reply."""
        numbers = self._lockstep[kind]
        while numbers:
            number = numbers[0]
            claimant = self._claimant(number)
            owed = number in self._pending or number in self._owed or number == self._spoiled
            if claimant is not None and owed and not self._by_name(claimant):
                return claimant
            numbers.popleft()
        return None

    # The one place where an exchange moves

    def _step(self, exchange: Exchange, event: Event, seen: Seen | None = None, why: str = "") -> Exchange:
        state = NEXT[exchange.state, event]
        ack = exchange.ack
        if exchange.kind == "handshake" and seen is not None and isinstance(seen.decoded.envelope, HandshakeAck):
            ack = seen.decoded.envelope
        past = exchange.past if seen is None or state == "failed" else self._lived(exchange, seen)
        waited = exchange.waited if seen is None else None
        why = why or exchange.why
        number, kind, ident = exchange.number, exchange.kind, exchange.request_id
        changed = Exchange(number, self.connection, kind, state, exchange.request, seen, ack, why, past, waited)
        self._discard(exchange)
        if state == "failed" and number is not None:
            self._failed[number] = changed
            if why == TIMEOUT:  # a provider that answers in order still owes the reply
                self._owed.add(number)
        elif ident is not None and self._strict():
            self._closed[ident] = kind
        else:
            self._answered.add(kind)
        if kind == "handshake":
            self._greeting = changed
        self._find(ident)  # forgets the id where nobody claims a reply by it any more
        return changed

    def _lived(self, exchange: Exchange, seen: Seen) -> Past:
        """The past of an exchange whose reply has come; what the reply brings is remembered for those to come."""
        found = passed(exchange, seen, self._served, self._keys)
        if exchange.request is not None and exchange.request.line.n < self._greeted_at:
            found["early"] = True
        if not found:
            return exchange.past
        found = {name: value for name, value in found.items() if value}
        return msgspec.structs.replace(exchange.past, **found) if found else exchange.past

    def _discard(self, exchange: Exchange) -> None:
        number = exchange.number or 0
        self._pending.pop(number, None)
        self._failed.pop(number, None)
        self._owed.discard(number)
        if self._spoiled == number:
            self._spoiled = None
