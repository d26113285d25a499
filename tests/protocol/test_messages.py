"""The names of the eight messages: those of the schema, each with one sender."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_args

from cgp_tui.protocol.envelope import Envelope
from cgp_tui.protocol.messages import FROM_HOST, FROM_PROVIDER, TYPES
from tests.protocol.shape import schema_of


def test_the_types_are_those_of_the_schema(shared: Path) -> None:
    schema = schema_of(shared)
    shapes = [schema["$defs"][one["$ref"].removeprefix("#/$defs/")] for one in schema["oneOf"]]
    assert sorted(TYPES) == sorted(shape["properties"]["type"]["const"] for shape in shapes)


def test_every_type_has_one_sender_and_one_struct() -> None:
    assert len(TYPES) == len(set(FROM_HOST)) + len(set(FROM_PROVIDER)) == 8
    assert set(FROM_HOST).isdisjoint(FROM_PROVIDER)
    assert sorted(TYPES) == sorted(struct.__struct_config__.tag for struct in get_args(Envelope))


def test_each_request_stands_where_its_reply_does() -> None:
    assert list(zip(FROM_HOST, FROM_PROVIDER, strict=True))[:3] == [
        ("handshake", "handshake_ack"),
        ("query", "frames"),
        ("verify", "verified"),
    ]


def test_the_names_come_without_the_structs() -> None:
    """What is drawn first needs them, and building the structs takes most of the time until then."""
    program = "import sys, cgp_tui.protocol.messages; sys.exit('msgspec' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=120).returncode == 0
