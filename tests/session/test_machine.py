"""Who answers whom, as dialogues."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui.session import Session
from cgp_tui.session.past import Past
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from cgp_tui.wire.note import UnknownNote
from tests.dialogue import Played, message, play, tell

OPEN = """
>> handshake
<< ack correlation verify
"""
PLAIN = """
>> handshake
<< ack verify
"""


def bare(*lines: str) -> Played:
    """What comes of these messages where nobody noted who sent them."""
    raws = [message(line) for line in lines]
    return play(Seen(Line(n, 1, None, 0.0, raw), decode(raw)) for n, raw in enumerate(raws, 1))


def states(text: str) -> list[str]:
    return tell(text).states


class TestHandshake:
    def test_an_ack_answers_it_and_stands(self) -> None:
        played = tell(OPEN)
        assert played.states == ["handshake answered"]
        assert played.session.ack is not None
        assert played.session.ack.provider.name == "docs"
        assert played.changes[-1].ack is played.session.ack

    def test_an_error_answers_it_without_an_ack(self) -> None:
        played = tell(">> handshake\n<< error - incompatible_version")
        assert played.states == ["handshake answered"]
        assert played.session.ack is None

    @pytest.mark.parametrize("line", ["frames - f1", "frames q1 f1", "verified - f1=valid", "query q1", "shutdown"])
    def test_no_other_message_may_come_before_the_ack(self, line: str) -> None:
        assert states(f">> handshake\n<< {line}") == ["handshake failed unexpected_envelope"]

    def test_garbage_before_the_ack_fails_it_by_name_and_the_ack_is_late(self) -> None:
        played = tell(">> handshake\n<< raw Server started\n<< ack correlation")
        assert played.states == ["handshake late not_json"]
        assert played.session.ack is not None

    def test_a_message_of_a_later_minor_does_not_disturb_it(self) -> None:
        assert states('>> handshake\n<< raw {"type":"log","text":"hello"}\n<< ack') == ["handshake answered"]

    def test_the_first_ack_stands(self) -> None:
        played = tell(OPEN + '<< ack {"provider":{"name":"other","version":"2","data_flow":{}}}')
        assert played.states == ["handshake answered", "handshake duplicate"]
        assert played.session.ack is not None
        assert played.session.ack.provider.name == "docs"

    def test_a_second_ack_fails_no_query_in_flight(self) -> None:
        assert states(OPEN + ">> query q1\n<< ack\n<< frames q1 f1") == [
            "handshake answered",
            "q1 answered",
            "handshake duplicate",
        ]

    def test_what_a_handshake_or_an_ack_carries_as_an_id_means_nothing(self) -> None:
        greeting = '>> raw {"type":"handshake","id":"q1","protocol_version":"contextgraph/1.0","x":"\\ud800"}\n'
        assert states(greeting + "<< ack correlation\n<< ack") == ["handshake answered", "handshake duplicate"]
        ack = message("ack correlation").decode().replace("{", '{"id":"q1","x":"\\ud800",', 1)
        assert states(f">> handshake\n<< raw junk\n<< raw {ack}") == ["handshake late not_json"]

    def test_an_ack_nobody_asked_for_is_an_orphan(self) -> None:
        assert states("<< ack") == ["handshake orphan unasked"]

    def test_a_refused_ack_fails_the_handshake_by_the_hosts_own_word(self) -> None:
        assert states(OPEN + "note refused 2 version_mismatch") == ["handshake failed version_mismatch"]

    @pytest.mark.parametrize("line", [1, 3])
    def test_a_refusal_of_another_line_leaves_it_answered(self, line: int) -> None:
        assert states(OPEN + f"<< raw junk\nnote refused {line} not_json") == ["handshake answered"]

    def test_a_refusal_is_taken_once(self) -> None:
        played = tell(OPEN + "note refused 2 version_mismatch\nnote refused 2 timeout")
        assert played.states == ["handshake failed version_mismatch"]


class TestByName:
    def test_replies_find_their_requests_in_any_order(self) -> None:
        played = tell(OPEN + ">> query q1\n>> query q2\n<< frames q2 b\n<< frames q1 a")
        assert played.states == ["handshake answered", "q1 answered", "q2 answered"]
        served = {
            change.request.decoded.id: change.reply.decoded.id
            for change in played.changes
            if change.request and change.reply
        }
        assert served == {None: None, "q1": "q1", "q2": "q2"}

    def test_an_error_answers_by_id(self) -> None:
        assert states(OPEN + ">> query q1\n>> query q2\n<< error q2 internal")[1:] == ["q1 pending", "q2 answered"]

    @pytest.mark.parametrize("reply", ["frames - a", "frames Q1 a", "frames q9 a", "error - internal"])
    def test_a_wrong_id_fails_the_only_request_in_flight(self, reply: str) -> None:
        assert states(OPEN + f">> query q1\n<< {reply}")[1:] == ["q1 failed correlation_mismatch"]

    @pytest.mark.parametrize("reply", ["frames - a", "frames q9 a"])
    def test_with_two_in_flight_nobody_is_given_a_reply_with_a_wrong_id(self, reply: str) -> None:
        found = states(OPEN + f">> query q1\n>> query q2\n<< {reply}")[1:]
        assert found[:2] == ["q1 pending", "q2 pending"]
        assert found[2].endswith("orphan")

    def test_with_nothing_in_flight_a_reply_is_an_orphan(self) -> None:
        assert states(OPEN + "<< frames q9 a")[1:] == ["q9 orphan unasked"]

    def test_the_first_reply_wins(self) -> None:
        played = tell(OPEN + ">> query q1\n<< frames q1 a\n<< frames q1 b\n<< error q1 internal")
        assert played.states[1:] == ["q1 answered", "q1 duplicate", "q1 duplicate"]
        assert all(change.number is None for change in played.changes[-2:])

    def test_a_duplicate_fails_nobody_else(self) -> None:
        found = states(OPEN + ">> query q1\n<< frames q1 a\n>> query q2\n<< frames q1 a\n<< frames q2 b")[1:]
        assert found == ["q1 answered", "q2 answered", "q1 duplicate"]

    def test_a_wrong_type_with_the_right_id_fails_that_request(self) -> None:
        found = states(OPEN + ">> query q1\n>> query q2\n<< verified q1 f=valid")[1:]
        assert found == ["q1 failed unexpected_envelope", "q2 pending"]

    def test_an_unreadable_reply_with_the_right_id_fails_that_request(self) -> None:
        found = states(OPEN + '>> query q1\n>> query q2\n<< raw {"type":"frames","id":"q2"}')[1:]
        assert found == ["q1 pending", "q2 failed unexpected_envelope"]

    def test_an_unreadable_id_is_a_wrong_one(self) -> None:
        line = '<< raw {"type":"frames","id":1,"result":{"frames":[],"truncated":false}}'
        assert states(OPEN + f">> query q1\n{line}")[1:] == ["q1 failed correlation_mismatch"]

    def test_an_id_may_be_used_again(self) -> None:
        played = tell(OPEN + ">> query q1\n<< frames q1 a\n>> query q1\n<< frames q1 b")
        assert played.states[1:] == ["q1 answered", "q1 answered"]

    def test_an_id_in_flight_twice_is_answered_oldest_first(self) -> None:
        played = tell(OPEN + ">> query q1\n>> query q1\n<< frames q1 a")
        assert played.states[1:] == ["q1 answered", "q1 pending"]

    def test_a_late_reply_goes_to_the_request_that_was_given_up(self) -> None:
        played = tell(OPEN + ">> query q1\nnote gave_up q1\n>> query q2\n<< frames q1 a\n<< frames q2 b")
        assert played.states[1:] == ["q1 late timeout", "q2 answered"]

    def test_after_the_late_reply_comes_a_duplicate(self) -> None:
        played = tell(OPEN + ">> query q1\nnote gave_up q1\n<< frames q1 a\n<< frames q1 a")
        assert played.states[1:] == ["q1 late timeout", "q1 duplicate"]

    def test_the_true_reply_after_a_mismatch_is_late(self) -> None:
        played = tell(OPEN + ">> query q1\n<< frames - a\n<< frames q1 b")
        assert played.states[1:] == ["q1 late correlation_mismatch"]

    def test_while_a_reply_is_owed_a_wrong_id_is_nobodys(self) -> None:
        played = tell(OPEN + ">> query q1\nnote gave_up q1\n>> query q2\n<< frames - a")
        assert played.states[1:] == ["q1 failed timeout", "q2 pending", "query orphan"]

    def test_a_verify_without_id_is_in_lock_step_beside_named_queries(self) -> None:
        played = tell(OPEN + ">> query q1\n>> verify - f\n<< verified - f=valid\n<< frames q1 a")
        assert played.states[1:] == ["q1 answered", "verify answered"]

    def test_an_error_without_id_is_the_verifys(self) -> None:
        played = tell(OPEN + ">> query q1\n>> verify - f\n<< error - unavailable")
        assert played.states[1:] == ["q1 pending", "verify answered"]

    def test_a_named_verify_is_answered_by_name(self) -> None:
        played = tell(OPEN + ">> verify v1 f\n>> query q1\n<< verified v1 f=valid")
        assert played.states[1:] == ["v1 answered", "q1 pending"]

    def test_ids_do_not_outlive_a_connection(self) -> None:
        numbers = itertools.count(1)
        first, second = Session(1, numbers), Session(2, numbers)
        lines = [">> handshake", "<< ack correlation", ">> query q1"]
        for session in (first, second):
            for n, text in enumerate(lines, 1):
                changed = session.feed(seen(n, text))
        assert [exchange.number for exchange in changed] == [4]
        assert [e.state for e in second.feed(seen(4, "<< frames q1 a"))] == ["answered"]
        assert [e.number for e in first.pending] == [2]


def seen(n: int, spoken: str) -> Seen:
    raw = message(spoken[3:])
    return Seen(Line(n, 1, "host" if spoken.startswith(">>") else "provider", n / 4, raw), decode(raw))


class TestLockStep:
    def test_ids_of_an_undeclared_provider_say_nothing(self) -> None:
        assert states(PLAIN + ">> query q1\n<< frames q77 a")[1:] == ["q1 answered"]

    def test_an_id_less_exchange(self) -> None:
        assert states(PLAIN + ">> query -\n<< frames - a\n>> verify - f\n<< verified - f=gone")[1:] == [
            "query answered",
            "verify answered",
        ]

    def test_a_pipelining_host_is_answered_in_order(self) -> None:
        played = tell(PLAIN + ">> query a\n>> query b\n<< frames - x\n<< error - internal")
        assert played.states[1:] == ["a answered", "b answered"]
        assert played.changes[-2].request is not None
        assert played.changes[-2].request.decoded.id == "a"

    def test_an_error_answers_the_older_of_two_kinds(self) -> None:
        assert states(PLAIN + ">> verify - f\n>> query a\n<< error - internal")[1:] == ["verify answered", "a pending"]
        assert states(PLAIN + ">> query a\n>> verify - f\n<< error - internal")[1:] == ["a answered", "verify pending"]

    def test_a_given_up_request_is_owed_its_reply_first(self) -> None:
        played = tell(PLAIN + ">> query a\nnote gave_up a\n>> query b\n<< frames - x\n<< frames - y")
        assert played.states[1:] == ["a late timeout", "b answered"]

    def test_an_unusable_reply_settles_the_debt(self) -> None:
        line = '<< raw {"type":"frames","result":5}'
        played = tell(PLAIN + f">> query a\nnote gave_up a\n>> query b\n{line}\n<< frames - y")
        assert played.states[1:] == ["a failed timeout", "b answered"]

    def test_a_wrong_type_fails_the_request_in_flight(self) -> None:
        assert states(PLAIN + ">> query -\n<< verified - f=valid")[1:] == ["query failed unexpected_envelope"]

    def test_garbage_fails_the_request_in_flight_at_once(self) -> None:
        assert states(PLAIN + ">> query -\n<< raw \ufffe")[1:] == ["query failed not_json"]

    def test_its_reply_after_garbage_is_late(self) -> None:
        assert states(PLAIN + ">> query a\n<< raw junk\n<< frames - x")[1:] == ["a late not_json"]

    def test_a_host_that_goes_on_holds_the_garbage_for_the_reply(self) -> None:
        played = tell(PLAIN + ">> query a\n<< raw junk\n>> query b\n<< frames - x")
        assert played.states[1:] == ["a failed not_json", "b answered"]

    def test_garbage_with_two_in_flight_has_no_effect(self) -> None:
        assert states(PLAIN + ">> query a\n>> query b\n<< raw junk")[1:] == ["a pending", "b pending"]

    def test_a_second_reply_is_a_duplicate(self) -> None:
        assert states(PLAIN + ">> query a\n<< frames - x\n<< frames - x")[1:] == ["a answered", "query duplicate"]

    def test_a_reply_of_a_kind_never_asked_is_an_orphan(self) -> None:
        assert states(PLAIN + "<< verified - f=valid")[1:] == ["verify orphan unasked"]

    def test_after_lost_lines_an_orphan_says_so(self) -> None:
        assert states(PLAIN + "note dropped 3\n<< frames - x")[1:] == ["query orphan dropped"]

    def test_after_lost_lines_nobody_is_accused_of_what_they_may_have_held(self) -> None:
        # the ack, the reply to the first query
        assert tell(">> handshake\nnote dropped 1\n>> query -\n<< frames - x").broken == []
        assert tell(">> handshake\nnote dropped 1\n<< ack\n>> query -\n<< frames - x").broken == []
        played = tell(
            PLAIN + '>> query - {"kinds":["fact"],"max_tokens":0}\nnote dropped 1\n>> query -\n<< frames - x\n>> shutdown'
        )
        assert played.states[1:] == ["query failed dropped", "query answered"]
        assert played.broken == []

    def test_a_reply_by_name_is_its_requests_all_the_same(self) -> None:
        played = tell(OPEN + '>> query q1 {"max_tokens":0}\nnote dropped 1\n<< frames q1 x')
        assert played.states[1:] == ["q1 answered"]
        assert played.broken == ["B1 line 4"]


class TestFragments:
    """Sessions whose handshake was not seen."""

    def test_ids_are_believed_where_they_fit(self) -> None:
        played = tell(">> query q1\n>> query q2\n<< frames q2 b\n<< frames q1 a")
        assert played.states == ["q1 answered", "q2 answered"]

    def test_without_a_fitting_id_the_oldest_is_answered(self) -> None:
        assert states(">> query q1\n>> query q2\n<< frames - a") == ["q1 answered", "q2 pending"]

    def test_a_query_before_the_ack_is_found_by_name_after_it(self) -> None:
        played = tell(">> handshake\n>> query q1\n>> query q2\n<< ack correlation\n<< frames q2 b\n<< frames q1 a")
        assert played.states == ["handshake answered", "q1 answered", "q2 answered"]

    def test_but_by_name_only(self) -> None:
        played = tell(">> handshake\n>> query q1\n>> query q2\n<< ack correlation\n<< frames - a")
        assert played.states == ["handshake answered", "q1 pending", "q2 pending", "query orphan"]

    def test_a_spoiled_request_still_claims_what_carries_its_id(self) -> None:
        played = tell(">> query q1\n<< raw junk\n>> query q2\n<< frames q1 a")
        assert played.states == ["q1 late not_json", "q2 pending"]

    def test_and_in_lock_step_where_the_ack_declares_nothing(self) -> None:
        played = tell(">> handshake\n>> query q1\n<< ack\n<< frames - a")
        assert played.states == ["handshake answered", "q1 answered"]


class TestIgnored:
    def test_an_unknown_type_disturbs_nothing(self) -> None:
        assert states(PLAIN + '>> query -\n<< raw {"type":"Frames"}\n<< frames - a')[1:] == ["query answered"]

    def test_unless_it_carries_the_id_of_a_request_in_flight(self) -> None:
        text = OPEN + '>> query q1\n<< raw {"type":"Frames","id":"q1"}'
        assert states(text)[1:] == ["q1 failed unexpected_envelope"]

    def test_with_the_id_of_a_past_request_it_is_ignored(self) -> None:
        text = OPEN + '>> query q1\nnote gave_up q1\n<< raw {"type":"Frames","id":"q1"}'
        assert states(text)[1:] == ["q1 failed timeout"]

    def test_a_host_line_in_the_providers_vocabulary_opens_nothing(self) -> None:
        assert states(PLAIN + ">> frames - a")[1:] == []

    def test_one_error_for_each_line_no_provider_could_serve(self) -> None:
        text = PLAIN + '>> raw junk\n>> raw {"type":"neighbors","id":"n1"}\n'
        assert states(text + "<< error - bad_request\n<< error - bad_request")[1:] == []
        assert states(text + "<< error - bad_request\n" * 3)[1:] == ["query orphan unasked"]

    def test_such_an_error_is_found_by_id_too(self) -> None:
        text = OPEN + '>> raw {"type":"neighbors","id":"n1"}\n<< error n1 bad_request'
        assert states(text)[1:] == []

    def test_an_older_query_gets_its_error_before_the_junk_does(self) -> None:
        text = PLAIN + ">> query a\n>> raw junk\n<< error - internal"
        assert states(text)[1:] == ["a answered"]
        assert states(text + "\n<< error - bad_request")[1:] == ["a answered"]

    def test_a_younger_query_waits_until_the_junk_is_answered(self) -> None:
        played = tell(PLAIN + ">> raw junk\n>> query a\n<< error - bad_request\n<< frames - x")
        assert played.states[1:] == ["a answered"]

    def test_a_request_that_cannot_be_read_still_awaits_its_reply(self) -> None:
        assert states(PLAIN + '>> raw {"type":"query"}\n<< error - bad_request')[1:] == ["query answered"]

    @pytest.mark.parametrize(
        ("ack", "line", "error"),
        [
            ("ack", "raw junk", "error - bad_request"),
            ("ack", "raw []", "error - bad_request"),
            ("ack", 'raw {"type":"neighbors","id":"n1"}', "error - bad_request"),
            ("ack correlation", "raw junk", "error - bad_request"),
            ("ack correlation", 'raw {"type":"neighbors","id":"n1"}', "error n1 bad_request"),
            ("ack correlation", 'raw {"type":"neighbors","id":"n1"}\nquery q1', "error n1 bad_request"),
        ],
    )
    def test_in_a_bare_file_an_error_may_be_for_a_line_that_nobody_is_known_to_have_sent(
        self, ack: str, line: str, error: str
    ) -> None:
        played = bare("handshake", ack, *line.splitlines(), error)
        assert [found for found in played.broken if found.split()[0] != "ENV"] == []
        assert [state for state in played.states if "orphan" in state or "failed" in state] == []

    def test_such_a_line_excuses_one_error_and_no_other_reply(self) -> None:
        assert bare("handshake", "ack", "raw junk", "error - internal", "error - internal").broken[1:] == [
            "3.2 advice line 5"
        ]
        assert bare("handshake", "ack", "raw junk", "frames - a").broken[1:] == []
        assert bare("handshake", "ack", "raw junk", "frames - a", "frames - a").broken[1:] == ["3.2 advice line 5"]
        assert bare("handshake", "ack", 'raw {"type":"neighbors"}', "frames - a").broken == ["3.2 advice line 4"]
        spoken = bare("handshake", "ack correlation", 'raw {"type":"neighbors","id":"n1"}', "error n2 bad_request")
        assert spoken.broken == ["H4 line 4"]

    def test_an_answer_to_what_came_later_ends_the_wait(self) -> None:
        played = bare("handshake", "ack", "raw junk", "query -", "frames - a", "frames - a")
        assert played.broken[1:] == ["3.2 advice line 6"]
        # in lock-step the first error may be for the junk, and the answer after it for the query
        assert bare("handshake", "ack", "raw junk", "query -", "error - bad_request", "frames - a").broken[1:] == []

    def test_what_answers_a_line_that_only_the_provider_could_read_is_no_stray(self) -> None:
        bom = "raw \ufeff" + message("handshake").decode()
        assert [found.split()[0] for found in bare(bom, "ack", "query -", "frames - a").broken] == ["ENV"]
        zeros = ">> raw " + message("query -").decode().replace("2000", "02000")
        assert tell(PLAIN + zeros + "\n<< frames - a").broken == ["ENV line 3"]
        assert tell(PLAIN + zeros + "\n<< error - bad_request\n<< frames - a").broken[1:] == ["3.2 advice line 5"]
        strict = tell(OPEN + zeros + "\n>> query q1\n>> query q2\n<< frames q9 a")
        assert strict.broken == ["ENV line 3", "H4 line 6"]

    def test_a_request_in_lock_step_claims_the_error_first(self) -> None:
        played = bare("handshake", "ack", "raw junk", "query -", "error - internal")
        assert played.states[1:] == ["query answered"]

    def test_a_line_without_a_sender_is_taken_by_its_type(self) -> None:
        raw = message("query q1")
        session = Session(1, itertools.count(1))
        assert session.feed(Seen(Line(1, 1, None, 0.0, b"junk"), decode(b"junk"))) == ()
        assert len(session.feed(Seen(Line(2, 1, None, 0.0, raw), decode(raw)))) == 1


class TestNotes:
    @pytest.mark.parametrize(
        ("note", "why"),
        [
            ("gave_up q1", "timeout"),
            ("cut q1", "consent_required"),
            ("send_failed q1", "provider_crashed"),
            ("send_failed q1 stalled", "stalled"),
        ],
    )
    def test_some_end_one_exchange(self, note: str, why: str) -> None:
        played = tell(OPEN + f">> query q1\n>> query q2\nnote {note}")
        assert played.states[1:] == [f"q1 failed {why}", "q2 pending"]
        assert not played.session.shut

    @pytest.mark.parametrize(
        ("note", "why"),
        [("exit", "provider_crashed"), ("poisoned", "poisoned"), ("poisoned line_too_long", "line_too_long")],
    )
    def test_some_end_them_all(self, note: str, why: str) -> None:
        played = tell(OPEN + f">> query q1\n>> query q2\nnote {note}")
        assert played.states[1:] == [f"q1 failed {why}", f"q2 failed {why}"]
        assert played.session.shut
        assert played.session.pending == ()

    def test_others_change_nothing(self) -> None:
        played = tell(OPEN + ">> query q1\nnote stderr hello")
        assert played.states[1:] == ["q1 pending"]
        assert played.session.feed(UnknownNote("later", 1.0, 1, b"{}")) == ()

    def test_an_answered_exchange_is_past_giving_up(self) -> None:
        assert states(OPEN + ">> query q1\n<< frames q1 a\nnote gave_up q1")[1:] == ["q1 answered"]

    def test_a_cut_message_is_owed_no_reply(self) -> None:
        played = tell(PLAIN + ">> query a\nnote cut a\n>> query b\n<< frames - x")
        assert played.states[1:] == ["a failed consent_required", "b answered"]


class TestEnd:
    def test_it_fails_whatever_is_pending(self) -> None:
        session = tell(OPEN + ">> query q1\n>> query q2").session
        assert [e.number for e in session.pending] == [2, 3]
        assert [(e.state, e.why) for e in session.end("timeout")] == [("failed", "timeout")] * 2
        assert session.pending == ()
        assert session.shut

    def test_shutdown_shuts_and_what_is_pending_may_still_be_answered(self) -> None:
        played = tell(OPEN + ">> query q1\n>> shutdown\n<< frames q1 a")
        assert played.session.shut
        assert played.states[1:] == ["q1 answered"]


SPOKEN = st.sampled_from(
    [
        *(f">> query {ident}" for ident in ("q1", "q2", "-")),
        ">> verify - f",
        ">> raw junk",
        ">> shutdown",
        *(f"<< {kind} {ident} f" for kind in ("frames", "error") for ident in ("q1", "q2", "q3", "-")),
        "<< verified - f=valid",
        "<< ack correlation",
        "<< raw junk",
        *(f"note gave_up {number}" for number in (1, 2, 3, 4)),
        "note exit",
    ]
)


@settings(max_examples=400)
@given(st.sampled_from([OPEN, PLAIN, ""]), st.lists(SPOKEN, max_size=30))
def test_no_order_of_lines_gives_one_callers_frames_to_another(opening: str, lines: list[str]) -> None:
    """Each number is answered at most once, never after it failed, by a later line, and under correlation by its own id."""
    played = tell(opening + "\n".join(lines))
    answered: dict[int, int] = {}
    failed: set[int] = set()
    for change in played.changes:
        if change.number is None:
            assert change.state in ("orphan", "duplicate")
            assert change.request is None
            continue
        assert change.request is not None
        if change.state in ("answered", "late"):
            assert change.reply is not None
            assert change.number not in answered
            assert (change.number in failed) == (change.state == "late")
            assert change.reply.line.n > change.request.line.n
            answered[change.number] = change.reply.line.n
            strict = change.ack is not None and change.ack.capabilities.correlation
            if strict and change.kind != "handshake":
                assert change.reply.decoded.id == change.request.decoded.id
        elif change.state == "failed":
            failed.add(change.number)
    assert len(set(answered.values())) == len(answered)
    assert {e.number for e in played.session.pending}.isdisjoint({*answered, *failed})


@pytest.mark.parametrize("reply", ["<< frames - f", "<< raw junk", "<< frames q9 f", "<< error - internal"])
def test_time_is_linear_in_the_lines(reply: str) -> None:
    """Twenty thousand requests in flight and as many lines that fit none: a look at each request would take a minute."""
    began = time.process_time()
    session = Session(1, itertools.count(1))
    for n, text in enumerate((">> handshake", "<< ack correlation"), 1):
        session.feed(seen(n, text))
    asked, answer = seen(3, ">> query q1"), seen(4, reply)
    for _ in range(20_000):
        session.feed(asked)
    for _ in range(20_000):
        session.feed(answer)
    assert len(session.pending) == 20_000
    assert time.process_time() - began < 5


class TestAnEndAtALineItCouldNotUse:
    """The process that is gone after a line which no provider could use: which line, and what else explains it."""

    @pytest.mark.parametrize("line", ["raw {{{", 'raw {"type":"shutdown","type":"query"}', 'raw {"type":"later"}'])
    def test_a_line_that_opened_nothing_is_remarked_on(self, line: str) -> None:
        (remark,) = tell(PLAIN + f">> {line}\nnote exit 1").session.remarks
        assert (remark.seen.line.n, remark.past) == (3, Past(ended_here=True))

    def test_a_request_says_it_itself(self) -> None:
        played = tell(PLAIN + '>> raw {"type":"query"}\nnote exit 1')
        assert played.session.remarks == ()
        assert [change.past.ended_here for change in played.changes[-2:]] == [False, True]

    @pytest.mark.parametrize(
        "text",
        [
            ">> raw {{{\n<< error - bad_request",
            ">> raw {{{\n>> query -",
            '>> raw {"type":"query"}\nnote gave_up query',
            ">> raw {{{\n>> shutdown",
        ],
    )
    def test_what_was_answered_passed_over_or_given_up_is_no_cause(self, text: str) -> None:
        played = tell(PLAIN + text + "\nnote exit 0")
        assert played.session.remarks == ()
        assert not any(change.past.ended_here for change in played.changes)


def test_a_request_that_went_out_before_the_handshake_was_no_early_one_until_that_came() -> None:
    early = [change.past.early for change in tell(">> query -\n>> handshake\n<< ack\n<< frames - a").changes]
    assert early == [False, False, False, True]
    assert not any(change.past.early for change in tell(PLAIN + ">> query -\n<< frames - a").changes)


@pytest.mark.parametrize(
    ("text", "past"),
    [
        (OPEN + ">> query q1", Past()),
        (">> handshake\n>> query q1", Past(early=True)),
        (OPEN + ">> shutdown\n>> query q1", Past(after_shutdown=True)),
        (OPEN + ">> query q1\n>> query q1", Past(reuses_id=True)),
        (OPEN + ">> query q1\n>> query q1\n<< frames q1 a\n>> query q1", Past(reuses_id=True)),
        (OPEN + ">> query q1\n>> query q1\n<< frames q1 a\n<< frames q1 b\n>> query q1", Past()),
        (OPEN + ">> query q1\nnote gave_up q1\n>> query q1", Past()),
        (PLAIN + ">> query q1\n>> query q1", Past()),
        (OPEN + ">> query -\n>> query -", Past()),
        (">> handshake\n<< ack\nnote refused 2 version_mismatch\n>> query -", Past(refused="version_mismatch")),
    ],
)
def test_what_came_before_a_request_travels_with_it(text: str, past: Past) -> None:
    assert tell(text).changes[-1].past == past
