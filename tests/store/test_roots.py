"""Confined reads: only regular files beneath an opened folder, never through a link, never waited for."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from cgp_tui import limits
from cgp_tui.errors import InputError
from cgp_tui.store import roots as module
from cgp_tui.store.roots import Read, Roots, Unread

SECRET = b"outside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "file.txt").write_bytes(b"inside")
    (tmp_path / "secret.txt").write_bytes(SECRET)
    (tmp_path / "rootless").mkdir()
    (tmp_path / "rootless" / "secret.txt").write_bytes(SECRET)
    return folder


@pytest.fixture
def roots(root: Path) -> Iterator[Roots]:
    with Roots([root]) as opened:
        yield opened


def descriptors() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


def uri(path: Path | str) -> str:
    return f"file://{quote(str(path))}"


def test_a_file_below_is_read(root: Path, roots: Roots) -> None:
    file = root / "deep" / "er" / "file.txt"
    odd = root / "a b%41\u00e9\u65e5.txt"
    odd.write_bytes(b"odd")
    for name in (
        uri(file),
        f"file://localhost{file}",
        f"FILE://LocalHost{file}",
        f"file://{root}//deep/./er/../er/file.txt",
    ):
        assert roots.read(name) == Read(root, b"inside"), name
    assert roots.read(uri(odd)) == Read(root, b"odd")
    assert roots.read(f"file://{root}/%64eep%2Fer/file.txt") == Read(root, b"inside")


def test_a_name_that_is_no_unicode_is_a_name(root: Path, roots: Roots) -> None:
    with open(os.fsencode(root) + b"/\xff\xfe", "wb") as file:
        file.write(b"raw")
    assert roots.read(f"file://{root}/%FF%FE") == Read(root, b"raw")


@pytest.mark.parametrize(
    "way",
    [
        "/../secret.txt",
        "/deep/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2Fsecret.txt",
        "less/secret.txt",
        "/deep/../..",
        "/..",
    ],
)
def test_a_way_that_leads_out_leads_out(way: str, root: Path, roots: Roots) -> None:
    found = roots.read(f"file://{root}{way}")
    assert isinstance(found, Unread)
    assert found.outside


def test_without_a_folder_everything_is_outside(root: Path) -> None:
    with Roots([]) as none:
        assert none.read(uri(root / "deep" / "er" / "file.txt")) == Unread("no opened folder holds it", outside=True)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("https://example.com/x", "not a plain file://"),
        ("file:relative", "not a plain file://"),
        ("file://other.host/x", "not a plain file://"),
        ("file:///x?y", "not a plain file://"),
        ("file:///x#L1", "not a plain file://"),
        ("", "not a plain file://"),
        ("file:///" + "x" * 20_000, "not a plain file://"),
        ("file:///x%00y", "NUL"),
        ("file:///\ud800", "half a character"),
    ],
)
def test_what_is_no_file_uri_is_said(name: str, says: str, roots: Roots) -> None:
    found = roots.read(name)
    assert isinstance(found, Unread)
    assert says in found.why
    assert not found.outside


def link_the_file(root: Path) -> None:
    (root / "deep" / "er" / "file.txt").unlink()
    (root / "deep" / "er" / "file.txt").symlink_to("../../../secret.txt")


def link_a_folder(root: Path) -> None:
    (root / "deep" / "er").rename(root / "real")
    (root / "deep" / "er").symlink_to(root / "real")


def link_inside(root: Path) -> None:
    (root / "deep" / "er" / "file.txt").rename(root / "real")
    (root / "deep" / "er" / "file.txt").symlink_to(root / "real")


def fifo(root: Path) -> None:
    (root / "deep" / "er" / "file.txt").unlink()
    os.mkfifo(root / "deep" / "er" / "file.txt")


def listening(root: Path) -> None:
    (root / "deep" / "er" / "file.txt").unlink()
    with socket.socket(socket.AF_UNIX) as made, contextlib.chdir(root / "deep" / "er"):
        made.bind("file.txt")


def folder(root: Path) -> None:
    (root / "deep" / "er" / "file.txt").unlink()
    (root / "deep" / "er" / "file.txt").mkdir()


def huge(root: Path) -> None:
    with (root / "deep" / "er" / "file.txt").open("wb") as file:
        file.truncate(8 << 30)


def gone(root: Path) -> None:
    (root / "deep" / "er" / "file.txt").unlink()


HARMLESS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a link to a file outside": (link_the_file, "symbolic link"),
    "a link on the way": (link_a_folder, "symbolic link"),
    "a link that stays inside": (link_inside, "symbolic link"),
    "a FIFO": (fifo, "not a regular file"),
    "a socket": (listening, "not a regular file"),
    "a folder": (folder, "folder"),
    "eight gigabytes": (huge, "larger than 64 MiB"),
    "nothing": (gone, "there is no such file"),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_is_no_plain_file_does_no_harm_and_is_named(what: str, root: Path, roots: Roots) -> None:
    spoil, says = HARMLESS[what]
    spoil(root)
    began = time.monotonic()
    found = roots.read(uri(root / "deep" / "er" / "file.txt"))
    assert isinstance(found, Unread)
    assert says in found.why
    assert not found.outside
    assert time.monotonic() - began < 60


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device to read from")
@pytest.mark.parametrize("name", ["zero", "tty", "stdin", "fd/0", "ptmx", "null"])
def test_devices_are_not_opened(name: str) -> None:
    with Roots([Path("/dev")]) as devices:
        found = devices.read(f"file:///dev/{name}")
    assert isinstance(found, Unread)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no such file system")
@pytest.mark.parametrize("name", ["kmsg", "self/status", "self/mem", "kcore", "self/pagemap"])
def test_files_without_a_size_are_not_trusted_to_end(name: str) -> None:
    with Roots([Path("/proc")]) as made:
        found = made.read(f"file:///proc/{name}")
    assert isinstance(found, Unread)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_said(root: Path, roots: Roots) -> None:
    (root / "deep" / "er" / "file.txt").chmod(0)
    assert roots.read(uri(root / "deep" / "er" / "file.txt")) == Unread("you may not read it")


def test_a_file_is_read_once_and_stays_as_it_was(root: Path, roots: Roots) -> None:
    file = root / "deep" / "er" / "file.txt"
    first = roots.read(uri(file))
    file.write_bytes(b"other")
    assert roots.read(f"file://localhost{file}") is first


def test_what_is_kept_and_what_is_read_at_all_is_bounded(root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REREAD_KEPT_BYTES", 1000)
    monkeypatch.setattr(limits, "REREAD_TOTAL_BYTES", 5000)
    for number in range(12):
        (root / f"{number}").write_bytes(bytes([number]) * 400)
        found = roots.read(uri(root / f"{number}"))
        assert roots._kept_bytes <= 1000
        assert isinstance(found, Read)
    assert roots.read_bytes == 4800
    (root / "more").write_bytes(b"x" * 400)
    assert roots.read(uri(root / "more")) == Unread("the limit for one run is reached")
    assert roots.read(uri(root / "11")) == Read(root, bytes([11]) * 400), "what is kept can still be had"


def test_a_file_that_changes_while_it_is_read_is_not_taken(root: Path) -> None:
    """A writer goes over the file without a pause, its size always the same."""
    file = root / "restless"
    file.write_bytes(b"x" * 8_000_000)
    stop = threading.Event()

    def write() -> None:
        fd = os.open(file, os.O_WRONLY)
        while not stop.is_set():
            for letter in (b"y", b"x"):
                os.pwrite(fd, letter * 4_000_000, 2_000_000)
        os.close(fd)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        deadline = time.monotonic() + 60
        found: Read | Unread | None = None
        while not isinstance(found, Unread) and time.monotonic() < deadline:
            with Roots([root]) as opened:
                found = opened.read(uri(file))
    finally:
        stop.set()
        writer.join()
    assert found == Unread("it changed while it was read")


def test_a_race_of_links_and_fifos_never_leads_out(root: Path) -> None:
    """Another process swaps file and folder for links out and for a FIFO as fast as it can."""
    file, here = root / "deep" / "er" / "file.txt", root / "deep" / "er"
    stop = threading.Event()

    def swap() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            beside = root / f"n{number}"
            if number % 4 == 0:
                beside.symlink_to(root.parent / "secret.txt")
            elif number % 4 == 1:
                os.mkfifo(beside)
            else:
                beside.write_bytes(b"inside")
            with contextlib.suppress(OSError):
                beside.replace(file)
            if number % 7 == 0:
                with contextlib.suppress(OSError):
                    here.rename(root / "deep" / "away")
                    here.symlink_to(root.parent / "rootless")
                    here.unlink()
                    (root / "deep" / "away").rename(here)

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen: set[bytes | str] = set()
    try:
        began = time.monotonic()
        while (past := time.monotonic() - began) < 1 or (past < 60 and not (b"inside" in seen and len(seen) > 2)):
            with Roots([root]) as opened:
                found = opened.read(uri(file))
            seen.add(found.data if isinstance(found, Read) else found.why)
    finally:
        stop.set()
        swapper.join()
    assert SECRET not in seen
    assert b"inside" in seen
    assert len(seen) > 2, seen


# -- the folders


def test_a_folder_that_is_a_link_is_the_persons_own(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    with Roots([tmp_path / "link"]) as opened:
        for name in (tmp_path / "link", root):
            assert isinstance(opened.read(uri(name / "deep" / "er" / "file.txt")), Read)


def test_a_folder_named_from_here(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root / "deep")
    with Roots([Path(), Path("../../rootless")]) as opened:
        assert opened.read(uri(root / "deep" / "er" / "file.txt")) == Read(root / "deep", b"inside")
        assert isinstance(opened.read(uri(root.parent / "rootless" / "secret.txt")), Read)
        assert isinstance(opened.read(uri(root.parent / "secret.txt")), Unread)


def test_the_nearest_folder_counts(root: Path) -> None:
    with Roots([root, root / "deep"]) as opened:
        assert opened.read(uri(root / "deep" / "er" / "file.txt")) == Read(root / "deep", b"inside")


@pytest.mark.parametrize("name", ["nowhere", "secret.txt", "a\0b"])
def test_a_folder_that_is_none_is_told(name: str, root: Path) -> None:
    before = descriptors()
    with pytest.raises(InputError, match="cannot be opened") as caught:
        Roots([root, root.parent / name])
    assert caught.value.code == "unreadable"
    assert descriptors() == before


def test_nothing_stays_open(root: Path) -> None:
    before = descriptors()
    with Roots([root]) as opened:
        for way in ("deep/er/file.txt", "deep/er", "nowhere/file", "deep/er/file.txt/more"):
            opened.read(uri(root / way))
    assert descriptors() == before


@pytest.mark.parametrize(
    ("below", "why"),
    [
        ("", "it is a folder"),
        ("/deep/er", "it is a folder"),
        ("/deep/er/file.txt/more", "a part of its path is a symbolic link or not a folder"),
        ("/" + "x" * 300, "it cannot be read: file name too long"),
    ],
)
def test_what_leads_to_no_file_says_why(below: str, why: str, root: Path, roots: Roots) -> None:
    assert roots.read(uri(f"{root}{below}")) == Unread(why)


@pytest.mark.parametrize(("size", "read"), [(100, True), (101, False)])
def test_a_file_that_has_grown_since_it_was_looked_at_is_not_read_on(
    size: int, read: bool, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "REREAD_BYTES", 100)
    (root / "grown").write_bytes(b"x" * size)
    fd = os.open(root / "grown", os.O_RDONLY)
    try:
        assert module._whole(fd) == (b"x" * size if read else None)
    finally:
        os.close(fd)


def test_a_file_of_the_largest_size_is_read(root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REREAD_BYTES", 100)
    for size in (100, 101):
        (root / f"{size}").write_bytes(b"x" * size)
    assert isinstance(roots.read(uri(root / "100")), Read)
    assert isinstance(roots.read(uri(root / "101")), Unread)


def test_what_a_run_may_read_is_spent_to_the_last_byte(root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REREAD_TOTAL_BYTES", 10)
    assert [roots.spend(size) for size in (4, 7, 6, 1)] == [True, False, True, False]


def test_where_nothing_can_be_read_safely_nothing_is(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AVAILABLE", False)
    before = descriptors()
    with Roots([root]) as opened:
        found = opened.read(uri(root / "deep" / "er" / "file.txt"))
    assert found == Unread("this system has no way to read beneath a folder safely")
    assert descriptors() == before


def test_the_file_that_was_read_last_is_kept_however_large(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "REREAD_KEPT_BYTES", 10)
    (root / "large").write_bytes(b"x" * 100)
    first = roots.read(uri(root / "large"))
    assert roots.read(uri(root / "large")) is first


@pytest.mark.parametrize("opened", ["fifo", "folder"])
def test_what_was_opened_is_looked_at_again(opened: str, root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something else comes at the last moment, as one who may write to the folder would try."""
    file = root / "deep" / "er" / "file.txt"
    really = os.open

    def swapping(path: bytes, flags: int, *, dir_fd: int | None = None) -> int:
        if path == b"file.txt":
            file.unlink()
            os.mkfifo(file) if opened == "fifo" else file.mkdir()
        return really(path, flags, dir_fd=dir_fd)

    before = descriptors()
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", swapping)
        found = roots.read(uri(file))
    assert found == Unread("it is not a regular file" if opened == "fifo" else "it is a folder")
    assert descriptors() == before


def test_what_may_not_be_read_is_said_to_anybody(root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refusing)
    assert roots.read(uri(root / "deep" / "er" / "file.txt")) == Unread("you may not read it")
