"""Where our files live. `CGP_TUI_STATE` and `CGP_TUI_LEDGER` override the platform's places."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

STATE_VARIABLE: Final = "CGP_TUI_STATE"
LEDGER_VARIABLE: Final = "CGP_TUI_LEDGER"

_APP: Final = "cgp-tui"


def _override(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).expanduser().absolute() if value else None


def state_dir() -> Path:
    """What we remember between runs: recordings, ledger heads."""
    import platformdirs

    return _override(STATE_VARIABLE) or Path(platformdirs.user_state_dir(_APP, appauthor=False))


def data_dir() -> Path:
    """What belongs to the person: the ledger."""
    import platformdirs

    return Path(platformdirs.user_data_dir(_APP, appauthor=False))


def transcripts_dir() -> Path:
    """The folder of the recordings."""
    return state_dir() / "transcripts"


def seen_dir() -> Path:
    """The folder of who was last met under each of our ids."""
    return state_dir() / "seen"


def offers_dir() -> Path:
    """The folder of what another program's consent store would ask for."""
    return state_dir() / "offers"


def ledger_path() -> Path:
    """The ledger that is used where no other is named."""
    return _override(LEDGER_VARIABLE) or data_dir() / "receipts.toml"


def head_path(ledger_id: str) -> Path:
    """Where the remembered head of a ledger lives, apart from the ledger itself."""
    return state_dir() / "heads" / ledger_id
