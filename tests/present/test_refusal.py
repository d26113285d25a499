"""Why nothing was sent, in words: each reason of the gate, each state of the ledger, and what leads out."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from cgp_tui.consent.types import Binding, Need, Reason, ReasonCode
from cgp_tui.present.refusal import (
    UNDECIDABLE,
    Whose,
    ledger_rows,
    ledger_span,
    ledger_titles,
    need_name,
    next_step,
    reason_words,
    refusal_rows,
    why_rows,
)
from cgp_tui.present.symbols import UNICODE
from cgp_tui.text import own
from cgp_tui.wire.note import LedgerMark
from tests.present.consents import INDEX, MODEL, WIDE, binding, record, target, text_of

NEED = Need("acme", "scope", INDEX)
ALL: tuple[ReasonCode, ...] = get_args(ReasonCode)


@pytest.fixture
def acme(tmp_path: Path) -> Binding:
    return binding(target(tmp_path))


def words(acme: Binding, reason: Reason) -> str:
    records = [record(1, "deny", acme), record(2, "revoke", acme), record(3, "grant", acme)]
    return reason_words(reason, Whose(acme, {one.receipt_id: one for one in records}))


@pytest.mark.parametrize(
    ("code", "seq", "said"),
    [
        ("denied", 1, "you said no on 2026-11-11T08:00:10Z (#1)"),
        ("revoked", 2, "you withdrew it on 2026-11-12T08:00:10Z (#2)"),
        ("expired", 3, "the grant ended on 2031-01-01T00:00:00Z (#3)"),
        ("denied", 9, "you said no"),
        ("no_receipt", 0, "no receipt covers this scope (C6)"),
        ("clock_behind", 0, "the ledger gives no answer: the clock is before the newest record; set the clock"),
    ],
)
def test_a_reason_names_the_record_that_decided(acme: Binding, code: ReasonCode, seq: int, said: str) -> None:
    assert words(acme, Reason(NEED, code, receipt_id=f"{seq:032x}")) == said


def test_what_a_recording_knows_of_a_refusal_is_less(acme: Binding) -> None:
    assert words(acme, Reason(NEED, "identity_changed", f"{3:032x}")) == "#3 was given to a different one"
    later = Reason(NEED, "of_a_later_version\x1b")  # type: ignore[arg-type]
    assert words(acme, later) == "of_a_later_version␛"


def test_why_ends_with_the_prompt_and_the_command_for_the_same(acme: Binding) -> None:
    whose = Whose(acme, {})
    told = text_of(why_rows((Reason(NEED, "no_receipt"),), whose, own("cgp-tui consent grant"), WIDE))
    assert "next  c decides here." in told
    assert told.splitlines()[-1] == "or    cgp-tui consent grant  (y copies it)"
    shut = text_of(why_rows((Reason(NEED, "tampered"),), whose, own("cgp-tui consent recover"), WIDE))
    assert shut.splitlines()[-1] == "next  cgp-tui consent recover"
    here = text_of(why_rows((Reason(NEED, "no_receipt"),), whose, own(""), WIDE, own("Start it again.")))
    assert here.splitlines()[-1] == "next  Start it again."


def test_a_missing_receipt_names_the_rule_that_asks_for_it(acme: Binding) -> None:
    boolean = Reason(Need("acme", "boolean"), "no_receipt")
    assert words(acme, boolean).endswith("(C1)")
    remote = msgspec.structs.replace(acme.target, remote="ssh")
    assert words(msgspec.structs.replace(acme, target=remote), boolean).endswith("(C4)")


def test_a_changed_identity_stands_old_beside_new(acme: Binding) -> None:
    changed = Reason(NEED, "identity_changed", f"{3:032x}", "provider_version", "2.3.0", "2.4.1")
    assert words(acme, changed) == "#3 is for another version: 2.3.0, this is 2.4.1"
    swapped = Reason(NEED, "identity_changed", "", "code", "ab" * 32, "cd" * 32)
    assert words(acme, swapped) == "the receipt is for another code: abababababab, this is cdcdcdcdcdcd"
    started = Reason(NEED, "identity_changed", "", "target", "docs --fast", "docs --slow")
    assert words(acme, started) == "the receipt is for another program or arguments: docs --fast, this is docs --slow"
    long = "/opt/providers/" + "nested/" * 20 + "docs --index third-party --version="
    said = words(acme, Reason(NEED, "identity_changed", "", "target", f"{long}2.3.0", f"{long}2.4.1"))
    assert "--version=2.3.0, this is" in said
    assert said.endswith("--version=2.4.1")


@pytest.mark.parametrize(("code", "token"), [("no_receipt", "doubt"), ("revoked", "bad"), ("identity_changed", "bad")])
def test_what_was_never_decided_stands_apart_from_a_no(acme: Binding, code: ReasonCode, token: str) -> None:
    rows = list(refusal_rows((Reason(NEED, code),), Whose(acme), own(""), WIDE))
    (said,) = [part for one in rows for part in one.spans if part.text.endswith(f"{code}: ")]
    assert said.token == token


def test_declaring_less_undoes_nothing(acme: Binding) -> None:
    said = words(acme, Reason(NEED, "posture_narrowed", old="revoked"))
    assert said == "you withdrew it; that the provider now declares less undoes nothing"
    assert words(acme, Reason(NEED, "posture_narrowed", old="no_receipt")).startswith("it was not granted")


@pytest.mark.parametrize("code", ALL)
def test_every_reason_has_words_and_a_next_step(acme: Binding, code: ReasonCode) -> None:
    reason = Reason(NEED, code)
    assert words(acme, reason)
    told = text_of(refusal_rows((reason,), Whose(acme), own("cgp-tui consent history"), WIDE))
    assert f"{INDEX} ✗ {code}: " in told
    step = "cgp-tui consent history" if code in UNDECIDABLE else "c decides here."
    assert told.endswith(f"next  {step}")


def test_the_rule_stands_once_above_its_needs(acme: Binding) -> None:
    reasons = (Reason(NEED, "no_receipt"), Reason(Need("acme", "scope", MODEL), "denied"))
    told = text_of(refusal_rows(reasons, Whose(acme), own(""), WIDE))
    assert told.startswith("Not sent. Nothing of it left this machine.")
    assert told.count("C6: every scope") == 1
    remote = msgspec.structs.replace(acme.target, remote="ssh")
    there = Whose(msgspec.structs.replace(acme, target=remote))
    told = text_of(refusal_rows((Reason(Need("acme", "boolean"), "no_receipt"),), there, own(""), WIDE))
    assert "C4: what is reached on another machine" in told
    told = text_of(refusal_rows((Reason(Need("acme", "boolean"), "no_receipt"),), Whose(acme), own(""), WIDE))
    assert "C1: a provider that sends data away" in told


def test_where_no_prompt_helps_the_gate_says_what_does() -> None:
    stuck = Reason(NEED, "scope_malformed")
    assert next_step([stuck], own(""), WIDE) == "No answer at the prompt changes this."
    assert next_step([stuck, Reason(NEED, "no_receipt")], own("do this"), WIDE) == "do this"


def test_a_hostile_scope_is_quoted_in_its_own_refusal(acme: Binding) -> None:
    reason = Reason(Need("acme", "scope", "vendor:\x1b[2J"), "scope_malformed")
    told = text_of(refusal_rows((reason,), Whose(acme), own(""), WIDE))
    assert '"vendor:␛[2J" is not a scope' in told
    assert "\x1b" not in told
    assert need_name(Need("a", "boolean")) == "(sending at all)"


def test_the_ledger_in_the_status_line() -> None:
    mark = LedgerMark("ab" * 16, 42, "cd" * 32)
    assert ledger_span("ok", mark).text == "ledger #42 ok"
    assert ledger_span("fresh", None).text == "ledger empty"
    assert (ledger_span("tampered", mark).text, ledger_span("tampered", mark).token) == ("ledger tampered", "bad")


def test_the_ledger_beside_a_title_gives_way_from_its_end() -> None:
    mark, path = LedgerMark("ab" * 16, 42, "9f1c02aa" + "cd" * 26 + "77e0"), own("/home/ada/receipts.toml")
    hashed = "ledger #42 ok, ledger head 9f1c02aa…77e0"
    assert ledger_titles("ok", mark, path, UNICODE) == (f"{hashed}  {path}", hashed, "ledger #42 ok")
    assert ledger_titles("fresh", None, path, UNICODE) == (f"ledger empty  {path}", "ledger empty")
    assert ledger_titles("tampered", mark, path, UNICODE)[-1] == "ledger tampered", "its head says nothing then"


@pytest.mark.parametrize("state", [code for code in ALL if code in UNDECIDABLE and code not in ("scope_malformed",)])
def test_a_ledger_that_does_not_answer_says_where_and_what_to_do(state: str) -> None:
    told = text_of(ledger_rows(state, own("record 3, byte 2808"), own("cgp-tui consent history"), WIDE))
    assert told.startswith("✗ The ledger shuts the gate: ")
    assert "record 3, byte 2808" in told
    assert "cgp-tui consent history" in told


def test_a_ledger_that_lost_records_stops_everything() -> None:
    assert text_of(ledger_rows("shortened", own(""), own(""), WIDE)).endswith("leaves this machine.")
