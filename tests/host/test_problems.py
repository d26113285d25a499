"""Requests that are not made say why, and what to do."""

from __future__ import annotations

import msgspec
import pytest

from cgp_tui.checks.outcome import CAUSES
from cgp_tui.consent.types import Denial, Need, Reason
from cgp_tui.errors import InputError, OurError, RefusedError
from cgp_tui.host import problems
from cgp_tui.host.errors import ConsentRequired, ConsentScopeRequired, Poisoned, ProviderCrashed
from cgp_tui.protocol.query import ContextQuery
from tests.host.bench import ask

BOOLEAN, SCOPE = Need("p", "boolean"), Need("p", "scope", "third-party-model")


@pytest.mark.parametrize("code", ["provider_crashed", "closed"])
def test_a_provider_that_is_gone(code: str) -> None:
    error = problems.unusable(code, "p")
    assert isinstance(error, ProviderCrashed)
    assert (error.code, error.id) == ("provider_crashed", "p")


@pytest.mark.parametrize("code", ["timeout", "flood", "line_too_long", "stalled", "something new"])
def test_a_connection_that_cannot_be_used_names_its_cause(code: str) -> None:
    error = problems.unusable(code, "p")
    assert isinstance(error, Poisoned)
    assert error.code == "poisoned"
    cause = CAUSES[code].message if code in CAUSES else "The connection has failed."
    assert cause[1:] in error.message
    assert error.fix == "Start the provider again."


def test_a_connection_whose_consent_was_taken_back_says_so() -> None:
    error = problems.unusable(problems.WITHDRAWN, "p")
    assert isinstance(error, Poisoned)
    assert "consent was revoked" in error.message
    assert error.fix


def test_a_denial_for_scopes_and_one_for_everything() -> None:
    denial = Denial((Reason(SCOPE, "revoked"), Reason(BOOLEAN, "no_receipt")), "ok", None, "", "grant it")
    error = problems.refused(denial, None, "p")
    assert isinstance(error, ConsentScopeRequired)
    assert error.scopes == ("third-party-model",)
    assert error.fix == "grant it"
    assert error.message == (
        "Nothing was sent: no consent for third-party-model (revoked), sending to it at all (no_receipt)."
    )
    assert error.outcome.exchange is None
    plain = problems.refused(Denial((Reason(BOOLEAN, "denied"),), "ok", None, "why", ""), None, "p", exchange=4)
    assert type(plain) is ConsentRequired
    assert plain.outcome.exchange == 4
    assert plain.message == "The exchange was stopped: no consent for sending to it at all (denied). why"


@pytest.mark.parametrize(
    ("field", "old", "new", "said"),
    [
        ("provider_name", "acme", "acme {x}", "granted to the name acme, this one says acme {x}"),
        ("provider_version", "2.3.0", "2.4.1", "granted to version 2.3.0, this is 2.4.1"),
        ("target", "/bin/a --x", "/bin/a --y", "granted to the command /bin/a --x, this is /bin/a --y"),
        ("code", "11" * 32, "22" * 32, "its program or a file named on its command line has changed"),
    ],
)
def test_a_changed_identity_is_told_from_what_to_what(field: str, old: str, new: str, said: str) -> None:
    reason = Reason(SCOPE, "identity_changed", "r", field, old, new)
    error = problems.refused(Denial((reason,), "ok", None, "", ""), None, "p")
    assert error.message == f"Nothing was sent: no consent for third-party-model (identity_changed: {said})."
    (need,) = error.outcome.needs
    assert (need.field, need.old, need.new) == (field, old, new)


def test_what_was_not_recorded_was_not_sent() -> None:
    error = problems.unrecordable(OurError("unrecordable", "The disk is full.", "Free space."), "p")
    assert isinstance(error, RefusedError)
    assert (error.code, error.message, error.fix) == (
        "unrecordable",
        "Nothing was sent: The disk is full.",
        "Free space.",
    )
    assert error.outcome.kind == "consent_required"
    assert error.outcome.needs == ()


def _sized(name: str, size: int) -> ContextQuery:
    return msgspec.structs.replace(ask(), **{name: size})


@pytest.mark.parametrize("size", [-1, 2**32])
@pytest.mark.parametrize("name", ["max_frames", "max_tokens"])
def test_sizes_are_u32(name: str, size: int) -> None:
    with pytest.raises(InputError) as caught:
        problems.check_query(_sized(name, size))
    assert name in caught.value.message
    problems.check_query(_sized(name, 2**32 - 1))
    problems.check_query(_sized(name, 0))
