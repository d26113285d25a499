"""A second reader of the ledger, from the description of the file alone: slow, plain, and sharing nothing with the first.

Any TOML parser reads the values; a block counts if writing those values anew gives its bytes, and its hash is right.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from datetime import datetime
from typing import Any, NamedTuple

TITLE = "# cgp-tui consent ledger. Read it freely; change it only with: cgp-tui consent\n"
HEADER = ("format", "ledger_id", "created_at", "previous", "reason")
KEYS = (
    *("format", "seq", "kind", "receipt_id", "acts_on", "provider_id", "provider_name", "provider_version", "target_kind"),
    *("target", "code", "target_shown", "basis", "scope", "declared", "payload", "uses", "code_policy", "version_policy"),
    *("grantor", "granted_at", "expires_at", "note", "prev"),
)
KINDS = ("grant", "deny", "revoke", "spend", "narrow", "expire", "recover", "checkpoint")
TAIL = BLOCK = 64 * 1024


class Reading(NamedTuple):
    """The states that the description allows for what was found, and every record that counts as one."""

    states: frozenset[str]
    records: list[dict[str, Any]]


def quote(text: str) -> str:
    made = ""
    for char in text:
        code = ord(char)
        if char in '"\\':
            made += "\\" + char
        elif 0x20 <= code <= 0x7E:
            made += char
        else:
            made += f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
    return f'"{made}"'


def spell(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(quote, value)) + "]"
    if isinstance(value, dict):
        return "{ kind = " + quote(value["kind"]) + ", id = " + quote(value["id"]) + " }"
    return quote(value)


def hexes(text: str, size: int, *, empty: bool = False) -> bool:
    return (empty and text == "") or re.fullmatch(f"[0-9a-f]{{{size}}}", text) is not None


def is_time(text: str) -> bool:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").strftime("%Y-%m-%dT%H:%M:%SZ") == text
    except ValueError:
        return False


def is_record(values: dict[str, Any], number: int, previous: str, seen: set[str]) -> bool:
    """Whether values that were written canonically may stand as this record."""
    kind, grant = values["kind"], values["kind"] == "grant"
    named = kind in ("grant", "deny")
    one = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", values["provider_id"])
    checks = [
        values["seq"] == number,
        hexes(values["receipt_id"], 32) and values["receipt_id"] not in seen,
        hexes(values["acts_on"], 32, empty=True),
        one or (values["provider_id"] == "*" and kind in ("revoke", "deny", "recover", "checkpoint")),
        len(values["provider_name"]) <= 256 and len(values["provider_version"]) <= 128,
        values["target_kind"] in ("stdio", "http", ""),
        hexes(values["target"], 64, empty=True) and hexes(values["code"], 64, empty=True),
        len(values["target_shown"]) <= 64 and all(len(item) <= 512 for item in values["target_shown"]),
        values["basis"] in ("scope", "boolean", "all") and bool(values["scope"]) == (values["basis"] == "scope"),
        len(values["scope"]) <= 256 and len(values["declared"]) <= 64 and values["payload"] == sorted(values["payload"]),
        values["grantor"]["kind"] in ("human", "policy", "host"),
        is_time(values["granted_at"]) and len(values["note"]) <= 512 and values["prev"] == previous,
    ]
    if grant:
        policies = (values["uses"], values["code_policy"], values["version_policy"])
        checks.append(policies[0] in ("unlimited", "once") and policies[1] in ("exact", "path"))
        checks.append(policies[2] in ("exact", "minor", "any"))
        checks.append(values["expires_at"] == "never" or is_time(values["expires_at"]))
    else:
        checks.append({values[name] for name in ("uses", "code_policy", "version_policy", "expires_at")} == {"none"})
        checks.append(values["declared"] == values["payload"] == [])
    if not named:
        checks.append(values["provider_name"] == values["provider_version"] == "" and values["target_shown"] == [])
    return all(checks)


def block_state(text: str, number: int, previous: str, seen: set[str]) -> tuple[str, dict[str, Any]]:
    """`""` and the values of a block whose hash is right; else the state that it puts the ledger in."""
    try:
        parsed = tomllib.loads(text)
        values = parsed if number == 0 else parsed["receipt"][0]
        if number and (list(parsed) != ["receipt"] or len(parsed["receipt"]) != 1):
            return "tampered", {}
        keys = HEADER if number == 0 else KEYS
        newer = values["format"] != 1 or (number and values["kind"] not in KINDS) or set(values) - set(keys)
        if newer:
            return ("newer_format" if type(values["format"]) is int else "tampered"), {}
        start = TITLE if number == 0 else "\n[[receipt]]\n"
        if start + "".join(f"{key} = {spell(values[key])}\n" for key in keys) != text:
            return "tampered", {}
        if number == 0:
            good = hexes(values["ledger_id"], 32) and is_time(values["created_at"])
            return ("" if good and hexes(values["previous"], 64, empty=True) else "tampered"), values
        return ("" if is_record(values, number, previous, seen) else "tampered"), values
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError):
        return "tampered", {}


def is_rival(data: bytes, number: int, previous: str) -> bool:
    """Whether a second block of this number follows, chained to the same block before it."""
    body, hashed, _ = data.partition(b"\nhash = ")
    body += b"\n"
    digest = hashlib.sha256(
        b"cgp-tui/ledger/1\n" + bytes.fromhex(previous) + len(body).to_bytes(8, "big") + body
    ).hexdigest()
    return bool(hashed) and data[len(body) :].startswith(f'hash = "{digest}"\n# end {number}\n'.encode())


def best_slot(head: bytes) -> tuple[str, int, int, str] | None:
    found = []
    for slot in (head[:512], head[512:1024]):
        line = re.match(rb"(cgp-tui-head/1 ([0-9a-f]{32}) ([0-9]+) ([0-9]+) ([0-9a-f]{64}) )([0-9a-f]{64})\n#*$", slot)
        if line and len(slot) == 512 and hashlib.sha256(line[1]).hexdigest().encode() == line[6]:
            found.append((line[2].decode(), int(line[3]), int(line[4]), line[5].decode()))
    return max(found, key=lambda one: one[1], default=None)


def read(data: bytes, head: bytes | None) -> Reading:
    """The ledger's bytes and its head's, None where there is none."""
    at, number, previous, ends, hashes = 0, 0, "0" * 64, [0], [""]
    records: list[dict[str, Any]] = []
    seen: set[str] = set()
    ledger_id, chained, rival = "", "", False
    while at < len(data):
        closing = f"\n# end {number}\n".encode()
        stop = data.find(closing, at)
        body, _, told = data[at : stop + 1].rpartition(b"\nhash = ")
        body += b"\n"
        payload = bytes.fromhex(previous) + len(body).to_bytes(8, "big") + body
        digest = hashlib.sha256(b"cgp-tui/ledger/1\n" + payload).hexdigest()
        if stop < 0 or told != f'"{digest}"\n'.encode():
            rival = number > 1 and is_rival(data[at:], number - 1, (hashes[-2] or "0" * 64))
            break
        end = stop + len(closing)
        text = body.decode("ascii", "replace")
        chained, values = block_state(text, number, previous, seen)
        if not chained and number and end - at > BLOCK:
            chained = "tampered"
        if chained:
            break
        if number == 0:
            ledger_id = values["ledger_id"]
        else:
            records.append(values)
            seen.add(values["receipt_id"])
        at, number, previous = end, number + 1, digest
        ends.append(end)
        hashes.append(digest)
    return Reading(frozenset(_states(data, head, number - 1, at, ends[1:], hashes[1:], ledger_id, chained, rival)), records)


def _states(
    data: bytes,
    head: bytes | None,
    last: int,
    good: int,
    ends: list[int],
    hashes: list[str],
    ledger_id: str,
    chained: str,
    rival: bool,
) -> set[str]:
    tail = len(data) - good
    if last < 0:
        return {chained} if chained else {"damaged", "tampered"}
    if head is None:
        return {"fresh"} if last == 0 and not tail else {"head_missing"}
    slot = best_slot(head)
    if slot is None:
        return {"head_damaged"}
    if slot[0] != ledger_id:
        return {"forked"}
    if chained:
        return {chained}
    if last < slot[1]:
        # Which of the two a broken tail is depends on whether somebody changed it or only cut it.
        return {"damaged", "tampered"} if tail else {"shortened"}
    if (ends[slot[1]], hashes[slot[1]]) != slot[2:]:
        return {"forked"}
    if rival:
        return {"forked"}
    if tail:
        return {"torn"} if tail <= TAIL else {"damaged"}
    return {"adopt"} if last > slot[1] else {"ok"}
