"""A provider over stdio that behaves as its first argument says; run without `site`, like any stranger's program.

Further arguments are NAME=VALUE. What it reads after the handshake goes to the file `log`, if one is named, byte by byte.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any, NoReturn

MODE = sys.argv[1]
OPTIONS = dict(argument.split("=", 1) for argument in sys.argv[2:])
IN, OUT = sys.stdin.buffer.raw, sys.stdout.buffer  # type: ignore[union-attr]
HEARD = bytearray()


def say(*messages: object, end: bytes = b"\n") -> None:
    OUT.write(b"\n".join(m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages) + end)
    OUT.flush()


def ack(**changes: Any) -> dict[str, Any]:
    flow = {"reads": True, "writes": False, "egress": False, **changes.pop("flow", {})}
    correlation = OPTIONS.get("correlation", "yes") == "yes"
    capabilities = {"query": {"kinds": ["doc"]}, "verify": MODE != "no-verify", "correlation": correlation}
    provider = {"name": OPTIONS.get("name", "odd"), "version": OPTIONS.get("version", "1.0.0"), "data_flow": flow}
    made = {"type": "handshake_ack", "protocol_version": "contextgraph/1.0"}
    return {**made, "provider": provider, "capabilities": capabilities, **changes}


def frames(ident: Any, *contents: str) -> dict[str, Any]:
    made = [
        {
            "id": f"f{place}",
            "kind": "doc",
            "title": "t",
            "content": content,
            "score": 0.5,
            "token_cost": -(-len(content.encode()) // 4),
            "citation_label": "c",
        }
        for place, content in enumerate(contents)
    ]
    reply: dict[str, Any] = {"type": "frames", "result": {"frames": made, "truncated": False}}
    return reply if ident is None else {**reply, "id": ident}


def answer(message: dict[str, Any]) -> dict[str, Any]:
    if message["type"] == "verify":
        verdicts = [{"frame": frame, "status": "valid"} for frame in message["request"]["frames"]]
        return {"type": "verified", "response": {"verdicts": verdicts}}
    return frames(message.get("id"), message["query"]["goal"])


def read(size: int = 65536) -> bytes:
    if MODE.endswith("reads-slowly") and HEARD:
        time.sleep(0.01)
    piece = IN.read(size)
    if "log" in OPTIONS:
        with open(OPTIONS["log"], "ab") as file:
            file.write(piece)
    return bytes(piece)


def listen() -> dict[str, Any]:
    """The next message; the program ends with its input."""
    while b"\n" not in HEARD:
        piece = read()
        if not piece:
            sys.exit(0)
        HEARD.extend(piece)
    raw, _, rest = bytes(HEARD).partition(b"\n")
    HEARD[:] = rest
    message: dict[str, Any] = json.loads(raw)
    if message["type"] == "shutdown":
        if MODE == "ignores-shutdown":
            forever()
        if MODE == "answers-shutdown":
            say(frames("q1", "too late"), frames(None, "too late"))
        sys.exit(0)
    return message


def forever() -> NoReturn:
    while True:
        time.sleep(60)


def main() -> None:
    if MODE == "dies-at-once":
        sys.exit(9)
    log = OPTIONS.pop("log", None)
    assert listen()["type"] == "handshake"
    if log:
        OPTIONS["log"] = log
    GREETINGS.get(MODE, lambda: say(ack()))()
    while True:
        ANSWERS.get(MODE, lambda message: say(answer(message)))(listen())


def scopes(*names: str, egress: bool = True) -> None:
    say(ack(flow={"egress": egress, "egress_scopes": list(names)}))


def drip() -> None:
    for byte in json.dumps(ack()).encode():
        say(bytes([byte]), end=b"")
        time.sleep(1)


def mumble() -> NoReturn:
    os.close(1)
    forever()


def deaf() -> NoReturn:
    say(ack())
    os.close(0)
    forever()


def half() -> NoReturn:
    say(json.dumps(ack()).encode()[:40], end=b"")
    forever()


def flood() -> None:
    say(ack())
    while True:
        say(frames("q999", "nobody asked"))


def big_flood() -> None:
    say(ack())
    while True:
        say(frames("q999", "x" * 5_000_000))


def leave() -> None:
    """A grandchild outside the session keeps stdout; the provider itself ends."""
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with open(OPTIONS["pids"], "a") as file:
            file.write(f"{os.getpid()}\n")
        forever()
    say(ack())
    time.sleep(0.2)
    os._exit(0)


def noisy() -> None:
    for _ in range(300):
        os.write(2, b"\x1b]52;c;aGk=\x07" + b"n" * 9987 + b"\n")
    say(ack())


def pour() -> None:
    """A lot on stderr, with control sequences in it."""
    block = (b"\x1b]52;c;aGk=\x07\x9b2J" + b"e" * 200 + b"\n") * 4096
    for _ in range(int(OPTIONS["mebibytes"]) * 1024 * 1024 // len(block)):
        os.write(2, block)
    os.write(2, b"the end\n")
    say(ack())


def never_read() -> NoReturn:
    say(ack())
    forever()


GREETINGS: dict[str, Any] = {
    "dies-in-the-handshake": lambda: sys.exit(4),
    "mute": forever,
    "grumbles": lambda: forever() if os.write(2, b"loading\x1b[2J the model\n") else None,
    "closes-stdout": mumble,
    "closes-stdin": deaf,
    "half-a-line": half,
    "one-byte-a-second": drip,
    "garbage": lambda: say(b"\x7fELF garbage"),
    "not-UTF-8": lambda: say(b'{"type":"handshake_ack","x":"\x97"}'),
    "wrong-version": lambda: say(ack(protocol_version="contextgraph/2.0")),
    "family-by-prefix": lambda: say(ack(protocol_version="contextgraph/10.0")),
    "refuses-the-version": lambda: say({"type": "error", "code": "incompatible_version", "message": "too old"}),
    "refuses": lambda: say({"type": "error", "message": "no"}),
    "frames-first": lambda: say(frames(None, "early"), ack()),
    "unknown-first": lambda: say({"type": "hello", "id": "x"}, ack()),
    "contradiction": lambda: scopes("third-party-model", egress=False),
    "malformed-scope": lambda: scopes("vendor:"),
    "egress": lambda: scopes(*OPTIONS.get("scopes", "third-party-model").split(",")),
    "slow-egress": lambda: scopes("third-party-model"),
    "egress-reads-slowly": lambda: scopes("third-party-model"),
    "boolean-egress": lambda: say(ack(flow={"egress": True})),
    "flood": flood,
    "big-flood": big_flood,
    "leaves": leave,
    "noisy": noisy,
    "pours": pour,
    "speaks": lambda: say(ack(protocol_version=OPTIONS["version"])),
    "never-reads": never_read,
    "line-too-long": lambda: say(ack(), b"x" * (16 * 1024 * 1024 + 1)),
}


def bide(goal: str) -> None:
    """The goal says how long, `0.5 s`, or for which file, `when /tmp/there`."""
    if goal.endswith(" s"):
        time.sleep(float(goal[:-2]))
    elif goal.startswith("when "):
        while not os.path.exists(goal[5:]):  # noqa: PTH110
            time.sleep(0.005)


def slow(message: dict[str, Any]) -> None:
    if message["type"] == "query":
        bide(message["query"]["goal"])
    if "long" in OPTIONS:
        say(frames(message.get("id"), "x" * int(OPTIONS["long"])))
    else:
        say(answer(message))


def break_off(message: dict[str, Any]) -> NoReturn:
    say(json.dumps(answer(message)).encode()[:20], end=b"")
    forever()


def trickle(message: dict[str, Any]) -> None:
    for byte in json.dumps(answer(message)).encode():
        say(bytes([byte]), end=b"")
        time.sleep(0.1)


def hold(message: dict[str, Any]) -> None:
    """No answer to anything; one goal ends the program."""
    match message.get("query", {}).get("goal"):
        case "die":
            os._exit(1)
        case "end":
            os._exit(0)
        case "hush":
            mumble()


def hang_with_child(message: dict[str, Any]) -> NoReturn:
    """Answers never, and has a child outside its session."""
    child = os.fork()
    if child == 0:
        os.setsid()
        forever()
    with open(OPTIONS["pids"], "a") as file:
        file.write(f"{os.getpid()} {child}\n")
    forever()


def with_member(message: dict[str, Any], member: bytes) -> None:
    """An honest answer whose frame has one member more."""
    say(json.dumps(answer(message)).encode().replace(b'"score"', member + b', "score"'))


def endless(message: dict[str, Any]) -> NoReturn:
    """Bytes without end and no newline among them."""
    while True:
        say(b"x" * 1_000_000, end=b"")


def forged_tail(message: dict[str, Any]) -> NoReturn:
    """One line whose first 16 MiB are the beginning of an error; a reader that drops them takes the rest for an answer."""
    begin = b'{"type":"error","id":"%b","message":"' % message["id"].encode()
    forged = json.dumps(frames(message["id"], "forged")).encode()
    say(begin + b"A" * (16 * 1024 * 1024 - len(begin)) + forged)
    say(forged)
    forever()


def late_flood(message: dict[str, Any]) -> None:
    bide(message["query"]["goal"])
    while True:
        say(*(frames(None, "again") for _ in range(500)))


def dial(message: dict[str, Any]) -> None:
    """Says whether a listener on loopback can be reached, and what it sees of the processes around it."""
    import socket

    try:
        socket.create_connection(("127.0.0.1", int(OPTIONS["port"])), timeout=5).close()
        reached = "reached"
    except OSError as error:
        reached = type(error).__name__ + f" {error.errno}"
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]  # noqa: PTH208
    told = {"reached": reached, "pid": os.getpid(), "others": len(others), "open": sorted(os.listdir("/proc/self/fd"))}  # noqa: PTH208
    say(frames(message.get("id"), json.dumps(told)))


HELD: list[dict[str, Any]] = []


def backwards(message: dict[str, Any]) -> None:
    """Answers come in reverse order, when three questions are in."""
    HELD.append(message)
    if len(HELD) == 3:
        say(*map(answer, reversed(HELD)))
        HELD.clear()


def second_ack(message: dict[str, Any]) -> None:
    say(ack(flow={"egress": False}), answer(message))


def unreadable_ack(message: dict[str, Any]) -> None:
    say({"type": "handshake_ack"}, answer(message))


def crash(message: dict[str, Any]) -> NoReturn:
    os.kill(os.getpid(), signal.SIGSEGV)
    forever()


def unfinished(message: dict[str, Any]) -> NoReturn:
    say(answer(message), end=b"")
    sys.exit(0)


ANSWERS: dict[str, Any] = {
    "dials": dial,
    "slow": slow,
    "slow-egress": slow,
    "backwards": backwards,
    "second-ack": second_ack,
    "unreadable-ack": unreadable_ack,
    "crashes": crash,
    "exits": lambda message: sys.exit(0),
    "no-last-newline": unfinished,
    "holds": hold,
    "reads-slowly": hold,
    "late-flood": late_flood,
    "hangs-with-child": hang_with_child,
    "extra": lambda message: with_member(message, b'"acme:note": {"kept": [1, 2.5, null]}'),
    "beyond": lambda message: with_member(message, b'"acme:note": 1e400'),
    "long-answer": lambda message: say(b"x" * (16 * 1024 * 1024 + 1)),
    "endless": endless,
    "forged-tail": forged_tail,
    "breaks-off": break_off,
    "trickles": trickle,
    "hangs": lambda message: forever(),
    "no-id": lambda message: say({**answer(message), "id": None} if "id" not in message else frames(None, "who asked?")),
    "other-id": lambda message: say(frames("q77", "somebody else's")),
    "twice": lambda message: say(answer(message), frames(message.get("id"), "again")),
    "sulks": lambda message: break_off(message) if os.write(2, b"the index is locked\n") else None,
    "complains": lambda message: say(*([b"sorry"] if os.write(2, b"first\nno module\x1b[2J named index\n") else [])),
    "garbage-answers": lambda message: say(b"Traceback (most recent call last):"),
    "not-UTF-8-answers": lambda message: say(json.dumps(answer(message)).encode()[:-1] + b',"x":"\xff"}'),
    "unknown-between": lambda message: say({"type": "progress", "done": 1}, answer(message)),
    "errors": lambda message: say(
        {
            "type": "error",
            "code": "unsupported_kind",
            "message": "\x1b[2Jno",
            **({"id": message["id"]} if "id" in message else {}),
        }
    ),
    "lies": lambda message: say(json.loads(json.dumps(answer(message)).replace('"token_cost": ', '"token_cost": 9'))),
    "floods-frames": lambda message: say(frames(message.get("id"), *("abcd" for _ in range(20)))),
    "replies": lambda message: say(
        os.read(os.open(OPTIONS["reply"], os.O_RDONLY), 1 << 20) if message["type"] == "verify" else answer(message)
    ),
    "verified-twice": lambda message: say(
        {
            "type": "verified",
            "response": {
                "verdicts": [
                    {"frame": frame, "status": status}
                    for frame in message["request"]["frames"][:2]
                    for status in ("valid", "gone" if frame["frame_id"] == "b" else "valid")
                ]
            },
        }
    ),
}

if __name__ == "__main__":
    main()
