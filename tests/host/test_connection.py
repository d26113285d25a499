"""One provider, honest or not: every end has its name, at once, and the recording tells the same story."""

from __future__ import annotations

import asyncio
import fcntl
import select
import sys
import termios
import time
from pathlib import Path

import pytest

from cgp_tui.errors import InputError, PeerError
from cgp_tui.host import Connection, Deadlines, HostError
from cgp_tui.host.errors import (
    CorrelationMismatch,
    Poisoned,
    Provider,
    ProviderCrashed,
    ScopeRefused,
    Timeout,
    UnexpectedEnvelope,
    VersionMismatch,
    Wire,
)
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.verify import VerifyRequest
from cgp_tui.wire import note
from cgp_tui.wire.line import Line
from tests.host.bench import PATIENCE, PATIENT, SHORT, ask, bench, in_a_hurry, kinds
from tests.host.test_process import until

HASTY = Deadlines(handshake=0.8, exchange=PATIENCE, write=PATIENCE, shutdown=0.2)

GREETINGS = [
    ("dies-at-once", ProviderCrashed, "provider_crashed"),
    ("dies-in-the-handshake", ProviderCrashed, "provider_crashed"),
    ("mute", Timeout, "timeout"),
    ("half-a-line", Timeout, "timeout"),
    ("one-byte-a-second", Timeout, "timeout"),
    ("closes-stdout", ProviderCrashed, "provider_crashed"),
    ("garbage", Wire, "not_json"),
    ("not-UTF-8", Wire, "invalid_utf8"),
    ("wrong-version", VersionMismatch, "version_mismatch"),
    ("family-by-prefix", VersionMismatch, "version_mismatch"),
    ("refuses-the-version", VersionMismatch, "version_mismatch"),
    ("refuses", Provider, "provider_error"),
    ("frames-first", UnexpectedEnvelope, "unexpected_envelope"),
    ("contradiction", ScopeRefused, "scope_contradiction"),
    ("malformed-scope", ScopeRefused, "scope_malformed"),
]


@pytest.mark.parametrize(("mode", "kind", "code"), GREETINGS, ids=[row[0] for row in GREETINGS])
async def test_a_handshake_that_comes_to_nothing_has_a_name(
    mode: str, kind: type[HostError], code: str, tmp_path: Path
) -> None:
    async with bench(tmp_path, HASTY if kind is Timeout else PATIENT) as made:
        began = time.monotonic()
        with pytest.raises(kind) as caught:
            await made.connect(mode)
        assert time.monotonic() - began < PATIENCE / 2
        assert caught.value.code == code
        assert isinstance(caught.value, PeerError)
        assert caught.value.fix
        assert made.agrees(caught.value)
        connection = made.host.connections[mode]
        assert not connection.alive
        assert connection.exited is not None  # stopped, whatever it was doing
        with pytest.raises(HostError):
            await made.host.query(mode, ask())
        assert not any(b'"query"' in raw for raw in made.said("host"))
        assert connection.ended_by in (code, "provider_crashed")
        refused = [(record.line, record.fault) for record in made.notes(note.Refused) if isinstance(record, note.Refused)]
        assert refused == ([(2, code)] if kind in (VersionMismatch, ScopeRefused) and mode != "refuses-the-version" else [])


async def test_bad_bytes_in_the_handshake_fail_it_at_once(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        began = time.monotonic()
        with pytest.raises(Wire) as caught:
            await made.connect("not-UTF-8")
        assert time.monotonic() - began < PATIENCE / 2
        assert "not UTF-8" in caught.value.fix
        assert made.said("provider") == [b'{"type":"handshake_ack","x":"\x97"}']


async def test_an_unknown_message_before_the_ack_is_recorded_and_ignored(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("unknown-first")
        assert connection.ack.provider.name == "odd"
        assert (await connection.query(ask())).kind == "frames"
    assert kinds(made.records())[2:6] == ["handshake", "hello", "handshake_ack", "gate"]


async def test_an_honest_dialogue_is_recorded_whole_and_in_order(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("honest")
        assert connection.alive
        assert connection.number == 1
        assert connection.binding.provider_name == "odd"
        first = await connection.query(ask("one"))
        second = await made.host.query("honest", ask("two"))
        assert [frame.content for frame in (*first.frames, *second.frames)] == ["one", "two"]
        assert (first.exchange, second.exchange) == (2, 3)
        assert made.agrees(first)
        assert made.agrees(second)
        judged = await connection.verify(VerifyRequest((first.frames[0].identity("odd"),)))
        assert judged.exchange.number == 4
    assert kinds(made.records()) == [
        "connect",
        "spawn",
        "handshake",
        "handshake_ack",
        *("gate", "query", "frames") * 2,
        "gate",
        "verify",
        "verified",
        "shutdown",
        "exit",
    ]
    (end,) = made.notes(note.Exit)
    assert isinstance(end, note.Exit)
    assert end.code == 0
    assert [(gate.asked, gate.allowed, gate.exchange, gate.needs) for gate in made.gates()] == [
        ("query", True, 2, ()),
        ("query", True, 3, ()),
        ("verify", True, 4, ()),
    ]
    assert [gate.bytes for gate in made.gates()] == [len(raw) for raw in made.said("host")[1:4]]
    assert made.said("host")[1] == b'{"type":"query","query":{"goal":"one","max_frames":8,"max_tokens":2000},"id":"q1"}'
    assert b'"id"' not in made.said("host")[3]  # a verify never has one


async def test_without_correlation_no_id_goes_out_and_one_is_asked_at_a_time(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("slow", correlation="no")
        asked = [made.host.query("slow", ask(f"{wait} s")) for wait in (0.2, 0.1, 0.0)]
        answers = await asyncio.gather(*asked)
        assert [answer.frames[0].content for answer in answers] == ["0.2 s", "0.1 s", "0.0 s"]
    assert not any(b'"id"' in raw for raw in made.said("host"))
    assert kinds(made.records())[4:13] == ["gate", "query", "frames"] * 3


async def test_waiting_for_a_turn_does_not_use_up_the_exchange(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("slow", correlation="no")
        connection._deadlines = Deadlines(exchange=2.0)
        began = time.monotonic()
        answers = await asyncio.gather(*(made.host.query("slow", ask("0.3 s")) for _ in range(7)))
        assert time.monotonic() - began > 2.0
        assert [answer.kind for answer in answers] == ["frames"] * 7


async def test_correlated_answers_find_their_callers_in_any_order(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("backwards")
        answers = await asyncio.gather(*(made.host.query("backwards", ask(goal)) for goal in "abc"))
        assert [answer.frames[0].content for answer in answers] == ["a", "b", "c"]
        assert [answer.exchange for answer in answers] == [2, 3, 4]
        assert all(map(made.agrees, answers))


async def test_never_two_verifies_in_flight(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("slow")
        request = VerifyRequest((FrameId("odd", "a", None),))
        await asyncio.gather(*(connection.verify(request) for _ in range(3)), connection.query(ask("0.1 s")))
    order = [kind for kind in kinds(made.records()) if kind in ("verify", "verified")]
    assert order == ["verify", "verified"] * 3


ANSWERS = [
    ("crashes", "yes", ProviderCrashed, "provider_crashed"),
    ("exits", "yes", ProviderCrashed, "provider_crashed"),
    ("hangs", "yes", Timeout, "timeout"),
    ("hangs", "no", Timeout, "timeout"),
    ("no-id", "yes", CorrelationMismatch, "correlation_mismatch"),
    ("other-id", "yes", CorrelationMismatch, "correlation_mismatch"),
    ("garbage-answers", "yes", Wire, "not_json"),
    ("garbage-answers", "no", Wire, "not_json"),
    ("not-UTF-8-answers", "no", Wire, "invalid_utf8"),
    ("errors", "yes", Provider, "provider_error"),
    ("errors", "no", Provider, "provider_error"),
]


@pytest.mark.parametrize(("mode", "correlation", "kind", "code"), ANSWERS, ids=[f"{row[0]}, {row[1]}" for row in ANSWERS])
async def test_a_query_that_comes_to_nothing_has_a_name(
    mode: str, correlation: str, kind: type[HostError], code: str, tmp_path: Path
) -> None:
    async with bench(tmp_path, SHORT if kind is Timeout else PATIENT) as made:
        await made.connect(mode, correlation=correlation)
        began = time.monotonic()
        with pytest.raises(kind) as caught:
            await made.host.query(mode, ask())
        assert time.monotonic() - began < PATIENCE / 2
        assert caught.value.code == code
        assert caught.value.outcome.kind == "failed"
        assert caught.value.outcome.exchange == 2
        assert caught.value.id == mode
        assert made.agrees(caught.value)


async def test_an_error_reply_keeps_the_provider_s_words(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("errors")
        with pytest.raises(Provider) as caught:
            await made.host.query("errors", ask())
        assert caught.value.provider_code == "unsupported_kind"
        assert caught.value.message == "\x1b[2Jno"  # as sent: whoever draws it makes it visible


@pytest.mark.parametrize(("mode", "kind"), [("lies", "budget_lie"), ("floods-frames", "frame_flood")])
async def test_a_dropped_answer_serves_no_frames(mode: str, kind: str, tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect(mode)
        outcome = await connection.query(ask("abcd"))
        assert (outcome.kind, outcome.frames) == (kind, ())
        assert made.agrees(outcome)
        assert connection.alive
        if kind == "budget_lie":
            assert (await connection.query(ask("abcd"), reference_parity=True)).kind == "frames"


async def test_an_unreadable_line_costs_its_exchange_and_no_other(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("garbage-answers", correlation="no")
        for number in (2, 3):
            with pytest.raises(Wire) as caught:
                await connection.query(ask())
            assert caught.value.outcome.exchange == number
        assert connection.alive


async def test_the_first_answer_counts(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("twice")
        for goal in ("one", "two"):
            assert (await connection.query(ask(goal))).frames[0].content == goal
        assert connection.alive


async def test_an_unfinished_last_line_is_an_answer(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("no-last-newline")
        assert (await made.host.query("no-last-newline", ask("last"))).frames[0].content == "last"


async def test_a_timeout_in_lock_step_poisons_and_a_late_answer_reaches_nobody(tmp_path: Path) -> None:
    now = tmp_path / "now"
    async with bench(tmp_path, SHORT) as made:
        connection = await made.connect("slow", correlation="no")
        waiting = [asyncio.create_task(connection.query(ask(goal))) for goal in (f"when {now}", "never asked")]
        first, second = await asyncio.gather(*waiting, return_exceptions=True)
        assert isinstance(first, Timeout)
        assert isinstance(second, Poisoned)
        assert second.code == "poisoned"
        assert "Start the provider again" in second.fix
        assert second.outcome.exchange is None
        now.touch()
        assert await until(lambda: len(made.said("provider")) == 2)  # the late answer is in the recording
        assert made.replayed()[2].state == "late"
        with pytest.raises(Poisoned):
            await connection.query(ask())
        assert len(made.said("host")) == 2
    (gave_up,) = made.notes(note.GaveUp)
    assert isinstance(gave_up, note.GaveUp)
    assert gave_up.exchange == 2
    asked = [line for line in made.records() if isinstance(line, Line) and line.raw.startswith(b'{"type":"query"')]
    assert SHORT.exchange <= gave_up.after_s <= gave_up.t - asked[0].t + 0.001


async def test_the_clock_of_an_exchange_starts_with_its_first_byte(tmp_path: Path) -> None:
    async with bench(tmp_path, Deadlines(handshake=PATIENCE, exchange=0.3, write=PATIENCE)) as made:
        connection = await made.connect("reads-slowly")
        with pytest.raises(Timeout):
            await connection.query(ask("x" * 3_000_000, max_tokens=1_000_000))
        (gave_up,) = made.notes(note.GaveUp)
        assert isinstance(gave_up, note.GaveUp)
        assert gave_up.after_s >= 0.4  # writing took longer than the exchange might


async def test_what_came_while_we_could_not_listen_is_not_given_up(tmp_path: Path) -> None:
    """A program that is stopped and goes on finds its deadlines past and the beginning of a long answer in the pipe."""
    now = tmp_path / "now"
    async with bench(tmp_path) as made:
        connection = await made.connect("slow", correlation="no", long="300000")
        connection._deadlines = Deadlines(exchange=1.0)
        waiting = asyncio.create_task(connection.query(ask(f"when {now}", max_tokens=1_000_000)))
        assert await until(lambda: connection.pending)
        now.touch()
        began = time.monotonic()
        while time.monotonic() - began < 2 or not readable(connection):
            time.sleep(0.05)
        assert (await waiting).kind == "frames"


def readable(connection: Connection) -> int:
    """How many bytes of the provider's stdout wait to be read."""
    counted = fcntl.ioctl(connection._link._process.stdout, termios.FIONREAD, bytes(4))  # type: ignore[attr-defined]
    return int.from_bytes(counted, sys.byteorder)


async def test_a_reply_leaves_no_clock_behind(tmp_path: Path) -> None:
    """Or each question would be kept in memory until its time is over."""
    async with bench(tmp_path) as made:
        connection = await made.connect("honest")
        assert (await connection.query(ask())).kind == "frames"
        await connection.verify(VerifyRequest((FrameId("odd", "f0"),)))
        loop = asyncio.get_running_loop()
        clocks = vars(loop)["_scheduled"]
        assert not [one for one in clocks if not one.cancelled() and one.when() > loop.time() + PATIENCE / 2]


async def test_a_timeout_with_correlation_leaves_the_others_alone(tmp_path: Path) -> None:
    now = tmp_path / "now"
    async with bench(tmp_path) as made:
        connection = await made.connect("slow")
        with in_a_hurry(made.host), pytest.raises(Timeout):
            await connection.query(ask(f"when {now}"))
        now.touch()
        assert connection.alive
        assert (await connection.query(ask("next"))).frames[0].content == "next"
        assert made.replayed()[2].state == "late"


async def test_a_verify_that_times_out_poisons_since_it_has_no_id(tmp_path: Path) -> None:
    async with bench(tmp_path, SHORT) as made:
        connection = await made.connect("hangs")
        with pytest.raises(Timeout) as caught:
            await connection.verify(VerifyRequest((FrameId("odd", "a", None),)))
        assert made.agrees(caught.value)
        with pytest.raises(Poisoned):
            await connection.query(ask())


@pytest.mark.parametrize("correlation", ["yes", "no"])
async def test_a_provider_that_does_not_read_has_stalled(correlation: str, tmp_path: Path) -> None:
    async with bench(tmp_path, SHORT) as made:
        connection = await made.connect("never-reads", correlation=correlation)
        big = asyncio.create_task(connection.query(ask("x" * 300_000)))
        other = asyncio.create_task(connection.query(ask("small")))
        first, second = await asyncio.gather(big, other, return_exceptions=True)
        assert isinstance(first, Timeout)
        assert first.code == "stalled"
        assert made.agrees(first)
        assert isinstance(second, Poisoned)
        assert await until(lambda: connection.exited is not None)
        (failed,) = made.notes(note.SendFailed)
        assert isinstance(failed, note.SendFailed)
        assert (failed.exchange, failed.reason) == (2, "stalled")
        # Half of the first message may be out: nothing was ever written behind it.
        assert len(made.said("host")) == 2


async def test_a_provider_that_stops_reading_while_another_waits_fails_both(tmp_path: Path) -> None:
    async with bench(tmp_path, Deadlines(PATIENCE, PATIENCE, write=0.4, shutdown=0.2)) as made:
        connection = await made.connect("never-reads")
        small = asyncio.create_task(connection.query(ask("small")))
        assert await until(lambda: len(connection.pending) == 1)
        big = asyncio.create_task(connection.query(ask("x" * 300_000)))
        ends = await asyncio.gather(small, big, return_exceptions=True)
        assert [getattr(end, "code", "") for end in ends] == ["stalled", "stalled"]


def nobody_reads(connection: Connection) -> bool:
    """Whether the other end of the provider's stdin is closed."""
    poll = select.poll()
    poll.register(connection._link._process.stdin, 0)  # type: ignore[attr-defined]
    return bool(poll.poll(0))


async def test_a_provider_that_closed_its_stdin_counts_as_gone(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("closes-stdin")
        assert await until(lambda: nobody_reads(connection))
        with pytest.raises(ProviderCrashed) as caught:
            await connection.query(ask())
        assert made.agrees(caught.value)
        assert await until(lambda: connection.exited is not None)
        with pytest.raises(ProviderCrashed):
            await connection.query(ask())


async def test_what_may_not_be_asked_is_not_asked(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("honest")
        for query in (
            ask(as_of="yesterday"),
            ask(max_frames=-1),
            ask(max_tokens=2**32),
            ask(embedding=(0.5,)),  # type: ignore[arg-type]
            ask(representation_preferences=("compact",)),  # type: ignore[arg-type]
            ask("\udcff"),
        ):
            with pytest.raises(InputError) as caught:
                await connection.query(query)
            assert caught.value.code == "usage"
            assert caught.value.fix
        assert kinds(made.records())[-1] == "handshake_ack"
        assert connection.alive
        assert (await connection.query(ask(as_of="2026-01-01T00:00:00Z"))).kind == "frames"


async def test_verify_goes_only_to_providers_that_declare_it(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("no-verify")
        with pytest.raises(InputError):
            await connection.verify(VerifyRequest((FrameId("odd", "a", None),)))
        assert kinds(made.records())[-1] == "handshake_ack"


async def test_before_the_handshake_there_is_nothing_to_ask(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        opening = asyncio.create_task(made.connect("mute"))
        assert await until(lambda: "mute" in made.host.connections)
        connection = made.host.connections["mute"]
        assert not connection.alive
        for attribute in ("ack", "question", "binding"):
            with pytest.raises(RuntimeError):
                getattr(connection, attribute)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert connection.exited is not None
