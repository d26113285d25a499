"""Recordings held against a ledger: what went out only in part, what was lost, and whose ledger it was."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from cgp_tui.consent import checkpoint
from cgp_tui.consent.archive import set_aside
from cgp_tui.consent.drafts import policy
from cgp_tui.consent.egress import Audit, audit
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.record import Header, encode_header, encode_line, encode_note
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import (
    Connect,
    Cut,
    Dropped,
    GateNote,
    KnownNote,
    LedgerMark,
    NeedNote,
    SendFailed,
    ShownTarget,
    Stderr,
)
from tests.consent.people import SCOPE, START, Books, draft

QUERY = b'{"type":"query","query":{"goal":"x","max_frames":1,"max_tokens":1}}'
VERIFY = b'{"type":"verify","request":{"frames":[]}}'
CONNECT = Connect(t=0, connection=1, provider_id="docs", target=ShownTarget("stdio", ("p", "x.py"), "aa" * 32, "bb" * 32))


def gate(books: Books, **changes: object) -> GateNote:
    opened = books.open().open()
    grant = next(one for one in reversed(opened.receipts) if one.kind != "spend")
    values: dict[str, object] = {"allowed": True, "bytes": len(QUERY), "exchange": 2, "ledger": opened.head}
    values["needs"] = (NeedNote("scope", SCOPE, "", grant.receipt_id),)
    return GateNote(t=1, connection=1, **(values | changes))  # type: ignore[arg-type]


def sent(raw: bytes = QUERY, n: int = 3) -> Line:
    return Line(n, 1, "host", 1.0, raw)


def ack(flow: str, n: int = 2) -> Line:
    said = '{"type":"handshake_ack","protocol_version":"contextgraph/1.0","capabilities":{"query":{"kinds":[]}}'
    raw = f'{said},"provider":{{"name":"example","version":"1.0.0","data_flow":{{{flow}}}}}}}'
    return Line(n, 1, "provider", 0.5, raw.encode())


def written(folder: Path, records: Sequence[Line | KnownNote | bytes], ledger: LedgerMark | None = None) -> Transcript:
    """A recording of these records, read to its end; bytes are a record as it stands."""
    path = folder / "recording.ndjson"
    head = encode_header(Header(utc_text(START + 10), "test", ledger=ledger))
    rows = [
        one if isinstance(one, bytes) else encode_line(one) if isinstance(one, Line) else encode_note(one) for one in records
    ]
    path.write_bytes(b"".join(row.rstrip(b"\n") + b"\n" for row in (head, *rows)))
    transcript = Transcript.open(path)
    while not transcript.indexed:
        transcript.refresh()
    return transcript


def audited(
    books: Books, folder: Path, records: Sequence[Line | KnownNote | bytes], ledger: LedgerMark | None = None
) -> Audit:
    transcript = written(folder, records, ledger)
    try:
        return audit(books.open().open(), [transcript], set_aside(books.open()))
    finally:
        transcript.close()


def test_what_was_let_through_is_told_with_its_receipt(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    found = audited(books, tmp_path, [CONNECT, gate(books), sent()])
    (one,) = found.sent
    assert (found.faults, one.at, one.bytes, one.whole) == ((), utc_text(START + 11), len(QUERY), True)
    assert one.uses[0].receipt == books.open().open().receipts[0]


def test_a_message_that_was_cut_or_failed_is_told_as_such(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    found = audited(books, tmp_path, [CONNECT, gate(books), sent(), Cut(t=2, connection=1, exchange=2, bytes=7)])
    assert [(one.bytes, one.whole) for one in found.sent] == [(7, False)]
    failed = SendFailed(t=2, connection=1, exchange=2, reason="stalled")
    found = audited(books, tmp_path, [CONNECT, gate(books), sent(), failed])
    assert [(one.bytes, one.whole) for one in found.sent] == [(len(QUERY), False)]
    found = audited(books, tmp_path, [CONNECT, SendFailed(t=0, connection=1, reason="spawn_failed")])
    assert (found.sent, found.faults) == ((), ())


def test_one_answer_of_the_gate_is_for_one_payload(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    found = audited(books, tmp_path, [CONNECT, gate(books), sent(), sent(VERIFY, 4)])
    assert len(found.sent) == 1
    assert [fault.what for fault in found.faults] == ["Line 4 carries a payload without a decision of the gate before it."]
    refused = gate(books, allowed=False, exchange=None)
    found = audited(books, tmp_path, [CONNECT, refused, sent()])
    assert (found.refused, len(found.faults)) == (1, 1)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"bytes": 5}, f"Line 3 is a query of {len(QUERY)} bytes; what the gate permitted before it is a query of 5."),
        ({"asked": "verify"}, "what the gate permitted before it is a verify"),
        ({"ledger": None}, "Line 3 left under receipts of no ledger."),
    ],
)
def test_what_was_permitted_is_what_left(changes: dict[str, object], what: str, books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    (fault,) = audited(books, tmp_path, [CONNECT, gate(books, **changes), sent()]).faults
    assert what in fault.what


def test_lines_that_were_lost_are_a_fault(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    assert [one.what for one in audited(books, tmp_path, [Dropped(t=1, connection=1, lines=4)]).faults] == [
        "4 lines were not recorded."
    ]


def test_the_head_at_the_start_of_a_recording_is_looked_at_too(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    mark = books.open().open().head
    assert mark is not None
    assert audited(books, tmp_path, [], mark).faults == ()
    assert audited(books, tmp_path, [], LedgerMark("ff" * 16, 9, "00" * 32)).faults == (), "another ledger's"
    assert len(audited(books, tmp_path, [], LedgerMark(mark.id, 0, "00" * 32)).faults) == 1
    assert len(audited(books, tmp_path, [], LedgerMark(mark.id, 2, mark.hash)).faults) == 1


def test_a_grant_to_other_code_permits_nothing(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft(code="cc" * 32)])
    (fault,) = audited(books, tmp_path, [CONNECT, gate(books), sent()]).faults
    assert "it was given to other code" in fault.what
    assert os.sep in fault.transcript


def test_a_record_that_is_no_grant_permits_nothing(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft("deny")])
    (fault,) = audited(books, tmp_path, [CONNECT, gate(books), sent()]).faults
    assert "it is not a grant of this" in fault.what


@pytest.mark.parametrize(
    ("flow", "missing"),
    [
        ('"egress":true,"egress_scopes":["third-party-index"]', ""),
        ('"egress":true,"egress_scopes":["third-party-index","acme:store"]', "acme:store"),
        ('"egress":true', "sending at all"),
        ('"egress":false', ""),
    ],
)
def test_what_the_provider_declares_and_no_answer_of_the_gate_names(
    flow: str, missing: str, books: Books, tmp_path: Path
) -> None:
    books.ledger.grant([draft()])
    found = audited(books, tmp_path, [CONNECT, ack(flow), gate(books), sent(), ack("", 4)])
    said = [fault.what for fault in found.faults]
    assert said == ([f"Line 3 left without consent for what the provider declares: {missing}."] if missing else [])
    bare = audited(books, tmp_path, [CONNECT, ack(flow), gate(books, needs=(), ledger=None), sent()])
    assert bool(bare.faults) == ("true" in flow), "a note that names no need at all"


def test_a_grant_for_one_use_is_for_one_payload_and_its_use_is_on_record(books: Books, tmp_path: Path) -> None:
    (grant,) = books.ledger.grant([draft(uses="once")])
    note = gate(books)
    used: list[Line | KnownNote] = [CONNECT, note, sent()]
    assert ["not on record" in one.what for one in audited(books, tmp_path, used).faults] == [True]
    books.ledger.spend([draft("spend", acts_on=grant.receipt_id)])
    assert audited(books, tmp_path, used).faults == ()
    again: list[Line | KnownNote] = [*used, msgspec.structs.replace(note, exchange=3), sent(n=4)]
    assert ["2 payloads" in one.what for one in audited(books, tmp_path, again).faults] == [True]
    assert audited(books, tmp_path, [*again, Cut(t=2, connection=1, exchange=3, bytes=0)]).faults == (), "it never left"


def test_what_left_under_a_ledger_that_was_set_aside_is_held_against_that_one(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft(scope="a:b"), draft()])
    opened = books.open().open()
    note = gate(books)
    for _ in range(2):
        books.head.unlink()
        books.ledger.recover()
        books.ledger.grant([draft(scope="c:d")])
    found = audited(books, tmp_path, [CONNECT, note, sent()], opened.head)
    assert ([one.ledger for one in found.sent], found.faults) == (["archived"], ())
    assert found.sent[0].uses[0].receipt == opened.receipts[1]
    early = msgspec.structs.replace(note, ledger=LedgerMark(opened.ledger_id, 1, opened.receipts[1].prev))
    assert ["no such record" in one.what for one in audited(books, tmp_path, [CONNECT, early, sent()]).faults] == [True]
    forged = msgspec.structs.replace(note, ledger=LedgerMark(opened.ledger_id, 2, "00" * 32))
    assert ["another record" in one.what for one in audited(books, tmp_path, [CONNECT, forged, sent()]).faults] == [True]
    later = books.open().open()
    mixed = msgspec.structs.replace(note, ledger=later.head)
    assert ["no such record" in one.what for one in audited(books, tmp_path, [CONNECT, mixed, sent()]).faults] == [True]


def test_a_ledger_that_does_not_answer_is_a_fault_of_its_own(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    note = gate(books)
    books.head.unlink()
    (fault, *_) = audited(books, tmp_path, [CONNECT, note, sent()]).faults
    assert (fault.transcript, fault.what.startswith("The ledger has no head (head_missing).")) == ("", True)


def test_a_checkpoint_whose_signature_does_not_hold_is_a_fault(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    books.ledger.checkpoint(checkpoint.signer(bytes(32)), policy())
    books.ledger.checkpoint(lambda _: "ed25519 of nobody", policy())
    books.ledger.checkpoint(lambda _: "trust add ab", policy())
    assert [fault.what for fault in audited(books, tmp_path, []).faults] == ["The signature of checkpoint #3 does not hold."]


def test_a_file_that_does_not_say_what_was_permitted_is_no_recording(books: Books, tmp_path: Path) -> None:
    path = tmp_path / "bare.ndjson"
    path.write_bytes(QUERY + b"\n")
    transcript = Transcript.open(path)
    while not transcript.indexed:
        transcript.refresh()
    found = audit(books.open().open(), [transcript])
    transcript.close()
    assert (found.transcripts, found.sent) == ((str(path),), ())
    assert [fault.what for fault in found.faults] == [
        "This is not a recording by this program: it does not say what was permitted."
    ]


def test_what_cannot_be_read_of_a_recording_is_a_fault_and_hides_nothing_after_it(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    found = audited(books, tmp_path, [CONNECT, gate(books), b'{"n":2}', sent()])
    assert len(found.sent) == 1
    assert [fault.what.startswith("A record cannot be read: ") for fault in found.faults] == [True]
    harmless: list[Line | KnownNote | bytes] = [CONNECT, Stderr(t=0, connection=1, text="x"), sent(b"{{{", 1)]
    assert audited(books, tmp_path, harmless).faults == ()


def test_an_ack_that_cannot_be_read_declares_nothing_and_the_next_one_does(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    broken = Line(2, 1, "provider", 0.5, b'{"type":"handshake_ack","provider":5}')
    flow = '"egress":true,"egress_scopes":["org-tenant"]'
    assert audited(books, tmp_path, [CONNECT, broken, gate(books), sent(n=3)]).faults == ()
    told = audited(books, tmp_path, [CONNECT, broken, ack(flow, 3), gate(books), sent(n=4)]).faults
    assert [fault.what for fault in told] == ["Line 4 left without consent for what the provider declares: org-tenant."]


def test_a_file_that_is_cut_short_is_a_fault(books: Books, tmp_path: Path) -> None:
    path = tmp_path / "cut.ndjson.gz"
    body = gzip.compress(encode_header(Header(utc_text(START), "test")) + encode_note(CONNECT) * 50)
    path.write_bytes(body[:-12])
    transcript = Transcript.open(path)
    while not transcript.indexed:
        transcript.refresh()
    found = audit(books.open().open(), [transcript])
    transcript.close()
    assert transcript.trouble is not None
    assert [fault.what for fault in found.faults] == [transcript.trouble.message]


@pytest.mark.parametrize(
    ("provider_id", "digest"), [("other", "aa" * 32), ("docs", "cc" * 32)], ids=["another id", "another command"]
)
def test_a_grant_to_another_provider_permits_nothing(provider_id: str, digest: str, books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    other = Connect(t=0, connection=1, provider_id=provider_id, target=ShownTarget("stdio", ("p",), digest, "bb" * 32))
    (fault,) = audited(books, tmp_path, [other, gate(books), sent()]).faults
    assert fault.what.endswith(": it was given to another provider.")


def test_what_left_at_the_very_end_of_a_grant_left_too_late(books: Books, tmp_path: Path) -> None:
    for end, faults in ((12, []), (11, [True])):
        books.ledger.grant([draft(expires_at=utc_text(START + end))])
        found = audited(books, tmp_path, [CONNECT, gate(books), sent()])
        assert ["it had ended at" in one.what for one in found.faults] == faults


def test_a_cut_is_of_the_payload_of_its_exchange(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    both: list[Line | KnownNote] = [CONNECT, gate(books), sent(), gate(books, exchange=3), sent(n=4)]
    found = audited(books, tmp_path, [*both, Cut(t=2, connection=1, exchange=2, bytes=7)])
    assert [one.bytes for one in found.sent] == [7, len(QUERY)]
    found = audited(books, tmp_path, [*both, Cut(t=2, connection=1, exchange=9, bytes=7)])
    assert [one.whole for one in found.sent] == [True, True]


def test_a_cut_in_one_recording_is_of_no_payload_of_another(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    whole: list[Line | KnownNote] = [CONNECT, gate(books), sent()]
    cut: list[Line | KnownNote] = [CONNECT, Cut(t=2, connection=1, exchange=2, bytes=7)]
    opened = []
    for name, records in (("a", whole), ("b", cut)):
        (tmp_path / name).mkdir()
        opened.append(written(tmp_path / name, records))
    found = audit(books.open().open(), opened)
    for transcript in opened:
        transcript.close()
    assert [(one.bytes, one.whole) for one in found.sent] == [(len(QUERY), True)]


@pytest.mark.parametrize("t", [-1e300, 1e15, 1e300])
def test_what_left_at_a_time_that_no_calendar_has_is_told_and_a_fault(t: float, books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    found = audited(books, tmp_path, [CONNECT, msgspec.structs.replace(gate(books), t=t), sent()])
    assert [(one.at, one.bytes) for one in found.sent] == [(utc_text(START + 10), len(QUERY))]
    assert found.faults[0].what == "Line 3 left at a time that no calendar has."


def test_a_recording_that_begins_after_all_years_is_audited_all_the_same(books: Books, tmp_path: Path) -> None:
    """A leap second is a valid time, and after the last minute of 9999 there is none."""
    books.ledger.grant([draft()])
    path = tmp_path / "recording.ndjson"
    written(tmp_path, [CONNECT, gate(books), sent()]).close()
    path.write_bytes(path.read_bytes().replace(utc_text(START + 10).encode(), b"9999-12-31T23:59:60Z", 1))
    transcript = Transcript.open(path)
    while not transcript.indexed:
        transcript.refresh()
    found = audit(books.open().open(), [transcript])
    transcript.close()
    assert [(one.at, one.bytes) for one in found.sent] == [("9999-12-31T23:59:59Z", len(QUERY))]
    assert found.faults[0].what == "Line 3 left at a time that no calendar has."
