"""Where providers are configured: which files are read, which are refused by name, and what it takes to trust one."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.errors import Error, InputError, OurError, RefusedError
from cgp_tui.store import locks, paths, registry
from cgp_tui.store.files import UnsafeStoreError
from cgp_tui.store.providers import ProviderSpec, added, removed

DOCS = b'[providers.docs]\ncommand = ["docs"]\n'
WEB = b'[providers.web]\nurl = "https://cgp.example"\n'


class Places:
    """A home and a project's folder, which we are in."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(folder))
        monkeypatch.setenv("CGP_TUI_CONFIG", str(folder / "config" / "cgp-tui"))
        monkeypatch.setenv("CGP_TUI_STATE", str(folder / "state"))
        self.user = folder / "config" / "cgp-tui" / "cgp-tui.toml"
        self.project = folder / "work" / "cgp-tui.toml"
        for path in (self.user, self.project):
            path.parent.mkdir(parents=True)
        monkeypatch.chdir(self.project.parent)

    def of(self, kind: str) -> Path:
        return self.user if kind == "user" else self.project


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    return Places(tmp_path, monkeypatch)


def code(id: str) -> tuple[str, str]:
    with pytest.raises(Error) as caught:
        registry.entry(id)
    assert caught.value.fix
    return caught.value.code, caught.value.message


def test_nothing_is_configured(places: Places) -> None:
    assert [(file.kind, file.path, file.there, file.problem) for file in registry.every()] == [
        ("user", places.user, False, None),
        ("project", places.project, False, None),
    ]
    assert code("docs") == ("usage", "No providers file has an entry 'docs', and no command is given.")


def test_the_persons_own_file_is_trusted_by_being_theirs(places: Places) -> None:
    places.user.write_bytes(DOCS)
    found = registry.entry("docs")
    assert found.spec == ProviderSpec("docs", ("docs",))
    assert found.folder == places.user.parent
    assert found.file.trusted and found.file.sha256 == hashlib.sha256(DOCS).hexdigest()


@pytest.mark.parametrize(("cwd", "folder"), [("", "."), ("sub", "sub"), ("/abs", "/abs"), ("~/own", "~/own")])
def test_the_folder_counts_from_the_file(places: Places, cwd: str, folder: str) -> None:
    places.user.write_bytes(added(b"", ProviderSpec("docs", ("docs",), cwd=cwd)))
    assert registry.entry("docs").folder == places.user.parent / Path(folder).expanduser()
    places.user.write_bytes(added(b"", ProviderSpec("docs", ("docs",), roots=("src", cwd or "~nobody-of-this-name"))))
    assert registry.entry("docs").roots == (
        places.user.parent / "src",
        places.user.parent / (Path(folder).expanduser() if cwd else "~nobody-of-this-name"),
    )


def test_a_projects_file_is_data_until_it_is_trusted_as_it_is(places: Places) -> None:
    places.project.write_bytes(DOCS)
    assert code("docs")[0] == "project_untrusted"
    registry.trust(registry.read("project"))
    assert registry.entry("docs").file.trusted
    places.project.write_bytes(DOCS + b"\n")
    assert code("docs")[0] == "project_untrusted"
    places.project.write_bytes(DOCS)
    assert registry.entry("docs").spec.id == "docs"


def test_what_was_read_is_what_is_trusted(places: Places) -> None:
    places.project.write_bytes(DOCS)
    seen = registry.read("project")
    places.project.write_bytes(DOCS.replace(b'"docs"', b'"evil"'))
    registry.trust(seen)
    assert code("docs")[0] == "project_untrusted"


def test_a_copy_in_another_folder_asks_again(places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places.project.write_bytes(DOCS)
    registry.trust(registry.read("project"))
    other = tmp_path / "other"
    other.mkdir()
    (other / "cgp-tui.toml").write_bytes(DOCS)
    monkeypatch.chdir(other)
    assert code("docs")[0] == "project_untrusted"


def test_each_folder_is_trusted_by_itself(places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places.project.write_bytes(DOCS)
    registry.trust(registry.read("project"))
    (first,) = paths.trusted_dir().iterdir()
    other = tmp_path / "other"
    other.mkdir()
    (other / "cgp-tui.toml").write_bytes(DOCS)
    monkeypatch.chdir(other)
    registry.trust(registry.read("project"))
    (second,) = (path for path in paths.trusted_dir().iterdir() if path != first)
    assert registry.entry("docs").file.trusted
    monkeypatch.chdir(places.project.parent)
    assert registry.entry("docs").file.trusted
    second.replace(first)
    assert code("docs")[0] == "project_untrusted", "a mark speaks of one path"


def test_folders_above_are_never_looked_at(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    places.project.write_bytes(DOCS)
    registry.trust(registry.read("project"))
    below = places.project.parent / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert code("docs")[0] == "usage"


@pytest.mark.parametrize("mark", [b"", b"{", b'{"format":"cgp-trusted/2","path":"p","sha256":"s","at":"t"}', b"[]"])
def test_a_mark_that_cannot_be_read_trusts_nothing(places: Places, mark: bytes) -> None:
    places.project.write_bytes(DOCS)
    registry.trust(registry.read("project"))
    (place,) = (path for path in paths.trusted_dir().iterdir() if path.suffix != ".lock")
    place.write_bytes(mark)
    assert code("docs")[0] == "project_untrusted"


def test_a_mark_that_others_may_write_is_refused(places: Places) -> None:
    places.project.write_bytes(DOCS)
    registry.trust(registry.read("project"))
    (place,) = paths.trusted_dir().iterdir()
    place.chmod(0o666)
    assert code("docs")[0] == "store_unsafe"


def test_an_id_in_both_files_means_the_persons_own(places: Places) -> None:
    places.user.write_bytes(DOCS)
    places.project.write_bytes(DOCS.replace(b'"docs"', b'"evil"') + WEB)
    assert registry.entry("docs").spec.command == ("docs",)
    listed = registry.entries(registry.every())
    assert [(entry.spec.id, entry.file.kind, entry.shadowed) for entry in listed] == [
        ("docs", "user", False),
        ("docs", "project", True),
        ("web", "project", False),
    ]


def test_a_faulty_entry_of_ones_own_is_not_replaced_by_a_projects(places: Places) -> None:
    places.user.write_bytes(b"[providers.docs]\ncommand = 3\n" + WEB)
    places.project.write_bytes(DOCS)
    registry.trust(registry.read("project"))
    kind, message = code("docs")
    assert kind == "usage" and "(command)" in message and str(places.user) in message
    assert [entry.shadowed for entry in registry.entries(registry.every())] == [False, True]


def test_an_entry_with_a_key_that_nobody_knows_works_and_hides_a_projects(places: Places) -> None:
    places.user.write_bytes(DOCS + b"colour = 1\n")
    assert [fault.harmless for fault in registry.read("user").faults] == [True]
    assert registry.entry("docs").spec == ProviderSpec("docs", ("docs",))
    places.project.write_bytes(DOCS)
    assert [one.shadowed for one in registry.entries(registry.every())] == [False, True]


def test_names_that_are_near_and_urls(places: Places) -> None:
    places.user.write_bytes(DOCS + WEB)
    with pytest.raises(InputError) as caught:
        registry.entry("dosc")
    assert caught.value.fix == "Did you mean docs?"
    with pytest.raises(InputError, match="is a URL"):
        registry.entry("web")


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    path.with_name("real").write_bytes(DOCS)
    path.symlink_to("real")


def hard(path: Path) -> None:
    path.write_bytes(DOCS)
    path.with_name("second").hardlink_to(path)


def shared(path: Path) -> None:
    path.write_bytes(DOCS)
    path.chmod(0o664)


def foreign(path: Path) -> None:
    path.write_bytes(DOCS)
    if os.geteuid():
        pytest.skip("only root can give a file away")
    os.chown(path, 65534, -1)


def open_folder(path: Path) -> None:
    path.write_bytes(DOCS)
    path.parent.chmod(0o777)


def huge(path: Path) -> None:
    path.write_bytes(DOCS + b"#" * limits.PROVIDERS_BYTES)


def hidden(path: Path) -> None:
    if not os.geteuid():
        pytest.skip("root reads everything")
    path.write_bytes(DOCS)
    path.chmod(0)


ODD = [
    (fifo, "store_unsafe", "not a regular file"),
    (Path.mkdir, "store_unsafe", "not a regular file"),
    (link, "store_unsafe", "a symbolic link"),
    (hard, "store_unsafe", "hard links"),
    (shared, "store_unsafe", "has mode 0664"),
    (foreign, "store_unsafe", "belongs to another user"),
    (open_folder, "store_unsafe", "Others may write to the folder"),
    (huge, "unreadable", "larger than 256 KiB"),
    (hidden, "unreadable", "cannot be read"),
    (lambda path: path.write_bytes(b"[providers"), "unreadable", "it is not valid TOML"),
    (lambda path: path.write_bytes(b"\xff\xfe"), "unreadable", "it is not UTF-8"),
]


@pytest.mark.parametrize("kind", ["user", "project"])
@pytest.mark.parametrize(("make", "kind_of_problem", "said"), ODD)
def test_a_file_that_cannot_be_used_is_named(
    places: Places, kind: registry.Kind, make: object, kind_of_problem: str, said: str
) -> None:
    path = places.of(kind)
    make(path)  # type: ignore[operator]
    file = registry.read(kind)
    assert file.there and file.problem is not None and not file.specs
    assert file.problem.code == kind_of_problem
    assert said in file.problem.message and str(path.parent) in file.problem.message
    assert code("docs")[0] == kind_of_problem
    with pytest.raises(Error):
        registry.trust(file)
    with pytest.raises(Error):
        registry.edit(kind, lambda data: added(data, ProviderSpec("new", ("x",))))


def test_the_other_file_works_where_one_cannot_be_used(places: Places) -> None:
    places.user.write_bytes(DOCS)
    fifo(places.project)
    assert registry.entry("docs").spec.id == "docs"


def test_a_folder_that_is_gone(places: Places) -> None:
    places.user.write_bytes(DOCS)
    places.project.parent.rmdir()
    assert [file.kind for file in registry.every()] == ["user"]
    with pytest.raises(InputError, match="no longer exists"):
        registry.read("project")


def test_in_the_configuration_folder_there_is_one_file(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    places.user.write_bytes(DOCS)
    monkeypatch.chdir(places.user.parent)
    assert [file.kind for file in registry.every()] == ["user"]


# -- editing


def test_an_edit_makes_the_folder_and_keeps_the_mode(places: Places) -> None:
    places.user.parent.rmdir()
    assert registry.edit("user", lambda data: data + DOCS) == places.user
    assert places.user.read_bytes() == DOCS
    assert places.user.stat().st_mode & 0o777 == 0o600
    places.user.chmod(0o644)
    registry.edit("user", lambda data: data + WEB)
    assert places.user.read_bytes() == DOCS + WEB
    assert places.user.stat().st_mode & 0o777 == 0o644
    assert list(places.user.parent.iterdir()) == [places.user]


def test_an_edit_in_an_editor_meanwhile_is_not_lost(places: Places) -> None:
    places.user.write_bytes(DOCS)

    def change(data: bytes) -> bytes:
        places.user.write_bytes(WEB)
        return data + b"# ours\n"

    with pytest.raises(OurError, match="changed by somebody else"):
        registry.edit("user", change)
    assert places.user.read_bytes() == WEB


def test_an_edit_that_cannot_be_written_is_named_and_changes_nothing(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    places.user.write_bytes(DOCS)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cgp_tui.store.files.sync", full)
    with pytest.raises(OurError) as caught:
        registry.edit("user", lambda data: data + WEB)
    assert caught.value.code == "not_saved" and "No space left" in caught.value.message
    assert places.user.read_bytes() == DOCS
    assert list(places.user.parent.iterdir()) == [places.user]
    with pytest.raises(OurError, match="No space left"):
        registry.trust(registry.read("user"))


def test_edits_of_many_at_once_are_all_there(places: Places) -> None:
    ids = [f"p{number}" for number in range(8)]

    def add(id: str) -> None:
        registry.edit("user", lambda data: added(data, ProviderSpec(id, ("x",))))

    threads = [threading.Thread(target=add, args=(id,)) for id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(spec.id for spec in registry.read("user").specs) == ids
    registry.edit("user", lambda data: removed(data, "p3"))
    assert len(registry.read("user").specs) == 7


def test_errors_are_of_the_kind_that_the_exit_code_is_made_from(places: Places) -> None:
    places.project.write_bytes(DOCS)
    with pytest.raises(RefusedError):
        registry.entry("docs")
    places.project.unlink()
    link(places.project)
    with pytest.raises(UnsafeStoreError):
        registry.entry("docs")


def test_a_file_whose_folder_is_none_is_named(places: Places) -> None:
    places.user.parent.rmdir()
    places.user.parent.write_text("no folder")
    with pytest.raises(InputError, match="Not a directory") as caught:
        registry._bytes(places.user)
    assert caught.value.code == "unreadable"


@pytest.mark.parametrize(("size", "read"), [(limits.PROVIDERS_BYTES, True), (limits.PROVIDERS_BYTES + 1, False)])
def test_a_file_of_the_largest_size_is_read(size: int, read: bool, places: Places) -> None:
    places.user.write_bytes(b"#" * size)
    places.user.chmod(0o600)
    if read:
        assert registry._bytes(places.user) == b"#" * size
        return
    with pytest.raises(InputError, match="no list of providers"):
        registry._bytes(places.user)


def test_where_no_lock_can_be_made_nothing_is_edited(places: Places, tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(b"")
    for kind in ("user", "project"):
        with pytest.raises(OurError) as caught:
            registry.edit(kind, lambda data: added(data, ProviderSpec("docs", ("docs",))))
        assert (caught.value.code, "cannot be written" in caught.value.message) == ("not_saved", True)
        assert not places.of(kind).exists()


def test_a_file_that_its_folder_hides_is_not_edited_and_that_is_said(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no folder").write_bytes(b"")
    monkeypatch.setenv(paths.CONFIG_VARIABLE, str(tmp_path / "no folder"))
    with pytest.raises(InputError) as caught:
        registry.edit("user", lambda data: added(data, ProviderSpec("docs", ("docs",))))
    assert (caught.value.code, caught.value.fix) == ("unreadable", "Fix its mode or its folder.")


def test_where_a_system_has_no_locks_an_edit_goes_on_without(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "AVAILABLE", False)
    monkeypatch.setattr(locks, "fcntl", None)
    assert registry.edit("user", lambda data: added(data, ProviderSpec("docs", ("docs",)))) == places.user
    assert registry.entry("docs").spec == ProviderSpec("docs", ("docs",))
    with pytest.raises(OurError, match="changed by somebody else"):
        registry.edit("user", lambda data: (places.user.write_bytes(WEB), data)[1])
    assert places.user.read_bytes() == WEB
