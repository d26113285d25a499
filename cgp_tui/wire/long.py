"""Reads a long line as a message, in portions, with the same result as in one go.

A line that is not proved to be a sound message is left to `salvage`.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from cgp_tui import limits
from cgp_tui.wire import forms, portions, skeleton, slices
from cgp_tui.wire.line import Decoded
from cgp_tui.wire.portions import Passage, Unproved, attempt
from cgp_tui.wire.ranges import TYPE_OF
from cgp_tui.wire.small import MEMBER

_TEXT: Final = msgspec.json.Decoder(str).decode

_KIND_OF: Final[dict[str, Any]] = {tag: kind for kind, tag in TYPE_OF.items()}


def read(raw: bytes) -> Decoded | None:
    """What `raw` says, if all of it is proved to be a sound message, or one of an unknown type; None where that is not
    proved. Numbers out of range are let through."""
    return attempt(_Message(raw), _Message.line)


class _Message(Passage):
    """One line, from which everything that its type knows is kept."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        self._extras = False

    def line(self) -> Decoded:
        at = self.object_at(0)
        tag = next((self._string_at(begin, end) for name, begin, end in self.members(at, 0) if name == "type"), None)
        self.strict, self.one_by_one = True, 0  # everything skipped so far is read again
        if tag is None:
            raise Unproved
        kind = _KIND_OF.get(tag)
        if kind is None:
            return self._foreign(tag, at)
        envelope, end = self._struct(kind, at, 0)
        self.ends(end)
        return Decoded(tag, getattr(envelope, "id", None), envelope, extras=self._extras)

    def _foreign(self, tag: str, at: int) -> Decoded:
        """A message of an unknown type: only its type and id are read, and whatever could hide one of them."""
        if slices.holds(self.raw, b"\\ud") or slices.holds(self.raw, b"\\uD"):
            raise Unproved
        found = []
        for count, (name, begin, end) in enumerate(self.members(at, 0)):
            if count == limits.OBJECT_MEMBERS:
                raise Unproved
            if name in ("type", "id"):
                found.append((name, begin, end))
        self.ends(self.closed)
        if [name for name, _, _ in found].count("type") != 1:
            raise Unproved
        ids = [(begin, end) for name, begin, end in found if name == "id"]
        quoted = len(ids) == 1 and self.byte(ids[0][0]) == b'"'
        return Decoded(tag, self._string_at(*ids[0]) if quoted else None, None)

    def _string_at(self, begin: int, end: int) -> str:
        if end - begin > portions.PORTION:
            raise Unproved
        return _TEXT(self.view[begin:end])

    # -- what the types know

    def _value(self, kind: Any, at: int, depth: int) -> tuple[Any, int]:
        """The value at `at`, and where it ends."""
        end = self.end(at)
        if end is not None:
            text = self.raw[at:end]
            value = forms.decoder(kind)(text)
            self._prove(kind, text, depth)
            return value, end
        form, first = forms.form(kind), self.byte(at)
        if first == b'"' and form.text:
            parts: list[str] = []
            end = self.string(at, lambda piece: parts.append(_TEXT(piece)))
            return "".join(parts), end
        if first == b"[" and form.item is not None:
            return self._array(form.item, at, depth)
        if first == b"{" and form.struct is not None:
            return self._struct(form.struct, at, depth)
        raise Unproved

    def _struct(self, kind: Any, at: int, depth: int) -> tuple[Any, int]:
        fields, tag = forms.members(kind), kind.__struct_config__.tag_field
        values: dict[str, Any] = {}
        tagged = tag is None
        at, more = self.open(at, b"}")
        while more:
            small = MEMBER.match(self.raw, at)
            if small is not None and (name := small[1].decode()) not in fields and name != tag:
                self._extras, at = True, small.end()
                continue
            name, at = self.name(at)
            field = fields.get(name)
            if name == tag:
                if tagged:
                    raise Unproved
                tagged, at = True, self.skip(at, depth + 1)
            elif field is None:
                self._extras = True
                at = self.skip(at, depth + 1)
            elif field.name in values:
                raise Unproved
            else:
                values[field.name], at = self._value(field.type, at, depth + 1)
            at, more = self.next(at, b"}")
        if any(field.required and field.name not in values for field in fields.values()):
            raise Unproved
        return kind(**values), at

    def _array(self, item: Any, at: int, depth: int) -> tuple[tuple[Any, ...], int]:
        values: list[Any] = []
        self.lists.append(values)
        many: Any = tuple[item, ...]
        read = forms.decoder(many)

        def take(text: bytes) -> None:
            part = read(text)
            self._prove(many, text, depth)
            values.extend(part)

        at, more = self.open(at, b"]")
        while more:
            end = self.portion(at, b"[%b]", take)
            if end is None:
                value, end = self._value(item, at, depth + 1)
                values.append(value)
            at, more = self.next(end, b"]")
        return tuple(values), at

    def _prove(self, kind: Any, text: bytes, depth: int) -> None:
        """Prove that a text which decodes as `kind` is UTF-8, not too deep, and doubles no known member."""
        if skeleton.holds_only_known_members(kind, text):
            return
        compact = msgspec.json.format(text, indent=-1)
        if len(compact) < len(text) and skeleton.holds_only_known_members(kind, compact):
            return
        self.sound(text, depth)
        one = forms.form(kind).struct
        if not skeleton.nothing_repeats(compact) and (one is None or not skeleton.known_stand_once(one, compact)):
            raise Unproved
        self._extras = True
