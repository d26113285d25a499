"""Consent as lines of text: the words for each standing, columns that line up, and nothing foreign left as it came."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.consent.ledger import Opened, Revoked
from cgp_tui.consent.listing import Listed
from cgp_tui.present.consent_lines import history_lines, ledger_line, listed_lines, revoked_line, what
from cgp_tui.wire.note import LedgerMark
from tests.consent.test_decision import records
from tests.store.ledgers import draft

GRANT, REVOKE, FOREVER, WHOLE, EXPIRE, RECOVER, SPEND = records(
    draft(),
    draft("revoke"),
    draft(basis="boolean", scope="", expires_at="never", provider_name="\x1b[2J\u202e"),
    draft("deny", basis="all", scope="", provider_id="*"),
    draft("expire"),
    draft("recover", provider_id="*", basis="all", scope="", note="cut 9 bytes"),
    draft("spend"),
)


def test_the_ledger_in_a_line() -> None:
    path = Path("/home/u/rece\x1bipts.toml")
    assert ledger_line(Opened(path=path, state="fresh")) == "ledger /home/u/rece␛ipts.toml: empty"
    opened = Opened(path=path, state="tampered", head=LedgerMark("ab", 7, "cd"))
    assert ledger_line(opened).endswith(": #7 tampered")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (Listed(GRANT, "in_force"), "in force  until 2023-11-15T22:13:20Z"),
        (Listed(FOREVER, "in_force"), "in force  without end"),
        (Listed(GRANT, "expired", None, "expired"), "expired  2023-11-15T22:13:20Z"),
        (Listed(GRANT, "revoked", REVOKE, "revoked"), "revoked  2023-11-14T22:13:20Z by human tty:1000 (#2)"),
        (Listed(GRANT, "denied", WHOLE, "denied"), "denied  2023-11-14T22:13:20Z by human tty:1000 (#4)"),
        (Listed(WHOLE, "denied"), "denied  2023-11-14T22:13:20Z by human tty:1000"),
        (Listed(GRANT, "spent", SPEND, "spent"), "spent  2023-11-14T22:13:20Z by human tty:1000 (#7)"),
        (Listed(GRANT, "not_in_force", None, "tampered"), "not in force  tampered"),
        (
            Listed(GRANT, "not_in_force", None, "identity_changed", "code", "\x1baa", "bb"),
            "not in force  identity_changed: code was ␛aa, is bb",
        ),
        (
            Listed(GRANT, "not_in_force", None, "identity_changed", "target", "p" * 90 + "old", "p" * 90 + "new"),
            f"target was …{'p' * 40}old, is …{'p' * 40}new",
        ),
    ],
)
def test_what_has_become_of_a_grant(entry: Listed, words: str) -> None:
    (line,) = listed_lines([entry])
    assert words in line
    assert line.startswith(entry.receipt.provider_id)


def test_columns_line_up() -> None:
    lines = listed_lines([Listed(GRANT, "in_force"), Listed(FOREVER, "not_in_force", None, "tampered")])
    assert lines[0].index("in force") == lines[1].index("not in force")
    assert "␛[2J<U+202E>" in lines[1]
    assert listed_lines([]) == []


def test_history_says_what_was_done_to_whom_by_whom() -> None:
    lines = history_lines([GRANT, REVOKE, FOREVER, WHOLE, EXPIRE, RECOVER])
    assert [line.split()[0] for line in lines] == ["#1", "#2", "#3", "#4", "#5", "#6"]
    for line, act in zip(lines, ["granted", "revoked", "granted", "denied", "expired", "recovered"], strict=True):
        assert line.split()[2] == act
    assert lines[3].split()[3:5] == ["(everything)", "*"]
    assert lines[5].endswith("cut 9 bytes")
    assert (what(GRANT), what(FOREVER), what(WHOLE)) == ("third-party-index", "(sending at all)", "(everything)")


@pytest.mark.parametrize(
    ("revoked", "line"),
    [
        (Revoked("confirmed"), "Confirmed: no more leaves."),
        (Revoked("not_confirmed", pids=(4711, 4712)), "Recorded, not confirmed: PID 4711, 4712."),
        (Revoked("not_confirmed"), "Recorded, not confirmed: another process may still be sending."),
        (Revoked("emergency_stop"), "Emergency stop: nothing leaves until `cgp-tui consent recover`."),
        (Revoked("not_recorded"), "NOT RECORDED, only this process stopped."),
    ],
)
def test_the_four_answers_of_a_revocation(revoked: Revoked, line: str) -> None:
    assert revoked_line(revoked) == line
