"""A file of ours is used only when it is ours alone; what is written whole is there whole or not at all."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from cgp_tui.store import files
from cgp_tui.store.files import UnsafeStoreError


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    folder = tmp_path / "our folder"
    folder.mkdir(mode=0o700)
    path = folder / "file"
    path.write_bytes(b"content")
    path.chmod(0o600)
    return path


def test_a_safe_file_opens(ours: Path) -> None:
    fd = files.open_safely(ours, os.O_RDONLY)
    assert files.read_whole(fd) == b"content"
    assert not os.get_inheritable(fd)
    os.close(fd)
    ours.chmod(0o644)
    os.close(files.open_safely(ours, os.O_RDONLY))


def linked(path: Path) -> None:
    real = path.with_name("real")
    path.rename(real)
    path.symlink_to(real)


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


UNSAFE: list[tuple[Callable[[Path], object], str, str]] = [
    (linked, "symbolic link", "mv "),
    (fifo, "regular file", "mv "),
    (folder, "regular file", "mv "),
    (lambda path: os.link(path, path.with_name("other")), "2 hard links", "cp -p "),
    (lambda path: path.chmod(0o666), "0666", "chmod 600 "),
    (lambda path: path.chmod(0o620), "0620", "chmod 600 "),
    (lambda path: path.parent.chmod(0o777), "0777", "chmod go-w "),
    (lambda path: path.parent.chmod(0o770), "0770", "chmod go-w "),
]


@pytest.mark.parametrize(("spoil", "says", "fix"), UNSAFE)
def test_an_unsafe_file_is_refused_with_the_command_and_left_as_it_is(
    spoil: Callable[[Path], object], says: str, fix: str, ours: Path
) -> None:
    spoil(ours)
    before = os.lstat(ours).st_mode, ours.parent.stat().st_mode
    with pytest.raises(UnsafeStoreError) as caught:
        files.open_safely(ours, os.O_RDONLY)
    assert caught.value.code == "store_unsafe"
    assert says in caught.value.message
    assert fix in caught.value.fix
    assert (os.lstat(ours).st_mode, ours.parent.stat().st_mode) == before


@pytest.mark.parametrize(("spoil", "says", "fix"), UNSAFE[3:])
def test_the_command_mends_it(spoil: Callable[[Path], object], says: str, fix: str, ours: Path) -> None:
    spoil(ours)
    with pytest.raises(UnsafeStoreError) as caught:
        files.open_safely(ours, os.O_RDONLY)
    command = caught.value.fix[caught.value.fix.index(fix) :]
    subprocess.run(["sh", "-c", command], check=True)
    fd = files.open_safely(ours, os.O_RDONLY)
    assert files.read_whole(fd) == b"content"
    os.close(fd)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_another_owner_is_refused(ours: Path) -> None:
    os.chown(ours, 12345, -1)
    with pytest.raises(UnsafeStoreError, match="another user"):
        files.open_safely(ours, os.O_RDONLY)
    os.chown(ours, 0, -1)
    os.chown(ours.parent, 12345, -1)
    with pytest.raises(UnsafeStoreError, match="folder"):
        files.open_safely(ours, os.O_RDONLY)


def test_a_sticky_folder_keeps_our_files_ours(ours: Path) -> None:
    ours.parent.chmod(0o1777)
    fd = files.open_safely(ours, os.O_RDONLY)
    assert files.read_whole(fd) == ours.read_bytes()
    os.close(fd)


def test_marks_follow_every_change(ours: Path) -> None:
    seen = {files.mark(ours)}
    ours.write_bytes(b"CONTENT")
    seen.add(files.mark(ours))
    ours.chmod(0o640)
    seen.add(files.mark(ours))
    other = ours.with_name("other")
    other.write_bytes(b"CONTENT")
    other.replace(ours)
    seen.add(files.mark(ours))
    ours.unlink()
    assert files.mark(ours) == files.ABSENT
    assert len(seen) == 4


def test_a_file_has_its_mark_until_it_is_changed_or_gone(ours: Path) -> None:
    mark = files.mark(ours)
    assert files.is_marked(ours, mark)
    for name in mark.__struct_fields__:
        assert not files.is_marked(ours, msgspec.structs.replace(mark, **{name: getattr(mark, name) + 1})), name
    assert not files.is_marked(ours, files.ABSENT)
    ours.unlink()
    assert files.is_marked(ours, files.ABSENT)
    assert not files.is_marked(ours, mark)
    with pytest.raises(NotADirectoryError):
        files.is_marked(Path(__file__) / "beneath", mark)


def test_folders_of_ours_are_private(tmp_path: Path) -> None:
    files.make_folder(tmp_path / "a" / "b")
    for folder in (tmp_path / "a", tmp_path / "a" / "b"):
        assert folder.stat().st_mode & 0o777 == 0o700
    (tmp_path / "a").chmod(0o755)
    files.make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755, "an existing folder is left as it is"


def test_a_whole_file_replaces_another_and_leaves_nothing_beside_it(ours: Path) -> None:
    files.write_whole(ours, b"new")
    assert ours.read_bytes() == b"new"
    assert ours.stat().st_mode & 0o777 == 0o600
    assert list(ours.parent.iterdir()) == [ours]


def test_a_new_name_is_on_the_disk_before_it_is_relied_on(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First what the file holds, then, once it stands in its place, the name in its folder."""
    synced: list[tuple[int, bytes]] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append((os.fstat(fd).st_ino, ours.read_bytes())))
    files.write_whole(ours, b"new")
    assert synced == [(ours.stat().st_ino, b"content"), (ours.parent.stat().st_ino, b"new")]
    files.make_folder(ours.parent / "a")
    assert [inode for inode, _ in synced[2:]] == [ours.parent.stat().st_ino]


def limited(size: int) -> None:
    """In a child: files may grow to `size` bytes; beyond that a write is cut short, then fails."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_full_disk_leaves_the_old_file(ours: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from cgp_tui.store import files\n"
        "try: files.write_whole(Path(sys.argv[1]), b'x' * 5000)\n"
        "except OSError as error: print('failed', error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-B", "-c", code, str(ours)],
        preexec_fn=lambda: limited(4096),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.startswith("failed"), ran.stderr
    assert ours.read_bytes() == b"content"
    assert list(ours.parent.iterdir()) == [ours]


def test_a_short_write_is_an_error(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with pytest.raises(OSError, match="of 1048576 bytes"):
        files.write_at_once(writer, b"x" * (1 << 20))
    os.close(reader)
    os.close(writer)


def test_a_recording_is_new_private_and_locked(tmp_path: Path) -> None:
    path = tmp_path / "transcripts" / "one.ndjson"
    fd = files.create_private(path)
    os.write(fd, b"line\n")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    locked = subprocess.run(
        [sys.executable, "-c", "import fcntl,sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_SH|fcntl.LOCK_NB)", str(path)],
        capture_output=True,
        check=False,
    )
    assert locked.returncode != 0
    with pytest.raises(FileExistsError):
        files.create_private(path)
    os.close(fd)
    link = path.with_name("link.ndjson")
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        files.create_private(link)
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_swapped_while_it_is_opened_is_noticed(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other file comes at the last moment, as an attacker with the folder would try: what was opened is looked at."""
    other = ours.with_name("other")
    other.write_bytes(b"theirs")
    other.chmod(0o666)
    really = os.open

    def swapping(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if Path(path) == ours:
            other.replace(ours)
        return really(path, flags, mode)

    monkeypatch.setattr(os, "open", swapping)
    with pytest.raises(UnsafeStoreError, match="0666"):
        files.open_safely(ours, os.O_RDONLY)


def test_a_whole_file_has_the_mode_it_is_given_whatever_the_umask(ours: Path) -> None:
    before = os.umask(0o077)
    try:
        files.write_whole(ours, b"new", 0o664)
    finally:
        os.umask(before)
    assert ours.stat().st_mode & 0o777 == 0o664


def test_what_was_not_written_whole_leaves_nothing(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise OSError(5, "Input/output error")

    open_before = len(list(Path("/dev/fd").iterdir()))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(OSError, match="Input/output"):
            files.write_whole(ours, b"new")
    assert ours.read_bytes() == b"content"
    assert list(ours.parent.iterdir()) == [ours]
    assert len(list(Path("/dev/fd").iterdir())) == open_before


def test_the_first_bytes_alone_are_read_where_so_many_are_asked_for(ours: Path) -> None:
    ours.write_bytes(b"x" * ((1 << 22) + 10))
    fd = os.open(ours, os.O_RDONLY)
    try:
        for most in (0, 3, 1 << 22, (1 << 22) + 1):
            assert len(files.read_whole(fd, most)) == most
        assert len(files.read_whole(fd)) == (1 << 22) + 10
    finally:
        os.close(fd)


def test_a_file_that_was_asked_for_is_never_over_another_nor_through_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine"
    files.write_new(path, b"one")
    assert path.read_bytes() == b"one"
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for there in (path, tmp_path / "link"):
        with pytest.raises(FileExistsError):
            files.write_new(there, b"two")
    assert path.read_bytes() == b"one"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_file_that_was_asked_for_and_cannot_be_written_is_not_left_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *_: (real(path, os.O_CREAT), real("/dev/full", os.O_WRONLY))[1])
    with pytest.raises(OSError, match="No space left"):
        files.write_new(tmp_path / "mine", b"one")
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_what_a_file_holds_is_kept_where_that_can_be_done(ours: Path) -> None:
    kept = ours.with_name("kept")
    files.copy_if_possible(ours, kept)
    assert (kept.read_bytes(), kept.stat().st_mode & 0o777) == (b"content", 0o600)
    ours.chmod(0o666)
    files.copy_if_possible(ours, ours.with_name("other"))
    files.copy_if_possible(ours.with_name("nowhere"), ours.with_name("other"))
    files.copy_if_possible(kept, ours / "no folder")
    assert sorted(path.name for path in ours.parent.iterdir()) == ["file", "kept"]


def test_a_file_without_a_name_is_in_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    fd = files.create_nameless()
    try:
        status = os.fstat(fd)
        assert (status.st_nlink, status.st_mode & 0o777, list(tmp_path.iterdir())) == (0, 0o600, [])
        os.write(fd, b"passing")
        assert Path(f"/dev/fd/{fd}").read_bytes() in (b"passing", b""), (
            "where the system shares the offset it stands at the end"
        )
        assert os.pread(fd, 99, 0) == b"passing"
        assert not os.get_inheritable(fd)
    finally:
        os.close(fd)


def test_a_file_that_cannot_be_looked_at_counts_as_absent(ours: Path) -> None:
    assert files.mark_or_absent(ours) == files.mark(ours)
    assert files.mark_or_absent(ours.with_name("nowhere")) == files.ABSENT
    assert files.mark_or_absent(ours / "beneath") == files.ABSENT
    with pytest.raises(NotADirectoryError):
        files.mark(ours / "beneath")


def test_the_mark_of_an_open_file_is_that_of_what_was_opened(ours: Path) -> None:
    fd, mark = files.open_marked(ours, os.O_RDONLY)
    try:
        assert mark == files.mark(ours)
    finally:
        os.close(fd)


def test_an_open_file_stands_while_it_is_still_safely_ours(ours: Path) -> None:
    fd = files.open_safely(ours, os.O_RDONLY)
    try:
        files.must_stand(fd, ours)
        other = ours.with_name("other")
        os.link(ours, other)
        with pytest.raises(UnsafeStoreError, match="2 hard links"):
            files.must_stand(fd, ours)
        other.unlink()
        files.must_stand(fd, ours)
        ours.unlink()
        with pytest.raises(FileNotFoundError, match="No such file") as caught:
            files.must_stand(fd, ours)
        assert caught.value.filename == str(ours)
    finally:
        os.close(fd)


def test_where_files_have_neither_owners_nor_modes_links_are_refused_all_the_same(
    ours: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows: nothing can be told from the mode, and opening does not refuse a link by itself."""
    monkeypatch.setattr(files, "_POSIX", False)
    monkeypatch.setattr(files, "_LINKS_REFUSED", False)
    monkeypatch.setattr(files, "_NO_FOLLOW", 0)
    monkeypatch.delattr(os, "pread")
    ours.chmod(0o666)
    ours.parent.chmod(0o777)
    fd = files.open_safely(ours, os.O_RDONLY)
    assert files.read_whole(fd) == b"content"
    assert files.read_whole(fd, 3) == b"con"
    os.close(fd)
    files.write_whole(ours, b"new")
    assert ours.read_bytes() == b"new"
    linked(ours)
    with pytest.raises(UnsafeStoreError, match="symbolic link"):
        files.open_safely(ours, os.O_RDONLY)


def test_where_the_system_has_a_stronger_flush_that_one_is_asked_for(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    asked: list[str] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(os, "fsync", lambda _: asked.append("fsync"))
    monkeypatch.setattr(fcntl, "fcntl", lambda _, what: asked.append(str(what)))
    files.sync(7)
    assert asked == ["51"]

    def refusing(*_: object) -> None:
        raise OSError(45, "Operation not supported")

    monkeypatch.setattr(fcntl, "fcntl", refusing)
    files.sync(7)
    assert asked == ["51", "fsync"], "a disk that does not know it gets the other"


def test_a_recording_is_made_where_there_are_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    fd = files.create_private(tmp_path / "one.ndjson")
    os.write(fd, b"line\n")
    os.close(fd)
    assert (tmp_path / "one.ndjson").read_bytes() == b"line\n"


def test_a_file_belongs_to_the_mount_of_its_folder(ours: Path) -> None:
    """One that does not is changed under another name too; here that is a file of the system's, which has its own mount."""
    fd = os.open(ours, os.O_RDONLY)
    before = len(list(Path("/dev/fd").iterdir()))
    try:
        files.must_share_its_folder(fd, ours)
    finally:
        os.close(fd)
    if sys.platform == "linux":
        elsewhere = os.open("/proc/self/status", os.O_RDONLY)
        try:
            with pytest.raises(UnsafeStoreError, match="a mount of its own") as caught:
                files.must_share_its_folder(elsewhere, ours)
        finally:
            os.close(elsewhere)
        assert "umount " in caught.value.fix
    assert len(list(Path("/dev/fd").iterdir())) == before - 1


def test_where_the_system_tells_of_no_mounts_none_is_refused(ours: Path) -> None:
    assert files._mount(-1) == b""
