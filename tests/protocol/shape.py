"""The members that the published schema gives a shape, next to those of our struct."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec


def schema_of(shared: Path) -> Any:
    """The published schema of an envelope."""
    return json.loads((shared / "spec" / "envelope.schema.json").read_text("utf-8"))


def members(struct: type[msgspec.Struct]) -> dict[str, bool]:
    """The members of a struct as the wire spells them, each with whether it must be there."""
    fields = msgspec.structs.fields(struct)
    return {field.encode_name: field.required for field in fields}


def published(shared: Path, name: str) -> dict[str, bool]:
    """The same for a shape of the schema, the tag left aside."""
    shape = schema_of(shared)["$defs"][name]
    return {member: member in shape["required"] for member in shape["properties"] if member != "type"}
