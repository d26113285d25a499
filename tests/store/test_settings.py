"""The person's settings: what cannot be used is named, everything else works."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from cgp_tui.store.settings import BYTES, SETTINGS, Complaint, Settings, parse, read


def written(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, "utf-8")
    path.chmod(0o600)
    return path


def test_without_a_file_nothing_is_settled(tmp_path: Path) -> None:
    assert read(tmp_path / "settings.toml") == Settings()


def test_what_is_written_holds(tmp_path: Path) -> None:
    text = 'theme = "ansi-light"\nsymbols = "ascii"\ntime = "delta"\npanes = "stacked"\nbeside = 30\nstacked = 70\n'
    text += 'hidden_columns = ["size", "delta", "size"]\n'
    assert read(written(tmp_path, text + '[keys]\n"nav.down" = "j,down"\n')) == Settings(
        theme="ansi-light",
        symbols="ascii",
        time="delta",
        panes="stacked",
        beside=30,
        stacked=70,
        hidden_columns=("size", "delta"),
        keys={"nav.down": "j,down"},
    )


def test_the_table_says_what_the_values_are_without_a_file() -> None:
    fields = {field.name: field.default for field in msgspec.structs.fields(Settings)}
    assert {one.id: one.default for one in SETTINGS} == {
        name: fields[name] for name in fields if name not in ("keys", "complaints")
    }
    assert all(one.sentence.endswith(".") for one in SETTINGS)
    assert [one.id for one in SETTINGS if one.default not in ("", ()) and one.check(one.default)] == []


@pytest.mark.parametrize(
    ("text", "name", "why", "fix"),
    [
        ("beside = 90", "beside", "90", "from 20 to 80"),
        ("stacked = true", "stacked", "True", "from 20 to 80"),
        ("theme = 3", "theme", "3", "a name"),
        ('symbols = "emoji"', "symbols", "emoji", '"auto" or "ascii" or "unicode"'),
        ("colour = 1", "colour", "no such setting", "theme, symbols, time, panes, beside, stacked, hidden_columns, [keys]"),
        ('hidden_columns = "size"', "hidden_columns", "size", 'as ["size", "delta"]'),
        (
            'hidden_columns = ["size", "colour"]',
            "hidden_columns",
            "colour",
            "number, time, delta, direction, type, id, size",
        ),
        ("hidden_columns = [7]", "hidden_columns", "7", "a list of columns"),
        ("hidden_columns = [[]]", "hidden_columns", "[[]]", "a list of columns"),
        ("keys = 1", "keys", "not a table", "[keys]"),
        ('keys.nav.down = "j"', "keys.nav", "quotes", '"nav.down" = "j"'),
        ('[keys]\n"nav.down" = ["j"]', "keys.nav.down", "not text", '"nav.down" = "j"'),
    ],
)
def test_a_bad_entry_is_named_and_the_rest_works(tmp_path: Path, text: str, name: str, why: str, fix: str) -> None:
    settings = read(written(tmp_path, f'time = "start"\n{text}\n'))
    (complaint,) = settings.complaints
    assert complaint.name == name and why in complaint.why and fix in complaint.fix
    assert msgspec.structs.replace(settings, complaints=()) == Settings(time="start")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"theme = \n", "not valid TOML"),
        (b'theme = "\xff"\n', "not UTF-8"),
        (b"#" * (BYTES + 1), "larger than 65,536 bytes"),
        (b"a=" + b"[" * 30_000, "TOML|nested"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, data: bytes, why: str) -> None:
    path = written(tmp_path, "")
    path.write_bytes(data)
    settings = read(path)
    (complaint,) = settings.complaints
    assert complaint.name == "settings.toml" and any(word in complaint.why for word in why.split("|")) and complaint.fix
    assert msgspec.structs.replace(settings, complaints=()) == Settings()


def test_a_file_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    path = written(tmp_path, 'theme = "cgp"\n')
    path.chmod(0o666)
    assert read(path).complaints == (Complaint("settings.toml", f"{path} has mode 0666.", f"chmod 600 {path}"),)
    path.unlink()
    os.mkfifo(path, 0o600)
    assert "not a regular file" in read(path).complaints[0].why


def test_an_own_key_is_taken_as_it_was_written() -> None:
    assert parse({"keys": {"no.such": "?!"}}).keys == {"no.such": "?!"}


def test_a_file_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("no folder")
    (complaint,) = read(tmp_path / "config" / "settings.toml").complaints
    assert "Not a directory" in complaint.why
    assert complaint.fix == "Make it readable, or remove it."


def test_what_is_wrong_is_said_in_a_sentence(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    path.write_bytes(b"theme = \n")
    assert read(path).complaints[0].why.startswith("It is not valid TOML: ")


def test_a_file_that_the_disk_does_not_give_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, 'theme = "cgp"\n')
    before = len(list(Path("/dev/fd").iterdir()))

    def failing(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", failing)
        (complaint,) = read(path).complaints
    assert "Input/output error" in complaint.why and complaint.fix == "Make it readable, or remove it."
    assert len(list(Path("/dev/fd").iterdir())) == before
    path.write_bytes(b"#" * BYTES)
    assert read(path) == Settings(), "as large as it may be"
