"""Home in rows: recordings, providers, consent, and where each row leads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from cgp_tui.consent.ledger import Opened
from cgp_tui.consent.listing import Listed
from cgp_tui.errors import InputError
from cgp_tui.present.home import MOST, Choice, Home, choices, home_rows, known, obstacle
from cgp_tui.present.layout import fold
from cgp_tui.present.symbols import ASCII, UNICODE, Look, Symbols
from cgp_tui.store.glances import Glance
from cgp_tui.store.providers import EntryFault, ProviderSpec
from cgp_tui.store.registry import ProvidersFile, entries
from cgp_tui.text import join
from cgp_tui.transcript.recent import Folder, Recent
from cgp_tui.wire.note import LedgerMark
from tests.present.consents import binding, record, target

LEDGER = Path("/home/u/receipts.toml")
NEWEST = Recent(
    Path("/s/a.ndjson"), 5_800, 1_795_975_920.0, "2026-11-29T18:12:00Z", "inspect", ("docs", "acme"), 214, growing=True
)
NAMELESS = Recent(Path("/s/b.ndjson"), 90, 1_795_858_800.0, "2026-11-28T09:40:00Z", "query", (), None)
USER = ProvidersFile(
    "user", Path("/c/cgp-tui.toml"), True, "ab", True, (ProviderSpec("docs", ("serve", "--token", "s3cret")),)
)
PROJECT = ProvidersFile("project", Path("/p/cgp-tui.toml"), True, "cd", False, (ProviderSpec("local", ("./run",)),))


def home(**members: Any) -> Home:
    files = members.pop("files", (USER, PROJECT))
    whole: dict[str, Any] = {
        "recordings": Folder((NEWEST, NAMELESS), 14, 21_400_000),
        "opened": Opened(path=LEDGER, state="fresh"),
        "now": NEWEST.changed + 200,
        **members,
    }
    return Home(files=files, entries=entries(files), **whole)


def text(made: Home, symbols: Symbols = UNICODE, width: int = 118) -> str:
    return "\n".join(row.text.rstrip() for row in home_rows(made, Look(symbols, width)))


def test_a_transcript_takes_one_line_of_forty_cells_and_what_goes_on_is_indented() -> None:
    row = next(row for row in home_rows(home(), Look(UNICODE, 38)) if row.jump is not None)
    assert row.text == "  18:12:00Z     docs, acme  ! live"
    first, second = (join("", [part.text for part in line]) for line in fold(row, 28))
    assert first == "  18:12:00Z     docs, acme  " and second == "    ! live"


def test_recordings_say_when_who_how_and_how_much() -> None:
    said = text(home())
    assert "Transcripts  14 recordings, 20.4M" in said
    line = next(line for line in said.splitlines() if "2026-11-29 18:12:00Z" in line)
    assert "docs, acme" in line and "inspect" in line and "214 lines" in line and "5.7K" in line and "! live" in line
    assert "b.ndjson" in said  # nobody was connected: the file's own name stands for it
    assert "None yet" in text(home(recordings=Folder()))


def test_two_sessions_of_one_provider_are_told_apart() -> None:
    """By the second, by their ages in words, and by how long they took, as far as there is room."""
    long = msgspec.structs.replace(NEWEST, started_at="2026-11-29T18:09:55Z", growing=False)
    short = msgspec.structs.replace(
        long, path=Path("/s/b.ndjson"), changed=long.changed - 4, started_at="2026-11-29T18:11:54Z"
    )
    folder = Folder((long, short), 2, 9)
    wide = text(home(recordings=folder), width=118).splitlines()[1:3]
    assert "2026-11-29 18:12:00Z  docs, acme" in wide[0] and "  3 min ago " in wide[0] and "  2m05s " in wide[0]
    assert "2026-11-29 18:11:56Z  docs, acme" in wide[1] and "  3 min ago " in wide[1] and " 2.00 s " in wide[1]
    narrow = text(home(recordings=folder), width=78).splitlines()[1:3]
    assert [line[2:24] for line in narrow] == ["18:12:00Z 3 min ago   ", "18:11:56Z 3 min ago   "]
    later = home(recordings=folder, now=NEWEST.changed + 3599)
    assert all(len(line) <= 76 for line in text(later, width=76).splitlines()[1:3])
    for width in (58, 38):
        assert [line[2:13] for line in text(home(recordings=folder), width=width).splitlines()[1:3]] == [
            "18:12:00Z  ",
            "18:11:56Z  ",
        ]
    older = home(recordings=folder, now=NEWEST.changed + 90_000)
    assert [line[2:22] for line in text(older, width=78).splitlines()[1:3]] == [
        "2026-11-29 18:12:00Z",
        "2026-11-29 18:11:56Z",
    ]
    assert "  1 day ago " in text(older, width=118)


def test_a_recording_shows_the_time_that_it_is_sorted_by() -> None:
    """One that was begun first may have been written to last."""
    begun = msgspec.structs.replace(NAMELESS, changed=NEWEST.changed + 3600, path=Path("/s/long.ndjson"))
    looked = Glance("ab", "/x/y.ndjson", NEWEST.changed - 60, 9, 1, 1, 0, 0)
    said = text(home(recordings=Folder((begun, NEWEST), 2, 9), elsewhere=(looked,)))
    lines = said.splitlines()
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["2026-11-29", "19:12:00Z"],
        ["2026-11-29", "18:12:00Z"],
        ["2026-11-29", "18:11:00Z"],
    ]
    assert "last written; imported: last opened" in lines[0]
    assert "last" not in text(home(recordings=Folder()))


def test_what_was_found_stands_behind_what_is_as_it_was_left() -> None:
    done = msgspec.structs.replace(NEWEST, path=Path("/s/c.ndjson"), growing=False)
    folder = Folder((NEWEST, done, NAMELESS), 3, 9)
    lines = text(home(recordings=folder, found={done.path: (3, 1), NEWEST.path: (9, 9)})).splitlines()
    assert [line.rpartition("K  ")[2] for line in lines[1:3]] == ["! live", "✗3 !1"]
    assert lines[3].endswith("unchecked")
    clean = text(home(recordings=folder, found={done.path: (0, 0)}))
    assert "✗0 !0" in clean


def test_a_transcript_from_elsewhere_stands_where_it_was_last_looked_at() -> None:
    elsewhere = Glance("0" * 32, "/mail/customer-with-a-long-name.ndjson.gz", 2e9, 5_800, 1, 611, 2, 0, judged=True)
    made = home(elsewhere=(elsewhere, msgspec.structs.replace(elsewhere, path="/old", at=1.0, judged=False)))
    lines = text(made).splitlines()
    assert (
        "2033-05-18 03:33:20Z" in lines[1]
        and "customer-with…ame.ndjson.gz" in lines[1]
        and "imported" in lines[1]
        and "✗2 !0" in lines[1]
    )
    assert "/old" not in lines[4] and "old" in lines[4] and lines[4].endswith("unchecked")
    assert [choice.name for choice in choices(made)[:4]] == [elsewhere.path, "/s/a.ndjson", "/s/b.ndjson", "/old"]
    assert obstacle(made, 0) is None and obstacle(made, 5) is not None


def test_no_more_are_offered_than_fit_and_every_row_fits_its_screen() -> None:
    many = tuple(
        msgspec.structs.replace(NEWEST, path=Path(f"/s/{at}"), changed=float(at), lines=1_234_567) for at in range(9)
    )
    made = home(recordings=Folder(many, 9, 9))
    assert [known_one.at for known_one in known(made)] == [8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]
    assert len(choices(made)) == MOST + len(made.entries) + 1
    for width in (59, 76, 77, 78, 79, 80, 120, 240):
        lines = text(made, width=width).splitlines()[:9]
        assert all(len(line) <= width for line in lines)
        assert all(("inspect" in line) == (width >= 76) for line in lines[1:])
    assert "custome…" in text(
        home(elsewhere=(Glance("0" * 32, f"/{'customer' * 9}", 2e9, 1, 1, 1, 0, 0, judged=True),)), width=80
    )


def test_a_long_name_is_cut_and_moves_no_column() -> None:
    longer = msgspec.structs.replace(NEWEST, providers=("a" * 40, "b"))
    rows = [line for line in text(home(recordings=Folder((NEWEST, longer), 2, 9))).splitlines() if "inspect" in line]
    assert rows[0].index("inspect") == rows[1].index("inspect")


def test_providers_show_what_they_run_and_whose_they_are() -> None:
    said = text(home())
    assert "docs   yours  serve --token" in said and "s3cret" not in said
    assert "local  project, not trusted  ./run" in said and "project's file here is not trusted" in said
    assert "None configured" in text(home(files=()))
    broken = ProvidersFile("project", Path("/p/c.toml"), True, problem=InputError("unreadable", "not valid TOML", "fix"))
    faulty = ProvidersFile(
        "user", Path("/c/c.toml"), True, "ab", True, (), (EntryFault("x", "command", "missing", "name it"),)
    )
    for file in (broken, faulty):
        assert f"{file.path} has faults" in text(home(files=(file,)))


@pytest.mark.parametrize(
    ("opened", "wanted"),
    [
        (None, "No ledger can be kept"),
        (Opened(path=LEDGER, state="fresh"), "No receipt yet"),
        (
            Opened(path=LEDGER, state="tampered", command="cgp-tui consent recover"),
            "Nothing leaves this machine. cgp-tui consent",
        ),
    ],
)
def test_consent_says_where_it_stands(opened: Opened | None, wanted: str) -> None:
    assert wanted in text(home(opened=opened))


def test_grants_in_force_are_counted_and_the_first_end_is_told(tmp_path: Path) -> None:
    to = binding(target(tmp_path))
    grants = [record(1, "grant", to), record(2, "grant", to, expires_at="2030-05-05T00:00:00Z")]
    mark = LedgerMark("l", 2, "h")
    opened = Opened(path=LEDGER, state="ok", head=mark, receipts=tuple(grants), acknowledged=2)
    listed = tuple(Listed(grant, "in_force") for grant in grants)
    assert "2 grants in force; the first ends 2030-05-05T00:00:00Z" in text(home(opened=opened, grants=listed))
    revoked = tuple(Listed(grant, "revoked") for grant in grants)
    assert "No grant is in force: a provider that says it sends data away gets no query." in text(
        home(opened=opened, grants=revoked)
    )


def test_every_row_that_leads_somewhere_leads_to_its_own_choice() -> None:
    made = home()
    jumps = [row.jump.place for row in home_rows(made, Look()) if row.jump is not None]
    assert jumps == list(range(len(choices(made))))
    assert choices(made) == (
        Choice("replay", "/s/a.ndjson"),
        Choice("replay", "/s/b.ndjson"),
        Choice("inspect", "docs"),
        Choice("inspect", "local"),
        Choice("demo"),
    )
    assert [obstacle(made, place) is None for place in range(5)] == [True, True, True, False, True]
    assert "cgp-tui providers trust" in str(obstacle(made, 3))


def test_hostile_names_are_shown_and_nothing_more() -> None:
    evil = Recent(Path("/s/\x1b[31m.ndjson"), 1, 1e9, "2026\x1b]0;x", "\x07", ("\u202eevil",), 1)
    said = text(home(recordings=Folder((evil,), 1, 1)))
    assert not any(char < " " and char != "\n" for char in said) and "\u202e" not in said


def test_in_ascii_nothing_else_is_drawn() -> None:
    opened = Opened(path=LEDGER, state="torn", command="c")
    assert text(home(opened=opened), ASCII).isascii()
