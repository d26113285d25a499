"""The commands, one table: only the module of the command asked for is imported."""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer
from typer.core import TyperGroup
from typer.exceptions import Abort

from cgp_tui.cli import diagnostics, options, output, shapes
from cgp_tui.errors import InputError
from cgp_tui.text import own

if TYPE_CHECKING:
    from typer.core import TyperCommand


class Row(NamedTuple):
    """One command: its name, the sentence `--help` shows (ASCII), and `module:attribute` of its function or Typer app."""

    name: str
    help: str
    where: str


COMMANDS: Final[tuple[Row, ...]] = (
    Row("check", "Every finding of a transcript; exit 1 on a violation.", "cgp_tui.cli.check:check"),
    Row("demo", "Tour of the inspector on two bundled providers, no set-up.", "cgp_tui.cli.demo:demo"),
    Row("inspect", "Watch a provider live: traffic, findings, consent.", "cgp_tui.cli.inspect:inspect"),
    Row("query", "Ask one provider one question, headless.", "cgp_tui.cli.query:query"),
    Row("replay", "A recorded transcript in the inspector; no process, no network.", "cgp_tui.cli.replay:replay"),
    Row("consent", "What may leave this machine: who agreed, until when; grant, revoke.", "cgp_tui.cli.consent:app"),
    Row("serve", "Run a bundled provider on stdin and stdout.", "cgp_tui.cli.serve:app"),
)


def load(row: Row) -> TyperCommand | TyperGroup:
    """Import one command and make it runnable. A function returns its exit code, or None for 0."""
    module, _, attribute = row.where.partition(":")
    target = getattr(importlib.import_module(module), attribute)
    if isinstance(target, typer.Typer):
        return options.group(target, row.name, row.help)
    return options.command(target, row.name, row.help)


class _Table(options.QuickHelp, TyperGroup):
    """The root group: answers names and help sentences from the table, imports a module only to run it."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return [row.name for row in COMMANDS]

    def get_command(self, ctx: typer.Context, cmd_name: str) -> TyperCommand | TyperGroup | None:  # type: ignore[override]
        return next((load(row) for row in COMMANDS if row.name == cmd_name), None)

    def format_commands(self, ctx: object, formatter: options.Formatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(row.name, row.help) for row in COMMANDS])

    def resolve_command(  # type: ignore[override]
        self, ctx: typer.Context, args: list[str]
    ) -> tuple[str | None, TyperCommand | TyperGroup | None, list[str]]:
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None:
            close = difflib.get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f"Did you mean `cgp-tui {close[0]}`?" if close else "`cgp-tui --help` lists the commands."
            raise InputError("usage", f"There is no command '{name}'.", hint)
        return name, command, args[1:]


_app = typer.Typer(cls=_Table, add_completion=False, rich_markup_mode=None, context_settings=options.CONTEXT)


@_app.callback(invoke_without_command=True)
def _root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """See, prove and consent to every piece of context an agent is given."""
    if version:
        from importlib.metadata import version as installed

        output.text([own(f"cgp-tui {installed('cgp-tui')}")])
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        output.text([own(line) for line in ctx.get_help().splitlines()])


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (default: this process's) and return its exit code; every failure is one named line."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        code = typer.main.get_command(_app).main(args, prog_name="cgp-tui", standalone_mode=False)
    except (KeyboardInterrupt, Abort):
        return diagnostics.INTERRUPTED
    except Exception as error:
        document = shapes.failure(args)
        return diagnostics.fail(error, machine=document is not None, document=document)
    return code if isinstance(code, int) else 0
