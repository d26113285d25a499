"""The front door: consent before every payload, one recording, no traces of a provider that is gone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from cgp_tui import limits
from cgp_tui.consent.drafts import grant_draft, policy, revoke_drafts
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.receipt import Receipt
from cgp_tui.consent.types import Need
from cgp_tui.errors import InputError, RefusedError
from cgp_tui.host import Connection, Host, HostError
from cgp_tui.host.errors import ConsentRequired, ConsentScopeRequired, Spawn, UnknownProvider
from cgp_tui.host.protect import Terminal
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.identity import FrameId
from cgp_tui.store.files import create_private
from cgp_tui.target import Target, default_id, stdio_target
from cgp_tui.transcript.writer import Writer
from cgp_tui.wire import note
from tests.host.bench import PATIENT, SHORT, Bench, ask, bench, kinds, target
from tests.host.test_process import _children, linux, until


def grant(ledger: Ledger, connection: Connection, *needs: Need) -> tuple[Receipt, ...]:
    """Consent to what `connection` needs, or to a part of it."""
    return ledger.grant(
        [
            grant_draft(
                connection.binding,
                need,
                declared=connection.ack.provider.data_flow.egress_scopes,
                payload=("goal",),
                expires_at="never",
                grantor=policy(),
            )
            for need in needs or connection.needs
        ]
    )


def revoke(ledger: Ledger, provider_id: str) -> str:
    return ledger.revoke(revoke_drafts(ledger.open().receipts, provider_id, (), policy())).outcome


async def test_no_byte_of_a_query_reaches_a_provider_without_consent(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with bench(tmp_path) as made:
        connection = await made.connect("egress", log=str(log), scopes="third-party-model,acme:store,local-only")
        with pytest.raises(ConsentScopeRequired) as caught:
            await connection.query(ask("canary"))
        with pytest.raises(ConsentScopeRequired):
            await made.host.verify("egress", [FrameId("odd", "canary", None)])
        await asyncio.sleep(0.2)
        assert not log.exists()
        error = caught.value
        assert isinstance(error, RefusedError)
        assert error.code == "consent_required"
        assert error.scopes == ("third-party-model", "acme:store")
        assert error.data_flow is not None
        assert error.data_flow.egress
        assert error.outcome.kind == "consent_required"
        assert error.outcome.exchange is None
        assert [need.reason for need in error.outcome.needs] == ["no_receipt", "no_receipt"]
        assert "third-party-model" in error.message
        assert "consent grant" in error.fix
    # The whole of what the child read after the handshake, to its end, is the shutdown.
    assert log.read_bytes() == b'{"type":"shutdown"}\n'
    assert "canary" not in made.path.read_text()
    assert kinds(made.records()) == ["connect", "spawn", "handshake", "handshake_ack", "gate", "gate", "shutdown", "exit"]
    first, second = made.gates()
    assert (first.allowed, first.exchange, first.asked, second.asked) == (False, None, "query", "verify")
    assert [(need.basis, need.scope, need.reason) for need in first.needs] == [
        ("scope", "third-party-model", "no_receipt"),
        ("scope", "acme:store", "no_receipt"),
    ]
    assert first.bytes > 0


async def test_a_receipt_for_every_need_opens_the_gate_and_a_revocation_shuts_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with bench(tmp_path) as made:
        connection = await made.connect("egress", log=str(log), scopes="third-party-model,org-tenant")
        (first,) = grant(made.ledger, connection, connection.needs[0])
        with pytest.raises(ConsentScopeRequired) as caught:
            await connection.query(ask())
        assert caught.value.scopes == ("org-tenant",)
        (second,) = grant(made.ledger, connection, connection.needs[1])
        assert (await connection.query(ask("allowed"))).kind == "frames"
        assert revoke(made.ledger, "egress") == "confirmed"
        with pytest.raises(ConsentScopeRequired) as caught:
            await connection.query(ask("too late"))
        assert {need.reason for need in caught.value.outcome.needs} == {"revoked"}
    assert b"allowed" in log.read_bytes()
    assert b"too late" not in log.read_bytes()
    allowed = made.gates()[1]
    assert [need.receipt_id for need in allowed.needs] == [first.receipt_id, second.receipt_id]
    assert allowed.ledger is not None
    assert allowed.ledger.seq == second.seq


async def test_no_identity_reaches_a_provider_after_its_revocation(tmp_path: Path) -> None:
    """A verify names frames, and those names leave the machine as a query does."""
    log = tmp_path / "log"
    held = [FrameId("odd", "kept", None)]
    async with bench(tmp_path) as made:
        connection = await made.connect("egress", log=str(log))
        with pytest.raises(ConsentScopeRequired):
            await made.host.verify("egress", [FrameId("odd", "early", None)])
        grant(made.ledger, connection)
        assert (await made.host.verify("egress", held)).verdicts[0].status == "valid"
        assert revoke(made.ledger, "egress") == "confirmed"
        with pytest.raises(ConsentScopeRequired) as caught:
            await made.host.verify("egress", [FrameId("odd", "late", None)])
        assert {need.reason for need in caught.value.outcome.needs} == {"revoked"}
    assert [name for name in (b"early", b"kept", b"late") if name in log.read_bytes()] == [b"kept"]
    assert [gate.allowed for gate in made.gates()] == [False, True, False]


async def test_egress_without_scopes_needs_the_boolean_consent(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("boolean-egress")
        with pytest.raises(ConsentRequired) as caught:
            await connection.query(ask())
        assert not isinstance(caught.value, ConsentScopeRequired)
        grant(made.ledger, connection)
        assert (await connection.query(ask())).kind == "frames"


async def test_another_version_of_the_provider_needs_another_consent(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress", version="1.0.0")
        grant(made.ledger, connection)
        await connection.close()
        # The same target: the version comes out of the file, not of the arguments.
        other = await made.host.connect(target("egress", version="1.0.1"), "egress")
        with pytest.raises(ConsentScopeRequired):
            await other.query(ask())


async def test_an_answer_that_comes_after_a_revocation_reaches_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOOK_SECONDS", 600)
    now = tmp_path / "now"
    async with bench(tmp_path) as made:
        connection = await made.connect("slow-egress")
        grant(made.ledger, connection)
        waiting = asyncio.create_task(connection.query(ask(f"when {now}")))
        assert await until(lambda: connection.pending)
        assert await asyncio.to_thread(revoke, made.ledger, "slow-egress") == "confirmed"
        now.touch()
        with pytest.raises(ConsentScopeRequired) as caught:
            await waiting
        assert caught.value.outcome.kind == "consent_required"
        assert caught.value.outcome.exchange == 2
        (late,) = made.notes(note.AnsweredAfterRevoke)
        assert isinstance(late, note.AnsweredAfterRevoke)
        assert late.line == 4


async def test_a_shut_ledger_names_its_state_and_the_way_out(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant(made.ledger, connection)
        local = await made.connect("honest")
        path, whole = made.ledger.path, made.ledger.path.read_bytes()
        path.write_bytes(whole[:-9])
        with pytest.raises(ConsentScopeRequired) as caught:
            await connection.query(ask())
        assert caught.value.code == "damaged"
        assert "recover" in caught.value.fix
        with pytest.raises(ConsentRequired) as doubted:
            await local.query(ask())
        assert doubted.value.code == "damaged", "what cannot be read may be a no to one that declares nothing any more"
        path.write_bytes(whole)
        assert (await local.query(ask())).kind == "frames"
        (tmp_path / "head").unlink()
        for one in (connection, local):
            with pytest.raises(ConsentRequired) as stopped:
                await one.query(ask())
            assert stopped.value.code == "head_missing"


async def test_what_cannot_be_recorded_is_not_sent(tmp_path: Path) -> None:
    log = tmp_path / "log"
    path = tmp_path / "full.ndjson"
    writer = Writer(create_private(path), "test", cap=2000)
    async with Host(tmp_path / "ledger.toml", writer, PATIENT) as host:
        connection = await host.connect(target("honest", log=str(log)), "p")
        assert (await host.query("p", ask("fits"))).kind == "frames"
        with pytest.raises(ConsentRequired) as caught:
            await host.query("p", ask("canary" * 1000))
        assert caught.value.code == "unrecordable"
        assert caught.value.outcome.kind == "consent_required"
        assert "space" in caught.value.fix
        with pytest.raises(ConsentRequired):
            await host.query("p", ask("canary"))
        assert connection.pending == ()
        assert connection.alive  # the session itself goes on
        assert host.journal.failed is not None
        assert host.journal.lost >= 1
    writer.close()
    assert b"fits" in log.read_bytes()
    assert b"canary" not in log.read_bytes()
    assert b"canary" not in path.read_bytes()
    assert path.stat().st_size <= 2000


async def test_verify_answers_for_each_identity_that_was_asked(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("verified-twice")
        a, b, c = (FrameId("odd", name, None) for name in "abc")
        # It says valid twice of a, valid and gone of b, and nothing of c.
        found = await made.host.verify("verified-twice", [c, b, a])
        assert [(verdict.frame, verdict.status) for verdict in found.verdicts] == [
            (c, "valid"),
            (b, "unknown"),
            (a, "unknown"),
        ]
        assert found.exchange == 2
        nothing = await made.host.verify("verified-twice", [])
        assert nothing.exchange is None
        assert nothing.verdicts == ()


async def test_connections_are_known_by_our_own_name(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        with pytest.raises(UnknownProvider):
            await made.host.query("nobody", ask())
        connection = await made.connect("honest")
        with pytest.raises(InputError) as caught:
            await made.connect("honest")
        assert caught.value.code == "usage"
        for name in ("", "../x", "a" * 65, "a b"):
            with pytest.raises(InputError):
                await made.host.connect(target("honest"), name)
        other = await made.host.connect(target("honest"))
        assert other.provider_id == default_id(target("honest"))
        assert set(made.host.connections) == {"honest", other.provider_id}
        assert (connection.number, other.number) == (1, 2)
        await made.host.disconnect("honest")
        assert set(made.host.connections) == {other.provider_id}
        again = await made.connect("honest")
        assert (await again.query(ask())).exchange == 4  # after three handshakes
        await made.host.disconnect("honest")
        with pytest.raises(UnknownProvider):
            await made.host.disconnect("honest")


def _broken(folder: Path) -> Target:
    path = folder / "broken"
    path.write_text("#!/nowhere/interpreter\n")
    path.chmod(0o755)
    return stdio_target([str(path)])


async def test_a_program_that_does_not_start_is_named(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        with pytest.raises(Spawn) as caught:
            await made.host.connect(_broken(tmp_path), "broken")
        assert caught.value.id == "broken"
        assert made.host.connections == {}
        assert kinds(made.records()) == ["connect", "send_failed"]
        (connect,) = made.notes(note.Connect)
        assert isinstance(connect, note.Connect)
        assert connect.target.shown == (str(tmp_path / "broken"),)
        with pytest.raises(InputError):
            await made.host.connect(stdio_target([sys.executable], env=["NO_SUCH_VARIABLE"]), "p")


async def test_an_exception_in_the_block_ends_every_provider(tmp_path: Path) -> None:
    made: Bench | None = None
    with pytest.raises(ZeroDivisionError):
        async with bench(tmp_path) as made:
            connections = [await made.host.connect(target("honest"), name) for name in "abc"]
            raise ZeroDivisionError
    assert [connection.exited is not None for connection in connections] == [True] * 3
    assert made is not None
    assert kinds(made.records()).count("exit") == 3


async def test_the_terminal_is_held_while_a_provider_runs(tmp_path: Path) -> None:
    master, slave = os.openpty()
    terminal = Terminal(slave)
    async with Host(tmp_path / "ledger.toml", terminal=terminal) as host:
        await host.connect(target("honest"), "a")
        await host.connect(target("honest"), "b")
        await host.disconnect("a")
        held = terminal.held
        assert held
        await host.disconnect("b")
        assert terminal.held != held
        with pytest.raises(Spawn):
            await host.connect(_broken(tmp_path), "c")
        assert terminal.held != held
    terminal.close()
    os.close(master)


async def test_a_library_host_records_nothing_and_uses_the_person_s_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("CGP_TUI_LEDGER", str(tmp_path / "own" / "receipts.toml"))
    async with Host() as host:
        await host.connect(target("honest"), "p")
        assert (await host.query("p", ask("free"))).kind == "frames"
        assert host.gate.ledger.path == tmp_path / "own" / "receipts.toml"
    assert list(tmp_path.iterdir()) == []


def test_importing_the_host_loads_nothing_heavy() -> None:
    heavy = {"textual", "rich", "typer", "httpx", "tomlkit", "cryptography"}
    code = f"import sys; from cgp_tui.host import Host; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_every_query_that_was_sent_has_its_bill(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("honest")
        outcome = await made.host.query("honest", ask("four" * 3, max_tokens=7))
        usage = outcome.usage
        assert usage is not None
        (leg,) = usage.providers
        assert (usage.budget_requested, usage.budget_consumed) == (7, 3)
        assert (leg.provider_id, leg.frames_served, leg.token_cost) == ("honest", 1, 3)
        assert [one.frame for one in leg.served_frames] == [frame.identity("odd") for frame in outcome.frames]
        await made.connect("errors")
        with pytest.raises(HostError) as caught:
            await made.host.query("errors", ask())
        assert caught.value.outcome.usage is not None
        assert caught.value.outcome.usage.budget_consumed == 0
        await made.connect("egress")
        with pytest.raises(ConsentRequired) as refused:
            await made.host.query("egress", ask())
        assert refused.value.outcome.usage is None, "nothing was sent"


async def test_two_providers_share_one_recording_and_its_numbers(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.host.connect(target("slow"), "a")
        await made.host.connect(target("slow"), "b")
        asked = [made.host.query(name, ask(f"0.{place} s")) for place in (2, 1) for name in "ab"]
        answers = await asyncio.gather(*asked)
        assert sorted(answer.exchange or 0 for answer in answers) == [3, 4, 5, 6]
        assert all(map(made.agrees, answers))
        numbers = [gate.exchange for gate in made.gates()]
        assert numbers == [3, 4, 5, 6]
    assert {record.connection for record in made.records()} == {1, 2}  # type: ignore[union-attr]


SIGNED = "how does a host know that a frame is what was signed"


async def test_trusted_keys_name_the_signer_of_an_answer(tmp_path: Path) -> None:
    """The bundled provider signs; whom that is, only the person's own keys tell."""
    serve = stdio_target([sys.executable, "-m", "cgp_tui", "serve", "example-docs", "--sign"])
    book = Ledger(tmp_path / "receipts.toml", tmp_path / "head")
    async with Host(ledger=book) as host:
        connection = await host.connect(serve, "docs")
        stranger = await host.query("docs", ask(SIGNED))
        (key,) = connection.ack.attester_keys
        name = connection.ack.provider.name
    assert {one.standing for one in stranger.appraisals} == {"signer_unknown"}
    trusted = TrustedKey(bytes.fromhex(key.public_key), "Ada", (name,), not_before="2020-01-01T00:00:00Z")
    over = msgspec.structs.replace(trusted, not_after="2021-01-01T00:00:00Z")
    for keys, standing in (([trusted], "attested"), ([over], "signer_not_for_provider")):
        async with Host(ledger=book, keys=keys) as host:
            await host.connect(serve, "docs")
            outcome = await host.query("docs", ask(SIGNED))
        assert {(one.standing, one.signer) for one in outcome.appraisals} == {(standing, "Ada")}


async def test_one_id_is_one_provider_however_many_ask_for_it_at_once(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        asked = (made.host.connect(target("good"), "a") for _ in range(3))
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert sorted(type(one).__name__ for one in answers) == ["Connection", "InputError", "InputError"]
        assert list(made.host.connections) == ["a"]


@linux
async def test_a_provider_that_is_just_starting_when_the_host_closes_is_ended(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "receipts.toml", tmp_path / "head")
    for pause in (0.0, 0.02, 0.1):
        host = Host(ledger, limits=SHORT)
        starting = asyncio.create_task(host.connect(target("good"), "a"))
        await asyncio.sleep(pause)
        await host.close()
        ended = (await asyncio.gather(starting, return_exceptions=True))[0]
        # On a quick machine it may have been ready by then.
        assert isinstance(ended, HostError) or (isinstance(ended, Connection) and ended.ended_by)
        assert _children(os.getpid()) == []
    with pytest.raises(HostError, match="shut down"):
        await host.connect(target("good"), "b")
