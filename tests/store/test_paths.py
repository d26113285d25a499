"""Where our files live, and the two variables that say otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from cgp_tui.errors import InputError
from cgp_tui.store import paths


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "XDG_STATE_HOME",
        "XDG_DATA_HOME",
        "XDG_CONFIG_HOME",
        paths.STATE_VARIABLE,
        paths.LEDGER_VARIABLE,
        paths.CONFIG_VARIABLE,
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_the_platforms_places(home: Path) -> None:
    for place in (paths.state_dir(), paths.data_dir()):
        assert home in place.parents
        assert "cgp-tui" in place.parts
    assert paths.ledger_path() == paths.data_dir() / "receipts.toml"
    assert paths.transcripts_dir() == paths.state_dir() / "transcripts"
    assert paths.head_path("ab") == paths.state_dir() / "heads" / "ab"
    assert paths.state_dir() != paths.data_dir(), "the head lives apart from the ledger"


def test_what_a_person_decided_lives_apart_from_what_we_remember(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert paths.trust_path() == paths.config_dir() / "trust.toml"
    assert home in paths.trust_path().parents
    assert paths.seen_keys_path().parent == paths.state_dir()
    monkeypatch.setenv(paths.CONFIG_VARIABLE, str(home / "settled"))
    assert paths.trust_path() == home / "settled" / "trust.toml"


def test_variables_override_the_platforms_places(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.STATE_VARIABLE, str(home / "state"))
    monkeypatch.setenv(paths.LEDGER_VARIABLE, "~/mine.toml")
    assert paths.transcripts_dir() == home / "state" / "transcripts"
    assert paths.head_path("ab") == home / "state" / "heads" / "ab"
    assert paths.ledger_path() == home / "mine.toml"
    monkeypatch.chdir(home)
    monkeypatch.setenv(paths.LEDGER_VARIABLE, "here.toml")
    assert paths.ledger_path() == home / "here.toml"
    monkeypatch.setenv(paths.LEDGER_VARIABLE, "")
    assert paths.ledger_path() == paths.data_dir() / "receipts.toml"


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        (paths.STATE_VARIABLE, paths.state_dir),
        (paths.CONFIG_VARIABLE, paths.config_dir),
        (paths.LEDGER_VARIABLE, paths.ledger_path),
    ],
)
def test_a_home_that_nobody_knows_is_a_mistake_with_a_way_out(
    variable: str, place: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "~nobody-of-that-name/x")
    with pytest.raises(InputError, match=f"{variable} is '~nobody-of-that-name/x'.*whole path"):
        place()


def _raises(*_: object, **__: object) -> str:
    raise RuntimeError("could not determine the home directory")


@pytest.mark.parametrize("answer", [_raises, lambda *_, **__: "~/.local/share/cgp-tui"], ids=["none", "as it was asked"])
def test_without_a_home_no_place_is_looked_for_beneath_the_current_folder(
    answer: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("user_state_dir", "user_data_dir", "user_config_dir"):
        monkeypatch.setattr(platformdirs, name, answer)
    for place, variable in (
        (paths.ledger_path, paths.LEDGER_VARIABLE),
        (paths.state_dir, paths.STATE_VARIABLE),
        (paths.config_dir, paths.CONFIG_VARIABLE),
    ):
        with pytest.raises(InputError, match=f"Set HOME, or {variable}, to a whole path"):
            place()


def test_each_thing_has_a_place_of_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.STATE_VARIABLE, str(home / "state"))
    monkeypatch.setenv(paths.CONFIG_VARIABLE, str(home / "settled"))
    remembered = {
        "seen": paths.seen_dir(),
        "offers": paths.offers_dir(),
        "queries.json": paths.queries_path(),
        "filters.json": paths.filters_path(),
        "projects": paths.trusted_dir(),
        "views": paths.views_dir(),
        "looked": paths.looked_dir(),
        "seen-keys.json": paths.seen_keys_path(),
    }
    assert remembered == {name: home / "state" / name for name in remembered}
    assert (paths.providers_path(), paths.settings_path()) == (
        home / "settled" / "cgp-tui.toml",
        home / "settled" / "settings.toml",
    )


def test_the_projects_file_is_that_of_the_folder_we_are_in_and_no_link_is_followed_to_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "real").mkdir()
    (home / "real" / "cgp-tui.toml").symlink_to(home / "elsewhere.toml")
    monkeypatch.chdir(home / "real")
    assert paths.project_path() == home / "real" / "cgp-tui.toml"


def test_what_stood_at_a_ledgers_path_is_kept_by_that_path(home: Path) -> None:
    ledger, other = home / "a.toml", home / "b.toml"
    assert paths.archive_dir(ledger) == home / "archive"
    assert paths.whose_path(ledger).parent == paths.state_dir() / "ledgers"
    assert paths.whose_path(ledger) == paths.whose_path(home / "a.toml") != paths.whose_path(other)
