"""`cgp-tui schema`: the JSON Schema of what goes over the wire and of what we write."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from cgp_tui.cli import diagnostics, output
from cgp_tui.errors import InputError


def schema(
    document: Annotated[
        Literal["envelope", "transcript", "check", "query", "bundle"],
        typer.Argument(
            metavar="DOCUMENT", help="envelope (a message), or what this program writes: transcript, check, query, bundle."
        ),
    ] = "envelope",
    profile: Annotated[
        Literal["authoring", "interop"] | None,
        typer.Option(
            "--profile", metavar="authoring|interop", help="What one should write (default), or all that a peer must accept."
        ),
    ] = None,
) -> int:
    """Print a JSON Schema (Draft 2020-12): of one message, one line of a transcript, or a document of check, query or prove.

    The authoring profile is a lint: a message that only breaks it is still to be taken.
    """
    from cgp_tui.report.schema import schema as made

    if profile is not None and document != "envelope":
        raise InputError("usage", f"There is one profile of {document}.", f"Try: cgp-tui schema {document}")
    output.document(made(document, profile or "authoring"))
    return diagnostics.GOOD
