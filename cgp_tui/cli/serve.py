"""`cgp-tui serve`: run one of the bundled providers over stdin and stdout."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from cgp_tui.cli import diagnostics
from cgp_tui.text import own

if TYPE_CHECKING:
    from cgp_tui.providers.kit import Provider

app = typer.Typer()


@app.command("example-docs")
def docs(
    sign: Annotated[bool, typer.Option("--sign", help="Sign the answers with the published example key.")] = False,
) -> None:
    """Search bundled pages about the protocol."""
    from cgp_tui.providers.example_docs import example_docs

    _serve(example_docs(sign=sign), "example-docs")


@app.command("example-index")
def index() -> None:
    """Declare that queries leave, and send nothing."""
    from cgp_tui.providers.example_index import ExampleIndex

    _serve(ExampleIndex(), "example-index")


def _serve(provider: Provider, name: str) -> None:
    """Serve; a person who starts this by hand would see a silent program, so they are told what it waits for."""
    from cgp_tui.providers.stdio import run_stdio

    if sys.stdin is not None and sys.stdin.isatty():
        diagnostics.say(
            own(f"Waiting for JSON messages on stdin, one per line. Try: cgp-tui inspect -- cgp-tui serve {name}")
        )
    run_stdio(provider)
