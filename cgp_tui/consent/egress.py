"""What left this machine, to whom, who agreed, and when: the recordings compared with the ledger.

Before each payload a recording notes what the gate answered, with the receipts and the ledger head of that moment. So each
payload is compared with the record that permitted it, and each noted head with the chain: even an older ledger restored
together with its head falls short of what a recording remembers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from cgp_tui.consent import archive, checkpoint
from cgp_tui.consent.archive import Volume
from cgp_tui.consent.decision import Book, is_live
from cgp_tui.consent.ledger import Opened
from cgp_tui.consent.needs import needs
from cgp_tui.consent.receipt import Receipt
from cgp_tui.consent.sighting import known_target
from cgp_tui.consent.types import Need
from cgp_tui.protocol import timestamp
from cgp_tui.protocol.capability import DataFlow
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.store import canon
from cgp_tui.transcript.digests import digest_of
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.record import Damaged
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import Connect, Cut, Dropped, GateNote, LedgerMark, NeedNote, SendFailed
from cgp_tui.wire.peek import peek

Whose = Literal["this", "archived", "other", "none"]


class Use(msgspec.Struct, frozen=True):
    """One need of a payload and the receipt noted for it, None where this ledger has no such record."""

    basis: str
    scope: str
    receipt_id: str
    receipt: Receipt | None


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """One payload. `bytes` is what was let through, fewer where it was cut; `whole` is False where even less may have left.
    `ledger` says whether the receipts are this ledger's, those of one set aside before it, those of another that was not
    looked at, or none were needed."""

    transcript: str
    connection: int
    exchange: int | None
    at: str
    provider_id: str
    target: tuple[str, ...]
    asked: Literal["query", "verify"]
    bytes: int
    whole: bool = True
    ledger: Whose
    uses: tuple[Use, ...]


class Fault(msgspec.Struct, frozen=True):
    """What is wrong, and where: a recording, or empty for the ledger itself."""

    transcript: str
    what: str


class Audit(msgspec.Struct, frozen=True):
    """The result. The ledger holds where there is no fault."""

    transcripts: tuple[str, ...]
    sent: tuple[Sent, ...]
    refused: int
    faults: tuple[Fault, ...]


def audit(opened: Opened, transcripts: Iterable[Transcript], aside: Iterable[Volume] = ()) -> Audit:
    """Compare each recording with the ledger it was made under: this one, or one of `aside`, the ledgers before it."""
    auditor = _Auditor(opened, aside)
    for transcript in transcripts:
        auditor.read(transcript)
    auditor.count_single_uses()
    return Audit(tuple(auditor.read_from), tuple(auditor.sent), auditor.refused, tuple(auditor.faults))


class _Told:
    """What a recording has told so far about one connection; `permitted` is a yes of the gate whose payload is to come."""

    __slots__ = ("connect", "declared", "permitted")

    def __init__(self) -> None:
        self.connect: Connect | None = None
        self.declared: DataFlow | None = None
        self.permitted: GateNote | None = None


class _Auditor:
    def __init__(self, opened: Opened, aside: Iterable[Volume]) -> None:
        self._volumes = {volume.ledger_id: volume for volume in (*aside, archive.present(opened))}
        self._by_id = {one.receipt_id: one for volume in self._volumes.values() for one in volume.receipts}
        self._book: tuple[str, int, Book] = "", 0, Book((), 0)
        self.read_from: list[str] = []
        self.sent: list[Sent] = []
        self.refused = 0
        self.faults: list[Fault] = []
        self._path = ""
        self._digests = False
        if not opened.answers:
            self._fault(opened.words)
        for one in map(checkpoint.read, opened.receipts):
            if one is not None and not one.good:
                self._fault(f"The signature of checkpoint #{one.receipt.seq} does not hold.")

    def _fault(self, what: str) -> None:
        self.faults.append(Fault(self._path, what))

    def read(self, transcript: Transcript) -> None:
        self._path = str(transcript.path)
        self.read_from.append(self._path)
        header = transcript.header
        started = timestamp.parse(header.started_at) if header is not None else None
        if header is None or started is None:
            self._fault("This is not a recording by this program: it does not say what was permitted.")
            return
        self._digests = header.payload == "digests"
        if header.ledger is not None:
            self._known(header.ledger)
        began = timestamp.epoch(started)
        connections: defaultdict[int, _Told] = defaultdict(_Told)
        for record in transcript.records():
            match record:
                case Line():
                    self._line(record, connections[record.connection], began)
                case Connect():
                    connections[record.connection].connect = record
                case GateNote(allowed=True):
                    connections[record.connection].permitted = record
                case GateNote():
                    self.refused += 1
                case Cut() | SendFailed():
                    self._less(record)
                case Dropped():
                    self._fault(f"{record.lines} lines were not recorded.")
                case Damaged():
                    self._fault(f"A record cannot be read: {record.why}.")
        if transcript.trouble is not None:
            self._fault(transcript.trouble.message)

    def _line(self, line: Line, told: _Told, began: float) -> None:
        kind, size = self._what(line)
        if line.sender == "host" and kind in ("query", "verify"):
            gate, told.permitted = told.permitted, None
            self._payload(line, gate, told, began)
            if gate is not None and (gate.asked, gate.bytes) != (kind, size):
                self._fault(
                    f"Line {line.n} is a {kind} of {size} bytes; what the gate permitted before it is "
                    f"a {gate.asked} of {gate.bytes}."
                )
        elif line.sender == "provider" and kind == "handshake_ack" and told.declared is None:
            ack = decode(line.raw).envelope
            if isinstance(ack, HandshakeAck):
                told.declared = ack.provider.data_flow

    def _what(self, line: Line) -> tuple[str | None, int]:
        """The type of a line and its size, also where only its digest was kept."""
        kept = digest_of(line.raw) if self._digests else None
        return (peek(line.raw).type, len(line.raw)) if kept is None else (kept.of, kept.bytes)

    def _payload(self, line: Line, gate: GateNote | None, told: _Told, began: float) -> None:
        connect = told.connect
        if gate is None or connect is None:
            self._fault(f"Line {line.n} carries a payload without a decision of the gate before it.")
            return
        at = began + gate.t
        try:
            left_at = timestamp.utc_text(at)
        except (ValueError, OverflowError):
            left_at = canon.time_text(began)
            self._fault(f"Line {line.n} left at a time that no calendar has.")
        volume = None if gate.ledger is None else self._volumes.get(gate.ledger.id)
        sent = Sent(
            transcript=self._path,
            connection=line.connection,
            exchange=gate.exchange,
            at=left_at,
            provider_id=connect.provider_id,
            target=connect.target.shown,
            asked=gate.asked,
            bytes=gate.bytes,
            ledger=_whose(gate, volume),
            uses=tuple(self._use(need, volume) for need in gate.needs),
        )
        self.sent.append(sent)
        for how in self._amiss(sent, gate, volume, connect, declared=told.declared, at=at):
            self._fault(f"Line {line.n} left {how}.")

    def _amiss(
        self, sent: Sent, gate: GateNote, volume: Volume | None, connect: Connect, *, declared: DataFlow | None, at: float
    ) -> Iterator[str]:
        """How a payload left that should not have left so."""
        uses = sent.uses
        if gate.needs and gate.ledger is None:
            yield "under receipts of no ledger"
        agreed = {(use.basis, use.scope) for use in uses}
        for need in () if declared is None else _needed(connect, declared):
            if (need.basis, need.scope) not in agreed:
                yield f"without consent for what the provider declares: {need.scope or 'sending at all'}"
        if volume is not None and gate.needs and gate.ledger is not None and self._known(gate.ledger):
            for use in uses:
                why = self._against(use, volume, gate.ledger.seq, connect, at)
                if why:
                    yield f"under {use.receipt_id or 'no receipt'}: {why}"

    def _use(self, need: NeedNote, volume: Volume | None) -> Use:
        known = None if volume is None else self._by_id.get(need.receipt_id)
        return Use(need.basis, need.scope, need.receipt_id, known)

    def _known(self, mark: LedgerMark) -> bool:
        """Whether a head that a recording remembers belongs to this ledger; a head of another ledger is not judged."""
        volume = self._volumes.get(mark.id)
        if volume is None or volume.agrees(mark):
            return volume is not None
        gone = mark.seq > len(volume.receipts)
        said = "the ledger no longer has it" if gone else "another record is there"
        self._fault(f"It remembers record #{mark.seq} of the ledger: {said}.")
        return False

    def _against(self, use: Use, volume: Volume, seq: int, connect: Connect, at: float) -> str:
        """Why a receipt cannot have permitted this payload at that moment, when the ledger held `seq` records; empty where
        it can."""
        receipt = use.receipt
        if receipt is None or receipt.seq > seq or volume.receipts[receipt.seq - 1] != receipt:
            return "there was no such record"
        if receipt.kind != "grant" or (receipt.basis, receipt.scope) != (use.basis, use.scope):
            return "it is not a grant of this"
        if receipt.provider_id != connect.provider_id or receipt.target != connect.target.digest:
            return "it was given to another provider"
        if receipt.code_policy == "exact" and receipt.code != connect.target.code:
            return "it was given to other code"
        if not is_live(receipt, at):
            return f"it had ended at {receipt.expires_at}"
        # Payloads come in the order of the records they left under, so the last book is nearly always the next one too.
        if self._book[:2] != (volume.ledger_id, seq):
            self._book = volume.ledger_id, seq, Book(volume.receipts[:seq], seq)
        ended = self._book[2].standing(receipt)
        return f"it was {ended.reason} before" if ended is not None else ""

    def count_single_uses(self) -> None:
        """Report grants for one use that permitted more than one payload, or whose use was never written down."""
        spent = {one.acts_on for one in self._by_id.values() if one.kind == "spend"}
        used: dict[str, int] = {}
        self._path = ""
        for sent in self.sent:
            for use in sent.uses if sent.whole else ():
                if use.receipt is not None and use.receipt.uses == "once":
                    used[use.receipt_id] = used.get(use.receipt_id, 0) + 1
        for receipt_id, count in used.items():
            if count > 1:
                self._fault(f"{count} payloads left under {receipt_id}, which was for one.")
            if receipt_id not in spent:
                self._fault(f"A payload left under {receipt_id}, but its use is not on record.")

    def _less(self, note: Cut | SendFailed) -> None:
        """Note that a payload did not go out whole."""
        for at in range(len(self.sent) - 1, -1, -1):
            sent = self.sent[at]
            if (sent.transcript, sent.connection, sent.exchange) == (self._path, note.connection, note.exchange):
                size = note.bytes if isinstance(note, Cut) else sent.bytes
                self.sent[at] = msgspec.structs.replace(sent, bytes=size, whole=False)
                return
            if sent.transcript != self._path:
                return


def _whose(gate: GateNote, volume: Volume | None) -> Whose:
    """In which ledger the receipts stand that a payload left under."""
    if not gate.needs:
        return "none"
    return "other" if volume is None else "archived" if volume.aside else "this"


def _needed(connect: Connect, declared: DataFlow) -> tuple[Need, ...]:
    """What had to be consented to by the provider's own declaration."""
    shown = connect.target
    return needs(connect.provider_id, declared, known_target(shown.digest, shown.code, shown.shown, shown.kind))
