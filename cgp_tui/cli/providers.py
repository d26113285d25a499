"""`cgp-tui providers`: the providers file, listed and edited, and a project's file looked at and trusted."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cgp_tui.cli import diagnostics, options, output
from cgp_tui.cli.asked import at_terminal, typed
from cgp_tui.cli.lookups import RootFolders
from cgp_tui.errors import InputError, RefusedError
from cgp_tui.text import compose, own, show

if TYPE_CHECKING:
    from cgp_tui.store.providers import ProviderSpec
    from cgp_tui.store.registry import Kind, ProvidersFile

app = typer.Typer()

Id = Annotated[str, typer.Argument(metavar="ID", help="Your name for the provider.")]
Project = Annotated[bool, typer.Option("--project", help="In cgp-tui.toml of this folder, not in your own.")]


@app.command("list")
def list_entries(json: options.Json = False) -> int:
    """List what is configured, in your own file and in this folder's. Runs nothing."""
    from cgp_tui.present.providers import listed_lines
    from cgp_tui.report.providers import providers_document
    from cgp_tui.store import registry

    with diagnostics.machine(json, lambda problem: providers_document((), None, problem)):
        files = registry.every()
        fault = next((file.problem for file in files if file.problem is not None), None)
        if json:
            output.document(providers_document(files, None, diagnostics.problem(fault) if fault else None))
        else:
            output.text(listed_lines(files))
        return diagnostics.exit_code(fault) if fault else diagnostics.GOOD


@app.command(short_help="Add an entry; nothing is run.")
def add(
    id: Id,
    argv: options.Argv,
    *,
    project: Project = False,
    env: options.EnvNames = None,
    cwd: Annotated[
        Path | None, typer.Option("--cwd", metavar="DIR", help="Where it is started; the file's folder by default.")
    ] = None,
    handshake: options.HandshakeSeconds = None,
    exchange: options.ExchangeSeconds = None,
    sandbox: options.Sandbox = None,
    root: RootFolders = None,
    json: options.Json = False,
) -> int:
    """Add an entry; nothing else in the file changes, and nothing is run."""
    from cgp_tui.report.providers import providers_document
    from cgp_tui.store import providers, registry

    options.need_argv(argv, "cgp-tui providers add ID -- CMD...", by_id=False)
    with diagnostics.machine(json, lambda problem: providers_document((), None, problem)):
        folder = _folder(argv, cwd, project)
        limits = providers.Timeouts(handshake, exchange)
        spec = providers.ProviderSpec(
            id,
            tuple(argv),
            env=tuple(env or ()),
            cwd=folder,
            roots=tuple(_placed(one, project, "--root") for one in root or ()),
            sandbox=sandbox or "none",
            timeouts=limits,
        )
        _check(spec)
        path = registry.edit(_kind(project), partial(providers.added, spec=spec))
        return _done("added", id, path, project, json)


@app.command(short_help="Remove an entry; the rest of the file stays as it is.")
def remove(id: Id, project: Project = False, json: options.Json = False) -> int:
    """Take an entry out; everything else in the file stays, comments too."""
    from cgp_tui.report.providers import providers_document
    from cgp_tui.store import providers, registry

    with diagnostics.machine(json, lambda problem: providers_document((), None, problem)):
        path = registry.edit(_kind(project), partial(providers.removed, id=id))
        return _done("removed", id, path, project, json)


@app.command(short_help="Show what this folder's file would run, and trust it.")
def trust(
    *,
    sha256: Annotated[
        str | None, typer.Option("--sha256", metavar="DIGEST", help="Trust the file with exactly this digest; asks nothing.")
    ] = None,
    json: options.Json = False,
) -> int:
    """Show what cgp-tui.toml of this folder would run, and trust it as it is now. Any change of it asks again."""
    from cgp_tui.report.providers import providers_document
    from cgp_tui.store import registry

    with diagnostics.machine(json, lambda problem: providers_document((), None, problem)):
        file = registry.read("project")
        if file.problem is not None:
            raise file.problem
        if not file.there:
            raise InputError("usage", f"There is no {file.path}.", "Only the file of the folder you are in counts.")
        if not file.trusted:
            _agree(file, sha256)
            registry.trust(file)
        return _done("trusted", "", file.path, True, json)


def _kind(project: bool) -> Kind:
    return "project" if project else "user"


def _folder(argv: list[str], cwd: Path | None, project: bool) -> str:
    """What an entry says of its folder: a command that names files by relative paths is kept where these are."""
    if cwd is not None:
        return _placed(cwd, project, "--cwd")
    relative = any(not os.path.isabs(word) and os.path.exists(word) for word in argv[1:])  # noqa: PTH117, PTH110
    relative = relative or (os.sep in argv[0] and not os.path.isabs(argv[0]))  # noqa: PTH117
    return "" if project or not relative else str(Path.cwd())


def _placed(folder: Path, project: bool, option: str) -> str:
    """A folder as the file says it: whole in one's own, as it was given in a project's, which may stand elsewhere."""
    try:
        return str(folder) if project else os.path.abspath(folder.expanduser())  # noqa: PTH100 -- links stay as they are named
    except RuntimeError:
        raise InputError("usage", f"{option} {folder}: there is no such home folder.", "Give a whole path.") from None


def _check(spec: ProviderSpec) -> None:
    """Refuse what the file would not be read back as. Raises InputError usage."""
    from cgp_tui.store import providers

    try:
        read = providers.parse(providers.added(b"", spec))
    except UnicodeEncodeError:
        raise InputError("identity_unrepresentable", "A word of it is not UTF-8.", "Reach it by another path.") from None
    for fault in read.faults:
        where = f" ({fault.key})" if fault.key else ""
        raise InputError("usage", f"{fault.id!r} cannot be added{where}: {fault.why}.", fault.fix)


def _agree(file: ProvidersFile, sha256: str | None) -> None:
    """Have the person look and say so. Raises RefusedError project_untrusted."""
    if sha256 is not None:
        if sha256.removeprefix("sha256:").lower() == file.sha256:
            return
        message = f"{file.path} is not the file that was looked at: its SHA-256 is {file.sha256}."
        raise RefusedError("project_untrusted", message, "See what it runs now: cgp-tui providers list")
    from cgp_tui.present.providers import listed_lines

    for line in listed_lines([file]):
        diagnostics.say(line)
    if not at_terminal():
        raise RefusedError(
            "project_untrusted",
            "Nothing was trusted: there is no terminal to ask at.",
            f"Look at what it runs, then: cgp-tui providers trust --sha256 {file.sha256}",
        )
    word = file.sha256[:8]
    diagnostics.say(own("All of this may then be run with your rights whenever you use one of its ids."))
    diagnostics.say(compose("To trust it, type {word} and Enter. Anything else leaves it.", word=show(word)))
    if typed() != word:
        message = "Nothing was trusted: its first digits were not typed."
        raise RefusedError("project_untrusted", message, "Run the command again to trust it.")


def _done(act: str, id: str, path: Path, project: bool, json: bool) -> int:
    from cgp_tui.present.providers import TRUST
    from cgp_tui.report.providers import providers_document
    from cgp_tui.store import registry

    said = {"added": "Added {id} to {path}.", "removed": "Removed {id} from {path}.", "trusted": "Trusted as it is: {path}"}
    line = compose(said[act], id=show(id), path=show(str(path)))
    with diagnostics.stands([line]):
        if json:
            output.document(providers_document(registry.every(), {"act": act, "id": id, "path": str(path)}))
            return diagnostics.GOOD
        output.text([line])
    if project and act != "trusted":
        diagnostics.say(own(f"The file has changed. Before anything in it can run: {TRUST}"))
    elif act == "added":
        diagnostics.say(compose("Watch it: cgp-tui inspect --id {id}", id=show(id)))
    return diagnostics.GOOD
