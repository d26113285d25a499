"""The filter language: what each operator of each field takes, what is refused and where, and what may stand next."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.analysis import Analysis
from cgp_tui.analysis.filter import DEEPEST, FilterError, by_column, compile_filter, complete
from cgp_tui.analysis.language import FIELDS, JUDGED, OPERATORS, Candidate
from tests.analysis.test_analysis import analysed, write

SESSION = """
    >> handshake
    << ack correlation
    >> query q1 {"goal":"why-Größe-retry"}
    << frames q1 f1{"score":2} f2
    >> query q2 {"kinds":["doc"]}
    note gave_up q2
    << raw {"type":"later","id":"x"}
    << raw no json at all
    >> query q3
"""
"""Records 0 to 8, of which 5 is a note."""


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    path = tmp_path_factory.mktemp("filter") / "t"
    write(SESSION, path)
    return analysed(path)


def taken(analysis: Analysis, text: str) -> list[int]:
    test = compile_filter(text).test
    return [at for at in range(analysis.done) if test(Candidate(analysis, at))]


EVERY = list(range(9))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", EVERY),
        ("  ", EVERY),
        ("type:frames", [3]),
        ("type:QUERY", [2, 4, 8]),
        ("type:query,frames", [2, 3, 4, 8]),
        ("type=later", [6]),
        ("type~/^(query|ack)/", [2, 4, 8]),
        ("type~hand", [0, 1]),
        ("!type:query", [0, 1, 3, 5, 6, 7]),
        ("id:q1", [2, 3]),
        ("from:host", [0, 2, 4, 8]),
        ("from:provider type:frames", [3]),
        ("is:note", [5]),
        ("state:failed", [4]),
        ("state:pending", [8]),
        ("state:answered & !type:handshake_ack", [0, 2, 3]),
        ("finding:F1", [3]),
        ("finding:f1,q1", [3]),
        ("level:violation", [3, 7]),
        ("level:note", [4]),
        ("finding:3.2", [4]),
        ("level:advice", []),
        ("text:größe", [2]),
        ("text:GRÖSSE", [2]),
        ("text~/RETR[yi]/", [2]),
        ('text:"why-größe"', [2]),
        ("größe", [2]),
        ('"no json"', [7]),
        ("gave_up", [5]),
        ("line:3", [2]),
        ("line:3..5", [2, 3, 4]),
        ("line>=7 line<8", [7]),
        ("connection:1 & is:line & line>6", [7, 8]),
        ("connection>1", []),
        ("exchange:2", [2, 3]),
        ("exchange>2", [4, 8]),
        ("size<20", [7]),
        ("size>1k", []),
        ("size:1..20b", [7]),
        ("at<1h type:query", [2, 4, 8]),
        ("latency>1h", []),
        ("latency>=0s", [1, 3]),
        ("delta<1h & line:2", [1]),
        ("type:frames | type:later", [3, 6]),
        ("type:frames|type:query line:3", [2, 3]),
        ("(type:frames|type:query) line:3", [2]),
        ("!(type:frames|type:query) is:line", [0, 1, 6, 7]),
        ("!!type:frames", [3]),
        ("type:frames&&finding:F1".replace("&&", " & "), [3]),
    ],
)
def test_what_a_filter_takes(analysis: Analysis, text: str, wanted: list[int]) -> None:
    assert taken(analysis, text) == wanted


@pytest.mark.parametrize(
    ("text", "at", "says"),
    [
        ("type:", 5, "type: needs a word, as handshake."),
        ("id:", 3, "id: needs a value."),
        ("text~", 5, "text~ needs a regular expression, as /retry/."),
        ("latency>", 8, "latency> needs a time, as 200ms."),
        ("level:violations", 6, "level: needs one of violation, advice, note."),
        ("from:violation", 5, "one of host, provider"),
        ("is:notes", 3, "one of line, note, damaged"),
        ("state:fail", 6, "one of pending, answered, failed, late, orphan, duplicate"),
        ("finding:B3,B33", 8, "finding: needs a rule, as B3."),
        ("latency>200", 8, "a time, as 200ms"),
        ("type:query & latency>x", 21, "a time, as 200ms"),
        ("size>1q", 5, "a size, as 64K"),
        ("line:a", 5, "a number, as 12"),
        ("line:1..x", 5, "a number"),
        ("typ:query", 0, "no field typ"),
        ("type>3", 4, "not compared by >"),
        ("size~/1/", 4, "not compared by ~"),
        ("(type:query", 0, "not closed"),
        ("type:query)", 10, "never opened"),
        ("type:query |", 12, "missing"),
        ("& type:query", 0, "missing"),
        ("!", 1, "missing"),
        ("text~/(/", 5, "a regular expression: missing )"),
        ("text~/abc", 5, "not closed"),
        ("type:,", 5, "needs a word"),
        ("!" * (DEEPEST + 1) + "a", DEEPEST, "levels"),
        ("a" * (limits.FILTER_CHARS + 1), limits.FILTER_CHARS, "at most"),
        ("text~/a\udcff/", 7, "in UTF-8"),
    ],
)
def test_what_says_nothing_yet_is_refused_with_the_place(text: str, at: int, says: str) -> None:
    with pytest.raises(FilterError, match=r".") as refused:
        compile_filter(text)
    assert says in str(refused.value)
    assert refused.value.at == at and refused.value.code == "usage" and refused.value.fix


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("level:violations", "level:violation"),
        ("is:Notes", "is:note"),
        ("state=failed,answerd", "state=failed,answered"),
        ("from:hots", "from:host"),
        ('finding:"SHPE"', "finding:SHAPE"),
    ],
)
def test_the_nearest_word_is_named_where_no_other_can_be_meant(text: str, meant: str) -> None:
    with pytest.raises(FilterError) as refused:
        compile_filter(text)
    assert refused.value.fix == f"Did you mean {meant}?"
    compile_filter(meant)


MANY = f"is:{','.join(['notes'] * 9)}"


@pytest.mark.parametrize(
    "text", ["level:nothing-like-it", "level:violations,zzz", "level:,", "from:", "latency:soon", "is~/note(/", MANY]
)
def test_where_no_word_is_near_the_way_to_search_for_it_is_named(text: str) -> None:
    with pytest.raises(FilterError) as refused:
        compile_filter(text)
    assert refused.value.fix == "In quotes all of it is looked for as text."


@given(st.text(max_size=40) | st.text(alphabet='type:frames &|!()<>=~/"\\1ms', max_size=40))
def test_any_text_is_a_filter_or_refused_within_it(text: str) -> None:
    try:
        compile_filter(text)
    except FilterError as error:
        assert 0 <= error.at <= len(text)


def test_an_expression_takes_time_linear_in_the_text(analysis: Analysis, tmp_path: Path) -> None:
    write(f'>> query q1 {{"goal":"{"a" * 200_000}"}}', tmp_path / "t")
    long = analysed(tmp_path / "t")
    start = time.process_time()
    assert taken(long, "text~/(a*)*(a*)*x!/") == []
    assert time.process_time() - start < 5


@given(st.text("kKsSaA1 :", min_size=1, max_size=3), st.text("kKsSaA1 :\u212a\u017f\u00e9", max_size=12))
def test_mere_letters_are_found_as_any_expression_is(letters: str, line: str) -> None:
    matches = next(operator.make for operator in OPERATORS if operator.sign == "~")
    field, value = FIELDS["text"], line.encode()
    assert matches(letters, field)(value) == matches(f"(?:{letters})", field)(value)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("text~/café/", [1]),
        ("café", [1]),
        ("text~/caf. x/", [2]),
        ("text~/\ufffd/", [2]),
        ("text~/x/", [1, 2]),
        ("id~/x/", []),
    ],
)
def test_letters_that_utf8_cannot_hold_are_no_trouble(tmp_path: Path, text: str, wanted: list[int]) -> None:
    path = tmp_path / "t"
    path.write_bytes(
        b'{"type":"handshake","protocol_version":"contegra/1"}\n'
        b'{"type":"query","id":"\\ud800x caf\\u00e9","query":{"goal":"a"}}\n'
        b'{"type":"query","query":{"goal":"caf\xe9 x"}}\n'
    )
    assert taken(analysed(path), text) == wanted


def test_only_what_is_asked_for_is_read(analysis: Analysis) -> None:
    assert compile_filter("type:frames | latency>1s").fields == {"type", "latency"}
    assert compile_filter("a").fields == {"text"}
    one = Candidate(analysis, 3)
    compile_filter("state:answered").test(one)
    assert set(vars(one)) & {"row", "text"} == set()


def test_every_field_and_operator_says_what_it_is() -> None:
    assert all(field.help and field.name == name for name, field in FIELDS.items())
    assert all(operator.help for operator in OPERATORS)
    assert set(JUDGED) <= set(FIELDS)
    for field in FIELDS.values():
        assert any(field.kind in operator.kinds for operator in OPERATORS)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", list(FIELDS)),
        ("ty", ["type"]),
        ("type:query & s", ["state", "size"]),
        ("type", ["type:", "type=", "type~"]),
        ("latency", ["latency<=", "latency>=", "latency<", "latency>", "latency:", "latency="]),
        ("!type:fr", ["type:frames"]),
        ("(state:f", ["state:failed"]),
        ("level=", ["level=violation", "level=advice", "level=note"]),
        ("finding:d", ["finding:D1", "finding:D2", "finding:D3", "finding:D4"]),
        ("finding:b", ["finding:B3", "finding:B1", "finding:B2", "finding:B4"]),
        ("latency>2", []),
        ("xyz", []),
    ],
)
def test_what_may_stand_next(text: str, wanted: list[str]) -> None:
    found = complete(text)
    assert [one.text for one in found] == wanted
    assert all(one.help for one in found)
    for one in found:
        assert text[: one.start] + one.text  # the text before it stays


def test_completions_compile_once_they_are_whole() -> None:
    def whole(value: Any) -> None:
        compile_filter(value)

    for field in FIELDS.values():
        for one in complete(f"{field.name}:"):
            whole(one.text)


SAVED = {
    "slow": "latency>1s",
    "bad": "finding:B3 | finding:B1",
    "both": "@slow & @bad",
    "me": "!@me",
    "broken": "type:",
    "old": "@gone",
}


def test_a_saved_filter_stands_for_itself_in_brackets() -> None:
    found = compile_filter("@bad type:frames", SAVED)
    assert found.fields == compile_filter("(finding:B3 | finding:B1) & type:frames").fields
    assert compile_filter("!(@both)", SAVED).fields == {"latency", "finding"}
    assert compile_filter('"@slow"', SAVED).fields == {"text"}
    assert compile_filter("text:@slow", SAVED).fields == {"text"}


@pytest.mark.parametrize(
    ("text", "at", "message", "fix"),
    [
        ("type:frames & @slo", 14, "There is no saved filter @slo.", "There are: @slow, @bad"),
        ("@me", 0, "The saved filter @me: The saved filter @me refers to itself.", "Save it again"),
        ("!@broken", 1, "The saved filter @broken: type: needs a word, as handshake.", "In quotes"),
        ("@old", 0, "The saved filter @old: There is no saved filter @gone.", "There are"),
    ],
)
def test_a_name_that_stands_for_nothing_says_so(text: str, at: int, message: str, fix: str) -> None:
    with pytest.raises(FilterError) as caught:
        compile_filter(text, SAVED)
    assert caught.value.at == at and caught.value.message == message and caught.value.fix.startswith(fix)


def test_saved_filters_go_only_so_deep() -> None:
    deep = {f"n{number}": f"@n{number + 1}" for number in range(30)} | {"n30": "x"}
    assert compile_filter("@n25", deep).fields == {"text"}
    with pytest.raises(FilterError, match="refers to itself"):
        compile_filter("@n0", deep)


def test_without_saved_filters_the_way_out_is_named() -> None:
    with pytest.raises(FilterError) as caught:
        compile_filter("@slow")
    assert caught.value.fix == 'None is saved yet. As text it is "@slow".'


def test_names_are_completed_with_what_they_stand_for() -> None:
    assert [(one.start, one.text, one.help) for one in complete("type:frames & @b", SAVED)][:2] == [
        (14, "@bad", "finding:B3 | finding:B1"),
        (14, "@both", "@slow & @bad"),
    ]
    assert "@slow" in [one.text for one in complete("", SAVED)]
    assert complete("@", {}) == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("fail", "state:failed"),
        (" Failed ", "state:failed"),
        ("late", "state:late"),
        ("violation", "level:violation"),
        ("viol", "level:violation"),
        ("b3", "finding:B3"),
        ("6.5.4", "finding:6.5.4"),
        ("handshake_a", "type:handshake_ack"),
        ("damaged", "is:damaged"),
        ("lat", None),
        ("retry", None),
        ("", None),
        ("type:frames", None),
        ("fail | late", None),
        ('"fail"', None),
        ("!fail", None),
    ],
)
def test_a_word_that_only_a_column_shows_names_the_filter_for_it(text: str, meant: str | None) -> None:
    assert by_column(text) == meant
    if meant is not None:
        compile_filter(meant)
