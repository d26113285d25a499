"""What came before a line, as dialogues: each told live and from its recording."""

from __future__ import annotations

import pytest

from cgp_tui.protocol.identity import FrameId
from cgp_tui.session.past import NOTHING, Past
from cgp_tui.wire.note import Exit
from tests.dialogue import tell

HELLO = ">> handshake\n"
OPEN = HELLO + "<< ack correlation verify graph\n"
PLAIN = HELLO + "<< ack\n"
ZERO = f"sha256:{0:064x}"
AT_A = '{"anchors":["file:///a"]}'
ONE = f"sha256:{1:064x}"
BEFORE = OPEN + '>> query q1\n<< frames q1 a{"uri":"file:///a"} b{"content_digest":"' + ONE + '"}\n'


def posing(scope: str) -> str:
    return f'{{"provider":{{"name":"docs","version":"1","data_flow":{{"egress_scopes":["{scope}"]}}}}}}'


def last(text: str) -> Past:
    """The past of the exchange that changed last."""
    return tell(text).changes[-1].past


@pytest.mark.parametrize(
    ("text", "past"),
    [
        (HELLO + ">> query -", Past(early=True)),
        (">> query -", NOTHING),
        # the ack came, though nobody but the host may be able to read it
        (HELLO + '<< ack {"capabilities":null}\n>> query -', NOTHING),
        # what was asked before the handshake is known to have been when its answer comes after it
        (">> query q1\n>> handshake\n<< ack correlation\n<< frames q1 f", Past(early=True)),
        (">> query q1\n<< frames q1 f\n>> handshake\n<< ack correlation", NOTHING),
        # no version at all, but no other family either; and the two postures contradict each other all the same
        (HELLO + '<< ack {"protocol_version":"contextgraph/1"}\n>> query -', NOTHING),
        (HELLO + f"<< ack {posing(':x')}\n>> query -", Past(refused="scope_contradiction")),
        (PLAIN + ">> query -", NOTHING),
        (HELLO + "<< error - internal\n>> query -", Past(early=True)),
        (OPEN + ">> query q1\n>> query q1", Past(reuses_id=True)),
        (OPEN + ">> query q1\n>> verify q1 f", Past(reuses_id=True)),
        (OPEN + ">> query q1\n<< frames q1\n>> query q1", NOTHING),
        (OPEN + ">> query q1\nnote gave_up q1\n>> query q1", NOTHING),
        (PLAIN + ">> query q1\n>> query q1", NOTHING),
        (PLAIN + ">> shutdown\n>> query -", Past(after_shutdown=True)),
        (PLAIN + ">> query -\n>> shutdown\n<< frames - f", NOTHING),
        (PLAIN + ">> shutdown\n<< frames - f", Past(after_shutdown=True)),
        (HELLO + '<< ack {"protocol_version":"contextgraph/2.0"}\n>> query -', Past(refused="version_mismatch")),
        (PLAIN + "note refused 2 scope_malformed\n>> query -", Past(refused="scope_malformed")),
        (OPEN + f">> query q1 {AT_A}\n<< frames q1 b", NOTHING),
        (BEFORE + f">> query q2 {AT_A}\n<< frames q2 b", Past(anchored="a")),
        (BEFORE + f'>> query q2 {AT_A}\n<< frames q2 c{{"uri":"file:///a"}}', NOTHING),
        (BEFORE + f'>> query q2 {AT_A}\n<< frames q2 b c{{"score":"x"}}', NOTHING),
        (BEFORE + f">> query q2 {AT_A}\n<< error q2 unavailable", NOTHING),
        (BEFORE + f">> verify - a\n<< verified - a=gone\n>> query q2 {AT_A}\n<< frames q2 b", NOTHING),
        (BEFORE + ">> verify - b\n<< verified - b=valid", Past(never_served=frozenset({FrameId("docs", "b", ZERO)}))),
        (BEFORE + ">> verify - b\n<< verified - b=stale", NOTHING),
        (OPEN + BEFORE.removeprefix(OPEN) + ">> verify - b\n<< verified - b=unknown", NOTHING),
        (OPEN + '>> raw {"type":"query","id":"q1"}\nnote exit 1', Past(ended_here=True)),
        (OPEN + '>> raw {"type":"query","id":"q1"}\n>> query q2\nnote exit 1', NOTHING),
        (OPEN + '>> raw {"type":"query","id":"q1"}\n>> shutdown\nnote exit 1', NOTHING),
    ],
)
def test_of_an_exchange(text: str, past: Past) -> None:
    assert last(text) == past


def test_a_past_in_which_nothing_matters_is_one_value() -> None:
    assert all(change.past is NOTHING for change in tell(OPEN + ">> query q1\n<< frames q1 f").changes)


RUNNING = "still running"
KILLED = f"{RUNNING}, killed by the host"
HUNG = PLAIN + ">> query -\nnote gave_up query\n"


@pytest.mark.parametrize(
    ("text", "remarks"),
    [
        (PLAIN + ">> raw {{{", [(3, NOTHING)]),
        (PLAIN + ">> raw {{{\n<< error - internal", [(4, Past(unserved=3))]),
        (PLAIN + ">> raw {{{\nnote exit 1", [(3, Past(ended_here=True))]),
        (PLAIN + ">> raw {{{\n<< error - bad_request\nnote exit 1", []),
        (PLAIN + ">> shutdown", [(3, NOTHING)]),
        (PLAIN + ">> shutdown\n>> shutdown", [(4, Past(after_shutdown=True))]),
        (PLAIN + ">> shutdown\nnote exit 0", []),
        (PLAIN + ">> shutdown\nnote exit 3", [(3, Past(exit="exit status 3"))]),
        (PLAIN + ">> shutdown\nnote exit 0 9", [(3, Past(exit="signal 9"))]),
        (PLAIN + "note exit 3", []),
        (PLAIN + ">> shutdown\nnote exit 0 9 ours", [(3, Past(exit=f"{RUNNING} after 0.2 s, killed by the host"))]),
        (
            HUNG + ">> shutdown\nnote exit 0 9 ours",
            [(4, Past(exit=f"{RUNNING} after 0.2 s, killed by the host", hung=True))],
        ),
        (HUNG + ">> shutdown\nnote exit 3", [(4, Past(exit="exit status 3"))]),
        (HUNG + ">> shutdown\nnote exit 0 11", [(4, Past(exit="signal 11"))]),
        (
            HUNG.replace("note", "<< frames - f\nnote") + ">> shutdown\nnote exit 0 9 ours",
            [(5, Past(exit=f"{RUNNING} after 0.2 s, killed by the host"))],
        ),
        (
            HUNG + "<< frames - f\n>> shutdown\nnote exit 0 9 ours",
            [(5, Past(exit=f"{RUNNING} after 0.2 s, killed by the host"))],
        ),
    ],
)
def test_of_lines_without_an_exchange(text: str, remarks: list[tuple[int, Past]]) -> None:
    """Those that the last step was, or threw a light on."""
    session = tell(text).session
    assert [(remark.seen.line.n, remark.past) for remark in session.remarks] == remarks


@pytest.mark.parametrize(("t", "exit"), [(2.51, "still running after 2 s, killed by the host"), (0.0, KILLED)])
def test_how_long_the_host_waited_before_it_killed_is_told_where_the_times_are(t: float, exit: str) -> None:
    session = tell(PLAIN + ">> shutdown").session
    session.feed(Exit(t=t, connection=1, signal=9, ours=True))
    assert [remark.past for remark in session.remarks] == [Past(exit=exit)]
