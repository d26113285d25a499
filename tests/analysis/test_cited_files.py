"""Provenance held against files: the exact bytes of the range, and what is not knowable is not said."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cgp_tui import limits
from cgp_tui.analysis.cited_files import Cited, CitedFiles, Reread
from cgp_tui.protocol.frame import Provenance
from cgp_tui.store.roots import Roots
from tests.checks import signed

BODY = b"alpha\nbeta\r\ngamma\n"


def digest(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "real.txt").write_bytes(BODY)
    (folder / "empty").touch()
    return folder


@pytest.fixture
def cited_files(root: Path) -> Iterator[CitedFiles]:
    with Roots([root]) as roots:
        yield CitedFiles(roots)


def link(root: Path, data: bytes = BODY, name: str = "real.txt", **more: Any) -> Provenance:
    return Provenance("file", **{"uri": f"file://{root}/{name}", "digest": digest(data), **more})


@pytest.mark.parametrize(
    ("lines", "data"),
    [
        (None, BODY),
        ("L1", b"alpha\n"),
        ("L2", b"beta\r\n"),
        ("L1-2", b"alpha\nbeta\r\n"),
        ("L3", b"gamma\n"),
        ("L2-99", b"beta\r\ngamma\n"),
    ],
)
def test_the_exact_bytes_of_the_range_match(lines: str | None, data: bytes, root: Path, cited_files: CitedFiles) -> None:
    found = cited_files.reread(link(root, data, range=lines))
    assert found == Reread("matches", size=len(data), root=root, computed=digest(data))


@pytest.mark.parametrize("other", [BODY[:-1], BODY.replace(b"\r", b""), b"\xef\xbb\xbf" + BODY, BODY + b"\n"])
def test_one_byte_more_or_less_differs(other: bytes, root: Path, cited_files: CitedFiles) -> None:
    """A reader that adjusts line ends, a BOM or the last newline would call these the same."""
    found = cited_files.reread(link(root, other))
    assert found is not None
    assert (found.outcome, found.first_byte, found.size) == ("differs", None, len(BODY))


def test_composed_and_decomposed_letters_are_different_bytes(root: Path, cited_files: CitedFiles) -> None:
    composed, apart = "\u00e9".encode(), "e\u0301".encode()
    (root / "nfc").write_bytes(composed)
    for cited, outcome in ((composed, "matches"), (apart, "differs")):
        found = cited_files.reread(link(root, cited, "nfc"))
        assert found is not None
        assert found.outcome == outcome


@pytest.mark.parametrize(
    ("lines", "cited", "first"),
    [
        (None, "alpha\nbeta\r\ngammA\n", 16),
        (None, "Alpha\nbeta\r\ngamma\n", 0),
        (None, "alpha\nbeta\r\ngamma\nmore", len(BODY)),
        (None, "alpha\n", 6),
        ("L2", "betA\r\n", 3),
        ("L2", "", 0),
    ],
)
def test_the_first_byte_that_differs_where_the_frame_holds_what_was_cited(
    lines: str | None, cited: str, first: int, root: Path, cited_files: CitedFiles
) -> None:
    one = link(root, cited.encode(), range=lines)
    found = cited_files.reread(one, cited)
    assert found is not None
    assert (found.outcome, found.first_byte) == ("differs", first)
    assert cited_files.reread(one, cited + "!").first_byte is None  # type: ignore[union-attr]
    assert cited_files.reread(one, None).first_byte is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"digest": None}, "no digest"),
        ({"digest": "sha256:AB"}, "malformed"),
        ({"uri": None}, "no uri"),
        ({"uri": "https://example.com/"}, "not a plain file"),
        ({"range": ""}, "an unknown form"),
        ({"range": "L0"}, "an unknown form"),
        ({"range": "L2-L3"}, "an unknown form"),
        ({"range": "L3-2"}, "an unknown form"),
        ({"range": "B0-5"}, "an unknown form"),
        ({"range": "L4"}, "fewer lines"),
        ({"range": f"L{'9' * 50}"}, "fewer lines"),
        ({"name": "empty", "range": "L1"}, "fewer lines"),
        ({"name": "nowhere"}, "no such file"),
    ],
)
def test_what_cannot_be_compared_neither_matches_nor_differs(
    more: dict[str, Any], why: str, root: Path, cited_files: CitedFiles
) -> None:
    found = cited_files.reread(link(root, **more))
    assert found is not None
    assert (found.outcome, found.computed) == ("unverifiable", None)
    assert why in found.why


def test_an_empty_file_is_its_bytes(root: Path, cited_files: CitedFiles) -> None:
    assert cited_files.reread(link(root, b"", "empty")).outcome == "matches"  # type: ignore[union-attr]


def test_outside_is_outside_whatever_is_there(root: Path, cited_files: CitedFiles) -> None:
    (root.parent / "secret.txt").write_bytes(b"s")
    found = cited_files.reread(link(root, b"s", "../secret.txt"))
    assert found == Reread("outside roots", "no opened folder holds it")


def test_only_file_links_have_bytes(root: Path, cited_files: CitedFiles) -> None:
    assert cited_files.reread(Provenance("derivation", uri=f"file://{root}/real.txt", digest=digest(BODY))) is None


def test_the_links_of_an_answer_in_wire_order_and_once(root: Path, cited_files: CitedFiles) -> None:
    made = (Provenance("derivation", method="m"), link(root), link(root, b"x"))
    judged = signed.sent(signed.by_root(signed.frame("b", provenance=made), signed.frame("a", provenance=made[1:2])))
    cited = list(cited_files.cited(judged))
    assert [(one.line, one.frame_id, one.place, one.found.outcome) for one in cited] == [
        (4, "b", 2, "matches"),
        (4, "b", 3, "differs"),
        (4, "a", 1, "matches"),
    ]
    assert isinstance(cited[0], Cited)
    assert list(cited_files.cited(judged)) == []
    assert list(cited_files.cited(msgspec.structs.replace(judged, exchange=_unanswered(judged)))) == []


def _unanswered(judged: Any) -> Any:
    return msgspec.structs.replace(judged.exchange, reply=None, state="failed")


def test_many_ranges_of_many_files_stay_within_their_bounds(
    root: Path, cited_files: CitedFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "REMEMBERED", 10)
    monkeypatch.setattr(limits, "REREAD_TOTAL_BYTES", 20_000)
    big = b"".join(b"%05d\n" % number for number in range(200))
    (root / "big").write_bytes(big)
    outcomes = [cited_files.reread(link(root, big[:12], "big", range=f"L1-{n}")).outcome for n in range(1, 150)]  # type: ignore[union-attr]
    assert outcomes[:3] == ["differs", "matches", "differs"]
    assert outcomes[-1] == "unverifiable"
    assert len(cited_files._known) <= 10
    assert cited_files._roots.read_bytes <= 20_000
