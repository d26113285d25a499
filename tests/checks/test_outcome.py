"""What a host does with an exchange."""

from __future__ import annotations

from typing import get_args

import pytest

from cgp_tui.checks import judge, outcome, problem
from cgp_tui.checks.outcome import CAUSES, DROPS
from cgp_tui.checks.types import Judged, Outcome
from cgp_tui.session.states import ENDINGS, FAULTS
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import FaultCode, Line, Seen
from tests.dialogue import tell

OPEN = ">> handshake\n<< ack correlation\n"


def judged(text: str) -> Judged:
    return judge(tell(text).changes[-1])


def of(text: str, parity: bool = False) -> Outcome:
    return outcome(judged(OPEN + text), parity)


class TestFrames:
    def test_what_is_read_is_served(self) -> None:
        served = of(">> query q1\n<< frames q1 a b")
        assert (served.kind, served.exchange, served.problem) == ("frames", 2, None)
        assert [frame.id for frame in served.frames] == ["a", "b"]
        assert len(served.appraisals) == 2

    def test_truncated_is_passed_on(self) -> None:
        assert not of(">> query q1\n<< frames q1 a").truncated
        assert of('>> query q1\n<< frames q1 {"result":{"frames":[],"truncated":true}}').truncated

    def test_findings_travel_beside_the_frames(self) -> None:
        served = of('>> query q1 {"kinds":["doc"]}\n<< frames q1 a{"score":7,"title":"","kind":"x","content_digest":"y"}')
        assert served.kind == "frames"
        assert len(served.frames) == 1
        assert {found.anchor for found in served.findings} == {"F1", "F2", "Q1", "D1"}

    def test_a_frame_that_could_not_be_read_is_missing_and_its_siblings_are_served(self) -> None:
        served = of('>> query q1\n<< frames q1 a b{"token_cost":-1} c')
        assert served.kind == "frames"
        assert [frame.id for frame in served.frames] == ["a", "c"]
        assert [found.anchor for found in served.findings] == ["B3"]


class TestDropped:
    @pytest.mark.parametrize(
        ("text", "kind", "in_reference"),
        [
            ('>> query q1 {"max_tokens":1}\n<< frames q1 a b', "budget_lie", "budget_lie"),
            ('>> query q1\n<< frames q1 a{"token_cost":0}', "budget_lie", "frames"),
            ('>> query q1\n<< frames q1 a{"token_cost":9}', "budget_lie", "frames"),
            ('>> query q1 {"max_frames":1}\n<< frames q1 a b', "frame_flood", "frame_flood"),
            ('>> query q1 {"max_frames":1,"max_tokens":1}\n<< frames q1 a b', "budget_lie", "budget_lie"),
            ('>> query q1 {"max_frames":1}\n<< frames q1 a b{"token_cost":9}', "budget_lie", "frame_flood"),
        ],
    )
    def test_the_whole_answer(self, text: str, kind: str, in_reference: str) -> None:
        for parity, expected in ((False, kind), (True, in_reference)):
            done = of(text, parity)
            assert done.kind == expected
            assert bool(done.frames) == (expected == "frames")
            assert done.problem is None
            assert done.findings

    def test_a_reference_frame_that_costs_is_a_lie(self) -> None:
        members = '"representation":"reference","content":null,"canonical_content_hash":"h"'
        members += ',"content_ref":{"provider_id":"p","uri":"u"}'
        assert of(f'>> query q1\n<< frames q1 a{{{members},"token_cost":0}}').kind == "frames"
        assert of(f'>> query q1\n<< frames q1 a{{{members},"token_cost":5}}').kind == "budget_lie"

    def test_advice_drops_nothing(self) -> None:
        assert of('>> query q1\n<< frames q1 a{"representation":"new"}').kind == "frames"

    def test_every_drop_of_the_reference_is_one_of_ours(self) -> None:
        for drop in DROPS:
            assert drop.in_reference <= drop.anchors


class TestFailed:
    @pytest.mark.parametrize(
        ("text", "code"),
        [
            (">> query q1\nnote gave_up q1", "timeout"),
            (">> query q1\nnote exit", "provider_crashed"),
            (">> query q1\nnote poisoned line_too_long", "line_too_long"),
            (">> query q1\nnote poisoned flood", "flood"),
            (">> query q1\nnote poisoned", "poisoned"),
            (">> query q1\nnote cut q1", "consent_required"),
            (">> query q1\nnote send_failed q1 stalled", "stalled"),
            (">> query q1\n<< raw junk", "not_json"),
            (">> query q1\n<< raw []", "not_one_object"),
            ('>> query q1\n<< raw {"type":"frames","id":"q1","id":"q1"}', "duplicate_member"),
            (">> query q1\n<< raw " + "[" * 70, "too_deep"),
            ('>> query q1\n<< raw {"type":"frames","id":"q1"}', "unexpected_envelope"),
            (">> query q1\n<< verified q1 a=valid", "unexpected_envelope"),
            (">> query q1\n<< frames - a", "correlation_mismatch"),
            (">> query q1\n<< frames q2 a", "correlation_mismatch"),
            (
                '>> query q1\n<< raw {"type":"frames","id":1,"result":{"frames":[],"truncated":false}}',
                "correlation_mismatch",
            ),
            (">> query q1\nnote gave_up q1\n<< frames q1 a", "timeout"),
            (">> query q1\n<< frames q1 a\n<< frames q1 a", "unexpected_envelope"),
            ("<< frames q7 a", "unexpected_envelope"),
            (">> query q1", "timeout"),
        ],
    )
    def test_by_a_code_of_the_contract(self, text: str, code: str) -> None:
        done = of(text)
        assert done.kind == "failed"
        assert done.frames == ()
        assert done.problem is not None
        assert done.problem.code == code
        assert done.problem.message
        assert done.problem.fix
        assert done.problem.provider_code is None

    def test_every_member_that_is_missing_is_named(self) -> None:
        trouble = problem(judged('>> handshake\n<< raw {"type":"handshake_ack"}'))
        assert trouble is not None
        missing = "/protocol_version is missing; /provider is missing; /capabilities is missing"
        assert trouble.message == f"The reply cannot be read: {missing}."
        assert "send each member" in trouble.fix

    def test_of_very_many_faults_a_few_are_named(self) -> None:
        bad = ",".join(['{"frame":1}'] * 50)
        raw = f'{{"type":"verified","id":"q1","response":{{"verdicts":[{bad}],"x":1}}}}'
        trouble = problem(judged(f"{OPEN}>> query q1\n<< raw {raw}"))
        assert trouble is not None
        assert trouble.message.startswith("The reply does not answer this request: /response/verdicts/0/frame: an object")
        assert trouble.message.endswith("; and 96 more.") and len(trouble.message) < 500

    def test_a_message_over_several_lines_is_told_so_and_not_taken_for_a_log(self) -> None:
        trouble = problem(judged(OPEN + '>> query q1\n<< raw {"type":"frames",'))
        assert trouble is not None and trouble.fix.startswith("Write each message on one line")
        trouble = problem(judged(OPEN + ">> query q1\n<< raw INFO"))
        assert trouble is not None and "logs belong on stderr" in trouble.fix

    def test_bytes_that_are_no_utf8(self) -> None:
        session = tell(OPEN + ">> query q1").session
        (exchange,) = session.feed(Seen(Line(4, 1, "provider", 1.0, b'{"x":"\xff"}'), decode(b'{"x":"\xff"}')))
        trouble = problem(judge(exchange))
        assert trouble is not None
        assert trouble.code == "invalid_utf8"
        assert "byte 7" in trouble.message
        assert "stdout is not UTF-8" in trouble.fix

    @pytest.mark.parametrize(
        ("code", "provider_code", "fix"),
        [
            ("unsupported_kind", "unsupported_kind", "Narrow"),
            ("unavailable", "unavailable", "Retry"),
            ("acme:quota", "acme:quota", "Report it"),
            ("", "internal", "Report it"),
        ],
    )
    def test_an_error_reply_keeps_its_code_and_an_unknown_one_is_read_as_internal(
        self, code: str, provider_code: str, fix: str
    ) -> None:
        done = of(f">> query q1\n<< error q1 {code}")
        assert done.kind == "failed"
        assert done.problem is not None
        assert (done.problem.code, done.problem.provider_code) == ("provider_error", provider_code)
        assert done.problem.message == "no"
        assert done.problem.fix.startswith(fix)


def flow(members: str) -> str:
    return f'>> handshake\n<< ack {{"provider":{{"name":"n","version":"1","data_flow":{{{members}}}}}}}'


class TestOtherKinds:
    @pytest.mark.parametrize(
        ("text", "code"),
        [
            (">> handshake\n<< ack", None),
            ('>> handshake\n<< ack {"protocol_version":"contextgraph/2.0"}', "version_mismatch"),
            (">> handshake\n<< error - incompatible_version", "version_mismatch"),
            (">> handshake\n<< error - unavailable", "provider_error"),
            (">> handshake\n<< raw Server started", "not_json"),
            (">> handshake\n<< frames - a", "unexpected_envelope"),
            (">> handshake\nnote gave_up 1", "timeout"),
            (flow('"egress_scopes":["org-tenant"]'), "scope_contradiction"),
            (flow('"egress":true,"egress_scopes":["a:"]'), "scope_malformed"),
            (OPEN + "note refused 2 version_mismatch", "version_mismatch"),
            (OPEN + ">> verify - f\n<< verified - f=valid", None),
            (OPEN + ">> verify - f\n<< error - internal", "provider_error"),
        ],
    )
    def test_a_handshake_and_a_verify_come_to_nothing_by_name(self, text: str, code: str | None) -> None:
        trouble = problem(judged(text))
        assert (None if trouble is None else trouble.code) == code


def test_a_version_mismatch_names_both_versions() -> None:
    for text in ('>> handshake\n<< ack {"protocol_version":"contextgraph/2.0"}', OPEN + "note refused 2 version_mismatch"):
        trouble = problem(judged(text))
        assert trouble is not None
        theirs = "contextgraph/2.0" if "2.0" in text else "contextgraph/1.0"
        assert trouble.message == f"The provider speaks {theirs}, cgp-tui contextgraph/1.0 (H1). Stopped."
    endless = problem(judged('>> handshake\n<< ack {"protocol_version":"%s"}' % ("x" * 9000)))
    assert endless is not None
    assert len(endless.message) < 150


@pytest.mark.parametrize(("note", "words"), [("gave_up 1 30.004", "30 s."), ("gave_up 1 2.25", "2.2 s."), ("exit", "")])
def test_a_reply_that_did_not_come_was_waited_for_so_long(note: str, words: str) -> None:
    trouble = problem(judged(f">> handshake\nnote {note}"))
    assert trouble is not None
    assert trouble.message == (f"No reply came within {words}" if words else "The provider ended before it answered.")
    assert ("flush its stdout" in trouble.fix) is bool(words)  # what a provider's first version gets wrong most often


def test_every_end_has_its_words() -> None:
    codes = {code for _, code in ENDINGS.values()} | {FAULTS.get(code, code) for code in get_args(FaultCode)}
    assert codes <= set(CAUSES)
    for cause in CAUSES.values():
        assert cause.message.endswith(".")
        assert cause.fix.endswith((".", ")."))
