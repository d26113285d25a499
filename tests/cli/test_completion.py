"""The script for bash: what it offers where, tried in a real bash."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

import pytest

from cgp_tui.cli.completion import script
from cgp_tui.cli.main import COMMANDS, main

_BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(_BASH is None, reason="this system has no bash")
made = cache(script)


def offered(*words: str) -> set[str]:
    """What bash would offer for the last of these words."""
    line = " ".join(f"'{word}'" for word in ("cgp-tui", *words))
    ask = f'COMP_WORDS=({line}); COMP_CWORD={len(words)}; _cgp_tui; printf "%s\\n" "${{COMPREPLY[@]}}"'
    ran = subprocess.run(
        [_BASH or "", "--norc", "-c", f"{made()}\n{ask}"], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stderr == ""
    return set(ran.stdout.split())


@needs_bash
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["che"], ["check"]),
        (["consent", "gr"], ["grant"]),
        (["consent", "grant", "--version-policy", ""], ["exact", "minor", "any"]),
        (["check", "--format", "j"], ["json", "junit"]),
        (["check", "--format", "=", "s"], ["sarif"]),
        (["check", "--format", "="], ["text", "json", "junit", "sarif"]),
        (["check", "x", "--le"], ["--level"]),
        (["schema", "e"], ["envelope"]),
        (["serve", "example-"], ["example-docs", "example-index"]),
        (["query", "check", "--max-f"], ["--max-frames"]),
        (["query", "--json", "why", "--sandbox", "no"], ["none", "no-network"]),
        (["--v"], ["--version"]),
        (["check", ""], []),
        (["check", "--root", "--"], []),
        (["query", "why", "--", "prog", "--"], []),
    ],
    ids=" ".join,
)
def test_what_is_offered_where(words: list[str], found: list[str]) -> None:
    assert offered(*words) == set(found)


@needs_bash
def test_every_command_is_offered_and_after_the_dashes_programs_are() -> None:
    assert offered("") == {row.name for row in COMMANDS}
    assert "bash" in offered("query", "why", "--", "bas")


def test_it_is_printed_as_it_is_taken_in(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["completion"]) == 0
    printed = capfdbinary.readouterr()
    assert (printed.out.decode("ascii"), printed.err) == (f"{made()}\n", b"")
