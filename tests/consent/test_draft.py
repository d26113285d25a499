"""The records of a decision, and the ways to name the end of a grant."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from cgp_tui.consent import receipt
from cgp_tui.consent.draft import default_until, denials, expires_at, grantor, grants, revocation
from cgp_tui.consent.types import Binding, Need
from cgp_tui.errors import InputError
from cgp_tui.protocol.capability import DataFlow
from cgp_tui.target import Target, stdio_target

NOW = 1_795_953_600.0  # 2026-11-29T12:00:00Z, a Sunday
UNTIL = "2026-12-29T12:00:00Z"
NEED = Need("acme", "scope", "third-party-index")
FLOW = DataFlow(egress=True, egress_scopes=("third-party-index", "local-only"))


@pytest.fixture
def target(tmp_path: Path) -> Target:
    script = tmp_path / "p.py"
    script.write_text("pass\n")
    return stdio_target([sys.executable, str(script)])


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("30d", "2026-12-29T12:00:00Z"),
        (" 7D ", "2026-12-06T12:00:00Z"),
        ("fri", "2026-12-04T23:59:59Z"),
        ("sun", "2026-11-29T23:59:59Z"),
        ("Mon", "2026-11-30T23:59:59Z"),
        ("2031-01-01", "2031-01-01T23:59:59Z"),
        ("2028-02-29", "2028-02-29T23:59:59Z"),
        ("2031-01-01T12:00:00Z", "2031-01-01T12:00:00Z"),
        ("2031-01-01T12:00:00.999Z", "2031-01-01T12:00:00Z"),
        ("2031-12-31T23:59:60Z", "2031-12-31T23:59:59Z"),
        ("never", "never"),
        ("NEVER", "never"),
    ],
)
def test_ends_that_a_person_can_name(said: str, end: str) -> None:
    assert expires_at(said, NOW) == end


@pytest.mark.parametrize(
    "said",
    ["", "soon", "0d", "36501d", "-3d", "3 d", "2026-02-30", "2031-13-01", "2031-01-01T12:00:00+00:00", "tomorrow", "２d"],
)
def test_anything_else_is_refused_with_the_forms(said: str) -> None:
    with pytest.raises(InputError, match="no date to grant until") as caught:
        expires_at(said, NOW)
    assert "30d" in caught.value.fix


@pytest.mark.parametrize("said", ["2026-11-28", "2026-11-29T12:00:00Z", "0000-01-01T00:00:00Z"])
def test_what_has_passed_grants_nothing(said: str) -> None:
    with pytest.raises(InputError, match="has passed"):
        expires_at(said, NOW)


def test_a_launcher_gets_a_shorter_default_and_its_path(target: Target) -> None:
    floating = msgspec.structs.replace(target, floating="uvx")
    assert (default_until(target), default_until(floating)) == ("30d", "7d")
    (draft,) = grants(Binding("acme", "n", "1", floating), FLOW, [NEED], until=UNTIL, by=grantor("human"))
    assert draft.code_policy == "path"


def test_a_grant_is_bound_to_everything_that_was_shown(target: Target) -> None:
    to = Binding("acme", "acme-search", "2.4.1", target)
    boolean = Need("acme", "boolean")
    one, two = grants(to, FLOW, [NEED, boolean], until=UNTIL, by=grantor("human"), payload=["goal", "anchors", "goal"])
    assert (one.basis, one.scope, two.basis, two.scope) == ("scope", "third-party-index", "boolean", "")
    assert (one.provider_name, one.provider_version, one.target, one.code) == (
        "acme-search",
        "2.4.1",
        target.digest,
        target.code,
    )
    assert (one.code_policy, one.version_policy, one.uses, one.expires_at) == ("exact", "exact", "unlimited", UNTIL)
    assert one.declared == FLOW.egress_scopes
    assert one.payload == ("anchors", "goal")
    assert one.grantor.kind == "human" and one.grantor.id.startswith("tty:")


def test_every_draft_can_be_written_as_a_record(target: Target) -> None:
    to = Binding("acme", 'acme"\n[[receipt]]', "2.4.1", target)
    (grant,) = grants(to, FLOW, [NEED], until="never", by=grantor("human"))
    (denial,) = denials(to, [NEED], by=grantor("policy"))
    granted = receipt.complete(grant, seq=1, receipt_id="1" * 32, granted_at=UNTIL, prev="0" * 64)
    ended = revocation(NEED, by=grantor("policy"), ends=granted, note="gone")
    for seq, draft in enumerate((grant, denial, ended), 1):
        made = receipt.complete(draft, seq=seq, receipt_id="2" * 32, granted_at=UNTIL, prev="0" * 64)
        assert receipt.parse(receipt.encode(made).decode("ascii"), seq, "0" * 64) == made
    assert (ended.acts_on, ended.target, denial.target) == ("1" * 32, "", target.digest)
    assert denial.grantor.id.startswith("cli:")
    assert revocation(NEED, by=grantor("human")).acts_on == ""
