"""`cgp-tui verify-bundle`: what an evidence bundle proves, offline and without a transcript."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cgp_tui import limits
from cgp_tui.cli import diagnostics, output
from cgp_tui.cli.named import read_up_to
from cgp_tui.errors import InputError

if TYPE_CHECKING:
    from cgp_tui.checks.exhibit import Exhibit
    from cgp_tui.protocol.attestation import TrustedKey
    from cgp_tui.store.trust import Trusted


def verify_bundle(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A file that `cgp-tui prove` wrote.")],
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="Trust this key for it: a PEM public key or 64 hex digits.")
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
        return diagnostics.GOOD if proven.attested else diagnostics.FELL_SHORT


def _unusable(store: Trusted) -> dict[str, str] | None:
    fault = store.problem()
    return None if fault is None else {"state": store.state, "message": fault.message, "fix": fault.fix}


def _named(shown: Exhibit, key: Path | None) -> tuple[TrustedKey, ...]:
    """The key that the person names, for the provider of the bundle. Raises InputError unreadable."""
    if key is None:
        return ()
    from cgp_tui.protocol.attestation import TrustedKey
    from cgp_tui.protocol.ed25519 import key_fault, key_of_text

    public = key_of_text(_read(key, "key", limits.TRUST_BYTES))
    fix = "Give a PEM public key of Ed25519, or its 64 hex digits."
    if public is None:
        raise InputError("unreadable", f"{key} holds no Ed25519 public key.", fix)
    fault = key_fault(public)
    if fault is not None:
        raise InputError("unreadable", f"The key in {key} {fault}: nobody can be trusted by it.", fix)
    return (TrustedKey(public, f"the key in {key.name}", (shown.provider,)),)


def _read(path: Path, what: str, most: int) -> bytes:
    try:
        return read_up_to(path, most)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            "unreadable", f"The {what} {path} cannot be read: {reason}.", "Name a file that you can read."
        ) from None
