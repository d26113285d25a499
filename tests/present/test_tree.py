"""One JSON text as a tree: what stands open, what is found where, and how little is read for it."""

from __future__ import annotations

import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.present import detail, tree
from cgp_tui.present.member_findings import marked, parts_of
from cgp_tui.present.spans import WAIT, Jump, Row
from cgp_tui.present.subject import Place
from cgp_tui.present.symbols import ASCII, Look
from cgp_tui.present.tree import DEEPEST, MANY, PAGE, SMALL, Tree
from cgp_tui.protocol.requirements import finding
from tests.present.samples import HANDSHAKE, LOOK, ack, frame, frames, query, subjects, text
from tests.present.test_hostile import HIDDEN, HOSTILE

ANSWER = subjects(
    [
        HANDSHAKE,
        ack(),
        query(1, max_tokens=10),
        frames(1, frame("a", title=None), frame("b", token_cost=9), frame("c", "x" * SMALL)),
    ]
)[3]


def made(one: Tree, look: Look = LOOK) -> list[Row]:
    return [row for row in one.rows(look) if row is not WAIT]


def drawn(one: Tree, look: Look = LOOK) -> str:
    return text(iter(made(one, look)), look.width)


def at(one: Tree, words: str) -> Row:
    """The first row that holds some words."""
    return next(row for row in made(one) if words in row.text)


def fold_at(one: Tree, words: str) -> int:
    jump = at(one, words).jump
    assert jump is not None
    assert jump.fold is not None
    return jump.fold


def test_a_small_text_stands_open_as_it_is_spelled() -> None:
    seen = drawn(Tree(b' {"a":1e400 , "b":[1.0,"\\u001b",{}]}\t'))
    assert seen.splitlines() == [
        "▾ {",
        '    "a": 1e400',
        '  ▾ "b": [',
        "      0: 1.0",
        '      1: "\\u001b"',
        "    ▾ 2: {",
        "      }",
        "    ]",
        "  }",
    ]


def test_of_a_larger_text_three_levels_stand_open() -> None:
    seen = drawn(detail.tree(ANSWER, Place()))
    assert '  ▾ "result": {' in seen
    assert '    ▾ "frames": [  ✗ B1 The answer costs more than the query allows.' in seen
    assert '    ▸ 1: {"id": "b", "ki' in seen
    assert "  7 members, " in seen


def test_a_member_is_opened_and_folded() -> None:
    one = detail.tree(ANSWER, Place())
    place = fold_at(one, '▸ 1: {"id"')
    assert one.turn(place)
    assert '          "title": "title of b"' in drawn(one)
    assert one.is_open(place)
    assert not one.turn(place, True), "it is open already"
    assert one.turn(place, False)
    assert "title of b" not in drawn(one)
    assert not one.turn(10**9), "nothing stands there"


def test_a_finding_stands_at_its_member_and_a_missing_member_has_a_row() -> None:
    one = detail.tree(ANSWER, Place())
    seen = drawn(one)
    assert [line.rstrip()[-9:] for line in seen.splitlines() if " 0: {" in line or " 1: {" in line] == ["✗1 inside"] * 2
    for words in (" 0: {", " 1: {"):
        one.turn(fold_at(one, words))
    seen = drawn(one)
    assert '          "token_cost": 9  ✗ B3 The declared cost is not the counted one.' in seen
    assert "          title: not there  ✗ F2 A required member is missing." in seen
    assert at(one, '"token_cost": 9').jump == Jump(about="/result/frames/1/token_cost")
    assert at(one, "title: not there").jump == Jump(about="/result/frames/0/title")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/result/frames/1/token_cost", '"token_cost": 9'),
        ("/result/frames/0/title", "title: not there"),
        ("/result/frames", '"frames": ['),
        ("/result/none", "}"),
        ("", "{"),
    ],
)
def test_the_way_to_a_member_is_opened(path: str, words: str) -> None:
    one = detail.tree(ANSWER, Place())
    for number in (fold_at(one, '"result"'),):
        one.turn(number, False)
        made(one)
    assert one.reveal(path)
    found = [row for row in made(one) if one.is_found(row)]
    assert [words in row.text for row in found] == [True]
    place = fold_at(one, '"result"')
    assert one.turn(place, not one.is_open(place)), "what was opened for it can be folded, and the other way round"


def test_the_json_of_a_frame_knows_its_place_in_the_line() -> None:
    one = detail.tree(ANSWER, Place(1))
    assert not one.reveal("/result/frames/0/title")
    assert not one.reveal("/result/frames/11/title")
    assert one.reveal("/result/frames/1/token_cost")
    assert [row.text.strip() for row in made(one) if one.is_found(row)] == [
        '"token_cost": 9  ✗ B3 The declared cost is not the counted one.'
    ]


def test_members_come_a_page_at_a_time() -> None:
    one = Tree(json.dumps({"a": list(range(1000)), "b": 1}).encode())
    more = at(one, "more: enter shows the next 100")
    assert more.jump is not None
    assert more.jump.more is not None
    assert "    99: 99" in drawn(one)
    assert "100: 100" not in drawn(one)
    assert '"b": 1' in drawn(one)
    one.more(more.jump.more)
    assert "    199: 199" in drawn(one)
    assert "200: 200" not in drawn(one)
    assert "$ more" in drawn(one, Look(ASCII))


def test_a_member_beyond_the_page_is_found_and_what_is_between_is_counted() -> None:
    one = Tree(json.dumps({"a": [{"b": n} for n in range(5000)]}).encode())
    assert one.reveal("/a/4321/b")
    seen = drawn(one)
    assert f"    {4321 - PAGE:,} before this are not drawn" in seen
    assert [row.text.strip() for row in made(one) if one.is_found(row)] == ['"b": 4321']


def test_a_long_string_is_unfolded_piece_by_piece() -> None:
    one = Tree(json.dumps({"a": "é" * 150_000, "b": 1}, ensure_ascii=False).encode())
    seen = at(one, '"a"')
    assert seen.text.endswith("…  300,002 bytes")
    assert seen.lead is not None
    assert seen.lead.text == "  ▸ "
    assert one.turn(fold_at(one, '"a"'))
    rows = made(one)
    assert "<C3>" not in drawn(one)
    assert max(len(row.text) for row in rows) < 1100
    assert any("100,003 more bytes are under Raw." in row.text for row in rows)


def test_open_levels_end_somewhere() -> None:
    one = Tree(b"[" * 900 + b"]" * 900)
    rows = made(one)
    assert len(rows) == 2 * DEEPEST + 1
    assert rows[DEEPEST].jump is None


def test_many_rows_open_nothing_more_by_themselves() -> None:
    one = Tree(json.dumps([[list(range(50)) for _ in range(90)] for _ in range(90)]).encode())
    assert MANY < len(made(one)) < MANY + 3 * PAGE


def test_what_is_no_json_is_shown_as_bytes_or_says_where_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(Tree(b"{nope")).startswith("✗ Not JSON: the bytes as they came.\n5 bytes")
    monkeypatch.setattr(tree, "CHECKED", 0)
    for raw, where in ((b'{"a":1 2}', 7), (b"[1,2", 4), (b'{"a"', 4), (b"{1:2}", 1), (b'{"a":', 5), (b'"x', 0)):
        assert drawn(Tree(raw)).splitlines()[-1] == f"✗ No JSON from byte {where} on; Raw shows the bytes."


def test_names_and_values_of_a_peer_are_inert() -> None:
    raw = json.dumps({"k" + HOSTILE: {"in" + HOSTILE: [HOSTILE * 9, 1] * 300}}, ensure_ascii=False).encode()
    for escaped in (raw, raw.replace(b"\\u001b", b"\x1b"), b'{"\xff\\ud800":"\xc3"}'):
        assert not HIDDEN.search(drawn(Tree(escaped)).replace("\n", ""))


def test_a_name_that_no_text_can_hold_hides_nothing() -> None:
    assert '  "\\ud800": 1' in drawn(Tree(b'{"\\ud800":1,"b":2}'))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(values, st.integers(0, 2))
def test_every_member_has_its_row(value: object, indent: int) -> None:
    raw = json.dumps(value, indent=indent or None).encode("utf-8")
    rows = made(Tree(raw))

    def count(one: object) -> int:
        if isinstance(one, dict):
            return 2 + sum(map(count, one.values()))
        return 2 + sum(map(count, one)) if isinstance(one, list) else 1

    assert len(rows) == count(value)


def test_of_fifty_megabytes_a_screen_comes_at_once_and_no_step_takes_long() -> None:
    one = json.dumps(frame("frm", "word " * 150)).encode()
    raw = b'{"type":"frames","result":{"frames":[' + (one + b",") * (50_000_000 // len(one)) + one + b'],"truncated":false}}'
    big = Tree(raw)
    big.reveal("/result/truncated")
    rows, count, worst, first = big.rows(LOOK), 0, 0.0, 0.0
    while True:
        start = process_time()
        row = next(rows, None)
        spent = process_time() - start
        if row is None:
            break
        worst = max(worst, spent)
        count += row is not WAIT
        first += spent if count < 40 else 0
    assert first < 0.05
    assert worst < 0.05
    assert count == PAGE + 9


def test_every_member_is_known_by_its_pointer() -> None:
    raw = b'{"a/b":{"c~d":[1,{"":"x"}]},"' + b"n" * 2_000 + b'":{"in":1}}'
    nested = Tree(raw, under="/result")
    whole = json.loads(raw)
    met: dict[str | None, bytes] = {}
    for one in made(nested):
        if one.member is not None and one.member.at is not None:
            met[one.member.path] = nested.text_of(one.member.at)
    assert met.pop("/result") == raw
    assert met.pop(None) == b'{"in":1}'  # a name so long is told in no path
    inside = ("", "/c~0d", "/c~0d/0", "/c~0d/1", "/c~0d/1/")
    assert set(met) == {f"/result/a~1b{one}" for one in inside}
    for pointer, value in met.items():
        assert pointer is not None
        found = whole
        for part in parts_of(pointer.removeprefix("/result")):
            found = found[int(part)] if isinstance(found, list) else found[part]
        assert json.loads(value) == found


def test_what_is_missing_has_a_pointer_and_no_value() -> None:
    lacking = Tree(b'{"a":{}}', marked([finding("F1", line=1, path="/a/b/c")]))
    (gone,) = [one.member for one in made(lacking) if "not there" in one.text]
    assert gone is not None and (gone.path, gone.at) == ("/a/b", None)


def held(one: Tree, wanted: str) -> list[str]:
    return [row.text.strip() for row in made(one) if wanted in row.text]


def test_what_holds_a_text_is_drawn_open_until_it_is_folded_again() -> None:
    deep = {
        "result": {
            "frames": [
                {"id": f"f{n}", "text": "y" * 200, "note": {"word": f"needle{n}" if n in (3, 200, 250) else "x"}}
                for n in range(300)
            ]
        }
    }
    one = Tree(json.dumps(deep).encode())
    assert held(one, "needle") == []
    raw = one.raw
    assert one.seek("NEEDLE") == raw.index(b"needle250")
    assert held(one, "needle") == ['"word": "needle3"', '"word": "needle200"', '"word": "needle250"']
    seen = [row.text.strip() for row in made(one)]
    assert (
        "100 before this are not drawn" in seen and "49 before this are not drawn" in seen and seen[-4].startswith("… more:")
    ), "pages are drawn as they were"
    assert one.turn(fold_at(one, "▾ 3: {"), opened=False)
    assert held(one, "needle") == ['"word": "needle200"', '"word": "needle250"']
    assert one.seek("needle3") > 0 and held(one, "needle") == ['"word": "needle3"'], "another search opens it again"
    assert one.seek("nothing") == -1 and held(one, "needle") == []


def test_a_long_text_is_opened_where_what_is_sought_is_not_in_its_beginning() -> None:
    one = Tree(json.dumps({"a": "begin " + "x" * SMALL + " needle", "b": "y" * SMALL}).encode())
    one.seek("begin")
    assert not any(row.on for row in made(one))
    one.seek("needle")
    rows = made(one)
    assert any("needle" in row.text for row in rows) and sum(row.on for row in rows) == SMALL // 1_000


def test_what_is_deeper_than_anything_is_opened_stays_folded() -> None:
    one = Tree(b"[" * 90 + b'"needle"' + b"]" * 90)
    one.seek("needle")
    assert len([row for row in made(one) if row.text.strip().startswith("▾")]) == DEEPEST
