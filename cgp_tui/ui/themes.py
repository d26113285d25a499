"""Colours and alphabets: our own theme and the stock ones, the colour of a token in each, and when ASCII is used."""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final

from textual.color import Color
from textual.scrollbar import ScrollBarRender
from textual.theme import Theme

from cgp_tui.present.symbols import ASCII, UNICODE, Symbols

OWN: Final = Theme(
    name="cgp",
    primary="#6cb6ff",
    secondary="#4dd0b5",
    accent="#c9a6ff",
    warning="#f2c14e",
    error="#ff7b86",
    success="#7fd88f",
    foreground="#d9dee7",
    background="#12161d",
    surface="#181d26",
    panel="#202734",
    dark=True,
    variables={
        "block-cursor-background": "#2b3d57",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-text-style": "none",
    },
)

TOKEN_COLOURS: Final[dict[str, str]] = {
    "sent": "text-primary",
    "received": "text-secondary",
    "bad": "text-error",
    "doubt": "text-warning",
    "good": "text-success",
}
"""The theme colour of each token that has one; the others are weights of the foreground."""

ANSI_COLOURS: Final[dict[bool, dict[str, str]]] = {
    True: {
        "sent": "ansi_bright_blue",
        "received": "ansi_cyan",
        "bad": "ansi_bright_red",
        "doubt": "ansi_yellow",
        "good": "ansi_green",
        "muted": "ansi_default",
    },
    False: {
        "sent": "ansi_blue",
        "received": "ansi_default",
        "bad": "ansi_red",
        "doubt": "ansi_magenta",
        "good": "ansi_default",
        "muted": "ansi_default",
    },
}
"""The same where the terminal's own colours are used, on a dark ground and on a light one. Its blue and red are too dark for
the one, its green, cyan and yellow too bright for the other, and in some palettes its grey is the ground itself: muted is
the foreground, dimmed by the terminal."""

_CTYPE: Final = b"LC_CTYPE="

DEFAULT: Final = "cgp"


MUTED: Final = 0.75
"""How much of the foreground's colour muted text keeps."""


def token_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The style sheets' `$cgp-…` names, from a theme's own colours."""
    foreground, background = variables["foreground"], variables["background"]
    if "ansi" in foreground:
        dark = variables["ansi-background"] == "ansi_black"
        return {f"cgp-{token}": colour for token, colour in ANSI_COLOURS[dark].items()}
    named = {f"cgp-{token}": variables[colour] for token, colour in TOKEN_COLOURS.items()}
    return {**named, "cgp-muted": Color.parse(background).blend(Color.parse(foreground), MUTED).hex}


def alphabet(wanted: str) -> Symbols:
    """The alphabet that the person chose; `auto` is the one for this terminal."""
    return {"ascii": ASCII, "unicode": UNICODE}.get(wanted) or symbols()


def symbols(environ: Mapping[str, str] | None = None, encoding: str | None = None) -> Symbols:
    """The alphabet for this terminal: ASCII where the locale is not UTF-8 and on the Linux console."""
    env = os.environ if environ is None else environ
    name = encoding or _locale_encoding(_as_started(env))
    utf8 = name.lower().replace("-", "").replace("_", "") == "utf8"
    return UNICODE if utf8 and env.get("TERM") != "linux" else ASCII


def _as_started(env: Mapping[str, str]) -> Mapping[str, str]:
    """The variables as this process was given them: Python itself writes over LC_CTYPE where the locale is C (PEP 538)."""
    try:
        given = Path("/proc/self/environ").read_bytes()
    except OSError:
        return env
    before = next((part[len(_CTYPE) :] for part in given.split(b"\0") if part.startswith(_CTYPE)), b"")
    return {**env, "LC_CTYPE": os.fsdecode(before)}


def _locale_encoding(env: Mapping[str, str]) -> str:
    """The encoding of the person's locale, not what Python makes of it."""
    said = next((env[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)), "")
    if said in ("C", "POSIX"):
        return "ascii"
    if sys.platform == "darwin":
        return "utf-8"
    return locale.getencoding()


class AsciiScrollBar(ScrollBarRender):
    """A scrollbar of whole cells: the stock one ends in eighths of a block."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8
