"""A live session in sentences."""

from __future__ import annotations

import pytest

from cgp_tui.consent.receipt import Draft, complete
from cgp_tui.consent.types import Denial, Need, Permit, Reason, ReasonCode
from cgp_tui.present.session import (
    Pulse,
    addressee_spans,
    consent_words,
    end_words,
    hang_words,
    last_words,
    silence_words,
    trouble_words,
    waiting_words,
)
from cgp_tui.session.exchange import Exchange
from cgp_tui.text import Shown, hidden_codes, own
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from tests.present.consents import HUMAN
from tests.present.samples import KEYS

LOUD = "x\x1b[2J\r\u202e[/]"


def denial(*codes: ReasonCode, scope: str = "third-party-model") -> Denial:
    reasons = tuple(Reason(Need("acme", "scope", scope), code) for code in codes)
    return Denial(reasons, "ok", None, "", "")


def said(spans: object) -> str:
    return "".join(span.text for span in spans)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"type":"query","id":"q4","query":{}}', "q4 pending 2.1 of 30 s"),
        (b'{"type":"query","query":{}}', "query pending 2.1 of 30 s"),
        (b'{"type":"query","id":"\\u001b[2J","query":{}}', "␛[2J pending 2.1 of 30 s"),
    ],
)
def test_the_clock_of_a_request(raw: bytes, words: str) -> None:
    seen = Seen(Line(1, 1, "host", 0.0, raw), decode(raw))
    assert waiting_words(Exchange(1, 1, "query", "pending", seen), 2.12, 30.0) == words


@pytest.mark.parametrize(
    ("pulse", "words"),
    [
        (
            Pulse(4711, 11.9, 312),
            "q4 waits 12.4 of 30 s. Running (pid 4711), last byte 11.9 s ago, 312 bytes of an unfinished line. "
            "x gives up, R restarts.",
        ),
        (Pulse(4711, None, 0), "q4 waits 12.4 of 30 s. Running (pid 4711), no byte yet. x gives up, R restarts."),
        (Pulse(None, 2.0, 1), "q4 waits 12.4 of 30 s. Running, last byte 2.00 s ago, 1 byte of an unfinished line. x gives"),
        (
            Pulse(4711, None, 0, b"indexing\n\x1b[2J 40 %\n"),
            "q4 waits 12.4 of 30 s. Running (pid 4711), no byte yet. x gives up, R restarts. stderr: ␛[2J 40 %",
        ),
    ],
)
def test_what_is_known_of_a_hang(pulse: Pulse, words: str) -> None:
    raw = b'{"type":"query","id":"q4","query":{}}'
    exchange = Exchange(1, 1, "query", "pending", Seen(Line(1, 1, "host", 0.0, raw), decode(raw)))
    assert hang_words(exchange, 12.4, 30.0, pulse, KEYS).startswith(words)


@pytest.mark.parametrize(
    ("fault", "code", "signal", "words"),
    [
        ("provider_crashed", 9, None, "acme ended with exit code 9"),
        ("provider_crashed", None, 11, "acme ended by signal 11"),
        ("provider_crashed", None, None, "acme ended"),
        ("closed", 0, None, "acme shut down"),
        ("consent_required", None, 9, "acme stopped: its consent was taken back"),
        ("line_too_long", None, 9, "acme stopped: a line was longer than 16 MiB"),
        ("not_json", None, 9, "acme failed: not json"),
    ],
)
def test_why_a_connection_is_of_no_more_use(fault: str, code: int | None, signal: int | None, words: str) -> None:
    assert end_words("acme", fault, code, signal) == words


def test_what_we_stopped_is_told_as_ours() -> None:
    assert end_words("acme", "provider_crashed", None, 9, True) == "acme closed its end of a pipe; stopped by cgp-tui"
    assert end_words("acme", "line_too_long", None, 9, True) == "acme stopped: a line was longer than 16 MiB"


def test_the_last_words_of_a_provider() -> None:
    assert last_words(b"") == ""
    assert last_words(b"first\n\nTraceback\nKeyError: 'x'\n\n") == "KeyError: 'x'"
    assert last_words(b"\x1b[31m\xff bad") == "␛[31m\\xff bad"
    assert len(last_words(b"y" * 9000)) < 250


def test_trouble_comes_with_advice_and_last_words() -> None:
    assert (
        trouble_words(own("acme ended"), own("Start it again."), b"oops\n", KEYS)
        == 'acme ended. stderr: "oops". Start it again.'
    )
    assert trouble_words(own("acme ended"), None, b"", KEYS) == "acme ended. R starts it again; what it wrote is kept."


def test_silence_has_a_clock_of_its_own() -> None:
    assert silence_words("acme", 3.0, 10.0, None) == "acme: started 3.00 s ago, handshake not answered yet (10.0 s allowed)."
    said = silence_words("acme", 3.0, 10.0, Pulse(4711, None, 0, b"loading\n"))
    assert said.endswith("allowed). Running (pid 4711), no byte yet. stderr: loading")


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        (("no_receipt", "expired"), "acme waits for your consent: 2 needs. c decides; the rest goes on."),
        (("denied", "revoked"), "acme gets nothing: you said no. c decides again; the rest goes on."),
        (("denied", "no_receipt"), "acme waits for your consent: 2 needs."),
        (("tampered",), "acme gets nothing: the gate is shut. c says why; the rest goes on."),
        (("no_receipt", "scope_malformed"), "acme gets nothing: the gate is shut."),
    ],
)
def test_the_bar_of_a_provider_that_gets_nothing(codes: tuple[ReasonCode, ...], words: str) -> None:
    assert (consent_words("acme", denial(*codes), KEYS) or "").startswith(words)


@pytest.mark.parametrize("codes", [("no_receipt",), ("revoked",), ("tampered",)])
def test_a_small_terminal_shows_the_key_that_helps(codes: tuple[ReasonCode, ...]) -> None:
    shown = (consent_words("a-provider.py-0123abcd", denial(*codes), KEYS) or "")[:76]
    assert any(key in shown for key in (" c decides", " c says why"))
    assert len(trouble_words(own("provider.py-0123abcd ended"), None, b"", KEYS)) <= 76


def test_a_permitted_provider_has_no_bar() -> None:
    assert consent_words("acme", Permit((), (), None), KEYS) is None


def test_what_would_become_of_a_query() -> None:
    draft = Draft(kind="grant", provider_id="acme", grantor=HUMAN, basis="scope", scope="s")
    receipt = complete(draft, seq=4, receipt_id="1" * 32, granted_at="2026-01-01T00:00:00Z", prev="0" * 64)
    cases: list[tuple[tuple[object, ...], str, bool]] = [
        (addressee_spans(None, own("acme ended"), KEYS), "not connected: acme ended", False),
        (addressee_spans(None, None, KEYS), "has not finished its handshake", False),
        (addressee_spans(Permit((), (), None), None, KEYS), "child process, says local: needs no receipt", True),
        (addressee_spans(Permit((Need("acme", "scope", "s"),), (receipt,), None), None, KEYS), "granted by #4", True),
        (addressee_spans(denial("denied"), None, KEYS), "would be refused: 1 need (c decides): third-party-model", False),
        (
            addressee_spans(denial("no_receipt", scope=""), None, KEYS),
            "would be refused: 1 need (c decides): sending at all",
            False,
        ),
    ]
    for answer, words, sends in cases:
        assert (said(answer[0]), answer[1]) == (words, sends)


def test_hostile_words_stay_inert() -> None:
    spans, _ = addressee_spans(denial("denied", scope=LOUD), None, KEYS)
    texts: list[Shown] = [*(span.text for span in spans), last_words(LOUD.encode()), end_words(LOUD, "timeout", None, None)]
    texts += [
        silence_words(LOUD, 1, 1, Pulse(1, None, 0, LOUD.encode())),
        consent_words(LOUD, denial("denied"), KEYS) or own(""),
    ]
    assert [text for text in texts if hidden_codes(text)] == []
