"""Receipts and uses in one list: who agreed, what left under it, what did not and why."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from cgp_tui.consent.receipt import ANY, Grantor
from cgp_tui.consent.types import Binding
from cgp_tui.consent.usage import Sum, total
from cgp_tui.present import timeline
from cgp_tui.present.symbols import Look
from cgp_tui.present.timeline import Past, reasons_of, refused_title, timeline_items
from cgp_tui.present.uses import sum_words, used_words
from cgp_tui.wire.note import NeedNote
from tests.present.consents import INDEX, MODEL, WIDE, binding, record, target, used

LEDGER = "ab" * 16


@pytest.fixture
def acme(tmp_path: Path) -> Binding:
    return binding(target(tmp_path))


def told(past: Past, provider_id: str = "acme", look: Look = WIDE) -> list[str]:
    return [item.row.text for item in timeline_items(past, provider_id, look)]


def test_what_happened_to_one_provider_newest_first(acme: Binding) -> None:
    ghost = msgspec.structs.replace(acme, provider_id="ghost")
    every = msgspec.structs.replace(record(3, "revoke", acme, ""), provider_id=ANY)
    torn = msgspec.structs.replace(record(4, "recover", acme, ""), provider_id=ANY, grantor=Grantor("host", "host"))
    receipts = (record(1, "grant", acme), record(2, "deny", ghost, MODEL), every, torn)
    refused = used(acme, allowed=False, at="2026-11-29T18:20:11Z", needs=(NeedNote("scope", INDEX, "identity_changed"),) * 2)
    rows = told(Past(receipts, (used(acme), refused, used(ghost)), LEDGER))
    assert rows == [
        "     11-29 18:20:11Z  refused   query  2 needs: identity_changed",
        "     11-27 09:14:02Z  sent      query  164 bytes  under #1",
        "#4   11-14 08:00:10Z  recovered   by host host",
        "#3   11-13 08:00:10Z  revoked   (everything)  all providers  by human tty:1000",
        f"#1   11-11 08:00:10Z  granted   {INDEX}  until 2031-01-01T00:00:00Z  by human tty:1000",
    ]
    everyone = told(Past(receipts, (used(ghost),), LEDGER), "")
    assert everyone[0] == "     11-27 09:14:02Z  sent      query  164 bytes  ghost  under #1"
    assert any(f"denied    {MODEL}  ghost" in row for row in everyone)
    narrow = told(Past(receipts, ()), look=Look(width=78))
    assert "by human" not in narrow[-1]


def test_in_one_second_the_receipt_stands_below_what_it_permits(acme: Binding) -> None:
    grant = record(1, "grant", acme)
    rows = told(Past((grant,), (used(acme, at=grant.granted_at),), LEDGER))
    assert ["sent" in rows[0], "granted" in rows[1]] == [True, True]


def test_what_a_recording_dates_a_little_early_stands_above_its_receipt(acme: Binding) -> None:
    grant = record(1, "grant", acme)
    rows = told(Past((grant,), (used(acme, at="2026-11-11T08:00:09Z"),), LEDGER))
    assert ["sent" in rows[0], "granted" in rows[1]] == [True, True]


def test_what_permitted_it(acme: Binding) -> None:
    receipts = (record(1, "grant", acme),)
    several = used(acme, needs=(NeedNote("scope", INDEX, "", f"{1:032x}"), NeedNote("scope", MODEL, "", "ff" * 16)))
    cut = used(acme, whole=False, bytes=64)
    local = used(acme, needs=(), ledger=None)
    (a, b, c, d) = told(Past(receipts, (local, cut, several), LEDGER))
    assert a.endswith("sent      query  164 bytes  under #1, ?")
    assert b.endswith("cut       query  64 bytes or fewer  under #1")
    assert c.endswith("164 bytes  no consent needed")
    assert "granted" in d
    assert told(Past((), (used(acme),), "ff" * 16))[0].endswith("under another ledger")


def test_a_long_past_is_cut_and_counted(acme: Binding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "SHOWN", 3)
    rows = told(Past((), (used(acme),) * 5, LEDGER))
    assert len(rows) == 4
    assert rows[-1].startswith("2 older entries: cgp-tui consent history")


def test_items_carry_what_they_stand_for(acme: Binding) -> None:
    grant, asked = record(1, "grant", acme), used(acme)
    items = list(timeline_items(Past((grant,), (asked,), LEDGER), "acme", WIDE))
    assert [(item.used, item.receipt) for item in items] == [(asked, None), (None, grant)]


def test_uses_are_summed_up_in_numbers_and_in_words(acme: Binding) -> None:
    uses = [used(acme), used(acme, at="2026-11-28T00:00:00Z", bytes=2402), used(acme, allowed=False)]
    assert total(uses) == Sum(2, 2566, 1, "2026-11-28T00:00:00Z")
    assert total(uses, "2026-11-28T00:00:00Z").sends == 1
    assert sum_words(total(uses), 7, 0) == "last 7 days: 2 sends, 2,566 bytes; 1 refused"
    assert sum_words(Sum(), 7, 2) == "last 7 days: 0 sends, 0 bytes; 0 refused; 2 recordings not read"
    assert used_words(total(uses)) == "11-28, 2 sends"
    assert used_words(Sum()) == "never"


def test_a_refusal_is_told_as_the_recording_has_it(acme: Binding) -> None:
    needs = (NeedNote("scope", INDEX, "expired", "ab"), NeedNote("boolean", "", "no_receipt"))
    one = used(acme, allowed=False, needs=needs)
    first, second = reasons_of(one)
    assert (first.need.scope, first.reason, first.receipt_id) == (INDEX, "expired", "ab")
    assert (second.need.basis, second.reason) == ("boolean", "no_receipt")
    assert refused_title(one) == "Why: query to acme refused, 11-27 09:14:02Z, 164 bytes, none left"
