"""The parser's complaints as errors of our own: what is wrong, and what to write instead."""

from __future__ import annotations

from typing import Any, Final

from typer.exceptions import TyperException

from cgp_tui.errors import InputError

_ELSEWHERE: Final = {"--json": "--format json", "--format": "--json"}
"""What an option is called on other commands, which ask for a document in one of these two ways."""


_READS: Final = ("check", "replay", "prove")
"""The commands whose FILE is a transcript."""


def no_transcript(path: str) -> InputError:
    """The usage error for a line of the command `path` that names no transcript, with the newest recording there is."""
    from cgp_tui.store import paths
    from cgp_tui.transcript.recent import recent

    newest = recent(paths.transcripts_dir(), 1).newest
    last = f". The newest recording: {newest[0].path}" if newest else ""
    return InputError("usage", "Missing argument 'FILE'.", f"Name a transcript: {path} FILE{last}")


def known(error: TyperException) -> InputError:
    """The parser's complaint as a usage error."""
    ctx = getattr(error, "ctx", None)
    path = ctx.command_path if ctx is not None else "cgp-tui"
    help = f"`{path} --help` shows the options."
    name = getattr(error, "option_name", None)
    if name is not None and hasattr(error, "possibilities"):
        meant = _meant(name, error.possibilities or (), ctx)
        return InputError("usage", f"{path} has no option {name}.", f"Did you mean {meant}?" if meant else help)
    if ctx is not None and ctx.info_name in _READS:
        if error.format_message().startswith("Missing argument 'FILE'"):
            return no_transcript(path)
        if error.format_message().startswith("Got unexpected extra argument"):
            several = f'For several: for file in FILES; do {path} "$file"; done' if ctx.info_name == "check" else help
            return InputError("usage", f"{path} takes one FILE.", several)
    message = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".") + "."
    return InputError("usage", message, help)


def _meant(name: str, near: tuple[str, ...], ctx: Any) -> str:
    """The option probably meant by an unknown name, empty where none is similar."""
    other = _ELSEWHERE.get(name, "")
    if ctx is not None and any(other.split(" ")[0] in param.opts for param in ctx.command.params):
        return other
    return near[0] if near else ""
