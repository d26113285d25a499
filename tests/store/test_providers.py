"""What a providers file says, and that an edit of ours leaves every other byte alone."""

from __future__ import annotations

import time
import tomllib
from typing import Any

import pytest
import tomlkit
from hypothesis import example, given
from hypothesis import strategies as st
from tomlkit.exceptions import TOMLKitError

from cgp_tui.errors import InputError
from cgp_tui.store.providers import Entries, EntryFault, ProviderSpec, Timeouts, added, parse, removed

FULL = b"""\
[providers.docs]
command = ["docs-server", "--stdio", ""]
env = ["DOCS_TOKEN"]
cwd = "server"
roots = ["src", "/abs"]
sandbox = "no-network"
timeouts = { handshake = 5, exchange = 60.5 }
"""


def test_every_key_is_read() -> None:
    (spec,) = parse(FULL).specs
    assert spec == ProviderSpec(
        "docs",
        ("docs-server", "--stdio", ""),
        env=("DOCS_TOKEN",),
        cwd="server",
        roots=("src", "/abs"),
        sandbox="no-network",
        timeouts=Timeouts(5, 60.5),
    )
    assert parse(FULL).faults == ()
    assert parse(b'[providers.web]\nurl = "https://cgp.example:8443/v1"\n').specs == (
        ProviderSpec("web", url="https://cgp.example:8443/v1"),
    )


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"# nothing\r\n", b"[providers]\n"])
def test_a_file_without_entries(data: bytes) -> None:
    assert parse(data) == Entries()


def test_marks_and_line_ends_of_any_editor_are_read() -> None:
    assert parse(b"\xef\xbb\xbf" + FULL.replace(b"\n", b"\r\n")) == parse(FULL)


BAD: list[tuple[str, str, str]] = [
    ("command = 'one'", "command", "not a list of strings"),
    ("command = []", "command", "not a list of strings"),
    ("command = ['']", "command", "not a list of strings"),
    ("command = ['a', 1]", "command", "not a list of strings"),
    ('command = ["a\\u0000"]', "command", "not a list of strings"),
    ("env = ['A']", "command", "missing"),
    ("command = ['a']\nurl = 'https://x'", "url", "a command is given too"),
    ("url = 'ftp://x'", "url", "http or https"),
    ("url = 'https://me:secret@x'", "url", "without user"),
    ("url = 'https://x/?q=1'", "url", "query"),
    ("url = 'https://x:99999'", "url", "http or https"),
    ("url = 7", "url", "http or https"),
    ("command = ['a']\nenv = ['A=1']", "env", "variable names"),
    ("command = ['a']\nenv = 'A'", "env", "variable names"),
    ("command = ['a']\ncwd = 3", "cwd", "not a path"),
    ("command = ['a']\nroots = ['']", "roots", "list of paths"),
    ("command = ['a']\nsandbox = 'strict'", "sandbox", "not one of"),
    ("command = ['a']\nsandbox = ['none']", "sandbox", "not one of"),
    ("command = ['a']\ntimeouts = 5", "timeouts", "table of seconds"),
    ("command = ['a']\ntimeouts.exchange = 0", "timeouts", "table of seconds"),
    ("command = ['a']\ntimeouts.exchange = nan", "timeouts", "table of seconds"),
    ("command = ['a']\ntimeouts.exchange = true", "timeouts", "table of seconds"),
    ("command = ['a']\ntimeouts.handshake = 3601", "timeouts", "table of seconds"),
]


@pytest.mark.parametrize(("body", "key", "why"), BAD, ids=[row[0].replace("\n", "; ") for row in BAD])
def test_a_bad_entry_is_named_and_the_others_work(body: str, key: str, why: str) -> None:
    found = parse(f"[providers.bad]\n{body}\n{FULL.decode()}".encode())
    assert [spec.id for spec in found.specs] == ["docs"]
    (fault,) = found.faults
    assert (fault.id, fault.key, fault.harmless) == ("bad", key, False)
    assert why in fault.why and fault.fix


@pytest.mark.parametrize("id", ["-docs", "do cs", "", "é", "x" * 65, "a/b", "../a"])
def test_an_id_that_the_ledger_could_not_hold_is_named(id: str) -> None:
    found = parse(f'[providers."{id}"]\ncommand = ["a"]\n'.encode())
    assert found.specs == ()
    assert [(fault.id, fault.key, fault.why) for fault in found.faults] == [(id, "", "it cannot be an id")]


def test_entries_that_are_no_tables() -> None:
    assert [f.why for f in parse(b"providers = 3\n").faults] == ["it is not a table"]
    assert [(f.id, f.why) for f in parse(b"[providers]\ndocs = 3\n").faults] == [("docs", "it is not a table")]


def test_unknown_keys_are_told_and_harmless() -> None:
    found = parse(
        b"ledger = '/tmp/mine'\n" + FULL + b"colour = 'red'\n[providers.b]\ncommand=['b']\ntimeouts = {idle = 3}\n"
    )
    assert [spec.id for spec in found.specs] == ["docs", "b"]
    assert [(f.id, f.key, f.harmless) for f in found.faults] == [
        ("", "ledger", True),
        ("docs", "colour", True),
        ("b", "timeouts.idle", True),
    ]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"[providers.docs\n", "not valid TOML"),
        (b"a = 1\na = 2\n", "not valid TOML"),
        (FULL.decode().encode("utf-16"), "not UTF-8"),
        (b"# caf\xe9\n", "not UTF-8 (byte 6)"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"a = " + b"9" * 5000, "not valid TOML"),
        (b"a" + b".a" * 100_000 + b" = 1", "nested too deeply"),
        (b"x = { y" + b" . 'b c' . \"d\"" * 10_000 + b" = 1 }", "nested too deeply"),
    ],
)
def test_a_file_that_is_none_is_named(data: bytes, why: str) -> None:
    for act in (parse, lambda data: added(data, ProviderSpec("x", ("y",))), lambda data: removed(data, "docs")):
        with pytest.raises(InputError) as caught:
            act(data)
        assert caught.value.code == "unreadable" and why in caught.value.message and caught.value.fix


# -- editing

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,12}", fullmatch=True)
SPECS = st.builds(
    ProviderSpec,
    IDS,
    st.lists(WORDS, max_size=4).map(lambda words: ("prog", *words)),
    env=st.lists(st.sampled_from(["A", "B_1"]), max_size=2).map(tuple),
    cwd=WORDS,
    roots=st.lists(WORDS.filter(bool), max_size=2).map(tuple),
    sandbox=st.sampled_from(["none", "processes", "no-network"]),
    timeouts=st.builds(Timeouts, st.none() | st.integers(1, 60), st.none() | st.floats(0.001, 60)),
)

# Whole pieces of a file: each keeps its place and every byte when an entry beside it comes or goes.
OTHERS = (
    "# a comment\n",
    "#\n\n",
    "\n",
    "[tool.other]\nx = '''\n[providers.victim]\n# not a table\n'''\n",
    "[[list]]\na = 1\n[[list]]\nb = [\n  1, # one\n  [2],\n]\n",
    '[providers.kept]\ncommand = ["kept", """\n[providers.victim]\n"""]\n# about kept\nunknown = 2026-11-29T10:00:00Z\n',
    "[providers.kept.timeouts] # why\nexchange = 5\n",
    "[providers.'also.kept']\ncommand = [\n\t'a',\n  # inner\n]\nnan = nan\n",
)
VICTIM = (
    "[providers.victim]\n",
    '[ providers . "victim" ] # mine\ncommand = ["x"]\n',
    "[providers.victim]\ncommand = [\n'''\n# text'''\n]\n# inside\nenv = ['A']\n",
    "[providers.victim]\nurl = 'https://x'\nunknown = '''\n\n# no comment'''\n",
)
SUBTABLE = "[providers.victim.timeouts]\nhandshake = 1\n"
TAILS = ("", "# after it\n", "\n# two\n\n")


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A file with an entry `victim`, perhaps in two places, and the same file without it."""
    pieces = list(draw(st.permutations(OTHERS)))[: draw(st.integers(0, len(OTHERS)))]
    cuts: list[tuple[str, str]] = [(piece, piece) for piece in pieces]
    tail = draw(st.sampled_from(TAILS))
    cuts.insert(draw(st.integers(0, len(cuts))), (draw(st.sampled_from(VICTIM)) + tail, tail))
    if draw(st.booleans()):
        cuts.insert(draw(st.integers(0, len(cuts))), (SUBTABLE, ""))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    whole, left = ("".join(side).replace("\n", newline).encode() for side in zip(*cuts, strict=True))
    return mark + whole, mark + left


def valid(data: bytes) -> bool:
    try:
        tomllib.loads(data.removeprefix(b"\xef\xbb\xbf").decode())
    except tomllib.TOMLDecodeError:
        return False
    return True


@given(files())
def test_removing_cuts_the_entry_and_nothing_else(made: tuple[bytes, bytes]) -> None:
    whole, left = made
    if valid(whole):
        assert removed(whole, "victim") == left


@given(files(), SPECS, st.booleans())
@example((b"# end without a line end", b""), ProviderSpec("a", ("prog",)), True)
def test_adding_appends_the_entry_and_touches_nothing(made: tuple[bytes, bytes], spec: ProviderSpec, ended: bool) -> None:
    whole = made[0] if ended else made[0].rstrip(b"\r\n")
    if not valid(whole):
        return
    written = added(whole, spec)
    assert written.startswith(whole)
    assert parse(written).specs[-1] == spec
    assert parse(written).specs[:-1] == parse(whole).specs
    assert (b"\r\n" in written) == (b"\r\n" in whole)
    assert b"\n" not in written.replace(b"\r\n", b"") or b"\r\n" not in whole
    # Taken out again it leaves nothing but the end of the line before it, and one empty line.
    left = removed(written, spec.id)
    assert left.startswith(whole) and left.removeprefix(whole) in (b"", b"\n", b"\r\n", b"\n\n", b"\r\n\r\n")
    assert removed(added(left, spec), spec.id) == left


def test_the_first_entry_of_an_empty_file() -> None:
    assert added(b"", ProviderSpec("docs", ("docs-server", "a b"), timeouts=Timeouts(5))) == (
        b'[providers.docs]\ncommand = ["docs-server", "a b"]\ntimeouts = {handshake = 5}\n'
    )


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("whole", [FULL, b"# mine\n", b"# mine\n\n\n", b"\n", b"", FULL + b"\n# about nothing\n"])
def test_an_entry_stands_apart_and_leaves_at_most_the_empty_line_before_it(whole: bytes, newline: bytes) -> None:
    whole = whole.replace(b"\n", newline)
    apart = whole if whole in (b"", newline) or whole.endswith(newline * 2) else whole + newline
    written = added(whole, ProviderSpec("web", url="https://x"))
    own = newline if newline in whole else b"\n"
    assert written == apart + b'[providers.web]\nurl = "https://x"\n'.replace(b"\n", own)
    assert removed(written, "web") == apart


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("after", [b"", b"\n[b]\n", b"# the end\n"])
def test_an_empty_line_that_a_person_wrote_before_an_entry_stays(after: bytes, newline: bytes) -> None:
    before, entry = b"a = 1\n\n", b"[providers.x]\ncommand = ['x']\n"
    whole, left = (text.replace(b"\n", newline) for text in (before + entry + after, before + after))
    assert removed(whole, "x") == left


def test_an_id_is_added_once_and_removed_once() -> None:
    with pytest.raises(InputError, match="an entry docs already"):
        added(FULL, ProviderSpec("docs", ("x",)))
    with pytest.raises(InputError, match=r"no entry web\. There are: docs\."):
        removed(FULL, "web")
    assert removed(FULL, "docs") == b""


@pytest.mark.parametrize(
    ("data", "left"),
    [
        (b'[providers]\na = { command = ["x"] } # mine\nb.url = "https://x"\n', b'[providers]\nb.url = "https://x"\n'),
        (b"[providers]\na.url = 'https://x'\nb = 3\n", b"[providers]\nb = 3\n"),
    ],
)
def test_an_entry_that_is_no_table_of_its_own_is_taken_out_too(data: bytes, left: bytes) -> None:
    assert removed(data, "a") == left


UNCUT: list[tuple[Any, bytes]] = [
    (lambda data: added(data, ProviderSpec("z", ("y",))), b"providers = { a = { command = ['x'] } }\n"),
    (lambda data: removed(data, "a"), b"[providers]\na.url = 'https://x'\nb = 3\na.env = []\n"),
    (lambda data: added(data, ProviderSpec("z", ("y",))), b"providers = 3\n"),
]


@pytest.mark.parametrize(("act", "data"), UNCUT)
def test_what_cannot_be_cut_by_itself_is_left_to_the_person(act: Any, data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        act(data)
    assert caught.value.code == "usage" and "[providers.ID]" in caught.value.fix


def test_what_looks_like_many_headers_is_not_looked_at_for_ever() -> None:
    begun = time.process_time()
    data = b"x = [\n" + b"[\n],\n" * 20_000 + b"]\n"
    assert removed(data + FULL, "docs") == data
    assert time.process_time() - begun < 20


def test_a_fault_says_all_there_is_to_say() -> None:
    (fault,) = parse(b"[providers.docs]\nenv = []\n").faults
    assert fault == EntryFault("docs", "command", "it is missing", 'Name what to run: command = ["prog", "--option"]')


def test_a_text_that_the_editor_of_it_does_not_read_is_left_to_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser that keeps every byte is not the one that reads entries, and may refuse what that takes."""

    def refusing(_: str) -> None:
        raise TOMLKitError

    monkeypatch.setattr(tomlkit, "parse", refusing)
    with pytest.raises(InputError, match="without touching other parts"):
        removed(b"[providers]\na.url = 'https://x'\nb = 3\n", "a")
