"""The JSON document of the `providers` commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from cgp_tui.errors import Error
from cgp_tui.report.problem import Problem, with_error
from cgp_tui.secret import mask, mask_argv
from cgp_tui.store.registry import Configured, ProvidersFile, entries


def _file(file: ProvidersFile) -> dict[str, Any]:
    return {
        "from": file.kind,
        "path": str(file.path),
        "there": file.there,
        "sha256": file.sha256 or None,
        "trusted": file.trusted,
        "error": None if file.problem is None else _problem(file.problem),
    }


def _problem(error: Error) -> Problem:
    return {"code": error.code, "message": error.message, "fix": error.fix}


def _entry(entry: Configured) -> dict[str, Any]:
    spec = entry.spec
    return {
        "id": spec.id,
        "from": entry.file.kind,
        "trusted": entry.file.trusted,
        "shadowed": entry.shadowed,
        "command": list(mask_argv(spec.command)),
        "url": mask(spec.url) or None,
        "env": list(spec.env),
        "cwd": str(entry.folder),
        "roots": list(map(str, entry.roots)),
        "sandbox": spec.sandbox,
        "timeouts": msgspec.to_builtins(spec.timeouts),
    }


def providers_document(
    files: Sequence[ProvidersFile], done: dict[str, str] | None = None, problem: Problem | None = None
) -> dict[str, Any]:
    """`{"files": [{"from", "path", "there", "sha256", "trusted", "error"}], "providers": [{"id", "from", "trusted",
    "shadowed", "command", "url", "env", "cwd", "roots", "sandbox", "timeouts"}], "faults": [{"from", "id", "key", "why",
    "fix", "harmless"}], "done", "error"?}`.

    `from` is user or project. Credentials in a command are masked. `done` is what this run did: `{"act": added, removed or
    trusted, "id", "path"}`, or null.
    """
    document = {
        "files": [_file(file) for file in files],
        "providers": [_entry(entry) for entry in entries(tuple(files))],
        "faults": [{"from": file.kind, **msgspec.to_builtins(fault)} for file in files for fault in file.faults],
        "done": done,
    }
    return with_error(document, problem)
