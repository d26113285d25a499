"""What a member must hold, in words: one for every member of every message."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from cgp_tui.protocol.capability import DataFlow, ProviderInfo, QueryCapability
from cgp_tui.protocol.envelope import ContextQueryResult, Envelope, HandshakeAck
from cgp_tui.protocol.evidence import FrameAttestation
from cgp_tui.protocol.frame import ContextFrame, FrameEmbedding
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.wire.skeleton import struct_in
from cgp_tui.wire.words import an_object, item, seen, short, wanted


def structs() -> Iterator[type[msgspec.Struct]]:
    """Those of the messages, and those in them."""
    left = list(Envelope.__args__)
    while left:
        yield (one := left.pop())
        inner = (struct_in(field.type)[0] for field in msgspec.structs.fields(one))
        left += [struct for struct in inner if struct is not None]


@pytest.mark.parametrize(
    ("struct", "name", "words"),
    [
        (ContextQuery, "goal", "a string"),
        (ContextQuery, "query_text", "a string or null"),
        (ContextQuery, "embedding", "an array of numbers or null"),
        (ContextQuery, "anchors", "an array of strings"),
        (ContextQuery, "max_frames", "a whole number from 0 to 4294967295"),
        (ContextQueryResult, "truncated", "true or false"),
        (ProviderInfo, "data_flow", "an object with reads, writes, egress (true or false)"),
        (HandshakeAck, "provider", "an object with name, version (strings), data_flow (an object)"),
        (
            ContextQueryResult,
            "frames",
            "an array of objects, each with id, kind, title (strings), score (a number), token_cost (a whole number)",
        ),
        (ContextFrame, "embedding", "an object with fingerprint (a string)"),
    ],
)
def test_a_member_is_described_by_its_type(struct: type[msgspec.Struct], name: str, words: str) -> None:
    assert wanted(struct, name) == words


def test_every_member_of_every_message_can_be_described() -> None:
    made = [wanted(struct, field.name) for struct in structs() for field in msgspec.structs.fields(struct)]
    assert len(made) > 80 and all(made)
    assert all(an_object(struct).startswith("an object") for struct in structs())
    assert all(short(field.type) for struct in structs() for field in msgspec.structs.fields(struct))


def test_an_object_without_a_member_that_is_always_written_is_just_an_object() -> None:
    assert an_object(QueryCapability) == an_object(FrameAttestation).partition(" with ")[0] == "an object"


def test_what_is_written_although_it_has_a_default_is_named() -> None:
    assert an_object(DataFlow).endswith("reads, writes, egress (true or false)")


def test_the_short_form_leaves_out_what_is_inside() -> None:
    kinds = {field.name: field.type for field in msgspec.structs.fields(FrameEmbedding)}
    assert (short(kinds["fingerprint"]), short(kinds["vector"])) == ("a string", "an array or null")


def test_an_item_of_an_array_has_words_of_its_own() -> None:
    assert item(tuple[float, ...] | None) == "a number"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'"x"', "a string"),
        (b"{}", "an object"),
        (b"[1]", "an array"),
        (b"true", "true"),
        (b"false", "false"),
        (b"null", "null"),
        (b"-1.5", "-1.5"),
        (b"9" * 5000, "a number of 5,000 characters"),
    ],
)
def test_what_a_value_is(raw: bytes, words: str) -> None:
    assert seen(raw) == words
