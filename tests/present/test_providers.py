"""Configured providers in words."""

from __future__ import annotations

from pathlib import Path

from cgp_tui.errors import OurError
from cgp_tui.present.layout import fold, spans_width
from cgp_tui.present.providers import NOTHING, advice, fault_words, listed_lines, offer, offer_rows
from cgp_tui.present.symbols import Look
from cgp_tui.store.providers import EntryFault, ProviderSpec, Timeouts
from cgp_tui.store.registry import ProvidersFile

FULL = ProviderSpec(
    "docs",
    ("docs", "--key", "hunter2", "a b", "\x1b[31m\u202e"),
    env=("A", "B"),
    cwd="sub",
    roots=("src",),
    sandbox="no-network",
    timeouts=Timeouts(5, 0.25),
)


def file(kind: str, *specs: ProviderSpec, trusted: bool = True, faults: tuple[EntryFault, ...] = ()) -> ProvidersFile:
    return ProvidersFile(kind, Path(f"/{kind}/c.toml"), True, "ab" * 32, trusted, specs, faults)  # type: ignore[arg-type]


def test_an_entry_says_everything_that_decides_what_runs() -> None:
    assert listed_lines([file("user", FULL)]) == [
        "/user/c.toml: yours",
        "  docs  docs --key '***' 'a b' '␛[31m<U+202E>'",
        "    in: /user/sub",
        "    gets: A, B",
        "    roots: /user/src",
        "    sandbox: processes, no IP network",
        "    waits: handshake 5 s, exchange 0.25 s",
    ]


def test_files_with_their_standing() -> None:
    web = ProviderSpec("web", url="https://cgp.example/v1")
    digest = "ab" * 32
    assert listed_lines([file("project", web)])[0] == f"/project/c.toml: trusted as it is (sha256 {digest})"
    lines = listed_lines([file("user", web), file("project", web, trusted=False)])
    assert (
        lines[2] == f"/project/c.toml: NOT TRUSTED, nothing of it is run before `cgp-tui providers trust` (sha256 {digest})"
    )
    assert lines[3] == "  web  https://cgp.example/v1  (shadowed by your own)"
    broken = ProvidersFile("user", Path("/c"), True, problem=OurError("store_unsafe", "/c is a link.", "Move it."))
    assert listed_lines([broken]) == ["/c is a link. Move it."]
    vague = ProvidersFile("user", Path("/c"), True, problem=OurError("unreadable", "It is a link.", "Move it."))
    assert listed_lines([vague]) == ["/c: It is a link. Move it."]
    assert listed_lines([ProvidersFile("user", Path("/c"))]) == ["/c: not there", *NOTHING]


def test_faults_name_their_place() -> None:
    fault = EntryFault("a\x1b", "", "it cannot be an id", "Rename it.")
    assert fault_words(fault) == "a␛: it cannot be an id. Rename it."
    assert listed_lines([file("user", faults=(fault,))])[-1] == "  ! a␛: it cannot be an id. Rename it."


def test_what_cannot_be_started_says_why() -> None:
    web, docs = ProviderSpec("web", url="https://x"), ProviderSpec("docs", ("d",))
    made = offer([file("user", docs, web), file("project", docs, ProviderSpec("p", ("p",)), trusted=False)])
    assert [advice(entry) is None for entry in made.entries] == [True, False, False, False]
    assert advice(offer([file("project", docs)]).entries[0]) is None


def test_rows_lead_to_their_entries_and_nothing_else_does() -> None:
    made = offer(
        [file("user", FULL, ProviderSpec("x" * 64, ("y",))), file("project", ProviderSpec("p", ("p",)), trusted=False)]
    )
    rows = list(offer_rows(made, Look()))
    assert [row.jump.place for row in rows if row.jump is not None] == [0, 1, 2]
    assert any(row.text.strip().startswith("in /user/sub") for row in rows)
    for width in (20, 40, 80):
        lines = [line for row in offer_rows(made, Look(width=width)) for line in fold(row, width)]
        assert max(map(spans_width, lines)) <= width
    assert any("NOT TRUSTED" in row.text for row in rows)
