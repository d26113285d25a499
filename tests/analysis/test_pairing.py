"""Records given to the sessions of their connections: what is counted, what is lost, and where a connection ends."""

from __future__ import annotations

from cgp_tui.analysis.connections import Connections
from cgp_tui.analysis.pairing import Pairing
from cgp_tui.session import Exchange
from cgp_tui.transcript.record import Damaged
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from cgp_tui.wire.note import Spawn

HELLO = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}'
ASK = b'{"type":"query","id":"q%d","query":{"goal":"g","max_frames":1,"max_tokens":1}}'


def feed(pairing: Pairing, at: int, raw: bytes, connection: int = 1, n: int = 0) -> list[str]:
    line = Line(n or at + 1, connection, "host", 0.0, raw)
    return states(pairing.pair(at, line, Seen(line, decode(raw))))


def states(made: object) -> list[str]:
    assert isinstance(made, list)
    return [f"{what.kind} {what.state}" for what, _, _ in made if isinstance(what, Exchange)]


def test_lines_and_damage_are_counted_and_a_gap_is_a_loss() -> None:
    pairing = Pairing(False, Connections())
    assert feed(pairing, 0, HELLO) == ["handshake pending"]
    assert pairing.pair(1, Damaged(b"{", "why"), None) == []
    # What was in flight in lock-step fails with the line that may have been its reply.
    assert feed(pairing, 2, ASK % 1, n=4) == ["handshake failed", "query pending"]
    assert (pairing.lines, pairing.lost, pairing.damaged) == (2, 2, 1)


def test_in_a_bare_file_a_new_connection_ends_the_one_before_and_the_file_the_last() -> None:
    pairing = Pairing(True, Connections())
    assert feed(pairing, 0, HELLO) == ["handshake pending"]
    assert feed(pairing, 9, HELLO, 2) == ["handshake failed", "handshake pending"]
    assert (list(pairing.sessions), pairing.lost) == ([2], 0)
    assert states(pairing.end(9)) == ["handshake failed"]


def test_a_recording_that_was_cut_off_ends_no_connection() -> None:
    heard = Connections()
    pairing = Pairing(False, heard)
    assert pairing.pair(0, Spawn(connection=1, t=0.0, pid=1, sandbox="none"), None) == []
    feed(pairing, 1, HELLO, n=1)
    feed(pairing, 2, HELLO, 2, n=2)
    assert len(pairing.sessions) == 2
    assert pairing.end(2) == []
    assert heard.of(1).spawn == 0
    assert feed(pairing, 3, b'{"type":"shutdown"}', n=3) == []
    assert states(pairing.end(3)) == ["handshake failed"]


def test_blank_lines_of_a_bare_file_only_count() -> None:
    pairing = Pairing(True, Connections())
    assert pairing.pair(0, Line(1, 1, None, 0.0, b" "), None) == []
    assert pairing.lines == 1
