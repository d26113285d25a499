"""What can be taken along: the value under the cursor, a line, its envelope, where it stands, a command that shows it.

Whatever leaves is bounded, and none of its bytes is for a terminal to act on: where a line is copied raw, control characters
but LF and TAB are left out and counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from cgp_tui.present.decisions import Item as Entry
from cgp_tui.present.form import MAX_FRAMES, MAX_TOKENS
from cgp_tui.present.layout import cut
from cgp_tui.present.numbers import exact_bytes, plural
from cgp_tui.present.spans import GAP, Jump, Row, Rows, Span, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.requirements import Finding
from cgp_tui.secret import MASK
from cgp_tui.target import Target, default_id
from cgp_tui.text import Shown, compose, own, quoted, show

NOTHING: Final = own("")

MOST: Final = 1_000_000
"""Characters that are copied at once; a clipboard is no place for more."""


class Item(msgspec.Struct, frozen=True):
    """One thing to copy: what it is, the text, how many control characters were left out of it, and what whoever takes it
    along must know, to follow what came of it."""

    name: str
    text: str
    left_out: int = 0
    aside: Shown = NOTHING

    @property
    def size(self) -> int:
        return len(self.text.encode("utf-8", "replace"))


def raw_item(name: str, raw: bytes) -> Item:
    """Bytes of a peer as text: what is no UTF-8 is replaced, control characters are left out."""
    text = raw.decode("utf-8", "replace")
    kept = "".join(char for char in text if char in "\n\t" or not _is_control(char))
    return Item(name, kept[:MOST], len(text) - len(kept))


def _is_control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f" or (not char.isprintable() and char != " ")


def value_item(value: Shown) -> Item:
    """What a row shows, on one line."""
    return Item("value", " ".join(value.split())[:MOST])


def member_items(path: str | None, value: bytes | None) -> list[Item]:
    """A member of a line's JSON: its value as it came, what a string says, its JSON Pointer (RFC 6901) into the line."""
    items = [] if value is None else [raw_item("value", value)]
    if value is not None and value.startswith(b'"'):
        items += _said_item(value)
    return [*items, raw_item("path", path.encode("utf-8", "replace"))] if path else items


def finding_items(finding: Finding) -> list[Item]:
    """What a finding says, and the member it is about."""
    said = f"{finding.anchor} line {finding.line}: {finding.message}"
    return [value_item(show(said)), *member_items(finding.path, None)]


def consent_items(entry: Entry, decide: str) -> list[Item]:
    """An entry of the consent screen: its row; its record, with the command that shows it again; the recording that has the
    use. `decide` is the command that decides what stands open, empty where none does."""
    receipt, used = entry.receipt, entry.used
    items = [value_item(entry.row.text)]
    if receipt is not None:
        record = msgspec.json.format(msgspec.json.encode(receipt), indent=2)
        items += [Item("receipt", receipt.receipt_id), raw_item("record", record)]
        items.append(Item("command", f"cgp-tui consent show {receipt.seq}"))
    if used is not None:
        items.append(raw_item("place", str(used.transcript).encode("utf-8", "replace")))
    return [*items, Item("decide", decide)] if decide else items


def _said_item(spelled: bytes) -> list[Item]:
    try:
        said: str = json.loads(spelled, strict=False)
    except ValueError:
        return []
    return [raw_item("text", said.encode("utf-8", "replace"))]


def pane_item(rows: Iterable[Row]) -> Item:
    """A text as it is shown, all of it."""
    return text_item("pane", (row.text for row in rows))


def list_item(lines: Iterable[str]) -> Item:
    """A list, all of it: what is folded away, too, and what is not in view. Lines are taken as long as there is room."""
    room = MOST
    kept: list[str] = []
    for line in lines:
        kept.append(line)
        room -= len(line) + 1
        if room < 0:
            break
    return text_item("list", kept)


def text_item(name: str, lines: Iterable[str]) -> Item:
    """Lines as they are drawn, the blanks at their ends left out."""
    text = "\n".join(line.rstrip() for line in lines)
    return Item(name, f"{text[:MOST]}\n")


def envelope_item(raw: bytes) -> Item | None:
    """The line's JSON with an indent; None where it is none."""
    try:
        return raw_item("envelope", msgspec.json.format(raw, indent=2))
    except (msgspec.DecodeError, RecursionError):
        return None


def place_item(path: Path, line: int) -> Item:
    """File and line, as editors take it."""
    return raw_item("place", f"{path}:{line}".encode("utf-8", "replace"))


def command_item(path: Path, line: int) -> Item:
    """The command that shows the same line again, quoted for a shell."""
    return Item("command", f"cgp-tui replay {quoted(str(path))} --at {line}")


def query_command(query: ContextQuery, target: Target, provider_id: str, sandbox: str = "none") -> str:
    """The command that asks a provider the same without a screen. Credentials in the provider's own command are masked, as
    wherever it is shown."""
    # A goal that begins with a dash would be taken for an option; with a blank before it, it is not.
    goal = f" {query.goal}" if query.goal.startswith("-") else query.goal
    words = ["cgp-tui", "query", goal]
    options = [
        ("--query-text", query.query_text),
        *(("--kind", kind) for kind in query.kinds),
        *(("--anchor", anchor) for anchor in query.anchors),
        ("--max-frames", None if query.max_frames == MAX_FRAMES else str(query.max_frames)),
        ("--max-tokens", None if query.max_tokens == MAX_TOKENS else str(query.max_tokens)),
        ("--as-of", query.as_of),
        ("--id", provider_id if target.named or provider_id != default_id(target) else None),
        *(("--env", name) for name in target.env_names),
        ("--sandbox", None if sandbox == "none" else sandbox),
    ]
    for option, value in options:
        if value is not None:
            words += [f"{option}={value}"] if value.startswith("-") else [option, value]
    if not target.named:
        words += ["--", *target.shown]
    return " ".join(map(quoted, words))


def entry_items(does: str, name: str) -> list[Item]:
    """An entry of a menu: the command that does what choosing it does, and the file that it opens. `does` is a command of
    cgp-tui, `name` the file or the provider's id that it is given, empty for none."""
    if does == "replay":
        return [Item("command", f"cgp-tui replay {quoted(name)}"), raw_item("path", name.encode("utf-8", "replace"))]
    return [Item("command", f"cgp-tui {does} --id {quoted(name)}" if name else f"cgp-tui {does}")]


def query_item(commands: Sequence[str]) -> Item:
    """The commands that ask several providers the same, one a line. What was hidden in them somebody has to put back."""
    text = "\n".join(commands)
    return Item("command", text, aside=own("; put what *** hides back in") if MASK in text else NOTHING)


def item_rows(items: Sequence[Item], look: Look) -> Rows:
    """A row for each: its name, how much it is, and how it begins."""
    for place, item in enumerate(items):
        room = max(look.width - 32, 10)
        start = cut(show(item.text[: room + 1].replace("\n", " ")), room, look.symbols)
        size = Shown(exact_bytes(item.size).rjust(16))
        yield row(span(item.name.ljust(10), "strong"), Span(size, "muted"), GAP, Span(start), jump=Jump(place=place))


def copied(item: Item) -> Shown:
    """What was copied, for the foot."""
    left = own(f", {plural(item.left_out, 'control character')} left out") if item.left_out else NOTHING
    size = exact_bytes(item.size)
    return compose("Copied the {name}: {size}{left}{aside}", name=own(item.name), size=size, left=left, aside=item.aside)
