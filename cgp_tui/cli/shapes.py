"""The documents of command lines that fail before their command runs: each in its command's own shape, with `error`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from cgp_tui.cli import options

if TYPE_CHECKING:
    from cgp_tui.report.problem import Problem


def check_failure(format: str, transcript: str | None, problem: Problem) -> object:
    """The machine document of a `check` that could not look at its transcript."""
    if format == "junit":
        from cgp_tui.report.junit import junit_document

        return junit_document(transcript, problem=lambda: problem)
    if format == "sarif":
        from cgp_tui.report.sarif import sarif_document

        return sarif_document(transcript, problem=lambda: problem)
    from cgp_tui.report.documents import check_document

    return check_document(transcript, None, 0, problem=lambda: problem)


def _query(problem: Problem) -> object:
    from cgp_tui.checks.types import Outcome
    from cgp_tui.checks.types import Problem as Named
    from cgp_tui.report.query import query_document

    named = Named(problem["code"], problem["message"], problem["fix"])
    return query_document(Outcome("failed", None, problem=named), provider_id="")


class Shape(NamedTuple):
    """A document function of `report`, and its arguments besides `problem` where nothing was done."""

    where: str
    given: tuple[object, ...]
    named: Mapping[str, object] = MappingProxyType({})

    def made(self, problem: Problem) -> object:
        """The document."""
        module, _, function = self.where.partition(":")
        make = getattr(importlib.import_module(f"cgp_tui.report.{module}"), function)
        return make(*self.given, problem=problem, **self.named)


CONSENT: Final[Mapping[str, Shape]] = {
    "list": Shape("consent:list_document", (None, ())),
    "show": Shape("consent:show_document", (None, None)),
    "history": Shape("consent:history_document", (None,)),
    "grant": Shape("consent:grant_document", ((), ())),
    "deny": Shape("consent:revoke_document", (None,), {"act": "denied"}),
    "revoke": Shape("consent:revoke_document", (None,)),
    "check": Shape("consent:check_document", (None, None)),
    "head": Shape("consent:head_document", (None,)),
    "recover": Shape("consent:recover_document", (None, None, None)),
    "import": Shape("consent:import_document", ((), ())),
    "audit": Shape("egress:audit_document", (None, None)),
}

TRUST: Final[Mapping[str, Shape]] = {
    "list": Shape("trust:list_document", (None,)),
    "add": Shape("trust:change_document", (None, None)),
    "remove": Shape("trust:change_document", (None, None), {"act": "removed"}),
}

PROVIDERS: Final[Mapping[str, Shape]] = dict.fromkeys(
    ("list", "add", "remove", "trust"), Shape("providers:providers_document", ((),))
)

_GROUPS: Final = {"consent": CONSENT, "trust": TRUST, "providers": PROVIDERS}

_BUNDLE: Final = Shape("proven:verified_document", (None, None, None))
_EXPORT: Final = Shape("consent:export_failure", ())
"""Whatever the options: only a machine reads what is exported."""


def failure(args: Sequence[str]) -> Callable[[Problem], object] | None:
    """The function that writes a failure for the machine that sent this command line; None where a person did."""
    format = options.machine_format(args)
    words = [word for word in args if not word.startswith("-")][:2]
    if words[:1] == ["check"] and format:
        return lambda problem: check_failure(format, None, problem)
    if words == ["consent", "export"]:
        return _EXPORT.made
    if format != "json":
        return None
    if words[:1] == ["query"]:
        return _query
    if words[:1] == ["verify-bundle"]:
        return _BUNDLE.made
    shape = _GROUPS.get(words[0], {}).get(words[1]) if len(words) > 1 else None
    return (lambda problem: {"error": problem}) if shape is None else shape.made
