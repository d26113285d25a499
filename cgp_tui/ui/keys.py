"""The one table of keys: what can be done, by which key, in what words.

Bindings, the key line at the bottom, the help screen and the command list are made from it, so none of them can say
something else. An id is `area.verb` and names its action method (`nav.page-back` → `action_nav_page_back`); the rows of a
live session share one, `action_live_act`.
"""

from __future__ import annotations

import string
from collections.abc import Collection, Iterable
from typing import Final, Literal, NamedTuple

from textual.binding import Binding
from textual.keys import _character_to_key

Where = Literal[
    "list",
    "group",
    "detail",
    "screen",
    "live",
    "replay",
    "find",
    "jump",
    "copy",
    "ask",
    "preset",
    "consent",
    "why",
    "prompt",
    "tick",
    "choice",
    "app",
]
"""Who answers: a list, the grouped list of findings, the detail pane, the inspector, the inspector while a session or a
replay stands behind it, the line a filter is typed in, the line a target is typed in, the list of what can be copied, the
question form, the consent screen, its answer to why, its prompt, a line that can be ticked, a line of which one thing is
chosen, or the whole app. Both panes answer to `list` rows."""


class Key(NamedTuple):
    """One thing that can be done. `keys` are Textual names, the first is shown; `hint` is its place in the key line."""

    id: str
    keys: tuple[str, ...]
    label: str
    sentence: str
    where: Where
    hint: int = 0

    @property
    def action(self) -> str:
        """The action that a binding calls; those of a session are one action, which is told which."""
        return f"live_act('{self.id}')" if self.where == "live" else self.id.replace(".", "_").replace("-", "_")

    @property
    def shown(self) -> str:
        """The first key as a person would write it."""
        return key_name(self.keys[0]) if self.keys else ""


KEYS: Final[tuple[Key, ...]] = (
    Key("nav.down", ("j", "down"), "Down", "One row down.", "list"),
    Key("nav.up", ("k", "up"), "Up", "One row up.", "list"),
    Key("nav.top", ("g", "home"), "Top", "To the first row.", "list"),
    Key("nav.bottom", ("G", "end"), "Bottom", "To the last row.", "list"),
    Key("nav.page", ("pagedown", "ctrl+f"), "Page down", "One page down.", "list"),
    Key("nav.page-back", ("pageup", "ctrl+b"), "Page up", "One page up.", "list"),
    Key("nav.half", ("ctrl+d",), "Half down", "Half a page down.", "list"),
    Key("nav.half-back", ("ctrl+u",), "Half up", "Half a page up.", "list"),
    Key("nav.open", ("enter",), "Open", "Open what the cursor is on: a line, a frame, a step.", "list", 1),
    Key(
        "nav.left",
        ("h", "left"),
        "Fold",
        "Fold this group or JSON member, or go up to its parent.",
        "group",
        4,
    ),
    Key("nav.right", ("l", "right"), "Unfold", "Open this group or JSON member.", "group"),
    Key("list.order", ("o",), "Order", "Group by rule, by line, by level.", "group", 3),
    Key("view.traffic", ("1",), "Traffic", "The traffic, and the selected line beside it.", "screen"),
    Key("view.findings", ("2",), "Findings", "All findings of this session, grouped.", "screen"),
    Key("view.consent", ("5",), "Consent", "What may leave this machine, and what did.", "live"),
    Key(
        "view.provider", ("7",), "Provider", "What the selected line's provider declares, its process, its stderr.", "screen"
    ),
    Key("app.back", ("escape",), "Back", "One step back: frame, line, list.", "screen", 8),
    Key("hop.finding", ("e",), "Finding", "To the next line with a finding.", "screen", 2),
    Key("hop.finding-back", ("E",), "Finding before", "To the previous line with a finding.", "screen"),
    Key("hop.failed", ("u",), "Failed", "To the next error, refusal or failed exchange.", "screen"),
    Key("hop.failed-back", ("U",), "Failed before", "To the error, refusal or failed exchange before.", "screen"),
    Key("hop.slow", ("s",), "Slow", "To the next reply that took more than a second.", "screen"),
    Key("hop.slow-back", ("S",), "Slow before", "To the previous reply that took more than a second.", "screen"),
    Key("hop.pair", ("p",), "Pair", "From a request to its reply, and back.", "screen", 6),
    Key("overview.next", ("L",), "Stretch", "To the next cell of the strip below the traffic.", "screen"),
    Key("overview.next-back", ("H",), "Stretch before", "To the cell before.", "screen"),
    Key("mark.toggle", ("m",), "Mark", "Mark this line, or remove its mark.", "screen"),
    Key("mark.note", ("M",), "Comment", "Mark this line with a comment.", "screen"),
    Key("hop.mark", ("apostrophe",), "Next mark", "To the next marked line; its comment is shown.", "screen"),
    Key("tab.next", ("right_square_bracket",), "Next tab", "The next tab of the detail pane.", "screen", 5),
    Key("tab.next-back", ("left_square_bracket",), "Tab before", "The previous tab of the detail pane.", "screen"),
    Key("pane.next", ("tab",), "Next pane", "To the other pane.", "screen"),
    Key("pane.next-back", ("shift+tab",), "Pane before", "To the other pane.", "screen"),
    Key("pane.zoom", ("z",), "Zoom", "Zoom this pane to the whole screen, and back.", "screen"),
    Key("pane.turn", ("v",), "Turn", "Panes side by side, or stacked.", "screen"),
    Key("pane.shrink", ("less_than_sign",), "Smaller", "Make this pane smaller.", "screen"),
    Key("pane.grow", ("greater_than_sign",), "Larger", "Make this pane larger.", "screen"),
    Key(
        "connection.next",
        ("right_curly_bracket",),
        "Connection",
        "Only the next connection's lines; after the last, all.",
        "screen",
    ),
    Key(
        "connection.next-back",
        ("left_curly_bracket",),
        "Connection before",
        "Only the connection's before; before the first, all.",
        "screen",
    ),
    Key("time.mode", ("t",), "Time", "Time of day, time since the start, or since the record before.", "screen"),
    Key("list.columns", ("C",), "Columns", "Which columns the traffic has.", "screen"),
    Key("app.jump", ("semicolon",), "Jump", "To a line, a place, a time, a rule, a provider, a frame, a message.", "screen"),
    Key("find.open", ("slash",), "Filter", "Filter the traffic; in a text or the findings, search it.", "screen", 3),
    Key("find.suspend", ("backslash",), "Filter off", "Turn the filter off, and on again.", "screen"),
    Key("find.next", ("n",), "Next match", "To the next match of the search.", "screen"),
    Key("find.next-back", ("N",), "Match before", "To the previous match of the search.", "screen"),
    Key("find.complete", ("tab",), "Complete", "Complete with the next possible word.", "find", 1),
    Key("jump.complete", ("tab",), "Complete", "Insert what the cursor is on.", "jump", 1),
    Key("jump.next", ("down",), "Next", "The next suggestion.", "jump", 2),
    Key("jump.next-back", ("up",), "Before", "The previous suggestion.", "jump"),
    Key(
        "find.saved",
        ("f2",),
        "Saved",
        "Saved filters: use one, or delete it; @name stands for one.",
        "find",
        3,
    ),
    Key("find.keep", ("f3",), "Save", "Save this filter under a name.", "find", 4),
    Key("find.older", ("up",), "Older", "The filter used before this one.", "find", 2),
    Key("find.newer", ("down",), "Newer", "The filter used after this one.", "find"),
    Key("step.on", ("full_stop",), "Step on", "The next line, or in a proof its next step.", "screen"),
    Key("step.back", ("comma",), "Step back", "The line before, or in a proof the step before.", "screen"),
    Key(
        "trust.key", ("T",), "Trust key", "Trust the key behind this frame's signature; you type its fingerprint.", "screen"
    ),
    Key("proof.bundle", ("b",), "Bundle", "Write this frame's evidence, or its answer's, to a file for others.", "screen"),
    Key("traffic.follow", ("f",), "Follow", "Follow the newest line until you move.", "screen", 7),
    Key("session.run", ("space",), "Play", "Play the recording at its own pace, or pause it; live, follow.", "replay", 3),
    Key("step.more", ("plus",), "Faster", "Play the recording at the next faster pace.", "replay"),
    Key("step.less", ("minus",), "Slower", "Play the recording at the next slower pace.", "replay"),
    Key("query.compose", ("a",), "Query", "Send a query to the provider.", "live", 3),
    Key("query.again", ("r",), "Again", "Send the selected query or verify again.", "live"),
    Key("session.verify", (), "Verify", "Ask whether the frames of the selected answer are still valid.", "live"),
    Key("item.withdraw", ("x",), "Give up", "Stop waiting for the request in flight.", "live"),
    Key("session.restart", ("R",), "Restart", "Start the provider again as a new connection.", "live"),
    Key("consent.open", ("c",), "Consent", "See and decide what may leave this machine.", "live", 4),
    Key("query.send", ("enter",), "Send", "Send the query to the providers that are ticked.", "ask", 1),
    Key("query.earlier", ("up",), "Earlier", "The query asked before this one, in this session.", "ask", 3),
    Key("query.later", ("down",), "Later", "The query asked after this one.", "ask"),
    Key("query.presets", ("f2",), "Presets", "Saved queries: fill one in, or delete it.", "ask", 4),
    Key("query.keep", ("f3",), "Save", "Save this query under a name.", "ask", 5),
    Key(
        "query.command", ("f4",), "Command", "Copy the cgp-tui command that asks the same; credentials are masked.", "ask", 6
    ),
    Key("query.less", ("f5",), "Kind less", "Leave out one kind; each press leaves out another.", "ask", 7),
    Key("preset.forget", ("x",), "Forget", "Delete this saved query or filter.", "preset", 2),
    Key("item.tick", ("space",), "Tick", "Tick or untick this line.", "tick", 2),
    Key("choice.next", ("space", "right"), "Choose", "Choose the next option on this line.", "choice", 3),
    Key("choice.next-back", ("left",), "Choose before", "Choose the previous option.", "choice"),
    Key("consent.deny", ("d",), "Deny", "Deny this need, or all open ones of a provider, on record.", "consent", 2),
    Key("consent.revoke", ("x",), "Revoke", "Revoke what was granted here; nothing more leaves under it.", "consent", 3),
    Key("consent.why", ("w",), "Why", "Why this is refused; if nothing is, what consent here promises.", "consent", 4),
    Key("consent.revoke-all", ("X",), "Revoke all", "Revoke everything from every provider; it asks once.", "live", 9),
    Key(
        "app.copy",
        ("y",),
        "Copy",
        "Copy a value, its path, the line, its envelope, its place, the command that shows it, or what is on the screen.",
        "screen",
    ),
    Key(
        "app.save",
        ("Y",),
        "Save",
        "Save the screen as a picture (SVG) in this folder; Copy has it as text.",
        "screen",
    ),
    Key("copy.save", ("Y",), "To a file", "Write it to a new file in the current folder instead.", "copy", 2),
    Key("why.decide", ("c",), "Decide", "Go to the prompt that decides this.", "why", 1),
    Key("why.copy", ("y",), "Copy", "Copy the command that decides the same.", "why", 2),
    Key("prompt.on", ("pagedown", "down", "j", "ctrl+f"), "Read on", "Further down in the text.", "prompt", 1),
    Key("prompt.back", ("pageup", "up", "k", "ctrl+b"), "Read back", "Further up in the text.", "prompt"),
    Key("prompt.promise", ("w",), "What it means", "What consent here promises and what it does not.", "prompt", 4),
    Key("app.why", ("w",), "Why", "Why this is judged so: the rule, the reason, the next step.", "screen"),
    Key("app.palette", ("colon", "ctrl+p"), "Commands", "Find any command by its name.", "app", 98),
    Key("app.help", ("question_mark", "f1"), "Help", "Every key, with what it does.", "app", 99),
    Key(
        "app.leave", ("q", "ctrl+q", "ctrl+c"), "Leave", "Leave this screen; a running provider is asked about first.", "app"
    ),
)

QUESTION: Final = ("prompt.on", "prompt.back", "pane.next", "pane.next-back", "nav.open", "app.back")
"""What a question binds: its text may be longer than the terminal."""

SEARCHES: Final = ("find.open", "find.next", "find.next-back")
"""What a screen binds that has a text to search."""

SPLIT: Final = ("pane.zoom", "pane.shrink", "pane.grow")
"""What a screen binds of which two parts share the room."""

FORM: Final = ("ask", "tick", "app.back", "app.help")
"""What answers in the question form."""

CONSENT: Final = (
    *("consent", "list", "app", "consent.revoke-all", "app.back", "pane.next", "pane.next-back", *SEARCHES),
    *("app.copy", "app.save", "view.traffic", "view.findings", "view.provider", *SPLIT),
)
"""What answers on the consent screen."""

MENU: Final = ("list", "app", "app.back", "app.copy", "app.save")
"""What answers on the home screen and where a provider is picked."""

TOGETHER: Final[tuple[tuple[str, ...], ...]] = (
    ("list", "group", "screen", "live", "replay", "app"),
    ("copy", "list", "app.back", "app.leave", "consent.revoke-all"),
    FORM,
    ("preset", "list", "app.back", "app.leave", "consent.revoke-all"),
    ("list", "tick", "app.back", "app.leave", "consent.revoke-all"),
    ("find",),
    ("jump", "app.back"),
    CONSENT,
    MENU,
    ("prompt", "tick", "app.back", "pane.next", "pane.next-back"),
    ("prompt", "choice", "app.back", "pane.next", "pane.next-back"),
    (*QUESTION, "app.leave"),
    ("why", "list", "app", "app.back", *SEARCHES, "consent.revoke-all"),
)
"""What can be reached at the same moment, screen by screen, as `where` or as an id: a key means one thing among them."""

TYPED: Final[tuple[Where, ...]] = ("find", "ask", "jump")
"""Where a letter is text."""

EATEN: Final = frozenset(f"ctrl+{letter}" for letter in "ahijmosz")
"""What terminals, and programs between them and us, keep for themselves. Not ctrl+b: those who
page by it know that tmux passes it on at the second press, and pgup does the same."""

HINTS: Final = 8
"""The most that the key line shows."""

SIGNS: Final = {_character_to_key(sign): sign for sign in string.punctuation}
"""The Textual names of the keys that write a sign."""

_NAMES: Final = {**SIGNS, "escape": "esc", "pagedown": "pgdn", "pageup": "pgup"}
_LONG: Final = {shown: name for name, shown in _NAMES.items()}

NO_KEY: Final = "no-key-"
"""Before the id of a row without a key: what no keyboard sends."""


def key_name(key: str) -> str:
    """A Textual key name as a person would write it: `question_mark` is `?`."""
    return _NAMES.get(key, key)


def long_name(key: str) -> str:
    """The Textual name of a key that a person wrote: `?` is `question_mark`."""
    return _LONG.get(key, key)


def within(row: Key, here: Collection[str]) -> bool:
    """Whether a row answers where these do: kinds of `where`, and ids."""
    return row.where in here or row.id in here


def bindings(*here: str) -> list[Binding]:
    """The bindings of those rows, by `where` or by id, one a key, each under its id. A row without a key is bound too: only
    what is bound can be given a key by the person."""
    return [
        Binding(key, row.action, row.label, show=False, key_display=key_name(key), tooltip=row.sentence, id=row.id)
        for row in KEYS
        if within(row, here)
        for key in row.keys or (f"{NO_KEY}{row.id}",)
    ]


SIDEWAYS: Final = (
    Binding("left", "app.focus_previous", show=False),
    Binding("right", "app.focus_next", show=False),
)
"""Between the answers of a question, as well as by tab."""


def hints(here: Iterable[str], idle: Collection[str] = ()) -> list[Key]:
    """What the key line shows, in order, where only `here` answers; `idle` are ids of rows that would come to nothing."""
    kinds = set(here)
    shown = (row for row in KEYS if row.hint and row.where in kinds and row.id not in idle)
    rows = sorted(shown, key=lambda row: row.hint)
    first = [row for row in rows if row.where != "app"]
    last = [row for row in rows if row.where == "app"]
    return [*first[: HINTS - len(last)], *last]


def by_id(name: str) -> Key:
    """The row of one id."""
    return next(row for row in KEYS if row.id == name)


SEARCH: Final = by_id("find.open")._replace(label="Search", sentence="Search this text.")
"""The row of a filter where a text has the focus."""
