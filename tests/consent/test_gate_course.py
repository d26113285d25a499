"""Any course of events: after each, the gate answers as a second reading of the rules does."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from cgp_tui.consent.gate import Gate
from cgp_tui.consent.types import Denial, Need
from tests.consent import oracle
from tests.consent.people import SCOPE, Books, Clock, binding
from tests.consent.test_decision import acts


class Course(RuleBasedStateMachine):
    """Records, time that runs and steps back, other openings of the ledger; after each the gate is asked."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        self.books = Books(Path(self.folder.name), self.clock)
        self.gates = [Gate(self.books.ledger), Gate(self.books.open())]
        self.latest: float = 0.0  # no gate has been asked yet, so no time was used

    @rule(act=acts(), through=st.booleans())
    def record(self, act: object, through: bool) -> None:
        one: Any = act
        ledger = self.books.open() if through else self.books.ledger
        if one.kind in ("revoke", "deny"):
            assert ledger.revoke([one]).outcome == "confirmed"
        else:
            ledger.grant([one])
        self.check()

    @rule(step=st.sampled_from([0.5, 3, 10, -2, -5]))
    def time_runs(self, step: float) -> None:
        self.clock.now += step
        self.check()

    def check(self) -> None:
        for gate in self.gates:
            for scopes in ((SCOPE,), ("a:b", ""), ()):
                who = binding()
                needs = tuple(Need("docs", "scope" if scope else "boolean", scope) for scope in scopes)
                opened = self.books.open().open()
                self.latest = max(self.latest, self.clock.now, opened.newest or 0)
                wanted = oracle.answer(opened.receipts, who, needs, self.latest)
                with gate.ask(who, needs) as answer:
                    if isinstance(answer, Denial):
                        refused = {one.need: one.reason for one in answer.reasons}
                        assert refused == {need: reason for need, reason in wanted.items() if reason}
                    else:
                        assert answer.alive is not bool(answer.unspent)  # a one-time grant is spent first
                        assert list(answer.needs) == list(wanted)
                        assert not any(wanted.values())

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()


TestCourse = Course.TestCase
TestCourse.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)
