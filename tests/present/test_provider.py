"""One connection for people."""

from __future__ import annotations

from typing import Any

from cgp_tui.present.provider import LINES, Card, card_aside, card_rows, card_title
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.text import hidden_codes
from cgp_tui.wire.note import Connect, Exit, Poisoned, ShownTarget, Spawn, Stderr
from tests.present.samples import KEYS, ack, subjects, text

LOUD = "x\x1b[2J\r\u202e[/]"
LOOK = Look(width=78, keys=KEYS)
CONNECT = Connect(
    t=0, connection=1, provider_id="repo-graph", target=ShownTarget("stdio", ("serve", "--root"), "ab" * 32, "")
)
SPAWN = Spawn(t=0, connection=1, pid=4711, sandbox="no-network")


def declared(**more: Any) -> HandshakeAck:
    envelope = subjects([{"type": "handshake", "protocol_version": "contextgraph/1.0"}, ack(**more)])[1].decoded.envelope
    assert isinstance(envelope, HandshakeAck)
    return envelope


def said(card: Card) -> str:
    return text(card_rows(card, LOOK), 78)


def test_a_card_tells_identity_data_flow_target_process_and_stderr() -> None:
    seen = said(Card(1, 1, CONNECT, SPAWN, declared(), 3, stderr=(Stderr(t=0, connection=1, text="40 %\n80 %\n"),)))
    for words in (
        "stands      started; no end is on record",
        "provider    repo-graph 0.2.0",
        "data flow   reads",
        "offers      correlation, verify",
        "keys        none published",
        "target      serve --root",
        "code        not pinned",
        "process     pid 4711",
        "sandbox     no-network",
        "│ 40 %",
        "│ 80 %",
    ):
        assert words in seen, words


def test_what_it_declares_leads_to_the_line_that_says_so() -> None:
    jumps = {row.jump.place for row in card_rows(Card(1, 1, ack=declared(), ack_record=3), LOOK) if row.jump is not None}
    assert jumps == {3}


def test_how_it_ended_comes_first() -> None:
    ended = said(Card(1, 1, spawn=SPAWN, exit=Exit(t=0, connection=1, signal=9)))
    assert ended.startswith("stands      ended by signal 9") and ended.count("ended by signal 9") == 1
    assert ended.count("4711") == 1
    broken = said(Card(1, 1, spawn=SPAWN, poisoned=Poisoned(t=0, connection=1, reason="timeout")))
    assert "✗ nothing more is read from this stream: timeout" in " ".join(broken.split())


def test_what_is_not_on_record_is_said() -> None:
    assert "this file keeps messages alone" in said(Card(1, 1, bare=True))
    unknown = said(Card(1, 1))
    assert "not started, or not on record" in unknown
    assert "Its handshake is not finished" in unknown
    assert "stderr      nothing on record" in unknown


def test_only_the_last_lines_of_stderr_are_drawn() -> None:
    many = "".join(f"line {number}\n" for number in range(LINES + 3))
    seen = said(Card(1, 1, stderr=(Stderr(t=0, connection=1, text=many),)))
    assert "line 2\n" not in seen and f"line {LINES + 2}" in seen and "the last lines" in seen
    assert "all of it" in said(Card(1, 1, stderr=(Stderr(t=0, connection=1, text="one\n"),)))


def test_the_title_is_our_name_else_its_own_claim() -> None:
    assert card_title(Card(1, 1, CONNECT)) == "Provider: repo-graph"
    assert card_title(Card(1, 1, ack=declared())) == "Provider: repo-graph, it says"
    assert card_title(Card(1, 1)) == "Provider"
    assert [card_aside(Card(1, 1), LOOK), card_aside(Card(2, 3), LOOK)] == [
        "connection 1 of 1",
        "connection 2 of 3 (} the next)",
    ]


def test_hostile_words_stay_inert() -> None:
    loud = Connect(t=0, connection=1, provider_id=LOUD, target=ShownTarget("stdio", (LOUD,), LOUD, LOUD))
    spawn = Spawn(t=0, connection=1, pid=1, sandbox=LOUD)
    stderr = Stderr(t=0, connection=1, text=LOUD)
    card = Card(1, 1, loud, spawn, declared(name=LOUD), 0, Poisoned(t=0, connection=1, reason=LOUD), None, (stderr,))
    texts = [row.text for row in card_rows(card, LOOK)]
    assert [one for one in (*texts, card_title(card)) if hidden_codes(one)] == []
