"""The root of the parsed command line: its help, its version, and a sentence for a name that is no command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup
from typer.exceptions import Abort

from cgp_tui.cli import diagnostics, main, options, output
from cgp_tui.text import own

if TYPE_CHECKING:
    from typer.core import TyperCommand


class _Table(options.QuickHelp, TyperGroup):
    """The root group: answers names and help sentences from the table, imports a module only to run it."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return [row.name for row in main.COMMANDS]

    def get_command(self, ctx: typer.Context, cmd_name: str) -> TyperCommand | TyperGroup | None:  # type: ignore[override]
        return next((main.load(row) for row in main.COMMANDS if row.name == cmd_name), None)

    def format_commands(self, ctx: object, formatter: options.Formatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(row.name, row.help) for row in main.COMMANDS])

    def resolve_command(  # type: ignore[override]
        self, ctx: typer.Context, args: list[str]
    ) -> tuple[str | None, TyperCommand | TyperGroup | None, list[str]]:
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None:
            raise options.no_command("cgp-tui", name, self.list_commands(ctx))
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


def run(args: list[str]) -> int:
    """Parse and run one command line; its exit code. Raises whatever the command raises, and the parser's own complaints."""
    try:
        code = typer.main.get_command(_app).main(args, prog_name="cgp-tui", standalone_mode=False)
    except Abort:
        return diagnostics.INTERRUPTED
    return code if isinstance(code, int) else 0
