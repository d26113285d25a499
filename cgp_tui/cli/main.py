"""The commands, one table: only the module of the command asked for is imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from typer.core import TyperCommand, TyperGroup


class Row(NamedTuple):
    """One command: its name, the sentence that `--help` shows (ASCII), and `module:attribute` of its function or Typer app.

    `bare` names a function that runs without the parser, if exactly `words` words follow the name and none begins with a
    dash. It takes these words and returns the exit code.
    """

    name: str
    help: str
    where: str
    bare: str = ""
    words: int = 0


COMMANDS: Final[tuple[Row, ...]] = (
    Row("check", "Every finding of a transcript; exit 1 on a violation.", "cgp_tui.cli.check:check"),
    Row(
        "demo",
        "Tour of the inspector on two bundled providers, no set-up.",
        "cgp_tui.cli.demo:demo",
        "cgp_tui.cli.tour:tour",
    ),
    Row("inspect", "Watch a provider live: traffic, findings, consent.", "cgp_tui.cli.inspect:inspect"),
    Row("query", "Send one query to a provider, headless.", "cgp_tui.cli.query:query"),
    Row(
        "replay",
        "A recorded transcript in the inspector; no process, no network.",
        "cgp_tui.cli.replay:replay",
        "cgp_tui.cli.playback:play",
        1,
    ),
    Row("prove", "Export one frame's evidence as a bundle for others.", "cgp_tui.cli.prove:prove"),
    Row("verify-bundle", "Verify an evidence bundle offline, step by step.", "cgp_tui.cli.verify_bundle:verify_bundle"),
    Row("consent", "What may leave this machine: who agreed, until when; grant, revoke.", "cgp_tui.cli.consent:app"),
    Row("trust", "Keys whose signer you know: list, add, remove.", "cgp_tui.cli.trust:app"),
    Row("providers", "The providers file: list, add, remove; trust a project's.", "cgp_tui.cli.providers:app"),
    Row("schema", "JSON Schema of the wire and of our documents.", "cgp_tui.cli.schema:schema"),
    Row("serve", "Run a bundled provider on stdin and stdout.", "cgp_tui.cli.serve:app"),
    Row("completion", "Print a bash completion script.", "cgp_tui.cli.completion:completion"),
)


def _found(where: str) -> Any:
    module, _, attribute = where.partition(":")
    return getattr(importlib.import_module(module), attribute)


def load(row: Row) -> TyperCommand | TyperGroup:
    """Import one command and make it runnable. A function returns its exit code, or None for 0."""
    import typer

    from cgp_tui.cli import options

    target = _found(row.where)
    if isinstance(target, typer.Typer):
        return options.group(target, row.name, row.help)
    return options.command(target, row.name, row.help)


def _run(args: list[str]) -> int:
    if not args:
        from cgp_tui.cli.home import home

        return home()
    # Plain words need no parser, and loading it takes a quarter of the time until a screen stands.
    name, *words = args
    row = next((row for row in COMMANDS if row.name == name), None)
    if row is not None and row.bare and len(words) == row.words and not any(word.startswith("-") for word in words):
        begin: Callable[..., int] = _found(row.bare)
        return begin(*words)
    from cgp_tui.cli.root import run

    return run(args)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (default: this process's) and return its exit code; every failure is one named line."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(args)
    except KeyboardInterrupt:
        from cgp_tui.cli import diagnostics

        return diagnostics.INTERRUPTED
    except Exception as error:
        from cgp_tui.cli import diagnostics, shapes

        document = shapes.failure(args)
        return diagnostics.fail(error, machine=document is not None, document=document)
