"""`cgp-tui verify-bundle`: what an evidence bundle proves, offline and without a transcript."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cgp_tui import limits
from cgp_tui.cli import diagnostics, output
from cgp_tui.cli.named import read_up_to
from cgp_tui.errors import InputError, os_reason
from cgp_tui.text import compose, show

if TYPE_CHECKING:
    from cgp_tui.checks.exhibit import Exhibit, Proven
    from cgp_tui.protocol.attestation import TrustedKey
    from cgp_tui.store.trust import Trusted


def verify_bundle(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A file that `cgp-tui prove` wrote.")],
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="KEY", help="Trust this key for it: 64 hex digits, or a file with them or a PEM key."),
    ] = None,
    format: Annotated[
        Literal["text", "json"], typer.Option("--format", metavar="text|json", help="For people or for programs.")
    ] = "text",
) -> int:
    """Verify a bundle step by step; exit 0 only where the signer is one whom you trust, by your trust store or by --key."""
    from cgp_tui.cli.trusted import this_moment, trusted_store
    from cgp_tui.present.proven import proven_lines
    from cgp_tui.report import proven as report

    with diagnostics.machine(format == "json", lambda problem: report.verified_document(str(bundle), None, None, problem)):
        shown = report.read(_read(bundle, "bundle", limits.BUNDLE_BYTES + 1))
        named, store = _named(shown, key), trusted_store()
        proven = shown.appraise((*named, *store.keys), this_moment())
        if format == "json":
            output.document(report.verified_document(str(bundle), shown, proven, unusable=_unusable(store)))
        else:
            output.text(proven_lines(shown, proven))
            _say_how_to_trust(shown, proven)
        return diagnostics.GOOD if proven.attested else diagnostics.FELL_SHORT


def _say_how_to_trust(shown: Exhibit, proven: Proven) -> None:
    """Where nothing is missing but somebody who vouches for the key. The key itself is not put into the command: it came
    with the evidence, and whoever copies it from there has asked nobody."""
    if any(one.standing == "signer_unknown" for one in proven.appraisals):
        words = ("--label", "NAME", "--provider", shown.provider)
        diagnostics.say(
            compose(
                "Once its owner has sent you the key another way: cgp-tui trust add KEY {words}, or --key KEY here.",
                words=show(shlex.join(words)),
            )
        )


def _unusable(store: Trusted) -> dict[str, str] | None:
    fault = store.problem()
    return None if fault is None else {"state": store.state, "message": fault.message, "fix": fault.fix}


def _named(shown: Exhibit, key: str | None) -> tuple[TrustedKey, ...]:
    """The key that the person names, in hex or by its file, for the provider of the bundle. Raises InputError unreadable."""
    if key is None:
        return ()
    from cgp_tui.protocol.attestation import TrustedKey
    from cgp_tui.protocol.ed25519 import key_fault, key_of_text

    typed = key_of_text(key.encode("utf-8", "surrogateescape"))
    public = typed or key_of_text(_read(Path(key), "key", limits.TRUST_BYTES))
    fix = "Give a PEM public key of Ed25519, or its 64 hex digits."
    if public is None:
        raise InputError("unreadable", f"{key} holds no Ed25519 public key.", fix)
    fault = key_fault(public)
    if fault is not None:
        raise InputError("unreadable", f"The key in {key} {fault}: no signer can be trusted by it.", fix)
    label = "the key that you named" if typed else f"the key in {Path(key).name}"
    return (TrustedKey(public, label, (shown.provider,)),)


def _read(path: Path, what: str, most: int) -> bytes:
    try:
        return read_up_to(path, most)
    except OSError as error:
        reason = os_reason(error)
        fix = "Name a file that you can read." if what == "bundle" else "Give 64 hex digits, or a file that you can read."
        raise InputError("unreadable", f"The {what} {path} cannot be read: {reason}.", fix) from None
