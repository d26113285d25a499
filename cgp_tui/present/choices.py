"""What a person may choose about a grant, a line each, in plain words: how often, which code, which version."""

from __future__ import annotations

import msgspec

from cgp_tui.consent.decision import minor_of
from cgp_tui.consent.drafts import Terms
from cgp_tui.consent.types import Binding
from cgp_tui.text import Shown, compose, own, show


class Choice(msgspec.Struct, frozen=True):
    """One line: the field of `Terms` that it sets, its label, and each value with its words."""

    field: str
    label: Shown
    options: tuple[tuple[str, Shown], ...]

    def of(self, terms: Terms) -> int:
        """The index of the option that `terms` has."""
        value = getattr(terms, self.field) or "exact"
        return next((at for at, (name, _) in enumerate(self.options) if name == value), 0)


def choices(binding: Binding) -> tuple[Choice, ...]:
    """The lines for one provider. Launchers and addresses have no files that could be pinned, so no line for code; `minor`
    is offered only for a version that it could ever fit."""
    target = binding.target
    version = show(binding.provider_version, 24)
    versions = [("exact", compose("exactly {version}", version=version))]
    numbers = minor_of(binding.provider_version)
    if numbers is not None:
        major, minor = numbers
        versions.append(("minor", own(f"{major}.{minor} and later {major}.x")))
    versions.append(("any", own("any")))
    lines = [Choice("version", own("Version"), tuple(versions))]
    if target.kind == "stdio" and not target.floating:
        files = (("exact", own("these files as they are")), ("path", own("whatever is at these paths")))
        lines.append(Choice("code", own("Code"), files))
    uses = (("unlimited", own("every query until then")), ("once", own("one query or verify")))
    return (*lines, Choice("uses", own("For"), uses))
