"""Courses of events at random: records, questions, time that runs and steps back. At each question the gate answers as a
second, slow reading of the rules does."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import CLOCK_SLACK, Opened
from cgp_tui.consent.receipt import Draft
from cgp_tui.consent.types import Answer, Binding, Denial, Need
from cgp_tui.protocol.timestamp import utc_text
from tests.consent import oracle
from tests.consent.people import SCOPE, START, Books, Clock, binding, draft, target
from tests.reliability.campaign import FULL, Figures, Run, folder

_STEPS = 1_000_000
_SHORT = 100_000
"""Of this many steps a smaller run does its share: the same course runs among the tests, too."""

_ACTS = 10
_QUESTIONS = 25
_IDS, _TARGETS = ("docs", "docs", "other"), ("aa" * 32, "aa" * 32, "cc" * 32)
_SCOPES = (SCOPE, SCOPE, "a:b", "c:", "")
_MOVES = (0, 0, 0, 0.5, 3, 10, -2, -10)
_FAR = CLOCK_SLACK + 60
"""Seconds by which a clock is set back now and then, for one question."""


def against_the_second_reading(run: Run) -> Figures:
    found, chance = Figures(), run.random()
    steps = run.count(_STEPS if run.share == FULL else _SHORT)
    seen = Counter[str]()
    # What counts here is the answer, not the disk: memory is quicker, where there is some with a path.
    with folder("/dev/shm") as place:
        courses = 0
        while found.tried < steps:
            courses += 1
            _course(place / str(courses), chance, found, seen, steps)
    found.more = {"courses": str(courses), "answers": ", ".join(f"{name} {count}" for name, count in seen.most_common())}
    return found


def _course(place: Path, chance: random.Random, found: Figures, seen: Counter[str], steps: int) -> None:
    clock = Clock()
    books = Books(place, clock)
    gates = [Gate(books.ledger), Gate(books.open())]
    latest = unneeded = 0.0
    opened, size = books.open().open(), -1
    for _ in range(_ACTS):
        _record(books, chance, opened)
        for _ in range(_QUESTIONS):
            if found.tried >= steps:
                return
            back = _FAR if chance.random() < 0.02 else 0
            clock.now += chance.choice(_MOVES) - back
            if (there := books.path.stat().st_size) != size:
                opened, size = books.open().open(), there
            who, needs = _question(chance)
            behind = opened.newest is not None and opened.newest > clock.now + CLOCK_SLACK
            t = max(latest, clock.now, opened.newest or 0)
            # A gate that had not seen the last record yet may have judged a need by a time at which none was left.
            times = (t,) if unneeded <= t else (t, unneeded)
            wanted, *others = (oracle.answer(opened.receipts, who, needs, one) for one in times)
            if behind:
                wanted = dict.fromkeys(wanted, "clock_behind")
                others = []
            elif wanted:
                latest = t
            else:
                unneeded = max(unneeded, t)
            with chance.choice(gates).ask(who, needs) as answer:
                same = any(_agree(answer, one) for one in (wanted, *others))
                seen.update({one.reason for one in answer.reasons} if isinstance(answer, Denial) else ["allowed"])
            clock.now += back
            found.expect(same, f"{who.provider_id} {needs} at {t}: {answer}, where {wanted} stands on record")


def _agree(answer: Answer, wanted: dict[Need, str]) -> bool:
    if isinstance(answer, Denial):
        return {one.need: one.reason for one in answer.reasons} == {need: why for need, why in wanted.items() if why}
    # A one-time grant is spent first, and its permit is not alive before.
    alive = answer.alive is not bool(answer.unspent)
    return alive and list(answer.needs) == list(wanted) and not any(wanted.values())


def _record(books: Books, chance: random.Random, opened: Opened) -> None:
    one = _act(chance, [receipt.receipt_id for receipt in opened.receipts])
    ledger = books.open() if chance.random() < 0.5 else books.ledger
    if one.kind in ("revoke", "deny"):
        assert ledger.revoke([one]).outcome == "confirmed"
    else:
        ledger.grant([one])


def _act(chance: random.Random, ids: list[str]) -> Draft:
    kind = chance.choice((*["grant"] * 6, "deny", "revoke", "narrow", "narrow", "expire", "spend"))
    basis, scope = chance.choice((("scope", SCOPE), ("scope", SCOPE), ("scope", "a:b"), ("boolean", ""), ("all", "")))
    changes: dict[str, Any] = {
        "provider_id": chance.choice(_IDS),
        "basis": basis,
        "scope": scope,
        "target": chance.choice(_TARGETS),
    }
    if kind in ("revoke", "deny", "narrow"):
        changes["target"] = chance.choice(("", changes["target"]))
    if kind in ("revoke", "deny"):
        changes["provider_id"] = chance.choice(("*", *_IDS, *_IDS))
    if kind in ("expire", "spend"):
        changes["acts_on"] = chance.choice(ids) if ids else "ab" * 16
    if kind == "grant":
        changes |= {
            "expires_at": chance.choice(("never", utc_text(START), utc_text(START + 60), utc_text(START + 600))),
            "code": chance.choice(("bb" * 32, "bb" * 32, "dd" * 32)),
            "code_policy": chance.choice(("exact", "path", "path")),
            "version_policy": chance.choice(("exact", "minor", "any", "any")),
            "provider_version": chance.choice(("1.0.0", "1.0.0", "1.1", "2.0")),
            "provider_name": chance.choice(("example", "example", "example", "other")),
            "uses": chance.choice(("unlimited", "unlimited", "unlimited", "once")),
        }
    return draft(kind, **changes)


def _question(chance: random.Random) -> tuple[Binding, tuple[Need, ...]]:
    who = binding(
        provider_id=chance.choice(_IDS),
        provider_version=chance.choice(("1.0.0", "1.0.0", "1.1", "1.2.3")),
        target=target(digest=chance.choice(_TARGETS), code=chance.choice(("bb" * 32, "bb" * 32, "dd" * 32))),
    )
    scopes = dict.fromkeys(chance.choices(_SCOPES, k=chance.randrange(3)))
    return who, tuple(Need(who.provider_id, "scope" if scope else "boolean", scope) for scope in scopes)
