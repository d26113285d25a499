"""The rule of `--`: it stands before CMD, and what follows the first one is the provider's alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import pytest
import typer
from typer.exceptions import TyperException

from cgp_tui.cli import options
from cgp_tui.errors import InputError
from cgp_tui.host import sandbox
from cgp_tui.store.providers import Sandbox

Seen = dict[str, Any]


def ask(
    goal: Annotated[str, typer.Argument()],
    argv: options.Argv,
    most: Annotated[int, typer.Option("--max-frames", "-m")] = 8,
    few: Annotated[int, typer.Option(min=1)] = 1,
    kind: Annotated[list[str] | None, typer.Option()] = None,
    file: Annotated[Path | None, typer.Option()] = None,
    style: Annotated[Literal["a", "b"], typer.Option()] = "a",
    json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Ask."""
    LAST.clear()
    LAST.update(goal=goal, argv=argv, most=most, few=few, kind=kind, file=file, style=style, json=json)


LAST: Seen = {}
DEFAULTS: Seen = {"most": 8, "few": 1, "kind": None, "file": None, "style": "a", "json": False}


def call(*args: str) -> Seen:
    options.command(ask, "ask", "Ask.").main(list(args), prog_name="cgp-tui ask", standalone_mode=False)
    return dict(LAST)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (["why", "--", "prog"], {"goal": "why", "argv": ["prog"]}),
        (
            ["why", "--", "prog", "--json", "-m", "3", "--", "x"],
            {"goal": "why", "argv": ["prog", "--json", "-m", "3", "--", "x"]},
        ),
        (["--json", "-m", "3", "why", "--", "--prog"], {"goal": "why", "argv": ["--prog"], "most": 3, "json": True}),
        (
            ["why", "--max-frames=3", "--kind", "a", "--kind", "b", "--", ""],
            {"goal": "why", "argv": [""], "most": 3, "kind": ["a", "b"]},
        ),
        (
            ["why", "--file", "x/y", "--style", "b", "--few", "2", "--", "p"],
            {"goal": "why", "argv": ["p"], "file": Path("x/y"), "style": "b", "few": 2},
        ),
        (["-", "--", "p"], {"goal": "-", "argv": ["p"]}),
        (["why"], {"goal": "why", "argv": []}),
    ],
    ids=repr,
)
def test_what_follows_the_first_dashes_is_the_providers(line: list[str], wanted: Seen) -> None:
    assert call(*line) == {**DEFAULTS, **wanted}


@pytest.mark.parametrize(
    ("line", "right"),
    [
        (["why", "prog"], "cgp-tui ask why -- prog"),
        (["why", "prog", "--flag", "-v"], "cgp-tui ask why -- prog --flag -v"),
        (["why", "-m", "3", "--json", "prog", "--json"], "cgp-tui ask why -m 3 --json -- prog --json"),
        (["--max-frames=3", "why is it", "a b", "$x"], "cgp-tui ask --max-frames=3 'why is it' -- 'a b' '$x'"),
        (["why", "extra", "--", "prog"], "cgp-tui ask why -- prog"),
    ],
    ids=repr,
)
def test_without_the_dashes_the_right_line_is_shown(line: list[str], right: str) -> None:
    with pytest.raises(InputError) as caught:
        call(*line)
    assert caught.value.code == "usage"
    assert caught.value.fix == f"Try: {right}"


def test_dashes_with_nothing_behind_them() -> None:
    with pytest.raises(InputError, match="Nothing follows"):
        call("why", "--")


@pytest.mark.parametrize(
    "line",
    [
        ["why", "-m", "x", "--", "p"],
        ["why", "-m", "٣", "--", "p"],
        ["why", "--few", "0", "--", "p"],
        ["why", "--style", "c", "--", "p"],
        ["--", "p"],
        ["why", "--bogus", "--", "p"],
    ],
    ids=repr,
)
def test_what_is_wrong_before_the_dashes_is_typers_to_say(line: list[str]) -> None:
    with pytest.raises(TyperException):
        call(*line)


def test_a_provider_that_is_needed() -> None:
    options.need_argv(["p"], "cgp-tui ask GOAL -- CMD...")
    with pytest.raises(InputError, match="No provider is named") as caught:
        options.need_argv([], "cgp-tui ask GOAL -- CMD...")
    assert "cgp-tui ask GOAL -- CMD..." in caught.value.fix


def test_a_command_without_a_provider_takes_dashes_as_everybody_does() -> None:
    def show(file: Annotated[str, typer.Argument()]) -> None:
        LAST.clear()
        LAST.update(file=file)

    options.command(show, "show", "Show.").main(["--", "--odd-name"], prog_name="x", standalone_mode=False)
    assert LAST == {"file": "--odd-name"}


def test_subcommands_keep_the_rule() -> None:
    app = typer.Typer()

    @app.command()
    def grant(argv: options.Argv, scope: Annotated[list[str], typer.Option()]) -> None:
        LAST.clear()
        LAST.update(argv=argv, scope=scope)

    made = options.group(app, "consent", "Consent.")
    made.main(["grant", "--scope", "s", "--", "p", "--scope", "t"], prog_name="cgp-tui consent", standalone_mode=False)
    assert LAST == {"argv": ["p", "--scope", "t"], "scope": ["s"]}
    with pytest.raises(InputError) as caught:
        made.main(["grant", "--scope", "s", "p"], prog_name="cgp-tui consent", standalone_mode=False)
    assert caught.value.fix == "Try: cgp-tui consent grant --scope s -- p"


@pytest.mark.parametrize("line", [["x", "p", "--token", "hunter2"], ["x", "p", "--", "p", "--token", "hunter2"]])
def test_the_corrected_line_shows_no_credential(line: list[str]) -> None:
    app = typer.Typer()

    @app.command()
    def ask(argv: options.Argv, goal: Annotated[str, typer.Argument()]) -> None:
        raise AssertionError(f"{goal} {argv} is no line to run")

    @app.command()
    def other() -> None:
        raise AssertionError("nobody asked for it")

    made = options.group(app, "query", "Query.")
    with pytest.raises(InputError) as caught:
        made.main(["ask", *line], prog_name="cgp-tui query", standalone_mode=False)
    assert caught.value.fix == "Try: cgp-tui query ask x -- p --token '***'"


def test_the_kinds_of_sandbox_are_the_same_on_the_line_in_the_file_and_at_the_start() -> None:
    assert get_args(options.SandboxKind) == get_args(Sandbox) == tuple(sandbox.KINDS)
