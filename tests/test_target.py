"""Targets: the published digests, what is pinned, which launchers are known, and the id a provider gets."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from pathlib import Path

import msgspec
import pytest

from cgp_tui.errors import InputError
from cgp_tui.target import (
    Pin,
    Target,
    code_digest,
    default_id,
    http_digest,
    search_path,
    shown_argv,
    stdio_digest,
    stdio_target,
)


def script(folder: Path, name: str = "provider", text: str = "#!/bin/sh\nexit 0\n") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_published_digests() -> None:
    assert (
        stdio_digest("/usr/bin/python3.11", ["/home/u/provider.py", "--fast"], ["API_KEY"])
        == "4a5877d1b57ca9784f8b62275d5929160c363c79887d2a56fa9ff010a209e1a6"
    )
    pins = [Pin("program", "/usr/bin/python3.11", "11" * 32), Pin("argument", "/home/u/provider.py", "22" * 32)]
    assert code_digest(pins) == "d001781fab6be4c962338856d2d85e9c14b824399450981eebd4db8d00bb3297"
    assert (
        http_digest("https://cgp.example.com:443/v1", "bearer")
        == "e87e650bd4f8095e2a05dfa56513199b3a7f198fc7843241f0548678c2cadf06"
    )


def test_digest_tells_apart_what_concatenation_would_not() -> None:
    digests = {
        stdio_digest("/p", ["ab", "c"], []),
        stdio_digest("/p", ["a", "bc"], []),
        stdio_digest("/p", ["abc"], []),
        stdio_digest("/p", ["ab"], ["c"]),
        stdio_digest("/pa", ["b", "c"], []),
        stdio_digest("/p", [], ["ab", "c"]),
    }
    assert len(digests) == 6
    assert stdio_digest("/p", [], ["B", "A", "A"]) == stdio_digest("/p", [], ["A", "B"])


def test_resolved_once_and_started_by_its_link(tmp_path: Path) -> None:
    real = script(tmp_path / "real", "provider-1.2")
    link = tmp_path / "bin" / "provider"
    link.parent.mkdir()
    link.symlink_to(real)
    config = tmp_path / "config.toml"
    config.write_bytes(b"a = 1\n")
    target = stdio_target(["bin/provider", "config.toml", "no-such-file", "bin"], env=["B", "A"], cwd=tmp_path)
    assert target.start == str(link)
    assert target.program == str(real)
    assert target.env_names == ("A", "B")
    assert target.pins == (
        Pin("program", str(real), hashlib.sha256(real.read_bytes()).hexdigest()),
        Pin("argument", str(config), hashlib.sha256(b"a = 1\n").hexdigest()),
    )
    assert target.digest == stdio_digest(str(real), ["config.toml", "no-such-file", "bin"], ["A", "B"])
    assert target.code == code_digest(target.pins)
    assert target.shown == (str(link), "config.toml", "no-such-file", "bin")


def test_changed_files_change_the_code_alone(tmp_path: Path) -> None:
    program = script(tmp_path)
    argument = tmp_path / "provider.py"
    argument.write_text("1")
    before = stdio_target([str(program), str(argument)])
    argument.write_text("2")
    after = stdio_target([str(program), str(argument)])
    assert (before.digest == after.digest, before.code == after.code) == (True, False)
    program.write_text("#!/bin/sh\nexit 1\n")
    assert stdio_target([str(program), str(argument)]).code != after.code


def test_a_pipe_named_in_the_arguments_is_neither_read_nor_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert [pin.role for pin in stdio_target([str(script(tmp_path)), "fifo"], cwd=tmp_path).pins] == ["program"]


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        ([], "usage"),
        ([""], "usage"),
        (["no-such-program-anywhere"], "spawn_failed"),
        (["./missing"], "spawn_failed"),
        (["a\udcff"], "identity_unrepresentable"),
    ],
)
def test_what_cannot_be_started_is_named(argv: list[str], code: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        stdio_target(argv, cwd=tmp_path)
    assert caught.value.code == code
    assert caught.value.fix


@pytest.mark.parametrize("name", ["", "A=B"])
def test_names_of_variables_only(name: str) -> None:
    with pytest.raises(InputError, match="name of an environment variable"):
        stdio_target([sys.executable], env=[name])


@pytest.mark.parametrize("name", ["API_KEY=hunter2", "=hunter2", "PLAIN=hunter2=hunter2"])
def test_a_value_written_behind_a_name_is_not_repeated(name: str) -> None:
    """As docker takes it; what is said of it goes to stderr, to a JSON document, and so into logs."""
    with pytest.raises(InputError, match="name of an environment variable") as caught:
        stdio_target([sys.executable], env=[name])
    assert "hunter2" not in str(caught.value)
    assert repr(f"{name.partition('=')[0]}=***") in caught.value.message


def test_a_credential_that_is_not_utf8_is_not_repeated() -> None:
    with pytest.raises(InputError) as caught:
        stdio_target([sys.executable, "--token", "hunter2\udcff"])
    assert (caught.value.code, "hunter2" in str(caught.value)) == ("identity_unrepresentable", False)
    assert caught.value.__cause__ is None
    with pytest.raises(InputError, match="plain"):
        stdio_target([sys.executable, "plain\udcff"])


def test_a_file_without_execute_permission_is_no_program(tmp_path: Path) -> None:
    path = script(tmp_path)
    path.chmod(0o644)
    with pytest.raises(InputError) as caught:
        stdio_target([str(path)])
    assert (caught.value.code, caught.value.message) == ("spawn_failed", f"{str(path)!r} is not executable.")
    assert f"chmod +x {path}" in caught.value.fix
    with pytest.raises(InputError, match="is a folder"):
        stdio_target(["./"], cwd=tmp_path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_cannot_be_bound_to(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    secret.chmod(0)
    with pytest.raises(InputError) as caught:
        stdio_target([sys.executable, str(secret)])
    assert caught.value.code == "unreadable"


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_what_lies_in_a_folder_that_may_not_be_entered_is_no_pin_until_it_can_be_seen(tmp_path: Path) -> None:
    inside = tmp_path / "closed" / "model.bin"
    inside.parent.mkdir()
    inside.write_text("x")
    inside.parent.chmod(0)
    us = os.geteuid()
    if us == 0:
        os.seteuid(65534)
    try:
        unseen = stdio_target(["/bin/cat", str(inside)], cwd=Path("/"))
    finally:
        os.seteuid(us)
        inside.parent.chmod(0o700)
    assert [pin.role for pin in unseen.pins] == ["program"]
    assert stdio_target(["/bin/cat", str(inside)], cwd=Path("/")).code != unseen.code


def test_search_path_leaves_out_what_others_can_fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    script(good, "one")
    script(bad, "one")
    script(bad, "two")
    bad.chmod(0o777)
    path = os.pathsep.join(["", ".", "relative", str(bad), str(tmp_path / "absent"), str(good)])
    assert search_path(path) == str(good)
    monkeypatch.setenv("PATH", path)
    assert stdio_target(["one"]).start == str(good / "one")
    with pytest.raises(InputError):
        stdio_target(["two"])
    monkeypatch.setenv("PATH", "relative")
    with pytest.raises(InputError):
        stdio_target(["sh"])


def of(tmp_path: Path, name: str, *arguments: str, env: tuple[str, ...] = ()) -> Target:
    return stdio_target([str(script(tmp_path / "bin", name)), *arguments], env=env, cwd=tmp_path)


@pytest.mark.parametrize(
    "name", ["uvx", "npx", "docker", "podman", "nix", "make", "cargo", "env", "sudo", "bash", "sh", "zsh", "pyenv", "mise"]
)
def test_launchers_that_choose_the_code_at_each_start(name: str, tmp_path: Path) -> None:
    assert of(tmp_path, name, "thing").floating == name


@pytest.mark.parametrize(
    ("name", "arguments", "floating"),
    [
        ("python3.11", ("-m", "pkg"), "python3.11 -m"),
        ("python", ("-Ic", "code"), "python -c"),
        ("python", ("-W", "ignore", "-m", "pkg"), "python -m"),
        ("python", ("-",), "python -"),
        ("python", ("x.py", "-m", "-c"), ""),
        ("python", ("-Wmodule", "x.py"), ""),
        ("python", (), ""),
        ("pythonista", ("-m", "x"), ""),
        ("node", ("-e", "code"), "node -e"),
        ("node", ("--eval=code",), "node -e"),
        ("node", ("-r", "hook", "-pe", "code"), "node -e"),
        ("node", ("server.js", "-e", "prod"), ""),
        ("provider", ("sh",), ""),
    ],
)
def test_interpreters_float_only_without_a_script(
    name: str, arguments: tuple[str, ...], floating: str, tmp_path: Path
) -> None:
    assert of(tmp_path, name, *arguments).floating == floating


def test_a_link_to_a_launcher_is_one(tmp_path: Path) -> None:
    link = tmp_path / "harmless"
    link.symlink_to(script(tmp_path / "bin", "npx"))
    assert stdio_target([str(link)]).floating == "npx"
    renamed = tmp_path / "sh"
    renamed.symlink_to(script(tmp_path / "bin", "multi-call"))
    assert stdio_target([str(renamed)]).floating == "sh"


@pytest.mark.parametrize("where", [".pyenv/shims", ".asdf/shims", ".rbenv/shims", "mise/shims"])
def test_a_stand_in_of_a_version_manager_floats_by_whatever_path(where: str, tmp_path: Path) -> None:
    shim = script(tmp_path / where, "python3")
    server = script(tmp_path, "server.py")
    assert stdio_target([str(shim), str(server)]).floating == "python3 (shim)"
    assert stdio_target([str(shim), "-m", "pkg"]).floating == "python3 -m"
    link = tmp_path / "python"
    link.symlink_to(shim)
    assert stdio_target([str(link), str(server)]).floating == "python3 (shim)"


@pytest.mark.parametrize("manager", ["mise", "volta-shim", "proto-shim", "rustup"])
def test_a_link_to_a_version_manager_floats(manager: str, tmp_path: Path) -> None:
    (tmp_path / "node").symlink_to(script(tmp_path / "bin", manager))
    assert stdio_target([str(tmp_path / "node"), "server.js"], cwd=tmp_path).floating == manager


def test_a_link_out_of_a_folder_of_stand_ins_floats_too(tmp_path: Path) -> None:
    (tmp_path / "shims").mkdir()
    (tmp_path / "shims" / "node").symlink_to(script(tmp_path / "bin", "node-22"))
    assert stdio_target([str(tmp_path / "shims" / "node"), "server.js"], cwd=tmp_path).floating == "node (shim)"


def test_what_merely_stands_near_stand_ins_is_pinned(tmp_path: Path) -> None:
    assert of(tmp_path / "shims", "python3", "server.py").floating == ""


@pytest.mark.parametrize("name", ["ssh", "kubectl", "oc", "nc", "ncat", "socat", "websocat", "curl"])
def test_launchers_that_reach_another_machine(name: str, tmp_path: Path) -> None:
    assert of(tmp_path, name, "host").remote == name


@pytest.mark.parametrize(
    ("name", "arguments", "env", "remote"),
    [
        ("docker", ("run", "image"), (), ""),
        ("docker", ("-H", "tcp://h", "run", "image"), (), "docker"),
        ("docker", ("--context=far", "run"), (), "docker"),
        ("podman", ("--remote", "run"), (), "podman"),
        ("docker", ("run", "image"), ("DOCKER_HOST",), "docker"),
        ("docker", ("run", "-H", "image"), (), ""),
        ("env", ("X=1", "ssh", "host"), (), "ssh"),
        ("sh", ("-c", "exec /usr/bin/ssh host cgp"), (), "ssh"),
        ("sudo", ("-u", "x", "provider"), (), ""),
        ("provider", ("ssh",), (), ""),
    ],
)
def test_remote_only_where_it_is(
    name: str, arguments: tuple[str, ...], env: tuple[str, ...], remote: str, tmp_path: Path
) -> None:
    target = of(tmp_path, name, *arguments, env=env)
    assert (target.remote, target.off_machine) == (remote, remote != "")
    assert msgspec.structs.replace(target, kind="http").off_machine


def test_shown_is_bounded_and_masked() -> None:
    shown = shown_argv(["p", "--token", "abc", "x" * 600, *("y" for _ in range(100))])
    assert len(shown) == 64
    assert shown[:3] == ("p", "--token", "***")
    assert len(shown[3]) == 512
    assert shown[3].endswith("…")
    assert shown[-1] == "… 41 more"
    assert shown_argv(["p"] * 64) == ("p",) * 64


@pytest.mark.parametrize(
    ("name", "arguments", "base"),
    [
        ("provider", (), "provider"),
        ("provider", ("script.py",), "provider"),
        ("python3", ("-u", "script.py", "other.py"), "script.py"),
        ("python3", ("-m", "my.pkg"), "my.pkg"),
        ("python3", ("-c", "code"), "python3"),
        ("python3", ("no file: " + "x" * 300, "script.py"), "script.py"),
        ("node", ("absent.js",), "node"),
        ("..hidden å x", (), "hidden-x"),
        ("ééé", (), "provider"),
        ("p" * 80, (), "p" * 55),
    ],
)
def test_default_id_names_the_script_or_program(name: str, arguments: tuple[str, ...], base: str, tmp_path: Path) -> None:
    for file in ("script.py", "other.py"):
        (tmp_path / file).write_text("")
    target = of(tmp_path, name, *arguments)
    assert default_id(target) == f"{base}-{target.digest[:8]}"
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", default_id(target))


def test_files_that_are_named_without_their_whole_path(tmp_path: Path) -> None:
    script(tmp_path, "p.py")
    script(tmp_path, "sub/q.py")
    (tmp_path / "link").symlink_to(tmp_path / "p.py")
    words = ["p.py", "--fast", "sub/q.py", "link", str(tmp_path / "p.py"), "none.py", "sub"]
    assert stdio_target([sys.executable, *words], cwd=tmp_path).unplaced == ("p.py", "sub/q.py", "link")
