"""What may still come for lines that opened no exchange."""

from __future__ import annotations

import pytest

from cgp_tui.session.exchange import Exchange
from cgp_tui.session.unserved import Unserved
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen

JUNK, LATER = b"junk", b'{"type":"later"}'


def seen(raw: bytes, n: int = 5) -> Seen:
    return Seen(Line(n, 1, None, 0.0, raw), decode(raw))


def asked(n: int) -> Exchange:
    return Exchange(1, 1, "query", "pending", seen(JUNK, n))


def test_nothing_is_awaited_for_nothing() -> None:
    unserved = Unserved()
    assert not unserved
    assert unserved.error(None, None, readable=True) is None
    assert not unserved.answers()


@pytest.mark.parametrize(("by_host", "line"), [(True, 5), (False, 0)])
def test_one_error_for_a_line(by_host: bool, line: int) -> None:
    unserved = Unserved()
    unserved.add(seen(LATER), "n1", by_host)
    assert unserved
    assert unserved.error("n2", None, readable=True) is None
    assert unserved.error("n1", None, readable=True) == line
    assert unserved.error("n1", None, readable=True) is None
    assert not unserved


def test_the_hosts_lines_are_told_oldest_first_unless_an_older_request_claims_the_error() -> None:
    unserved = Unserved()
    unserved.add(seen(LATER, 5), None, by_host=True)
    unserved.add(seen(LATER, 7), None, by_host=True)
    assert unserved.error(None, asked(4), readable=True) is None
    assert unserved.error(None, asked(6), readable=True) == 5
    assert unserved.error(None, asked(6), readable=True) is None
    assert unserved.error(None, None, readable=False) == 7


def test_of_nobodys_line_an_error_is_only_what_nobody_claims_and_everybody_can_read() -> None:
    unserved = Unserved()
    unserved.add(seen(LATER), None, by_host=False)
    assert unserved.error(None, asked(9), readable=True) is None
    assert unserved.error(None, None, readable=False) is None
    assert unserved.error(None, None, readable=True) == 0


@pytest.mark.parametrize("by_host", [True, False])
def test_only_a_line_that_cannot_be_read_may_have_been_a_request(by_host: bool) -> None:
    unserved = Unserved()
    unserved.add(seen(LATER), None, by_host)
    assert not unserved.answers()
    unserved.add(seen(JUNK), None, by_host)
    assert unserved.answers()
    assert not unserved.answers()


@pytest.mark.parametrize("by_host", [True, False])
def test_its_error_settles_it(by_host: bool) -> None:
    unserved = Unserved()
    unserved.add(seen(JUNK), None, by_host)
    assert unserved.error(None, None, readable=True) is not None
    assert not unserved.answers()
    assert not unserved


def test_what_is_older_than_an_answered_request_gets_no_answer_any_more() -> None:
    unserved = Unserved()
    unserved.add(seen(JUNK, 5), None, by_host=False)
    unserved.settle(asked(4), "frames")
    assert unserved
    unserved.settle(Exchange(None, 1, "query", "orphan"), "frames")
    assert unserved
    unserved.settle(asked(6), "error")
    assert unserved
    unserved.settle(asked(6), "frames")
    assert not unserved
    assert not unserved.answers()


def test_but_a_host_may_still_be_told_that_it_sent_no_good_line() -> None:
    unserved = Unserved()
    unserved.add(seen(JUNK, 5), None, by_host=True)
    unserved.settle(asked(6), "frames")
    assert unserved.error(None, None, readable=True) == 5


@pytest.mark.parametrize("by_host", [True, False])
def test_an_error_is_for_one_of_the_lines_that_cannot_be_read_and_leaves_the_others(by_host: bool) -> None:
    unserved = Unserved()
    for n in (5, 6, 7):
        unserved.add(seen(JUNK, n), None, by_host)
    assert unserved.error(None, None, readable=True) == (5 if by_host else 0)
    assert [unserved.answers() for _ in range(3)] == [True, True, False]
