"""Programs that run other programs: which of them decide at each start what code runs, and which reach another machine.

Both are read off a command line, so neither sees what a script does by itself. What is read wrongly must err towards
floating and remote: a person is then told more, not less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

_SHELLS: Final = frozenset({"sh", "ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "mksh", "pwsh", "tcsh", "zsh"})
_CONTAINERS: Final = frozenset({"docker", "podman"})
_PACKAGE_RUNNERS: Final = _CONTAINERS | {"uvx", "uv", "pipx", "npx", "npm", "pnpm", "yarn", "bunx", "deno", "nix"}
_VERSION_MANAGERS: Final = frozenset(
    {"asdf", "goenv", "jenv", "mise", "nodenv", "phpenv", "plenv", "proto", "pyenv", "rbenv", "rtx", "rustup", "volta"}
)
_STAND_INS: Final = frozenset({"proto-shim", "volta-shim"})
"""What the links in a version manager's folder lead to; that of mise leads to mise."""
_SHIMS: Final = "shims"
"""The folder of the others, which are scripts of the names they stand in for."""
_LAUNCHERS: Final = (
    _SHELLS | _PACKAGE_RUNNERS | _VERSION_MANAGERS | _STAND_INS | {"make", "just", "go", "cargo", "env", "sudo"}
)
_REMOTE: Final = frozenset(
    {
        *("ssh", "slogin", "autossh", "sshpass", "dbclient", "plink", "mosh", "rsh", "kubectl", "oc"),
        *("nc", "nc.openbsd", "nc.traditional", "netcat", "ncat", "socat", "websocat", "telnet", "curl", "wget"),
    }
)
_CARRIERS: Final = frozenset(
    {
        *("nice", "ionice", "chrt", "taskset", "nohup", "setsid", "stdbuf", "timeout", "time", "xargs", "chroot"),
        *("unshare", "nsenter", "bwrap", "firejail", "doas", "su", "runuser", "systemd-run", "strace", "ltrace"),
        *("script", "unbuffer", "tini", "dumb-init", "proxychains", "proxychains4", "torsocks"),
    }
)
"""Programs that change how another one runs, and run what their command line names."""
_WRAPPERS: Final = (_LAUNCHERS - _CONTAINERS) | _CARRIERS

_PYTHON: Final = re.compile(r"(?:python|pypy)[\d.]*(?:[dmtuw]{0,2}|-dbg)")
_PYTHON_WITH_VALUE: Final = re.compile(r"-[A-VY-Zabd-ln-z]*[WX]|--check-hash-based-pycs")
_NODE: Final = re.compile(r"node(?:js)?[\d.]*")
_NODE_WITH_VALUE: Final = re.compile(
    r"-[rC]|--(?:require|import|(?:experimental-)?loader|conditions|env-file(?:-if-exists)?|title|input-type|watch-path"
    r"|disable-warning|unhandled-rejections|diagnostic-dir|redirect-warnings|icu-data-dir|openssl-config|inspect-port)"
)
_NODE_INLINE: Final = re.compile(r"-[A-Za-z]*[ep]$|--eval\b|--print\b|--run\b")
_NODE_ENDS: Final = (".js", ".json", ".node")
"""What node adds to the name of a script that is not there."""
_INTERPRETER: Final = re.compile(rf"{_PYTHON.pattern}|(?:node|nodejs|bun|ruby|perl|php|java|lua)[\d.]*w?")

_CONTAINER_HOST: Final = re.compile(r"-[Dv]*[Hcr].*|--(?:host|url|connection|context|remote)(?:=.*)?", re.DOTALL)
_CONTAINER_WITH_VALUE: Final = re.compile(
    r"-[Dv]*l|--(?:config|log-level|tlscacert|tlscert|tlskey|identity|root|runroot|imagestore|storage-driver|storage-opt"
    r"|cgroup-manager|conmon|events-backend|hooks-dir|module|network-cmd-path|network-config-dir|out|runtime|runtime-flag"
    r"|ssh|tmpdir|volumepath|cdi-spec-dir)"
)
_CONTAINER_NAMES: Final = frozenset({"DOCKER_HOST", "DOCKER_CONTEXT", "CONTAINER_HOST", "CONTAINER_CONNECTION"})

_NOTHING: Final = re.compile(r"(?!)")
_LINKS: Final = 40
"""As many links in a row as a system follows."""


def base(path: str) -> str:
    """The lower-case base name without the extensions of Windows."""
    return re.sub(r"\.(?:exe|cmd|bat|com)$", "", Path(path).name.lower())


def names_of(word: str, start: str) -> tuple[str, ...]:
    """Every name a program is started under: that of the command line, of the path it is found at, and of each link from
    there on. A program may act as any of them."""
    names, path = [base(word)], start
    for _ in range(_LINKS):
        names.append(base(path))
        try:
            path = str(Path(path).parent / Path(path).readlink())
        except (OSError, ValueError):
            break
    return tuple(dict.fromkeys(names))


def is_interpreter(name: str) -> bool:
    """Whether what a program of this base name runs is a file among its arguments."""
    return _INTERPRETER.fullmatch(name) is not None


def _read(arguments: Sequence[str], with_value: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The options before the first word that is none, each with the word after it, then that word with an empty one;
    `with_value` are those whose value is the next word."""
    skip = False
    for word, following in zip(arguments, (*arguments[1:], ""), strict=False):
        if skip:
            skip = False
        elif word.startswith("-"):
            yield word, following
            skip = with_value.fullmatch(word) is not None
        else:
            yield word, ""
            return


def python_inline(arguments: Sequence[str]) -> tuple[str, str]:
    """The option by which python takes its code from elsewhere than a script (`-c`, `-m`, `-`), and the word after it."""
    for option, following in _read(arguments, _PYTHON_WITH_VALUE):
        found = re.match(r"-[A-VY-Zabd-ln-z]*([cm])", option)
        if found or option == "-":
            return f"-{found[1] if found else ''}", following
    return "", ""


def _script_elsewhere(name: str, arguments: Sequence[str], cwd: Path) -> str:
    """How an interpreter comes by code that is no file of its command line, or `""`."""
    python, node = _PYTHON.fullmatch(name), _NODE.fullmatch(name)
    if python and (inline := python_inline(arguments)[0]):
        return f"{name} {inline}"
    words = list(_read(arguments, _PYTHON_WITH_VALUE if python else _NODE_WITH_VALUE if node else _NOTHING))
    if node and any(_NODE_INLINE.match(option) for option, _ in words if option.startswith("-")):
        return f"{name} -e"
    if not (python or node):
        # Their options are not known well enough to tell which word is the script; without any file there is none.
        elsewhere = bool(words) and is_interpreter(name) and not any(_is_file(cwd / word) for word in arguments)
        return name if elsewhere else ""
    script = words[-1][0] if words and not words[-1][0].startswith("-") else ""
    folder = script != "" and _is_folder(cwd / script)
    ends = _NODE_ENDS if node and script and not folder and not _is_file(cwd / script) else ()
    return name if folder or any(_is_file(cwd / f"{script}{end}") for end in ends) else ""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def floating(names: Sequence[str], arguments: Sequence[str], cwd: Path) -> str:
    """Who decides at each start which code runs, or `""`: a launcher, or an interpreter whose script is no file that could
    be pinned (a folder, a module, a text)."""
    for name in names:
        found = name if name in _LAUNCHERS else _script_elsewhere(name, arguments, cwd)
        if found:
            return found
    return ""


def shim(*paths: str) -> str:
    """Which stand-in of a version manager is started, or `""`: the folder it is started in, a file there or a variable
    choose at each start what it runs. Its own bytes, much the same for all of them, say nothing."""
    return next((f"{base(path)} (shim)" for path in paths if Path(path).parent.name.lower() == _SHIMS), "")


def remote(names: Sequence[str], arguments: Sequence[str], env_names: Sequence[str], inline: bool) -> str:
    """Which launcher reaches another machine, or `""`. Behind a program that runs others, and in code that is written on the
    command line (`inline`), every word is looked at."""
    for name in names:
        if name in _REMOTE:
            return name
        if name in _CONTAINERS and (
            _CONTAINER_NAMES.intersection(env_names)
            or any(_CONTAINER_HOST.fullmatch(option) for option, _ in _read(arguments, _CONTAINER_WITH_VALUE))
        ):
            return name
        if name in _WRAPPERS or inline:
            for word in re.split(r"[\s;|&()<>=\"'`,]+", " ".join(arguments)):
                if base(word) in _REMOTE:
                    return base(word)
    return ""
