"""A line that does not parse is told in our words: what is wrong with it, and what to write instead."""

from __future__ import annotations

import json

import pytest

from cgp_tui.cli.main import main

Findings = pytest.CaptureFixture[bytes]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["--bogus"], "cgp-tui has no option --bogus. `cgp-tui --help` shows the options."),
        (["consent", "--bogus"], "cgp-tui consent has no option --bogus. `cgp-tui consent --help` shows the options."),
        (["query", "why", "--jsn", "--", "p"], "cgp-tui query has no option --jsn. Did you mean --json?"),
        (["check", "--formt", "text", "a"], "cgp-tui check has no option --formt. Did you mean --format?"),
        (["consent", "list", "--format", "text"], "cgp-tui consent list has no option --format. Did you mean --json?"),
        (["serve", "example-docs", "--format", "x"], "has no option --format. `cgp-tui serve example-docs --help` shows"),
        (["query", "why", "--maxframes", "2", "--", "p"], "has no option --maxframes. Did you mean --max-frames?"),
        (["query", "why", "--maxframes=2", "p"], "has no option --maxframes. Did you mean --max-frames?"),
        (["query", "why", "--max-frames", "two", "--", "p"], "'--max-frames': 'two' is no whole number. `cgp-tui query"),
        (["check", "a", "--jobs", "1.5"], "'--jobs': '1.5' is no whole number."),
        (["replay", "a", "--speed", "fast"], "'--speed': 'fast' is no number."),
        (["replay", "a", "--speed", "5e9"], "'--speed': Input should be less than or equal to 1000."),
        (["consent"], "cgp-tui consent alone does nothing. Add one of: list, history, grant,"),
        (
            ["trust"],
            "cgp-tui trust alone does nothing. Add one of: list, add, remove. `cgp-tui trust --help` explains them.",
        ),
        (["consent", "grnt"], "There is no command 'grnt'. Did you mean `cgp-tui consent grant`?"),
        (["serve", "zzz"], "There is no command 'zzz'. `cgp-tui serve --help` lists the commands."),
        (["schema", "zzz"], "Invalid value for 'DOCUMENT': 'zzz' is not one of 'envelope', 'transcript'"),
        (["providers", "add", "x"], "End the line with -- and the program to run: cgp-tui providers add ID -- CMD..."),
    ],
    ids=repr,
)
def test_what_is_wrong_and_what_to_write(capfdbinary: Findings, line: list[str], words: str) -> None:
    assert main(line) == 2
    told = capfdbinary.readouterr()
    assert told.out == b""
    assert words in told.err.decode()
    assert told.err.count(b"\n") == 1


def test_where_a_provider_may_be_named_by_its_id_that_is_said(capfdbinary: Findings) -> None:
    main(["query", "why"])
    assert b"and give --id ID." in capfdbinary.readouterr().err
    main(["providers", "add", "x"])
    assert b"--id" not in capfdbinary.readouterr().err


def test_json_is_asked_for_in_two_ways_and_the_other_one_is_named(capfdbinary: Findings) -> None:
    for line, meant in ((["check", "--json", "a"], "--format json"), (["query", "a", "--format", "json"], "--json")):
        assert main(line) == 2
        assert json.loads(capfdbinary.readouterr().out)["error"]["fix"] == f"Did you mean {meant}?"


@pytest.mark.parametrize("line", [["query"], ["consent", "audit"], ["check"], ["schema"], ["prove"]], ids=repr)
def test_help_names_arguments_without_the_types_of_the_program(capfdbinary: Findings, line: list[str]) -> None:
    assert main([*line, "--help"]) == 0
    told, _, _ = capfdbinary.readouterr().out.decode().partition("Options:")
    assert "Arguments:" in told
    assert not set("<{}>") & set(told)
