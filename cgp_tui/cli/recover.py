"""`cgp-tui consent recover`: the way out of a ledger that shuts the gate."""

from __future__ import annotations

from collections.abc import Sequence

from cgp_tui.cli import diagnostics, output
from cgp_tui.cli.asked import at_terminal, typed
from cgp_tui.consent.interchange import Offer
from cgp_tui.consent.ledger import Ledger, clock_words
from cgp_tui.consent.offers import Offers, carried_over
from cgp_tui.errors import RefusedError
from cgp_tui.report.consent import recover_document
from cgp_tui.store import paths
from cgp_tui.store.states import in_words
from cgp_tui.text import Shown, compose, join, own, show


def run(ledger: Ledger, machine: bool) -> int:
    """Mend what can be mended without losing a grant, else replace the ledger after the person typed its id.

    Raises RefusedError where the state is no matter of recovery or the person did not agree, OurError.
    """
    opened = ledger.open()
    if opened.mendable:
        with diagnostics.undisturbed():
            opened = ledger.settle()
            mended = own("Repaired: what was acknowledged is unchanged.")
            line = join(" ", [mended, show(opened.detail)]) if opened.detail else mended
            return _done(ledger, "mended", None, line, machine)
    behind = ledger.clock_behind(opened.newest)
    if opened.answers and not behind:
        return _done(ledger, "nothing", None, own("The ledger is whole: there is nothing to recover."), machine)
    if opened.state in ("newer_format", "store_unsafe", "lock_timeout"):
        raise opened.refused()
    state, detail = ("clock_behind", clock_words(opened.newest)) if opened.answers else (opened.state, opened.detail)
    _confirm(ledger, state, detail, opened.ledger_id or ledger.path.name)
    offers = carried_over(ledger, opened)
    with diagnostics.undisturbed():
        return _replaced(ledger, offers, machine)


def _replaced(ledger: Ledger, offers: Sequence[Offer], machine: bool) -> int:
    kept = ledger.recover()
    if not kept.exists():
        line = own("A new ledger was started; nothing is granted in it. Of the old one there was no file to keep.")
        return _done(ledger, "replaced", None, line, machine)
    Offers(paths.offers_dir()).keep(offers, str(kept), ledger.now(None))
    line = compose(
        "A new ledger was started; nothing is granted in it. The old one is kept as {kept}; what was in it fills in the "
        "prompts of the app.",
        kept=show(str(kept)),
    )
    return _done(ledger, "replaced", str(kept), line, machine)


def _confirm(ledger: Ledger, state: str, detail: str, name: str) -> None:
    """Have the ledger's id typed (its file name where no id is readable). Raises RefusedError."""
    if not at_terminal():
        raise RefusedError(
            state,
            f"The ledger {in_words(state)}. {detail} Starting a new one needs a person at a terminal.",
            f"Run it in a terminal: {ledger.command('recover')}",
        )
    diagnostics.say(compose("The ledger {path} {state}.", path=show(str(ledger.path)), state=own(in_words(state))))
    if detail:
        diagnostics.say(show(detail))
    diagnostics.say(own("It will be set aside and a new one started. Every grant ends; each provider asks again."))
    diagnostics.say(compose("To do that, type {name} and Enter. Anything else leaves it as it is.", name=show(name)))
    if typed() != name:
        raise RefusedError(state, "Nothing was changed: the id was not typed.", "Run the command again to recover.")


def _done(ledger: Ledger, done: str, kept: str | None, line: Shown, machine: bool) -> int:
    with diagnostics.stands([] if done == "nothing" else [line]):
        if machine:
            output.document(recover_document(done, kept, ledger.open()))
        else:
            output.text([line])
    return diagnostics.GOOD
