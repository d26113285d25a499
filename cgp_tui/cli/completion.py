"""`cgp-tui completion`: a bash script that completes our commands, options and their values, made from the commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from cgp_tui.cli import diagnostics, output
from cgp_tui.text import own

if TYPE_CHECKING:
    from typer.core import TyperCommand, TyperGroup

_CHOICES: Final = re.compile(r"[a-z-]+([|][a-z-]+)+")
_SCRIPT: Final = """\
# bash completion of cgp-tui. In ~/.bashrc: eval "$(cgp-tui completion)"
_cgp_tui() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} path= key words= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${{COMP_WORDS[i]}} == -- ]]; then
            if [[ $before == -- ]]; then COMPREPLY=($(compgen -c -- "$word")); fi
            return
        fi
        key=${{path:+$path }}${{COMP_WORDS[i]}}
        case $key in
            {paths}) path=$key ;;
        esac
    done
    if [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
    if [[ $word == = ]]; then word=; fi
    case "$path $before" in
{values}
        *)
            if [[ $word == -* ]]; then
                case $path in
{options}
                esac
            else
                case $path in
{names}
                esac
            fi
            ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _cgp_tui cgp-tui"""


def completion() -> int:
    """Print a bash script that completes commands, options and their values.

    Take it in with: eval "$(cgp-tui completion)"
    """
    output.text([own(line) for line in script().splitlines()])
    return diagnostics.GOOD


def script() -> str:
    """The whole script. A value that is no choice, and an argument, is completed as a file."""
    from cgp_tui.cli.main import COMMANDS, load

    names = {"": [row.name for row in COMMANDS]}
    options: dict[str, list[str]] = {"": ["--help", "--version"]}
    values: list[str] = []
    for row in COMMANDS:
        for path, made in _each(row.name, load(row)):
            names[path] = [*getattr(made, "commands", {})]
            options[path] = ["--help"]
            for param in made.params:
                choices = _choices(param)
                if param.param_type_name == "argument":
                    names[path] += choices
                    continue
                options[path] += [name for name in param.opts if name.startswith("--")]
                if not getattr(param, "is_flag", False):
                    keys = "|".join(shlex.quote(f"{path} {name}") for name in param.opts)
                    found = f"words={shlex.quote(' '.join(choices))}" if choices else "return"
                    values.append(f"        {keys}) {found} ;;")
    return _SCRIPT.format(
        paths="|".join(shlex.quote(path) for path in names if path),
        values="\n".join(values),
        options=_rows(options),
        names=_rows(names),
    )


def _each(path: str, made: TyperCommand | TyperGroup) -> Iterator[tuple[str, Any]]:
    """A command and the commands in it, each under the words that lead to it."""
    yield path, made
    for name, inner in getattr(made, "commands", {}).items():
        yield from _each(f"{path} {name}", inner)


def _choices(param: Any) -> list[str]:
    """The words that a parameter takes, as it says them itself; empty where it takes others."""
    found = param.type_descriptor.choices
    shown = param.metavar or ""
    return [str(one) for one in found] if found else shown.split("|") if _CHOICES.fullmatch(shown) else []


def _rows(table: dict[str, list[str]]) -> str:
    return "\n".join(
        f"                    {shlex.quote(path)}) words={shlex.quote(' '.join(words))} ;;"
        for path, words in table.items()
        if words
    )
