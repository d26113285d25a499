"""The consent prompt shows everything a yes is bound to, and nothing a provider wrote can hide or reorder it."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import msgspec
import pytest

from cgp_tui.consent.drafts import narrow_draft
from cgp_tui.consent.interchange import Offer
from cgp_tui.consent.receipt import ANY, NEVER, Draft
from cgp_tui.consent.types import Binding, Need
from cgp_tui.present.consent import (
    Answered,
    Case,
    Payload,
    changes,
    last_on_record,
    name_warnings,
    payload_of,
    prompt_rows,
    scope_words,
)
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.text import hidden_codes
from tests.present.consents import (
    HUMAN,
    INDEX,
    MODEL,
    NARROW,
    WIDE,
    binding,
    case,
    record,
    refused,
    target,
    text_of,
)

UNTIL = "2026-12-29T20:00:00Z"
ASKED = ContextQuery(
    goal="why does the retry loop give up",
    max_frames=8,
    max_tokens=2000,
    query_text="retry loop",
    anchors=("file:///repo/src/net.rs", "urn:x"),
)


def draft(to: Binding, **more: object) -> Draft:
    made = Draft(
        kind="grant",
        provider_id=to.provider_id,
        grantor=HUMAN,
        uses="unlimited",
        code_policy="exact",
        version_policy="exact",
        expires_at=UNTIL,
    )
    return msgspec.structs.replace(made, **more)


def prompt(of: Case, payload: Payload | None = None, **more: object) -> str:
    return text_of(prompt_rows(of, payload, [draft(of.binding, **more)], WIDE))


@pytest.fixture
def acme(tmp_path: Path) -> Binding:
    return binding(target(tmp_path))


def test_a_prompt_without_a_screen_names_the_command_that_takes_back(acme: Binding) -> None:
    of, made = case(acme, refused(INDEX)), [draft(acme)]
    assert "x on the consent screen revokes it" in text_of(prompt_rows(of, None, made, WIDE))
    assert "`cgp-tui consent revoke` revokes it" in text_of(prompt_rows(of, None, made, Look(width=110)))


def test_who_what_and_until(acme: Binding) -> None:
    told = prompt(case(acme, refused(INDEX), refused(MODEL)), payload_of(ASKED, 164))
    assert "Let acme receive your queries?" in told
    assert '"acme-search" 2.4.1  as claimed, unproven' in told
    assert f"this and every later query until {UNTIL}; this one, 164 bytes:" in told
    for member in ("goal        why does the retry loop give up", "query_text  retry loop", "max_tokens  2000"):
        assert member in told
    assert "file:///repo/src/net.rs  a path on this machine" in told
    assert "urn:x  a path" not in told
    assert "and verify: frame ids and digests, never content" in told
    assert f"{INDEX}  another company keeps it to search it" in told
    assert f"{MODEL}  another company's model reads it" in told
    assert "exactly this version" in told
    assert "exactly these files" in told


def test_program_and_pinned_file_stand_with_short_digests(acme: Binding) -> None:
    told = prompt(case(acme, refused(INDEX)))
    program, script = acme.target.pins
    for pin in (program, script):
        assert f"{pin.sha256[:8]}…{pin.sha256[-4:]}" in told
    assert "provider.py" in told
    assert "launcher" not in told
    assert "sandbox     none: it has all your rights, your files and the network" in told


def test_launchers_are_warned_of(acme: Binding) -> None:
    floating = msgspec.structs.replace(acme.target, floating="uvx", remote="ssh", env_names=("API_KEY",))
    told = prompt(case(msgspec.structs.replace(acme, target=floating), refused("")), code_policy="path")
    assert "! uvx decides at each start which code runs" in told
    assert "! ssh reaches another machine" in told
    assert "variables   API_KEY" in told
    assert "a changed file does not ask again" in told


def test_an_address_stands_for_an_http_provider(acme: Binding) -> None:
    there = msgspec.structs.replace(acme.target, kind="http", shown=("https://cgp.example:443/v1",))
    told = prompt(case(msgspec.structs.replace(acme, target=there), refused("")))
    assert "sent to     https://cgp.example:443/v1" in told
    assert "sandbox" not in told


def test_what_a_provider_keeps(acme: Binding) -> None:
    of = case(acme, refused(INDEX))
    assert "it says it stores nothing" in prompt(of)
    keeping = msgspec.structs.replace(of, data_flow=msgspec.structs.replace(of.data_flow, writes=True))
    assert "yes: it says it stores what it derives" in prompt(keeping)


def test_without_a_query_the_prompt_says_that_none_waits(acme: Binding) -> None:
    told = prompt(case(acme, refused(INDEX)))
    assert "none waits now" in told and "leaves      every query until" in told


def test_no_end_is_said_and_one_use_too(acme: Binding) -> None:
    told = prompt(case(acme, refused(INDEX)), expires_at=NEVER, uses="once", version_policy="any")
    assert "with no end, until you revoke it" in told
    assert "one query;" in told
    assert "any version" in told


def test_payload_is_what_is_sent_member_by_member() -> None:
    bare = payload_of(ContextQuery(goal="g", max_frames=1, max_tokens=2), 9)
    assert bare.names == ("goal", "max_frames", "max_tokens")
    full = payload_of(
        ContextQuery(
            goal="g", max_frames=1, max_tokens=2, kinds=("doc",), as_of="2026-01-01T00:00:00Z", embedding=(0.5, 0.25)
        ),
        99,
    )
    assert full.names == ("as_of", "embedding", "goal", "kinds", "max_frames", "max_tokens")
    assert ("embedding", ("2 numbers computed from the query",)) in full.members


def test_scopes_in_words() -> None:
    assert scope_words(Need("a", "boolean")) == "it sends data off this machine and does not say to whom"
    assert scope_words(Need("a", "scope", "org-tenant")) == "a service of your organisation gets it"
    assert "only acme knows what it means" in scope_words(Need("a", "scope", "acme:vault"))
    assert "the SPEC does not list" in scope_words(Need("a", "scope", "Local-Only"))


def test_first_contact_has_nothing_to_compare_with(acme: Binding) -> None:
    of = case(acme, refused(INDEX))
    assert last_on_record(of) is None
    assert "no record of this provider yet" in prompt(of)


def test_changes_stand_old_beside_new(acme: Binding, tmp_path: Path) -> None:
    before = Binding("acme", "acme-find", "2.3.0", acme.target)
    of = case(acme, refused(INDEX), refused(MODEL), receipts=(record(1, "grant", before),))
    told = prompt(of)
    assert "since #1, grant of 2026-11-11T08:00:10Z" in told
    assert "name     acme-find → acme-search" in told
    assert "version  2.3.0 → 2.4.1" in told
    assert f"scope    - → {MODEL}" in told
    assert "command" not in told
    moved = case(binding(target(tmp_path, "--fast")), refused(INDEX), receipts=(record(1, "grant", before),))
    assert [field for field, _, _ in changes(moved)] == ["name", "version", "command"]


def test_a_swapped_file_and_a_hidden_argument_are_changes(acme: Binding) -> None:
    swapped = msgspec.structs.replace(record(1, "grant", acme), code="ab" * 32)
    fields = [(field, old) for field, old, _ in changes(case(acme, refused(INDEX), receipts=(swapped,)))]
    assert fields == [("code", "abababababab")]
    masked = msgspec.structs.replace(record(1, "grant", acme), target="cd" * 32)
    fields = [(field, old) for field, old, _ in changes(case(acme, refused(INDEX), receipts=(masked,)))]
    assert fields == [("target", "cdcdcdcdcdcd")]


def test_nothing_changed_is_said_and_a_denial_counts_as_a_record(acme: Binding) -> None:
    of = case(acme, refused(INDEX, "denied"), receipts=(record(1, "grant", acme), record(2, "deny", acme)))
    assert "nothing since #2, deny of" in prompt(of)


def test_another_id_on_this_command_and_another_command_of_this_name(acme: Binding, tmp_path: Path) -> None:
    twin = msgspec.structs.replace(acme, provider_id="acme-old")
    copy = Binding("copy", "acme-search", "9", target(tmp_path, "--copy"))
    here = Binding("live", "acme-search", "9", target(tmp_path, "--live"))
    every = msgspec.structs.replace(record(3, "revoke", acme), provider_id=ANY)
    records = (record(1, "grant", twin), record(2, "grant", copy), every)
    told = prompt(case(acme, refused(INDEX), receipts=records, others=(here,)))
    assert "same command, other id: acme-old" in told
    assert "same claimed name, other command: copy" in told
    assert "same claimed name, other command: live" in told
    assert ANY not in told.split("also", 1)[1]


def test_each_scope_says_where_it_stands(acme: Binding) -> None:
    grant = record(1, "grant", acme)
    need = Need("acme", "scope", INDEX)
    told = prompt(case(acme, Answered(need, grant), refused(MODEL), Answered(Need("acme", "boolean")), receipts=(grant,)))
    assert "granted by #1, until 2031-01-01T00:00:00Z" in told
    assert "no receipt covers this scope (C6)" in told
    assert "not decided" in told


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("\u0430cme", "mixes Cyrillic and Latin letters"),
        ("\u0430\u0441\u043c\u0435", "U+0430 CYRILLIC SMALL LETTER A"),
        ("acme\u2010docs", "U+2010 HYPHEN"),
        ("acme\u200b", "holds 1 hidden or control codes"),
        ("a\rb\tc", "holds 2 hidden or control codes"),
        ("\u202eemca", "holds 1 hidden or control codes"),
        ("\u3164", "U+3164 HANGUL FILLER"),
    ],
)
def test_a_lookalike_name_is_marked(acme: Binding, name: str, said: str) -> None:
    told = prompt(case(msgspec.structs.replace(acme, provider_name=name), refused(INDEX)))
    assert f"the name {said}" in told or said in told
    assert said in text_of(name_warnings("name", name, WIDE))


def test_changes_are_told_against_a_record_that_knows_what_was_declared(acme: Binding) -> None:
    bare = msgspec.structs.replace(record(2, "deny", acme, MODEL), provider_name="", provider_version="")
    newer = msgspec.structs.replace(acme, provider_version="2.5.0")
    of = case(newer, refused(INDEX), receipts=(record(1, "grant", acme), bare))
    assert last_on_record(of) == record(1, "grant", acme)
    assert list(changes(of)) == [("version", "2.4.1", "2.5.0")]
    alone = case(newer, refused(INDEX), receipts=(bare,))
    assert last_on_record(alone) == bare
    assert list(changes(alone)) == [], "what was never declared has not changed"


def test_the_records_that_a_yes_writes_are_listed(acme: Binding) -> None:
    gone = refused(MODEL, "posture_narrowed", old="denied")
    of = case(acme, refused(INDEX), msgspec.structs.replace(gone, declared=False))
    made = [draft(acme, basis="scope", scope=INDEX), narrow_draft(acme, gone.need, HUMAN)]
    told = text_of(prompt_rows(of, None, made, WIDE))
    assert f"writes      grant {INDEX} until {UNTIL}" in told
    assert f"narrow {MODEL}: what was said of it here counts no longer for this command" in told
    assert f"{MODEL}  another company's model reads it  on record, not declared any more" in told
    alone = text_of(prompt_rows(of, None, made[1:], WIDE))
    assert "holds for" not in alone and "every later query" not in alone, "nothing new may leave by that alone"


def test_one_use_is_said_where_it_says_what_leaves(acme: Binding) -> None:
    told = prompt(case(acme, refused(INDEX)), uses="once")
    assert f"one query or verify until {UNTIL}" in told
    assert "every later query" not in told


def test_an_import_is_told_with_where_it_came_from(acme: Binding) -> None:
    offer = Offer("acme", (INDEX,), False, "never")
    of = msgspec.structs.replace(
        case(acme, refused(INDEX)), offered=((refused(INDEX).need, offer),), offered_by="s\x1b.json"
    )
    told = prompt(of)
    assert f"imported    {INDEX} with no end, until you revoke it, as s␛.json" in told
    assert "nothing of it is granted" in told
    assert "imported" not in prompt(case(acme, refused(INDEX)))


def test_a_plain_name_is_not_marked() -> None:
    assert text_of(name_warnings("name", "acme-docs 2.0", WIDE)) == ""


HOSTILE = "x\x1b]52;c;aGk=\x07\r\b\t\u202e\u2066[@click=app.quit]y[/]\x9b2J\U000e0041\n"


@pytest.mark.parametrize("look", [WIDE, NARROW])
def test_nothing_foreign_reaches_a_row_as_a_control(acme: Binding, look: object) -> None:
    loud = Binding("acme", HOSTILE, HOSTILE, acme.target)
    older = msgspec.structs.replace(record(1, "grant", loud), provider_name=HOSTILE * 2, declared=(HOSTILE,))
    twin = msgspec.structs.replace(loud, provider_id="twin")
    of = case(loud, refused(HOSTILE), refused(f"{HOSTILE}:{HOSTILE}"), receipts=(older, record(2, "deny", twin)))
    payload = payload_of(ContextQuery(goal=HOSTILE, max_frames=1, max_tokens=1, anchors=(HOSTILE,)), 5)
    told = text_of(prompt_rows(of, payload, [draft(loud)], look))  # type: ignore[arg-type]
    assert hidden_codes(told.replace("\n", "")) == 0
    assert not any(unicodedata.category(char) in ("Cc", "Cf") for char in told.replace("\n", ""))
    assert "[@click=app.quit]y[/]" in told


def test_a_policy_of_paths_says_which_files_have_none(acme: Binding) -> None:
    loose = msgspec.structs.replace(acme.target, unplaced=("x.py", "c\x1b.toml"))
    who = msgspec.structs.replace(acme, target=loose)
    told = prompt(case(who, refused(INDEX)), code_policy="path")
    assert "x.py, c\u241b.toml: of that name in whatever folder it is started from" in told
    assert "whatever folder" not in prompt(case(who, refused(INDEX)), code_policy="exact")
    assert "whatever folder" not in prompt(case(acme, refused(INDEX)), code_policy="path")
