"""Every failure has a class, a code, and somebody whose fault it is."""

from __future__ import annotations

from cgp_tui.checks.outcome import CAUSES
from cgp_tui.checks.types import Problem
from cgp_tui.errors import InputError, OurError, PeerError, RefusedError
from cgp_tui.host import ConsentRequired, HostError, Spawn, UnknownProvider, errors


def test_every_code_that_can_end_an_exchange_has_an_error_of_its_kind() -> None:
    for code in CAUSES:
        error = errors.failure(Problem(code, "m", "f"), "p")
        assert isinstance(error, PeerError | RefusedError), code
        assert (error.code, error.outcome.kind) == (code, "failed")
    assert isinstance(errors.failure(Problem("a later code", "m"), "p"), errors.UnexpectedEnvelope)
    for kind in set(errors.BY_CODE.values()):
        assert issubclass(kind, HostError)


def test_errors_are_ours_theirs_or_the_person_s() -> None:
    assert issubclass(UnknownProvider, InputError)
    assert issubclass(ConsentRequired, RefusedError)
    assert not issubclass(Spawn, OurError)
