"""What the commands share: how a Typer function becomes a command, and the rule that `--` stands before CMD."""

from __future__ import annotations

import difflib
import itertools
import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Protocol

import typer
from typer.core import TyperCommand, TyperGroup

from cgp_tui.cli import output
from cgp_tui.errors import InputError
from cgp_tui.secret import mask, mask_argv
from cgp_tui.text import own

if TYPE_CHECKING:
    from typer.core import TyperOption

CONTEXT: Final = {"help_option_names": ["-h", "--help"]}

MACHINE_FORMATS: Final = ("json", "junit", "sarif")
"""What `--format` knows for machines; not every command knows all."""

_CMD: Final = "-- CMD..."
_NUMBERS: Final[dict[object, tuple[re.Pattern[str], str]]] = {
    int: (re.compile(r"[+-]?[0-9]+"), "whole number"),
    float: (re.compile(r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE), "number"),
}
_SHORT: Final = 20
"""Digits of a number that is read without a look at its size."""

Argv = Annotated[list[str], typer.Argument(metavar=_CMD, help="The provider: a program and its arguments.")]
"""The provider's argv: everything after the first `--`, unchanged; empty where the line has no `--` (see `need_argv`).
A parameter of this type must be called `argv` and stand before those with defaults: `def query(goal: str, argv: Argv)`."""

ARGV: Final = "argv"

ProviderId = Annotated[str | None, typer.Option("--id", metavar="ID", help="Your name for the provider, in the ledger too.")]
EnvNames = Annotated[
    list[str] | None,
    typer.Option("--env", metavar="NAME", help="Pass this environment variable to the provider; repeatable."),
]
LedgerFile = Annotated[Path | None, typer.Option("--ledger", metavar="FILE", help="Use this ledger instead of your own.")]
HeadFile = Annotated[Path | None, typer.Option("--head", metavar="FILE", help="Where the ledger's head is kept.")]
RecordFile = Annotated[
    Path | None, typer.Option("--record", metavar="FILE", help="Record to this new file instead of the usual folder.")
]
NoRecord = Annotated[bool, typer.Option("--no-record", help="Keep no recording; then nothing shows what left.")]
NoPayload = Annotated[
    bool, typer.Option("--no-payload", help="Record sizes and digests of queries and answers, not their text.")
]
SandboxKind = Literal["none", "processes", "no-network"]
Sandbox = Annotated[
    SandboxKind | None,
    typer.Option(
        "--sandbox",
        metavar="none|processes|no-network",
        help="Let the provider see no other process, and no IP network either; where that cannot be had, it is not started.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
HandshakeSeconds = Annotated[
    float | None, typer.Option("--timeout-handshake", metavar="SECONDS", help="How long its first answer may take.")
]
ExchangeSeconds = Annotated[
    float | None, typer.Option("--timeout-exchange", metavar="SECONDS", help="How long any other answer may take.")
]


class Formatter(Protocol):
    """What we use of Typer's help formatter."""

    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


class QuickHelp:
    """A help option that is plainly False when absent: Typer loads pydantic to turn its None into one, 0.1 s each start.
    The help itself leaves by `output`, which names a disk that is full.
    """

    def get_help_option(self, ctx: Any) -> TyperOption | None:
        option: TyperOption | None = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.default = False
            option.callback = _print_help
        return option


def _print_help(ctx: Any, _param: object, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        output.text([own(line) for line in ctx.get_help().splitlines()])
        raise typer.Exit


class _Plain:
    """A parameter's value read without pydantic, which Typer loads for the first value of any command: 0.1 s each start.

    Text, paths, whole numbers without bounds, choices and absent values are read here; everything else, and whatever is
    wrong, goes Typer's own way.
    """

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        kind = param.type_descriptor.annotation
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if kind is str and isinstance(value, str):
            return value
        if kind is Path and isinstance(value, str | Path):
            return Path(value)
        if kind == list[str]:
            return list(value)
        form, what = _NUMBERS.get(kind, (None, ""))
        if form is not None and form.fullmatch(str(value)) is None:
            raise typer.BadParameter(f"'{value}' is no {what}.", ctx=ctx, param=param)
        if kind is int and param.min is None and param.max is None and len(str(value)) <= _SHORT:
            return int(value)
        if value in (param.type_descriptor.choices or ()):
            return value
        return self._build().coerce(value, param=param, ctx=ctx)


def _no_type(ctx: Any) -> str:
    return ""


class Command(QuickHelp, TyperCommand):
    """A command that hands everything after the first `--` to its `argv` parameter, where it has one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for param in self.params:
            plain = _Plain(param.get_runtime_param)  # type: ignore[attr-defined]
            param.get_runtime_param = lambda plain=plain: plain  # type: ignore[attr-defined]
            if param.param_type_name == "argument":
                # An argument's name says what it is; Typer would add the type that Python gives it.
                param.display_type_rich = _no_type  # type: ignore[attr-defined]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = [piece.strip("{}") for piece in super().collect_usage_pieces(ctx) if _CMD not in piece]
        return pieces if self._argv() is None else [*pieces, _CMD]

    def _argv(self) -> Any:
        return next((param for param in self.params if param.name == ARGV), None)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        param = self._argv()
        if param is None:
            return super().parse_args(ctx, args)
        param.required, param.default = False, ()  # with None for its default Typer would make None of an empty list
        if "--" in args:
            split = args.index("--")
            ours, argv = args[:split], args[split + 1 :]
            if not argv:
                raise InputError(
                    "usage", "Nothing follows `--`.", f"Name the program to run: {ctx.command_path} ... -- CMD..."
                )
        else:
            ours, argv = args, []
        surplus = self._surplus(ours)
        if surplus is not None:
            raise _misplaced(ctx.command_path, ours[:surplus], ours[surplus:], argv)
        rest = super().parse_args(ctx, ours)
        ctx.params[ARGV] = argv
        return rest

    def _surplus(self, args: Sequence[str]) -> int | None:
        """Where the first word stands that no declared argument takes: there CMD begins, its `--` forgotten. None, too,
        where an option stands before it that there is not: what follows that may be its value, and the parser names it."""
        room = sum(1 for param in self.params if param.param_type_name == "argument" and param.name != ARGV)
        takes_value = {
            name: not getattr(param, "is_flag", False)
            for param in self.params
            if param.param_type_name == "option"
            for name in (*param.opts, *param.secondary_opts)
        }
        at = 0
        while at < len(args):
            word = args[at]
            if word.startswith("--") and word.partition("=")[0] not in takes_value:
                return None
            if word.startswith("-") and len(word) > 1:
                at += 1 + (takes_value.get(word, False) and "=" not in word)
                continue
            room -= 1
            if room < 0:
                return at
            at += 1
        return None


def _misplaced(path: str, ours: Sequence[str], theirs: Sequence[str], after: Sequence[str]) -> InputError:
    """The usage error for a CMD that does not stand after `--`, with the line as it should be, credentials masked."""
    line = shlex.join([*path.split(), *ours, "--", *mask_argv(after or theirs)])
    if after:
        return InputError("usage", f"'{mask(theirs[0])}' is one argument too many before `--`.", f"Try: {line}")
    return InputError("usage", "The provider's command must follow `--`.", f"Try: {line}")


def need_argv(argv: Sequence[str], usage: str, *, by_id: bool = True) -> None:
    """Refuse a line without CMD; `usage` is the shape of the right one (`cgp-tui query GOAL -- CMD...`), `by_id` whether
    --id will do as well.

    Raises InputError usage.
    """
    if not argv:
        once = " Or add it once, cgp-tui providers add ID -- CMD..., and give --id ID." if by_id else ""
        raise InputError("usage", "No provider is named.", f"End the line with -- and the program to run: {usage}{once}")


def command(function: Callable[..., int | None], name: str, sentence: str) -> TyperCommand:
    """One function as one command."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=Command, help=function.__doc__ or sentence, context_settings=CONTEXT)(function)
    made = typer.main.get_command(app)
    assert isinstance(made, TyperCommand)  # noqa: S101 - one function is one command, for mypy
    return made


def no_command(path: str, name: str, names: Sequence[str]) -> InputError:
    """The usage error for a word that is no command of `path`, with the one that was meant if one is near."""
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"Did you mean `{path} {close[0]}`?" if close else f"`{path} --help` lists the commands."
    return InputError("usage", f"There is no command '{name}'.", hint)


class _Group(QuickHelp, TyperGroup):
    """A command with subcommands: its name alone is no line, and a word that is none of them is told as at the root."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            path, names = ctx.command_path, ", ".join(self.list_commands(ctx))
            raise InputError("usage", f"{path} alone does nothing.", f"Add one of: {names}. `{path} --help` explains them.")
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise no_command(ctx.command_path, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


def group(app: typer.Typer, name: str, sentence: str) -> TyperGroup:
    """A Typer app of several functions as one command with subcommands, `--` rule and plain help included."""
    app.rich_markup_mode = None
    app.info.cls = _Group
    app.info.name = name
    app.info.help = sentence
    app.info.context_settings = CONTEXT
    for info in app.registered_commands:
        info.cls = Command
        info.context_settings = {**CONTEXT, **(info.context_settings or {})}
    return typer.main.get_group(app)


def machine_format(args: Sequence[str]) -> str:
    """The machine's format that a command line asks for, json, junit or sarif, else empty; read without a parser: it may be
    the line that does not parse."""
    ours = list(args[: args.index("--")] if "--" in args else args)
    asked = [word.removeprefix("--format=") for word in ours if word.startswith("--format=")]
    asked += [value for name, value in itertools.pairwise(ours) if name == "--format"]
    asked += ["json"] * ("--json" in ours)
    return next((format for format in MACHINE_FORMATS if format in asked), "")
