"""Where our files live, and the two variables that say otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_overrides(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
