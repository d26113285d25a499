"""A long line says the same in portions as in one go, whatever it is; or it is not read in portions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.wire import forms, long, portions
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Decoded

HUGE = 1 << 40
LIMITS = pytest.MonkeyPatch.context

# -- lines: built as text, so that whatever a peer may write can stand in them

SOUND = ["a", "bc ", "é", "解", "😀", "\\n", '\\"', "\\\\", "\\u00e9", "\\ud83d\\ude00", "[{", "},{", ",", '\\",\\"']
BITS = st.sampled_from([*SOUND, "\\/", "\\ud800", "\\udc00", "\\uD8", "\x7f", "\\u0022", '"', "\x01", "\\x"])
PLAIN = st.sampled_from(SOUND)
TEXTS = st.one_of(st.lists(PLAIN, max_size=30), st.lists(BITS, max_size=8)).map(lambda bits: '"' + "".join(bits) + '"')
NUMBERS = st.sampled_from(["0", "7", "-1", "1.5", "4294967296", "1e400", "01", "NaN", "true", "null", "false"])
BLANKS = st.sampled_from(["", "", "", " ", "\t \r"])
NAMES = st.sampled_from(["id", "kind", "content", "x", "type", "frames", "\\u0069d", "é"])


@st.composite
def parts(draw: st.DrawFn, open_: str, close: str, items: list[str]) -> str:
    blank = draw(BLANKS)
    return open_ + blank + f"{blank},{draw(BLANKS)}".join(items) + blank + close


@st.composite
def objects(draw: st.DrawFn, known: dict[str, st.SearchStrategy[str]], inside: st.SearchStrategy[str]) -> str:
    """An object of known members, at times one missing, doubled, of another type, or one that nobody knows."""
    items = [f'"{name}":{draw(BLANKS)}{draw(value)}' for name, value in known.items() if draw(st.integers(0, 30))]
    for _ in range(draw(st.sampled_from([0, 0, 0, 0, 1, 2]))):
        name, value = draw(st.one_of(NAMES, st.sampled_from(sorted(known)))), draw(inside)
        items.insert(draw(st.integers(0, len(items))), f'"{name}":{value}')
    return draw(parts("{", "}", items))


def arrays(item: st.SearchStrategy[str], most: int = 6) -> st.SearchStrategy[str]:
    return st.lists(item, max_size=most).flatmap(lambda items: parts("[", "]", items))


def spelled(found: dict[str, str]) -> str:
    return "{" + ",".join(f'"{name}":{value}' for name, value in found.items()) + "}"


ANYTHING = st.recursive(
    st.one_of(TEXTS, NUMBERS),
    lambda inner: st.one_of(arrays(inner), st.dictionaries(NAMES, inner, max_size=3).map(spelled)),
    max_leaves=12,
)
WORDS = st.sampled_from(['"a"', '"doc"', '"full"', '"sha256:00"', '"https://example.test/a"'])
TEXT = st.one_of(WORDS, st.lists(PLAIN, max_size=30).map(lambda bits: '"' + "".join(bits) + '"'), TEXTS)
COUNT = st.sampled_from(["0", "1", "12", "4294967295", "4294967296", "1.0"])
LINK = objects({"type": WORDS, "uri": TEXT, "digest": TEXT}, ANYTHING)
EDGE = objects({"rel": WORDS, "target_uri": TEXT, "display_name": TEXT}, ANYTHING)
FRAME = objects(
    {
        "id": WORDS,
        "kind": WORDS,
        "title": TEXT,
        "content": TEXT,
        "score": st.sampled_from(["0.5", "1", "2", "-0.0"]),
        "token_cost": COUNT,
        "provenance": arrays(LINK),
        "relations": st.one_of(arrays(EDGE), st.just("null")),
        "embedding": objects({"fingerprint": WORDS, "vector": arrays(st.sampled_from(["1", "0.25"]), 40)}, ANYTHING),
    },
    ANYTHING,
)
IDENTITY = objects({"provider_id": WORDS, "frame_id": TEXT}, ANYTHING)
RESULT = objects({"frames": arrays(FRAME), "truncated": st.sampled_from(["true", "false"])}, ANYTHING)
QUERY = objects({"goal": TEXT, "max_frames": COUNT, "max_tokens": COUNT, "kinds": arrays(TEXT, 30)}, ANYTHING)
LINES = st.one_of(
    objects({"type": st.just('"frames"'), "id": WORDS, "result": RESULT}, ANYTHING),
    objects({"result": RESULT, "type": st.just('"frames"')}, ANYTHING),
    objects({"type": st.just('"query"'), "query": QUERY}, ANYTHING),
    objects({"type": st.just('"verify"'), "request": objects({"frames": arrays(IDENTITY)}, ANYTHING)}, ANYTHING),
    objects({"type": st.sampled_from(['"telemetry"', '"shutdown"', "7"]), "id": TEXTS, "x": ANYTHING}, ANYTHING),
    ANYTHING,
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A line, at times cut, with something behind it, or with a byte that cannot stand where it stands."""
    raw: bytes = draw(LINES).encode()
    what = draw(st.sampled_from(["", "", "", "", "cut", "more", "byte"]))
    at = draw(st.integers(0, len(raw)))
    if what == "cut":
        return raw[:at]
    if what == "byte":
        byte: bytes = draw(st.sampled_from([b"\xff", b"\xc3", b"\x80", b"]", b"}", b'"', b",", b"\\"]))
        return raw[:at] + byte + raw[at:]
    more: bytes = draw(st.sampled_from([b" ", b"{}", b"x", b"\x00"]))
    return raw + more if what == "more" else raw


def both(raw: bytes, portion: int) -> tuple[Decoded, Decoded]:
    """What a line says in portions, and in one go."""
    with LIMITS() as patch:
        patch.setattr(limits, "SHELL_AT_ONCE_BYTES", HUGE)
        whole = decode(raw)
        patch.setattr(limits, "SHELL_AT_ONCE_BYTES", 0)
        patch.setattr(portions, "PORTION", portion)
        return decode(raw), whole


def proved(raw: bytes, portion: int) -> Decoded | None:
    with LIMITS() as patch:
        patch.setattr(portions, "PORTION", portion)
        return long.read(raw)


@settings(max_examples=75)
@given(damaged(), st.integers(16, 200))
def test_in_portions_a_line_says_what_it_says_in_one_go(raw: bytes, portion: int) -> None:
    parted, whole = both(raw, portion)
    assert parted == whole


def answer(*frames: str, more: str = "") -> bytes:
    return f'{{"type":"frames","id":"q1","result":{{"frames":[{",".join(frames)}],"truncated":false}}{more}}}'.encode()


def one(content: str, more: str = "") -> str:
    return f'{{"id":"a","kind":"doc","title":"t","score":0.5,"token_cost":1,"content":"{content}"{more}}}'


MANY = [one(bit, more=',"provenance":[{"type":"file","uri":"a"},{"type":"derivation","by":"b"}]') for bit in "abcdefgh"]
ORDERLY = {
    "a text without an escape": answer(one("plain text " * 20)),
    "characters of several bytes": answer(one("解é😀" * 30)),
    "nothing but escapes": answer(one('\\"\\\\' * 60)),
    "halves in pairs": answer(one("\\ud83d\\ude00" * 30)),
    "backslashes": answer(one("\\\\" * 200)),
    "frames whose parts begin alike": answer(*MANY),
    "blanks": answer(*MANY).replace(b",", b" ,\t").replace(b":", b" : "),
    "unknown numbers": answer(*MANY, more=f',"x":[{",".join(map(str, range(200)))}]'),
    "unknown objects": answer(*MANY, more=f',"x":{spelled({f"k{n}": f"[[{n}]]" for n in range(60)})}'),
    "frames with members that nobody knows": answer(*(one(bit, more=',"x":1') for bit in "abcdefgh")),
    "an unknown text": answer(*MANY, more=f',"x":"{"解 " * 60}"'),
    "a long question": b'{"type":"query","query":{"max_frames":1,"max_tokens":2,"kinds":["a","b"],"goal":"%b"}}'
    % (b"ab" * 99),
    "a type behind everything": answer(*MANY).replace(b'"type":"frames",', b"")[:-1] + b',"type":"frames"}',
    "a type that nobody knows": b'{"type":"telemetry","id":"t","x":[%b]}' % b",".join([b'"abc"'] * 60),
}


@pytest.mark.parametrize("portion", [24, 47, 150])
@pytest.mark.parametrize("name", ORDERLY)
def test_what_is_in_order_is_read_in_portions(name: str, portion: int) -> None:
    raw = ORDERLY[name]
    parted, whole = both(raw, portion)
    assert proved(raw, portion) == parted == whole
    assert not whole.faults


@pytest.mark.parametrize(
    "raw",
    [
        answer(one("a", ',"content":"b"')),
        answer(one("\\ud800" * 20)),
        answer(one("a" * 90))[:-1],
        answer(one("a" * 90)) + b"{}",
        answer(one("a" * 90)[:-3]),
        answer(one("a" * 90)).replace(b"aaaa", b"aa\xffa"),
        answer(*MANY, more=f',"x":{"[" * limits.JSON_DEPTH}{"]" * limits.JSON_DEPTH}'),
        answer(*MANY, more=',"type":"query"'),
        answer(*MANY, more=',"x":[1,2,]'),
        answer(*MANY).replace(b'"kind":"doc"', b'"kind":7'),
        b'{"type":"telemetry","x":"\\ud800"}',
        b'{"type":"telemetry","x":1,"type":"query"}',
        b'{"id":"a"}',
        answer(one("a")).replace(b'"title":"t"', b'"title":[%b]' % b",".join([b"1"] * 60)),
        b'{"type":"%b"}' % (b"telemetry" * 9),
        b'{"type":"telemetry","id":"%b"}' % (b"t" * 60),
        b"[" * 400,
        b"",
    ],
)
def test_what_is_not_in_order_is_left_to_be_taken_apart(raw: bytes) -> None:
    assert proved(raw, 40) is None
    parted, whole = both(raw, 40)
    assert parted == whole


@pytest.mark.parametrize(("members", "known"), [(20, True), (21, False)])
def test_a_message_of_an_unknown_type_with_too_many_members_is_left(
    members: int, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "OBJECT_MEMBERS", 20)
    raw = spelled({"type": '"telemetry"', **{f"k{n}": f'"{n}"' for n in range(members - 1)}}).encode()
    found = proved(raw, 40)
    assert (None if found is None else found.type) == ("telemetry" if known else None)
    parted, whole = both(raw, 40)
    assert parted == whole


@pytest.mark.parametrize("portion", [40, 600])
@pytest.mark.parametrize("more", [',"kind":"doc"', ',"provenance":[{"type":"file","type":"file"}]', ',"x":"\xff"'])
def test_one_bad_frame_is_seen_among_many(more: str, portion: int) -> None:
    raw = answer(*MANY[:4], one("a", more=more), *MANY[4:]).replace("\xff".encode(), b"\xff")
    assert proved(raw, portion) is None
    parted, whole = both(raw, portion)
    assert parted == whole


class Slow(Exception):
    """More than a portion was parsed at once."""


@pytest.mark.parametrize("name", ORDERLY)
def test_no_parser_is_given_more_than_a_portion(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    portion = 100
    any_, text, decoder = portions._ANY, portions._TEXT, forms.decoder

    def bounded(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def parsed(raw: Any) -> Any:
            if len(raw) > portion + 2:
                raise Slow
            return parse(raw)

        return parsed

    monkeypatch.setattr(portions, "_ANY", bounded(any_))
    monkeypatch.setattr(portions, "_TEXT", bounded(text))
    monkeypatch.setattr(long, "_TEXT", bounded(text))
    monkeypatch.setattr(forms, "decoder", lambda kind: bounded(decoder(kind)))
    assert proved(ORDERLY[name], portion) is not None
