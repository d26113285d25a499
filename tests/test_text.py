"""Foreign text becomes visible, bounded and inert."""

from __future__ import annotations

import shlex
import subprocess
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cgp_tui import limits, text

HIDDEN = [
    ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
    ("\x9b2J", "<U+009B>2J"),
    ("a\rb\bc\td", "a␍b␈c␉d"),
    ("\u202elanif", "<U+202E>lanif"),
    ("acme\u200b", "acme<U+200B>"),
    ("x\u3164y", "x<U+3164>y"),
    ("\U000e0041", "<U+E0041>"),
    ("\u2028\u2029", "<U+2028><U+2029>"),
    ("\ud800", "<U+D800>"),
    ("\x7f", "␡"),
    ("\u00a0", "<U+00A0>"),
    ("\ufff9", "<U+FFF9>"),
]


@pytest.mark.parametrize(("foreign", "seen"), HIDDEN)
def test_hidden_codes_become_tokens(foreign: str, seen: str) -> None:
    assert text.show(foreign) == seen
    assert text.hidden_codes(foreign) > 0


def test_plain_text_of_any_script_is_left_alone() -> None:
    for plain in ("retry loop", "naïve Größe", "解析", "日本語 text", "😀"):
        assert text.show(plain) == plain
        assert text.hidden_codes(plain) == 0


def test_marks_are_capped_per_base() -> None:
    shown = text.show("e" + "\u0301" * 4000 + "x")
    assert shown == "e" + "\u0301" * limits.MARKS_PER_BASE + "…x"


def test_a_leading_mark_does_not_join_what_stands_before_it() -> None:
    assert text.show("\u0301x") == "<U+0301>x"


def test_a_cut_says_how_much_is_left_out() -> None:
    assert text.show("x" * 1005, limit=5) == "xxxxx… [1,000 more]"


def test_lines_split_at_lf_only() -> None:
    assert text.show_lines("a\u2028b\nc\td\r") == ["a<U+2028>b", "c    d␍"]
    assert text.show_lines("abcdef", limit=4)[-1] == "… [2 more characters]"


def test_bytes_that_are_not_utf8_are_named_one_by_one() -> None:
    assert text.show_bytes(b"ok \xff\xc0 \x1b") == "ok <FF><C0> ␛"
    assert text.show_bytes("é".encode()) == "é"
    assert text.show_bytes(b"abc", limit=2) == "ab… [1 more bytes]"


def test_a_clip_ends_in_an_ellipsis() -> None:
    value = text.own("file:///repo/src/net.rs")
    assert text.clip(value, 8) == "file://…"
    assert text.clip(value, 99) == value
    assert text.clip(value, 0) == ""


def test_compose_and_join_keep_the_type() -> None:
    name = text.show("a\x1bb")
    assert text.compose("{n:,} from {name}", n=1200, name=name) == "1,200 from a␛b"
    assert text.join(" > ", [name, text.own("x")]) == "a␛b > x"


@given(st.text(max_size=200))
def test_nothing_shown_is_a_control_or_reordering_code(foreign: str) -> None:
    shown = text.show(foreign)
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for char in shown)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_door(raw: bytes) -> None:
    shown = text.show_bytes(raw)
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in shown)


@given(st.text(max_size=60))
def test_hidden_codes_agrees_with_show(foreign: str) -> None:
    changed = sum(1 for char in foreign if text.show("a" + char) not in ("a" + char,))
    assert text.hidden_codes(foreign) == changed


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("acme-docs", ()),
        ("\u0430cme", ("Cyrillic", "Latin")),
        ("\u0430\u0441\u043c\u0435", ()),
        ("東京タワーの docs", ()),
        ("東京 서울 かな", ("Cjk", "Hangul", "Hiragana")),
        ("ac\uff4de", ("Latin", "Fullwidth")),
        ("Größe 2", ()),
        ("\u03b1cme\u0669", ("Greek", "Latin", "Arabic")),
    ],
)
def test_a_name_of_scripts_that_no_language_mixes_is_told(name: str, scripts: tuple[str, ...]) -> None:
    assert text.mixed_scripts(name) == scripts


def test_what_is_not_plain_ascii_is_named_by_number() -> None:
    assert text.beyond_ascii("acme-docs 2") == ()
    assert text.beyond_ascii("acme\u2010docs\u2010") == ("U+2010 HYPHEN",)
    assert text.beyond_ascii("\u0430\x1b") == ("U+0430 CYRILLIC SMALL LETTER A", "U+001B (no name)")
    many = "".join(chr(0x430 + step) for step in range(12))
    assert len(text.beyond_ascii(many)) == 9
    assert text.beyond_ascii(many)[-1] == "4 more"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2.3.0", "2.4.1", ("2.3.0", "2.4.1")),
        ("a\x1b", "a", ("a␛", "a")),
        ("x" * 50 + "old", "x" * 50 + "new", ("…xxxxxold", "…xxxxxnew")),
        ("x" * 50, "x" * 51, ("…xxxxx", "…xxxxxx")),
        ("a" + "x" * 50, "b", ("axxxxxxxxx… [41 more]", "b")),
        ("x" * 20 + "a" + "y" * 20, "x" * 20 + "\x07", ("…xxxxxayyyy… [16 more]", "…xxxxx␇")),
    ],
)
def test_two_texts_that_differ_are_shown_where_they_do(old: str, new: str, said: tuple[str, str]) -> None:
    assert text.apart(old, new, 10) == said


def test_a_page_is_its_lines_each_ended_by_lf() -> None:
    assert text.page([text.show("a\nb"), text.own("")]) == "a␊b\n\n"
    assert not text.page([])


@example("\u202ex'\\")
@example("e" + "\u0301" * 6)
@example("\u0301")
@given(st.text(max_size=40).filter(lambda some: "\x00" not in some))
def test_a_quoted_word_is_that_word_to_a_shell_and_hides_nothing(word: str) -> None:
    try:
        data = word.encode()
    except UnicodeEncodeError:
        return
    said = text.quoted(word)
    assert text.show(said, len(said)) == said, "what is shown is what works"
    if said.startswith("$'"):
        done = subprocess.run(
            ["bash", "-c", f"printf %s {said}"], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
        )
        assert done.stdout == data
    else:
        assert shlex.split(said) == [word]


@given(st.text(st.characters(exclude_characters="\n\t") | st.sampled_from("\n\t\x1b\u202e"), max_size=40))
def test_the_hidden_codes_of_several_lines_are_those_of_each(foreign: str) -> None:
    assert text.hidden_marks(foreign) == sum(text.hidden_codes(line) for line in foreign.replace("\t", "").split("\n"))
    assert text.hidden_marks("a\n\tb") == 0
    assert text.hidden_marks("ab\x1b", 2) == 0
