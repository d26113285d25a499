"""Whom the person trusts: one spelling, a hash over all of it, and no key is trusted where it does not hold."""

from __future__ import annotations

import os
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cgp_tui import limits
from cgp_tui.errors import Error, InputError, OurError, RefusedError
from cgp_tui.protocol import ed25519
from cgp_tui.store import files, trust
from cgp_tui.store.trust import TrustEntry, TrustStore, agrees, encode, fingerprint

AT = "2026-11-29T12:00:00Z"
ADA, BOB = ed25519.public_key(b"\x2a" * 32), ed25519.public_key(b"\x2b" * 32)
STRANGE = 'a"c\\me\n\x1b]52\u202eé\U0001d11e'


def entry(public_key: bytes = ADA, label: str = "Ada", *names: str, **more: Any) -> TrustEntry:
    return TrustEntry(
        public_key, label, names or ("docs",), more.get("before"), more.get("after"), AT, more.get("how", "cli: hex")
    )


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "config" / "trust.toml")


def nothing() -> None:
    pass


def add(store: TrustStore, *entries: TrustEntry) -> None:
    for one in entries:
        store.add(one, nothing)


def test_without_a_file_nobody_is_trusted_and_nothing_is_wrong(store: TrustStore) -> None:
    trusted = store.read()
    assert (trusted.state, trusted.keys, trusted.problem()) == ("absent", (), None)
    assert not store.path.parent.exists(), "reading makes nothing"


def test_what_is_added_is_read_back_by_us_and_by_any_toml_reader(store: TrustStore) -> None:
    first = entry(ADA, STRANGE, "docs", STRANGE, before="2026-01-01T00:00:00Z", after="2027-01-01T00:00:00Z", how=STRANGE)
    add(store, first, entry(BOB, "Bob"))
    trusted = store.read()
    assert trusted.state == "ok"
    assert trusted.entries == (first, entry(BOB, "Bob"))
    assert trusted.keys[0].public_key == ADA
    assert (trusted.keys[0].not_before, trusted.keys[1].not_after) == ("2026-01-01T00:00:00Z", None)
    read = tomllib.loads(store.path.read_text("ascii"))
    assert [key["label"] for key in read["key"]] == [STRANGE, "Bob"]
    assert store.path.stat().st_mode & 0o777 == 0o600
    assert store.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_key_is_trusted_once_and_taken_out_by_its_fingerprint(store: TrustStore) -> None:
    add(store, entry(), entry(BOB, "Bob"))
    with pytest.raises(InputError, match="trusted already, as 'Ada'") as caught:
        add(store, entry(ADA, "Eve"))
    assert f"cgp-tui trust remove {fingerprint(ADA)}" in caught.value.fix
    assert store.remove(fingerprint(BOB)[:20].upper().replace("SHA256", "sha256")).label == "Bob"
    assert [one.label for one in store.read().entries] == ["Ada"]
    assert store.remove(ADA.hex()).label == "Ada"
    assert store.read().state == "ok"
    assert store.read().keys == ()


@pytest.mark.parametrize("name", ["", "abc", "sha256:", "Ada", "zz" * 32, "00" * 16])
def test_a_name_that_is_no_key_here_is_told(name: str, store: TrustStore) -> None:
    add(store, entry())
    with pytest.raises(InputError) as caught:
        store.remove(name)
    assert "cgp-tui trust list" in caught.value.fix
    assert store.read().keys


def test_a_beginning_that_fits_two_keys_names_none() -> None:
    """Two keys that share eight digits take long to find: here one key stands for both."""
    twice = (entry(), entry())
    with pytest.raises(InputError, match="2 keys"):
        trust.named(twice, fingerprint(ADA)[:15])


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"public_key": b"\x01" + b"\x00" * 31}, "small order"),
    ({"public_key": b"\xee" + b"\xff" * 30 + b"\x7f"}, "canonical"),
    ({"public_key": b"\x02" + b"\x00" * 31}, "not a point"),
    ({"public_key": b"short"}, "5 bytes"),
    ({"label": " "}, "no name"),
    ({"label": "x" * 129}, "128"),
    ({"label": "half \ud83d"}, "Unicode"),
    ({"how": "x" * 257}, "256"),
    ({"provider_names": ()}, "No provider"),
    ({"provider_names": ("",)}, "1 to 64"),
    ({"provider_names": tuple(map(str, range(65)))}, "1 to 64"),
    ({"not_before": "yesterday"}, "not a valid time"),
    ({"not_after": "2026-02-30T00:00:00Z"}, "not a valid time"),
    ({"not_after": "2026-01-01T00:00:00.5Z"}, "not a valid time"),
    ({"not_before": "2027-01-01T00:00:00Z", "not_after": "2026-01-01T00:00:00Z"}, "ends before"),
]


@pytest.mark.parametrize(("change", "says"), WRONG, ids=[says for _, says in WRONG])
def test_what_cannot_be_trusted_is_refused_before_anything_is_recorded(
    change: dict[str, Any], says: str, store: TrustStore
) -> None:
    recorded: list[None] = []
    with pytest.raises(InputError, match=says):
        store.add(msgspec.structs.replace(entry(), **change), lambda: recorded.append(None))
    assert not recorded
    assert not store.path.exists()


def test_a_key_is_not_trusted_where_it_cannot_be_put_on_record(store: TrustStore) -> None:
    add(store, entry())
    before = store.path.read_bytes()

    def refuse() -> None:
        raise RefusedError("tampered", "The ledger is tampered.", "Recover it.")

    with pytest.raises(RefusedError, match="tampered"):
        store.add(entry(BOB), refuse)
    assert store.path.read_bytes() == before


def test_a_full_store_takes_no_more(store: TrustStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TRUST_BYTES", 400)
    add(store, entry())
    with pytest.raises(InputError, match="full"):
        add(store, entry(BOB))
    assert len(store.read().entries) == 1


# -- damaged


def test_a_byte_changed_anywhere_trusts_nobody(store: TrustStore) -> None:
    add(store, entry(after="2027-01-01T00:00:00Z"), entry(BOB, "Bob"))
    whole = store.path.read_bytes()
    for place in range(len(whole)):
        for value in {whole[place] ^ 1, *((whole[place] ^ 0x80, 0x0A) if place % 7 == 0 else ())} - {whole[place]}:
            store.path.write_bytes(whole[:place] + bytes((value,)) + whole[place + 1 :])
            trusted = store.read()
            assert trusted.keys == (), (place, value)
            assert trusted.state in ("damaged", "newer_format"), (place, value)
            assert trusted.problem() is not None


def test_a_store_cut_anywhere_trusts_nobody(store: TrustStore) -> None:
    """In a looser format a cut can lose the end of a window and leave a key that is trusted for ever."""
    add(store, entry(after="2027-01-01T00:00:00Z"), entry(BOB, "Bob"))
    whole = store.path.read_bytes()
    for length in range(len(whole)):
        store.path.write_bytes(whole[:length])
        assert store.read().keys == (), length
    store.path.write_bytes(whole + b"\n")
    assert store.read().state == "damaged"


def test_an_entry_taken_out_or_put_in_by_hand_is_noticed(store: TrustStore) -> None:
    add(store, entry(), entry(BOB, "Bob"))
    text = store.path.read_text("ascii")
    first, second = text.split("\n[[key]]\n")[1:]
    for body in (text.replace("\n[[key]]\n" + first, ""), text + "\n[[key]]\n" + second, text.replace("Bob", "Eve")):
        store.path.write_text(body)
        trusted = store.read()
        assert (trusted.state, trusted.keys) == ("damaged", ())
        assert f"mv {store.path} {store.path}.damaged" in trusted.fix


def test_the_command_leads_out(store: TrustStore) -> None:
    add(store, entry())
    store.path.write_bytes(b"not a store")
    with pytest.raises(RefusedError, match="damaged, so no key is trusted") as caught:
        add(store, entry())
    assert caught.value.code == "damaged"
    subprocess.run(["sh", "-c", caught.value.fix.partition(": ")[2]], check=True)
    add(store, entry())
    assert store.read().keys
    assert store.path.with_name("trust.toml.damaged").read_bytes() == b"not a store"


def test_a_newer_format_is_named_and_never_written_over(store: TrustStore) -> None:
    add(store, entry())
    text = store.path.read_text().replace("format = 1", "format = 2")
    store.path.write_text(text)
    trusted = store.read()
    assert (trusted.state, trusted.keys) == ("newer_format", ())
    assert "upgrade" in trusted.fix
    for act in (lambda: add(store, entry(BOB)), lambda: store.remove(fingerprint(ADA))):
        with pytest.raises(RefusedError, match="newer format"):
            act()
    assert store.path.read_text() == text


def test_a_key_unknown_here_under_a_hash_that_holds_is_of_a_newer_program(store: TrustStore) -> None:
    add(store, entry())
    body = encode((entry(),)).decode().split("\n", 3)[3].replace('how = "', 'weight = "3"\nhow = "')
    store.path.write_text(f'{trust._TITLE}format = 1\nhash = "{trust._hash(body)}"\n{body}')
    assert (store.read().state, store.read().keys) == ("newer_format", ())


def test_one_key_twice_is_damage_and_a_day_that_is_none_is_not_read(store: TrustStore) -> None:
    store.path.parent.mkdir(mode=0o700)
    store.path.touch(0o600)
    store.path.write_bytes(encode((entry(), entry())))
    assert (store.read().state, store.read().keys) == ("damaged", ())
    store.path.write_bytes(encode((entry(after="2026-02-30T00:00:00Z"),)))
    assert (store.read().state, store.read().keys) == ("newer_format", ())


def test_a_huge_file_is_not_read(store: TrustStore) -> None:
    add(store, entry())
    with store.path.open("r+b") as file:
        file.truncate(8 << 30)
    assert store.read().state == "damaged"


def linked(path: Path) -> None:
    path.rename(path.with_name("real"))
    path.symlink_to(path.with_name("real"))


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


UNSAFE: dict[str, Callable[[Path], object]] = {
    "a symbolic link": linked,
    "not a regular file": fifo,
    "hard links": lambda path: os.link(path, path.with_name("other")),
    "0666": lambda path: path.chmod(0o666),
    "folder": lambda path: path.parent.chmod(0o777),
}


@pytest.mark.parametrize("says", UNSAFE)
def test_a_store_that_others_could_have_written_trusts_nobody(says: str, store: TrustStore) -> None:
    add(store, entry())
    UNSAFE[says](store.path)
    trusted = store.read()
    assert (trusted.state, trusted.keys) == ("store_unsafe", ())
    assert says in trusted.detail
    assert trusted.fix
    with pytest.raises(Error) as caught:
        add(store, entry(BOB))
    assert caught.value.code == "store_unsafe"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_store_of_another_owner_trusts_nobody(store: TrustStore) -> None:
    add(store, entry())
    os.chown(store.path, 12345, -1)
    trusted = store.read()
    assert (trusted.state, trusted.keys) == ("store_unsafe", ())
    assert "another user" in trusted.detail
    assert "chown" in trusted.fix


def test_a_place_that_takes_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = TrustStore(tmp_path / "file" / "trust.toml")
    assert store.read().state == "unreadable"
    with pytest.raises(OurError) as caught:
        add(store, entry())
    assert caught.value.code == "unrecordable"


def test_two_writers_lose_nothing(store: TrustStore) -> None:
    """Eight processes add a key each at once."""
    code = (
        "import sys; from pathlib import Path; from cgp_tui.store.trust import *; from cgp_tui.protocol import ed25519;"
        "n = int(sys.argv[2]); key = ed25519.public_key(bytes([n]) * 32);"
        f"TrustStore(Path(sys.argv[1])).add(TrustEntry(key, str(n), ('docs',), None, None, {AT!r}, 'x'), lambda: None)"
    )
    import sys

    running = [subprocess.Popen([sys.executable, "-c", code, str(store.path), str(n)]) for n in range(1, 9)]
    assert [process.wait(timeout=120) for process in running] == [0] * 8
    trusted = store.read()
    assert trusted.state == "ok"
    assert sorted(int(one.label) for one in trusted.entries) == list(range(1, 9))


# -- the fingerprint a person types


def test_a_fingerprint_is_typed_in_any_grouping_but_not_too_short() -> None:
    bare = fingerprint(ADA).removeprefix("sha256:")
    grouped = " ".join(bare[place : place + 4] for place in range(0, 64, 4))
    for typed in (bare, f"sha256:{bare}", grouped, f"  {bare[:16].upper()} ", bare[:16], ":".join((bare[:8], bare[8:16]))):
        assert agrees(typed, ADA), typed
    for typed in ("", "sha256:", bare[:15], bare[:15] + "g", bare[1:], bare + "0", fingerprint(BOB), "yes"):
        assert not agrees(typed, ADA), typed


def test_a_store_that_cannot_be_reached_trusts_nobody(store: TrustStore) -> None:
    store.path.parent.write_text("no folder")
    trusted = store.read()
    assert (trusted.state, trusted.keys) == ("unreadable", ())
    assert "Not a directory" in trusted.detail


def test_a_disk_that_fails_leaves_the_store_as_it_was(store: TrustStore, monkeypatch: pytest.MonkeyPatch) -> None:
    add(store, entry())
    before = store.path.read_bytes()

    def failing(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch, pytest.raises(OurError) as caught:
        patch.setattr(os, "fsync", failing)
        store.remove(ADA.hex())
    assert (caught.value.code, "Input/output error" in caught.value.message) == ("unrecordable", True)
    assert store.path.read_bytes() == before


def test_a_folder_that_others_may_write_to_is_named_when_the_first_key_is_added(store: TrustStore) -> None:
    store.path.parent.mkdir()
    store.path.parent.chmod(0o777)
    with pytest.raises(OurError) as caught:
        add(store, entry())
    assert caught.value.code == "store_unsafe"
    assert store.read().keys == ()


@pytest.mark.parametrize("half", ["\ud800", "\udbff", "\udc00", "\udfff"])
def test_half_a_character_is_in_no_name(half: str, store: TrustStore) -> None:
    for one in (entry(label=half), entry(ADA, "Ada", f"docs{half}"), entry(how=half)):
        with pytest.raises(InputError, match="not Unicode"):
            add(store, one)
    add(store, entry(label="\ud7ff\ue000"))


def test_a_name_of_the_largest_size_is_taken(store: TrustStore) -> None:
    names = tuple(f"{number:0128}" for number in range(64))
    add(store, entry(ADA, "x" * 128, *names, how="x" * 256))
    assert store.read().entries[0].provider_names == names


def test_a_store_that_the_disk_does_not_give_trusts_nobody(store: TrustStore, monkeypatch: pytest.MonkeyPatch) -> None:
    add(store, entry())
    before = len(list(Path("/dev/fd").iterdir()))

    def failing(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", failing)
        trusted = store.read()
        problem = trusted.problem()
    assert trusted.keys == () and problem is not None
    assert "Input/output error" in problem.message
    assert len(list(Path("/dev/fd").iterdir())) == before
    assert store.read().keys


def test_a_store_that_is_unsafe_as_soon_as_it_is_written_is_not_called_saved(
    store: TrustStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others may write to the folder since the lock was taken."""
    really = files.write_whole

    def opening(path: Path, data: bytes) -> None:
        really(path, data)
        path.parent.chmod(0o777)

    monkeypatch.setattr(trust, "write_whole", opening)
    with pytest.raises(OurError, match="0777") as caught:
        add(store, entry())
    assert caught.value.code == "store_unsafe"


def test_a_window_may_be_one_second(store: TrustStore) -> None:
    add(store, entry(before=AT, after=AT))
    with pytest.raises(InputError, match="ends before it begins"):
        add(store, entry(BOB, before=AT, after="2026-11-29T11:59:59Z"))
    assert len(store.read().entries) == 1
