"""The consent view and the timeline: one row a need, one row a receipt, each with what it stands for."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from cgp_tui.consent.receipt import ANY, NEVER, Grantor
from cgp_tui.consent.types import Binding, Need
from cgp_tui.present.consent import Answered
from cgp_tui.present.decisions import decision, history_items, posture, provider_items, receipt_rows
from cgp_tui.present.layout import spans_width
from cgp_tui.present.symbols import ASCII, Look
from cgp_tui.text import hidden_codes
from tests.present.consents import INDEX, MODEL, NARROW, WIDE, binding, case, record, refused, target, text_of

NOW = "2026-11-29T12:00:00Z"


@pytest.fixture
def acme(tmp_path: Path) -> Binding:
    return binding(target(tmp_path))


def lines(*cases: object, receipts: tuple = (), look: Look = WIDE) -> list[str]:  # type: ignore[type-arg]
    return [item.row.text.rstrip() for item in provider_items(cases, receipts, NOW, look)]  # type: ignore[arg-type]


def test_a_provider_that_needs_nothing_says_so(acme: Binding) -> None:
    assert lines(case(acme)) == ["acme                says nothing leaves this machine: no receipt needed"]


def test_each_need_has_a_decision_and_an_end(acme: Binding) -> None:
    grant = record(1, "grant", acme)
    of = case(
        acme,
        Answered(Need("acme", "scope", INDEX), grant),
        refused(MODEL, "identity_changed"),
        refused("", "clock_behind"),
        receipts=(grant, record(2, "deny", acme, MODEL)),
    )
    head, index, model, boolean = lines(of)
    assert head.split()[:3] == ["acme", "!", "2"]
    assert index.split() == [INDEX, "granted", "2031-01-01T00:00:00Z", "#1"]
    assert model.split() == [MODEL, "not", "in", "force", "-", "#2"]
    assert boolean.split() == ["(sending", "at", "all)", "clock_behind", "-"]


def test_a_covered_provider_may_receive(acme: Binding) -> None:
    of = case(acme, Answered(Need("acme", "scope", INDEX), record(1, "grant", acme)))
    assert posture(of, WIDE).text == "✓ may receive queries"


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("no_receipt", "not decided"),
        ("denied", "denied"),
        ("revoked", "revoked"),
        ("expired", "expired"),
        ("spent", "used up"),
    ],
)
def test_decisions_in_a_word(code: str, word: str) -> None:
    assert decision(refused(INDEX, code)).text == word  # type: ignore[arg-type]


def test_items_carry_what_they_stand_for(acme: Binding) -> None:
    items = list(provider_items([case(acme, refused(INDEX))], (), NOW, WIDE))
    assert [(item.provider_id, item.need) for item in items] == [("acme", None), ("acme", Need("acme", "scope", INDEX))]


def test_providers_on_record_that_are_not_here(acme: Binding) -> None:
    ghost = msgspec.structs.replace(acme, provider_id="ghost")
    records = (
        record(1, "grant", acme),
        record(2, "grant", ghost, expires_at="2026-11-28T00:00:00Z"),
        record(3, "grant", ghost, MODEL, expires_at=NEVER),
        record(4, "spend", ghost, MODEL),
    )
    told = lines(case(acme), receipts=records)
    assert told[1].split()[:3] == ["ghost", "on", "record,"]
    assert told[2].split() == [INDEX, "expired", "2026-11-28T00:00:00Z", "#2"]
    assert told[3].split() == [MODEL, "granted", "no", "end", "#3"]
    after = lines(receipts=(*records, record(5, "revoke", ghost, "")))
    assert [row.split()[-3:] for row in after[-2:]] == [["revoked", "-", "#5"]] * 2
    assert lines(receipts=(record(1, "revoke", ghost, ""),)) == []


def test_a_record_that_ends_now_has_ended(acme: Binding) -> None:
    ghost = msgspec.structs.replace(acme, provider_id="ghost")
    assert "expired" in lines(receipts=(record(1, "grant", ghost, expires_at=NOW),))[1]


@pytest.mark.parametrize("width", [40, 60, 72, 120])
def test_rows_fit_their_width(acme: Binding, width: int) -> None:
    grant = record(1, "grant", acme)
    long = msgspec.structs.replace(acme, provider_id="a" * 64)
    of = case(long, Answered(Need("acme", "scope", INDEX * 9), grant), receipts=(grant,))
    for item in provider_items([of], (), NOW, Look(width=width)):
        if item.need is not None:
            assert spans_width(item.row.spans) <= width


def test_the_timeline_is_newest_first_and_complete(acme: Binding) -> None:
    every = msgspec.structs.replace(record(3, "revoke", acme, ""), provider_id=ANY)
    torn = msgspec.structs.replace(record(4, "recover", acme, ""), grantor=Grantor("host", "host"))
    records = (record(1, "grant", acme), record(2, "deny", acme, MODEL), every, torn)
    told = [item.row.text for item in history_items(records, WIDE)]
    assert [row.split()[0] for row in told] == ["#4", "#3", "#2", "#1"]
    assert "recovered" in told[0] and "by host host" in told[0]
    assert "revoked   (everything)  all providers  by human tty:1000" in told[1]
    assert f"denied    {MODEL}  acme" in told[2]
    assert f"11-11 08:00:10Z  granted   {INDEX}  acme  until 2031-01-01T00:00:00Z" in told[3]


def test_a_receipt_in_full(acme: Binding) -> None:
    told = text_of(
        receipt_rows(msgspec.structs.replace(record(7, "grant", acme), note="by a friend", acts_on="ab" * 16), WIDE)
    )
    for part in (
        "#7 granted",
        f"what        {INDEX}",
        '"acme-search" 2.4.1',
        "until       2031-01-01T00:00:00Z",
        "holds for   unlimited, version exact, code exact",
        "was shown   goal",
        "by          human tty:1000",
        "note        by a friend",
        f"acts on     {'ab' * 16}",
    ):
        assert part in told
    revoke = text_of(receipt_rows(record(8, "revoke", acme), WIDE))
    assert "until" not in revoke and "claimed" not in revoke


def test_hostile_records_stay_inert(acme: Binding) -> None:
    loud = "x\x1b[2J\r\u202e[/]"
    foreign = msgspec.structs.replace(
        record(1, "grant", acme),
        provider_name=loud,
        provider_version=loud,
        scope=loud,
        note=loud,
        target_shown=(loud,),
        payload=(loud,),
        grantor=Grantor("human", loud),
    )
    told = text_of(receipt_rows(foreign, NARROW))
    rows = [item.row.text for item in history_items([foreign], Look(symbols=ASCII, width=80))]
    rows += [item.row.text for item in provider_items([], [foreign], NOW, WIDE)]
    for text in (told.replace("\n", ""), *rows):
        assert hidden_codes(text) == 0
