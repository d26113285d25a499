"""The consent view and the timeline: one row a need, one row a receipt, each with what it stands for."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from cgp_tui.consent.listing import Listed
from cgp_tui.consent.receipt import NEVER, Grantor
from cgp_tui.consent.sighting import sighting
from cgp_tui.consent.types import Binding, Need
from cgp_tui.present.consent import Answered
from cgp_tui.present.decisions import change_words, decision, heading, posture, provider_items, receipt_rows
from cgp_tui.present.layout import spans_width
from cgp_tui.present.symbols import ASCII, Look
from cgp_tui.present.timeline import Past, timeline_items
from cgp_tui.text import hidden_codes
from cgp_tui.wire.note import NeedNote
from tests.present.consents import INDEX, MODEL, NARROW, WIDE, binding, case, record, refused, target, text_of, used


@pytest.fixture
def acme(tmp_path: Path) -> Binding:
    return binding(target(tmp_path))


def lines(*cases: object, listed: tuple[Listed, ...] = (), look: Look = WIDE) -> list[str]:
    return [item.row.text.rstrip() for item in provider_items(cases, listed, (), look)]  # type: ignore[arg-type]


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
    head, index, model, _, boolean = lines(of)
    assert head.split()[:3] == ["acme", "!", "2"]
    assert index.split() == [INDEX, "granted", "2031-01-01T00:00:00Z", "#1", "never"]
    assert model.split() == [MODEL, "not", "in", "force", "-", "#2", "never"]
    assert boolean.split() == ["(sending", "at", "all)", "clock_behind", "-", "never"]


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
    items = list(provider_items([case(acme, refused(INDEX))], (), (), WIDE))
    assert [(item.provider_id, item.need) for item in items] == [("acme", None), ("acme", Need("acme", "scope", INDEX))]


def test_providers_on_record_that_are_not_here(acme: Binding) -> None:
    ghost = msgspec.structs.replace(acme, provider_id="ghost")
    seen = sighting(msgspec.structs.replace(ghost, provider_version="2.5.0"), 1_795_000_000)
    grant, endless = record(2, "grant", ghost), record(3, "grant", ghost, MODEL, expires_at=NEVER)
    listed = (
        Listed(record(1, "grant", acme), "in_force"),
        Listed(grant, "not_in_force", None, "identity_changed", "provider_version", "2.4.1", "2.5.0", seen),
        Listed(endless, "in_force", seen=seen),
        Listed(record(4, "grant", ghost, "a:b"), "revoked", record(6, "revoke", ghost, "a:b"), "revoked"),
        Listed(record(5, "deny", ghost, ""), "denied"),
    )
    told = lines(case(acme), listed=listed)
    assert told[1].split() == ["ghost", "not", "connected", "here,", "last", "seen", seen.at]
    assert told[2].split() == [INDEX, "not", "in", "force", "2031-01-01T00:00:00Z", "#2", "never"]
    assert told[3] == "    #2 is for another version: 2.4.1, this is 2.5.0"
    assert told[4].split() == [MODEL, "in", "force", "no", "end", "#3", "never"]
    assert told[5].split()[:4] == ["a:b", "revoked", "2031-01-01T00:00:00Z", "#6"]
    assert told[6].split()[:4] == ["(everything)", "denied", "-", "#5"]
    items = list(provider_items((), listed[1:], (), WIDE))
    assert [item.need is None for item in items] == [True, False, False, False, False, True]
    assert items[1].reason is not None and items[1].reason.new == "2.5.0"


def test_the_last_use_stands_where_there_is_room(acme: Binding) -> None:
    of = case(acme, refused(INDEX))
    uses = [used(acme, INDEX), used(acme, INDEX, at="2026-11-28T09:14:02Z"), used(acme, MODEL)]
    wide = [item.row.text for item in provider_items([of], (), uses, WIDE)]
    assert wide[1].rstrip().endswith("11-28, 2 sends")
    narrow = [item.row.text for item in provider_items([of], (), uses, Look(width=80))]
    assert "sends" not in narrow[1]


def test_on_a_wide_screen_a_decision_stays_in_sight_of_its_need(acme: Binding) -> None:
    of = case(acme, refused(INDEX))
    (found,) = [line for line in lines(of, look=Look(width=198)) if INDEX in line]
    assert found.index("not decided") == 2 + 64 + 1


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_heading_stands_over_its_columns(acme: Binding, width: int) -> None:
    look = Look(width=width)
    of = case(acme, Answered(Need("acme", "scope", INDEX), record(1, "grant", acme)))
    need = list(provider_items([of], (), [used(acme, INDEX)], look))[1].row.text
    drawn = heading(look)
    words = "".join(part.text for part in drawn)
    assert words.index("decision") == need.index("granted")
    assert words.index("until") == need.index("2031")
    assert ("last used" in words) == (width == 120)
    assert all((part.tip is None) == (not part.text.strip()) for part in drawn)


def test_what_changed_is_told_beside_what_it_costs(acme: Binding) -> None:
    newer = msgspec.structs.replace(acme, provider_version="2.5.0")
    of = case(newer, refused(INDEX, "identity_changed"), refused(MODEL), receipts=(record(1, "grant", acme),))
    items = list(provider_items([of], (), (), WIDE))
    assert items[1].row.text == "    changed: version 2.4.1 → 2.5.0, 1 scope more"
    assert items[1].provider_id == "acme" and items[1].need is None
    assert change_words(case(acme, refused(INDEX)), WIDE) == ""


def test_why_a_grant_is_not_in_force_has_a_row_of_its_own(acme: Binding) -> None:
    reason = {"field": "provider_version", "old": "2.4.1", "new": "2.5.0", "receipt_id": f"{1:032x}"}
    of = case(acme, refused(INDEX, "identity_changed", **reason), receipts=(record(1, "grant", acme),))
    items = list(provider_items([of], (), (), WIDE))
    assert items[2].row.text == "    #1 is for another version: 2.4.1, this is 2.5.0"
    assert items[2].need == items[1].need and items[2].reason == items[1].reason


@pytest.mark.parametrize("width", [40, 60, 72, 120])
def test_rows_fit_their_width(acme: Binding, width: int) -> None:
    grant = record(1, "grant", acme)
    long = msgspec.structs.replace(acme, provider_id="a" * 64)
    of = case(long, Answered(Need("acme", "scope", INDEX * 9), grant), receipts=(grant,))
    for item in provider_items([of], (), (), Look(width=width)):
        if item.need is not None:
            assert spans_width(item.row.spans) <= width


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
    listed = Listed(foreign, "not_in_force", None, "identity_changed", "provider_name", loud, loud)
    asked = used(acme, loud, provider_id=loud, allowed=False, needs=(NeedNote("scope", loud, loud, loud),))
    rows = [item.row.text for item in timeline_items(Past((foreign,), (asked,)), "", Look(symbols=ASCII, width=120))]
    rows += [item.row.text for item in provider_items([], [listed], [asked], WIDE)]
    for text in (told.replace("\n", ""), *rows):
        assert hidden_codes(text) == 0
