"""The document of the `providers` commands."""

from __future__ import annotations

from pathlib import Path

from cgp_tui.errors import InputError
from cgp_tui.report.providers import providers_document
from cgp_tui.store.providers import EntryFault, ProviderSpec
from cgp_tui.store.registry import ProvidersFile

PROBLEM = {"code": "unreadable", "message": "m", "fix": "f"}


def test_a_document_has_the_same_members_whatever_came_of_it() -> None:
    assert providers_document(()) == {"files": [], "providers": [], "faults": [], "done": None}
    failed = providers_document((), {"act": "added", "id": "a", "path": "/p"}, PROBLEM)
    assert list(failed) == ["files", "providers", "faults", "done", "error"]
    assert failed["done"] == {"act": "added", "id": "a", "path": "/p"}


def test_files_entries_and_faults() -> None:
    fault = EntryFault("b", "env", "why", "fix")
    spec = ProviderSpec("a", ("run", "--token", "hunter2", *"x" * 100), roots=("src",))
    web = ProviderSpec("web", url="https://x/aGVsbG8gd29ybGQhIQ12345678")
    user = ProvidersFile("user", Path("/u/c.toml"), True, "ab", True, (spec, web), (fault,))
    broken = ProvidersFile("project", Path("/p/c.toml"), True, problem=InputError("unreadable", "m", "f"))
    made = providers_document((user, broken))
    assert made["files"][1] == {
        "from": "project",
        "path": "/p/c.toml",
        "there": True,
        "sha256": None,
        "trusted": False,
        "error": {"code": "unreadable", "message": "m", "fix": "f"},
    }
    first, second = made["providers"]
    assert first["command"] == ["run", "--token", "***", *"x" * 100]
    assert (first["url"], first["cwd"], first["roots"]) == (None, "/u", ["/u/src"])
    assert second["url"] == "https://x/***"
    assert made["faults"] == [{"from": "user", "id": "b", "key": "env", "why": "why", "fix": "fix", "harmless": False}]
