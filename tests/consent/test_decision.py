"""What the records say about a need: each reason by hand, then any records against a second reading of the rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui.consent.decision import Book, is_live, minor_of, must_not_be_overtaken, version_fits
from cgp_tui.consent.receipt import Draft, Receipt, complete
from cgp_tui.consent.types import Binding, Need, Reason
from cgp_tui.errors import RefusedError
from cgp_tui.protocol.timestamp import utc_text
from tests.consent import oracle
from tests.consent.people import BOOLEAN, SCOPE, START, binding, draft, scoped, target


def records(*drafts: Draft) -> list[Receipt]:
    return [
        complete(one, seq=number, receipt_id=f"{number:032x}", granted_at=utc_text(START), prev="0" * 64)
        for number, one in enumerate(drafts, 1)
    ]


def decide(drafts: list[Draft], who: Binding, needs: tuple[Need, ...], t: float = START) -> list[Receipt | Reason]:
    written = records(*drafts)
    return [word.at(t) for word in Book(written, len(written)).plan(who, needs)]


def reasons(drafts: list[Draft], who: Binding, needs: tuple[Need, ...], t: float = START) -> list[str]:
    return [answer.reason if isinstance(answer, Reason) else "" for answer in decide(drafts, who, needs, t)]


EVERY: dict[str, Any] = {"basis": "all", "scope": ""}


@pytest.mark.parametrize(
    ("drafts", "reason"),
    [
        ([], "no_receipt"),
        ([draft()], ""),
        ([draft(scope="third-party-inde")], "no_receipt"),
        ([draft(scope="Third-Party-Index")], "no_receipt"),
        ([draft(basis="boolean", scope="")], "no_receipt"),
        ([draft(**EVERY)], "no_receipt"),
        ([draft(provider_id="other")], "no_receipt"),
        ([draft(target="")], "identity_changed"),
        ([draft(expires_at="never"), draft(expires_at=utc_text(START))], "expired"),
        ([draft(), draft("revoke")], "revoked"),
        ([draft(), draft("revoke", **EVERY)], "revoked"),
        ([draft(), draft("revoke", provider_id="*", **EVERY)], "revoked"),
        ([draft(), draft("revoke", scope="org-tenant")], ""),
        ([draft(), draft("revoke", provider_id="other")], ""),
        ([draft(), draft("revoke", target="cc" * 32)], ""),
        ([draft(), draft("revoke"), draft()], ""),
        ([draft(), draft("deny")], "denied"),
        ([draft(), draft("deny", target="aa" * 32)], "denied"),
        ([draft("deny"), draft()], ""),
        ([draft(), draft("expire", acts_on=f"{1:032x}")], "expired"),
        ([draft(), draft("spend", acts_on=f"{1:032x}")], "spent"),
        ([draft(uses="once")], ""),
        ([draft(uses="once"), draft("spend", acts_on=f"{1:032x}")], "spent"),
        ([draft(), draft("narrow")], ""),
    ],
)
def test_the_last_word_decides(drafts: list[Draft], reason: str) -> None:
    assert reasons(drafts, binding(), scoped())[0] == reason


@pytest.mark.parametrize(
    ("granted", "present", "field", "old", "new"),
    [
        ({}, {"provider_name": "exampl\u0435"}, "provider_name", "example", "exampl\u0435"),
        ({}, {"provider_version": "1.0.1"}, "provider_version", "1.0.0", "1.0.1"),
        ({}, {"target": target(code="cc" * 32)}, "code", "bb" * 32, "cc" * 32),
        ({}, {"target": target(code="")}, "code", "bb" * 32, ""),
        ({}, {"target": target(digest="cc" * 32, shown=("/usr/bin/q",))}, "target", "/usr/bin/p x.py", "/usr/bin/q"),
        ({}, {"target": target(digest="cc" * 32)}, "target", "aa" * 32, "cc" * 32),
        ({"code_policy": "path"}, {"target": target(code="cc" * 32)}, "", "", ""),
        ({"version_policy": "any"}, {"provider_version": "9"}, "", "", ""),
        ({"version_policy": "minor"}, {"provider_version": "1.9"}, "", "", ""),
        ({"version_policy": "minor"}, {"provider_version": "2.0"}, "provider_version", "1.0.0", "2.0"),
        ({"version_policy": "any"}, {"provider_name": "other"}, "provider_name", "example", "other"),
    ],
)
def test_a_changed_identity_is_told_with_old_and_new(
    granted: dict[str, Any], present: dict[str, Any], field: str, old: str, new: str
) -> None:
    (answer,) = decide([draft(**granted)], binding(**present), scoped())
    if not field:
        assert isinstance(answer, Receipt)
    else:
        assert isinstance(answer, Reason)
        assert (answer.reason, answer.field, answer.old, answer.new) == ("identity_changed", field, old, new)
        assert answer.receipt_id == f"{1:032x}"


def test_no_other_command_is_told_of_where_the_last_word_there_was_no() -> None:
    elsewhere = binding(target=target(digest="cc" * 32))
    assert reasons([draft(), draft("deny", target="aa" * 32)], elsewhere, scoped()) == ["no_receipt"]


@pytest.mark.parametrize(
    ("policy", "granted", "present", "fits"),
    [
        ("exact", "1.0", "1.0", True),
        ("exact", "1.0", "1.0 ", False),
        ("minor", "1.2.3", "1.2.0", True),
        ("minor", "1.2", "1.10-beta", True),
        ("minor", "1.2", "1.1.9", False),
        ("minor", "1.2", "2.2", False),
        ("minor", "v1.2", "v1.2", False),
        ("minor", "1", "1", False),
        ("minor", "1.2", "1.\u0663", False),
        ("minor", "01.2", "1.2", True),
        ("any", "1", "x", True),
    ],
)
def test_a_version_fits_a_grant_by_its_policy(policy: str, granted: str, present: str, fits: bool) -> None:
    assert version_fits(policy, granted, present) is fits


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("1.2.3", (1, 2)), ("01.20-beta", (1, 20)), ("v1.2", None), ("1", None), ("1.\u0663", None), ("", None)],
)
def test_minor_is_for_versions_that_begin_with_two_numbers(version: str, numbers: tuple[int, int] | None) -> None:
    assert minor_of(version) == numbers


@pytest.mark.parametrize(("t", "live"), [(START + 86_399.999, True), (START + 86_400, False), (START + 86_400.001, False)])
def test_at_its_very_end_a_grant_has_ended(t: float, live: bool) -> None:
    (grant,) = records(draft())
    assert is_live(grant, t) is live
    assert is_live(records(draft(expires_at="never"))[0], t + 1e12)
    assert not is_live(records(draft(expires_at="soon"))[0], 0), "an end that cannot be read is none"
    assert reasons([draft()], binding(), scoped(), t) == ["" if live else "expired"]


def test_each_missing_need_is_named_and_no_other() -> None:
    needs = scoped("a:b", SCOPE, "c:d")
    assert reasons([draft()], binding(), needs) == ["no_receipt", "", "no_receipt"]


@pytest.mark.parametrize("scope", ["", ":x", "vendor:", "a\nb", "a\x9bb"])
def test_a_malformed_scope_is_never_granted(scope: str) -> None:
    assert reasons([draft()], binding(), scoped(scope)) == ["scope_malformed", ""]


def test_what_no_receipt_can_hold_is_never_granted() -> None:
    for who in (binding(provider_name="x" * 257), binding(provider_version="x" * 129), binding(provider_name="\ud800")):
        assert reasons([draft()], who, scoped())[0] == "identity_unrepresentable"
    assert reasons([], binding(), scoped("x" * 257)) == ["identity_unrepresentable"]
    many = scoped(*(f"v:s{number}" for number in range(64)))
    assert set(reasons([], binding(), many)) == {"no_receipt"}
    grants = [draft(scope=need.scope) for need in (*many, *scoped("v:more"))]
    assert set(reasons(grants, binding(), (*many, *scoped("v:more")))) == {"identity_unrepresentable"}


# -- declaring less


@pytest.mark.parametrize("kind", ["revoke", "deny"])
@pytest.mark.parametrize("declared", [(), BOOLEAN, scoped("org-tenant")])
def test_declaring_less_undoes_no_refusal(kind: str, declared: tuple[Need, ...]) -> None:
    found = decide([draft(), draft(kind)], binding(), declared)
    last = found[-1]
    assert isinstance(last, Reason)
    assert (last.need, last.reason, last.old) == (
        scoped()[0],
        "posture_narrowed",
        {"revoke": "revoked", "deny": "denied"}[kind],
    )


def test_a_grant_on_record_that_stands_asks_for_nothing_more() -> None:
    assert reasons([draft()], binding(), ()) == [""]
    assert reasons([draft()], binding(), (), START + 86_400) == ["posture_narrowed"]


def test_the_record_follows_the_target_under_another_id() -> None:
    other = binding(provider_id="other")
    (answer,) = decide([draft(), draft("revoke", target="aa" * 32)], other, ())
    assert isinstance(answer, Reason)
    assert (answer.need.provider_id, answer.reason, answer.old) == ("other", "posture_narrowed", "no_receipt")
    elsewhere = binding(provider_id="other", target=target(digest="cc" * 32))
    assert reasons([draft(), draft("revoke")], elsewhere, ()) == []


@pytest.mark.parametrize(
    ("narrow", "ends"),
    [
        ({}, True),
        ({"target": "aa" * 32}, True),
        ({"target": "cc" * 32}, False),
        ({"scope": "a:b"}, False),
        ({"provider_id": "x"}, False),
    ],
)
def test_only_a_narrowing_of_this_need_takes_it_off_the_record(narrow: dict[str, Any], ends: bool) -> None:
    found = reasons([draft(), draft("revoke"), draft("narrow", **narrow)], binding(), ())
    assert found == ([] if ends else ["posture_narrowed"])
    again = reasons([draft(), draft("narrow", **narrow), draft("revoke")], binding(), ())
    assert again == ["posture_narrowed"], "what is decided after a narrowing is on record again"


def test_what_was_revoked_as_a_whole_does_not_pass_by_declaring_nothing() -> None:
    whole = draft("revoke", **EVERY)
    assert reasons([whole], binding(), ()) == ["posture_narrowed"]
    assert decide([whole], binding(), ())[0].need == BOOLEAN[0]  # type: ignore[union-attr]
    assert reasons([whole, draft()], binding(), ()) == [""]
    assert reasons([whole, draft("narrow", **EVERY)], binding(), ()) == []
    elsewhere = {**EVERY, "target": "cc" * 32}
    assert reasons([whole, draft("narrow", **elsewhere)], binding(), ()) == ["posture_narrowed"], "set aside elsewhere"
    assert reasons([draft("revoke", provider_id="*", **EVERY)], binding(), ()) == []


def test_beyond_the_acknowledged_only_what_takes_away_counts() -> None:
    written = records(draft(), draft("revoke"), draft())
    for acknowledged, reason in ((3, ""), (2, "revoked"), (1, "revoked"), (0, "revoked")):
        (word,) = Book(written, acknowledged).plan(binding(), scoped())
        answer = word.at(START)
        assert (answer.reason if isinstance(answer, Reason) else "") == reason
    (word,) = Book(records(draft()), 0).plan(binding(), scoped())
    assert isinstance(word.word, Reason)
    kept = Book(records(draft(), draft("narrow")), 1).plan(binding(), ())
    assert [word.need for word in kept] == list(scoped())


@pytest.mark.parametrize("drafts", [[draft()], [draft(provider_id="other")]], ids=["same id", "same target"])
def test_a_grant_that_is_not_acknowledged_puts_its_need_on_record(drafts: list[Draft]) -> None:
    """Where the head is gone nothing is acknowledged, and to declare less must not pass there either."""
    (word,) = Book(records(*drafts), 0).plan(binding(), ())
    answer = word.at(START)
    assert isinstance(answer, Reason)
    assert (answer.need, answer.reason, answer.old) == (scoped()[0], "posture_narrowed", "no_receipt")


def test_a_command_that_was_denied_as_a_whole_does_not_pass_under_another_id() -> None:
    whole = draft("deny", **EVERY, target="aa" * 32)
    other = binding(provider_id="other")
    assert reasons([whole], other, ()) == ["posture_narrowed"]
    assert reasons([whole], binding(provider_id="other", target=target(digest="cc" * 32)), ()) == []
    allowed = draft(provider_id="other", basis="boolean", scope="")
    assert reasons([whole, allowed], other, ()) == [""]
    assert (
        reasons([whole, draft("narrow", provider_id="other", target="aa" * 32, basis="boolean", scope="")], other, ()) == []
    )


def test_a_grant_that_is_not_acknowledged_ends_no_refusal_as_a_whole() -> None:
    whole = records(draft("revoke", **EVERY), draft(**EVERY))
    assert [word.need for word in Book(whole, 1).plan(binding(), ())] == list(BOOLEAN)


# -- against the second reading

IDS = st.sampled_from(["docs", "other"])
TARGETS = st.sampled_from(["aa" * 32, "cc" * 32])
WHAT = st.sampled_from([("scope", SCOPE), ("scope", "a:b"), ("boolean", ""), ("all", "")])


@st.composite
def acts(make: st.DrawFn) -> Draft:
    kind = make(st.sampled_from(["grant", "grant", "grant", "deny", "revoke", "narrow", "expire", "spend"]))
    basis, scope = make(WHAT)
    changes: dict[str, Any] = {"provider_id": make(IDS), "basis": basis, "scope": scope, "target": make(TARGETS)}
    if kind in ("revoke", "deny", "narrow"):
        changes["target"] = make(st.sampled_from(["", changes["target"]]))
    if kind in ("revoke", "deny"):
        changes["provider_id"] = make(st.sampled_from(["*", "docs", "other"]))
    if kind in ("expire", "spend"):
        changes["acts_on"] = f"{make(st.integers(1, 6)):032x}"
    if kind == "grant":
        changes |= {
            "expires_at": make(st.sampled_from(["never", utc_text(START), utc_text(START + 10)])),
            "code": make(st.sampled_from(["bb" * 32, "dd" * 32])),
            "code_policy": make(st.sampled_from(["exact", "path"])),
            "version_policy": make(st.sampled_from(["exact", "minor", "any"])),
            "provider_version": make(st.sampled_from(["1.0.0", "1.1", "2.0"])),
            "provider_name": make(st.sampled_from(["example", "example", "other"])),
            "uses": make(st.sampled_from(["unlimited", "unlimited", "unlimited", "once"])),
        }
    return draft(kind, **changes)


BINDINGS = st.builds(
    lambda who, digest, code, version: binding(
        provider_id=who, provider_version=version, target=target(digest=digest, code=code)
    ),
    IDS,
    TARGETS,
    st.sampled_from(["bb" * 32, "dd" * 32]),
    st.sampled_from(["1.0.0", "1.1", "1.2.3"]),
)
DECLARED = st.lists(st.sampled_from([SCOPE, "a:b", "c:", ""]), unique=True, max_size=3)


@settings(max_examples=300, deadline=None)
@given(st.lists(acts(), max_size=8), BINDINGS, DECLARED, st.sampled_from([START, START + 9.5, START + 10]))
def test_any_records_are_read_as_the_second_reading_reads_them(
    drafts: list[Draft], who: Binding, scopes: list[str], t: float
) -> None:
    needs = tuple(Need(who.provider_id, "scope" if scope else "boolean", scope) for scope in scopes)
    written = records(*drafts)
    plan = Book(written, len(written)).plan(who, needs)
    ours = {word.need: answer.reason if isinstance(answer := word.at(t), Reason) else "" for word in plan}
    assert ours == oracle.answer(written, who, needs, t)


# -- what became of one grant

FIRST = f"{1:032x}"


def test_the_end_of_a_grant_is_told_by_its_record() -> None:
    assert Book(records(draft()), 1).end_of(FIRST) is None
    for kind in ("spend", "expire"):
        written = records(draft(), draft(kind, acts_on=FIRST), draft("spend", acts_on=f"{9:032x}"))
        book = Book(written, 3)
        assert book.end_of(FIRST) == written[1]
        assert (book.is_spent(FIRST), book.is_expired_on_record(FIRST)) == (kind == "spend", kind == "expire")
    both = records(draft(), draft("expire", acts_on=FIRST), draft("spend", acts_on=FIRST), draft("spend", acts_on=FIRST))
    assert Book(both, 4).end_of(FIRST) == both[2], "its use came before what ended it, and of two uses the first counts"


@pytest.mark.parametrize(
    ("later", "reason", "by"),
    [
        ([], "", ""),
        ([draft()], "", ""),
        ([draft("revoke")], "revoked", f"{2:032x}"),
        ([draft("deny", **EVERY)], "denied", f"{2:032x}"),
        ([draft("revoke", provider_id="*", **EVERY)], "revoked", f"{2:032x}"),
        ([draft("revoke", target="cc" * 32)], "", ""),
        ([draft("revoke", scope="a:b")], "", ""),
        ([draft("revoke"), draft()], "", ""),
        ([draft("spend", acts_on=FIRST)], "spent", FIRST),
        ([draft("expire", acts_on=FIRST)], "expired", FIRST),
    ],
)
def test_a_grant_stands_until_a_later_word_or_its_use(later: list[Draft], reason: str, by: str) -> None:
    written = records(draft(), *later)
    found = Book(written, len(written)).standing(written[0])
    assert (("", "") if found is None else (found.reason, found.receipt_id)) == (reason, by)
    assert found is None or found.need == scoped()[0]


@pytest.mark.parametrize(
    ("later", "code"),
    [
        ([], ""),
        ([draft("revoke")], "revoked"),
        ([draft("deny"), draft(), draft("spend", acts_on=FIRST)], "denied"),
        ([draft("revoke", **EVERY)], "revoked"),
        ([draft("deny", provider_id="*", **EVERY)], "denied"),
        ([draft("revoke", target="")], "revoked"),
        ([draft("revoke", target="cc" * 32)], ""),
        ([draft("revoke", scope="a:b")], ""),
        ([draft("revoke", provider_id="other")], ""),
        ([draft("narrow"), draft()], ""),
    ],
)
def test_a_no_that_came_while_a_yes_was_asked_for_is_not_overruled(later: list[Draft], code: str) -> None:
    written = records(draft("revoke"), *later)
    must_not_be_overtaken(written, written, [draft()])
    try:
        must_not_be_overtaken(written, written[:1], [draft("grant", scope="x:y", target="dd" * 32), draft()])
        said = ""
    except RefusedError as error:
        said = error.code
        assert "while this was asked" in error.message.lower() and "Ask again" in error.fix
    assert said == code


def test_in_another_ledger_every_no_came_later() -> None:
    for seen in ((), (complete(draft(), seq=1, receipt_id="ab" * 16, granted_at="2023-11-14T22:13:20Z", prev="00" * 32),)):
        with pytest.raises(RefusedError):
            must_not_be_overtaken(records(draft("revoke")), seen, [draft()])
