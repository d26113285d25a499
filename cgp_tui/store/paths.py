"""Where our files live. `CGP_TUI_STATE`, `CGP_TUI_CONFIG` and `CGP_TUI_LEDGER` override the platform's places.

Every function here raises InputError usage where a place depends on a home folder that cannot be found.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cgp_tui.errors import InputError

STATE_VARIABLE: Final = "CGP_TUI_STATE"
CONFIG_VARIABLE: Final = "CGP_TUI_CONFIG"
LEDGER_VARIABLE: Final = "CGP_TUI_LEDGER"

PROVIDERS: Final = "cgp-tui.toml"
"""What a providers file is called, in the person's configuration and in a project's folder."""

_APP: Final = "cgp-tui"


def _override(variable: str) -> Path | None:
    value = os.environ.get(variable)
    try:
        return Path(value).expanduser().absolute() if value else None
    except RuntimeError:
        raise InputError("usage", f"{variable} is {value!r}: there is no such home folder.", "Give a whole path.") from None


def _ours(place: Callable[..., str], variable: str) -> Path:
    """The platform's place for us; `variable` would override it. Never one beneath the current folder: whoever fills that
    folder could decide what was granted."""
    try:
        found = Path(place(_APP, appauthor=False))
    except RuntimeError:
        found = Path()
    if not found.is_absolute():
        raise InputError("usage", "Your home folder is not known.", f"Set HOME, or {variable}, to a whole path.")
    return found


def state_dir() -> Path:
    """What we remember between runs: recordings, ledger heads."""
    import platformdirs

    return _override(STATE_VARIABLE) or _ours(platformdirs.user_state_dir, STATE_VARIABLE)


def data_dir() -> Path:
    """What belongs to the person: the ledger."""
    import platformdirs

    return _ours(platformdirs.user_data_dir, LEDGER_VARIABLE)


def config_dir() -> Path:
    """What the person has set for all runs: whom they trust, which providers there are."""
    import platformdirs

    return _override(CONFIG_VARIABLE) or _ours(platformdirs.user_config_dir, CONFIG_VARIABLE)


def trust_path() -> Path:
    """The trust store: the keys whose signer the person knows."""
    return config_dir() / "trust.toml"


def seen_keys_path() -> Path:
    """The keys that providers published when they were met first."""
    return state_dir() / "seen-keys.json"


def transcripts_dir() -> Path:
    """The folder of the recordings."""
    return state_dir() / "transcripts"


def seen_dir() -> Path:
    """The folder that keeps who was last met under each of our ids."""
    return state_dir() / "seen"


def offers_dir() -> Path:
    """The folder that keeps what another program's consent store would ask for."""
    return state_dir() / "offers"


def queries_path() -> Path:
    """What was asked, and the queries that were saved under a name."""
    return state_dir() / "queries.json"


def filters_path() -> Path:
    """The filters that were saved under a name."""
    return state_dir() / "filters.json"


def providers_path() -> Path:
    """The person's own providers file."""
    return config_dir() / PROVIDERS


def project_path() -> Path:
    """The providers file of the current folder; the folders above it are never searched."""
    return Path(os.path.abspath(PROVIDERS))  # noqa: PTH100 -- resolve() would follow the link that must be refused


def trusted_dir() -> Path:
    """The folder that keeps, for each trusted providers file of a project, the digest of its bytes."""
    return state_dir() / "projects"


def ledger_path() -> Path:
    """The ledger used where no other is named."""
    return _override(LEDGER_VARIABLE) or data_dir() / "receipts.toml"


def archive_dir(ledger: Path) -> Path:
    """The folder of earlier ledgers at a path that were set aside."""
    return ledger.parent / "archive"


def head_path(ledger_id: str) -> Path:
    """Where the remembered head of a ledger lives, apart from the ledger itself."""
    return state_dir() / "heads" / ledger_id


def whose_path(ledger: Path) -> Path:
    """The file that keeps which ledger was last at a path."""
    import hashlib

    return state_dir() / "ledgers" / hashlib.sha256(os.fsencode(ledger)).hexdigest()


def settings_path() -> Path:
    """The person's settings for the screens."""
    return config_dir() / "settings.toml"


def views_dir() -> Path:
    """The folder that keeps how each transcript and session was last looked at."""
    return state_dir() / "views"


def looked_dir() -> Path:
    """The folder that keeps which transcripts were looked at, and what was found in them."""
    return state_dir() / "looked"
