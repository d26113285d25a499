"""A bare transcript judged by several processes; the findings come in the order of its lines, as from one process.

The file is cut into parts. Each is judged by itself where that provably gives the same findings (`analysis/part_pass`). At
the first part for which it does not, one process judges the whole file, and its findings are handed on without those of the
parts before.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import msgspec

from cgp_tui.analysis.part_pass import judge_part, moved
from cgp_tui.protocol.requirements import Finding
from cgp_tui.report.documents import Attested, attested
from cgp_tui.text import Page
from cgp_tui.transcript.excerpt import cuts
from cgp_tui.wire.memo import FrameMemo

if TYPE_CHECKING:
    from cgp_tui.analysis.full_pass import FullPass
    from cgp_tui.checks.types import Judged
    from cgp_tui.cli.lookups import Lookups
    from cgp_tui.transcript.reader import Transcript

PART_BYTES: Final = 4 * 1024 * 1024
"""About how many bytes a process judges at a time."""

FIRST_BYTES: Final = 64 * 1024
"""The first part is judged in this process, which remembers the keys of its ack; being small, it keeps nothing waiting."""

_ENDING: Final = frozenset({signal.SIGINT, signal.SIGTERM})

_AHEAD: Final = 4
"""How many finished parts, for each process, may wait for an earlier part."""

Render = Callable[[Iterable[Finding]], Iterable[Page]]
"""Turns findings into the pages to print."""


class Part(msgspec.Struct, frozen=True):
    """The result for a part: its findings or, if they are to be printed, their pages in one; and their number."""

    findings: tuple[Finding, ...]
    page: Page
    counts: dict[str, int]
    requests: int
    left_out: int
    attested: tuple[Attested, ...]


class Parts:
    """The pass over `whole` by `jobs` processes, or by this one, part after part, if `jobs` is 0. `beside` makes each pass
    and keeps the attestations; with `render` the findings come as pages. It has the interface of a `FullPass`: `counts` and
    `left_out` are final after the last finding.

    No process is left running when `findings` or `pages` ends, however it ends.
    """

    def __init__(
        self,
        whole: Transcript,
        takes: Callable[[Finding], bool],
        beside: Lookups,
        jobs: int,
        *,
        render: Render | None = None,
        on_step: Callable[[int, int], None] | None = None,
        size: int = PART_BYTES,
    ) -> None:
        self.whole = whole
        self.counts: dict[str, int] = {"violation": 0, "advice": 0, "note": 0}
        self.left_out = 0
        self.alone = False
        """Whether one process had to go over the whole file after all."""
        self._takes = takes
        self._beside = beside
        self._jobs = jobs
        self._render = render
        self._on_step = on_step
        begins = _begins(whole, size)
        self._spans = list(itertools.pairwise((*begins, len(whole))))
        self._requests = 0
        self._memo = FrameMemo()

    def findings(self) -> Iterator[Finding]:
        """Each finding once, in the order of `FullPass.findings`; to be iterated to its end, and only once."""
        for part in self._parts():
            for finding in part.findings:
                yield moved(finding, self._requests)
            self._add(part)
        if self.alone:
            yield from self._rest()

    def pages(self) -> Iterator[Page]:
        """The same as pages."""
        assert self._render is not None  # noqa: S101 -- whoever asks for pages has said how they look
        for part in self._parts():
            yield part.page
            self._add(part)
        if self.alone:
            yield from self._render(self._rest())

    def _add(self, part: Part) -> None:
        for level, number in part.counts.items():
            self.counts[level] += number
        self.left_out += part.left_out
        self._requests += part.requests
        for entry in part.attested:
            self._beside.attestations.add(entry)

    def _rest(self) -> Iterator[Finding]:
        """What one pass over everything finds beyond what was handed on."""
        told = sum(self.counts.values())
        deque(self._beside.attestations.items(), maxlen=0)
        passed = self._beside.full_pass(self.whole, self._takes, on_step=self._on_step)
        yield from itertools.islice(passed.findings(), told, None)
        self.counts, self.left_out = passed.counts, passed.left_out

    def _parts(self) -> Iterator[Part]:
        """The parts in their order, up to one that cannot be judged by itself."""
        first, *spans = self._spans
        with _Pool(min(self._jobs, len(spans)), self._judged) as pool:
            results = itertools.chain((self._judged(first),), pool.run(spans) if self._jobs else map(self._judged, spans))
            for span, part in zip(self._spans, results, strict=True):
                if part is None:
                    self.alone = True
                    return
                yield part
                if self._on_step is not None:
                    self._on_step(span[1], sum(self.counts.values()))

    def _judged(self, span: tuple[int, int]) -> Part | None:
        kept: list[Attested] = []

        def make(part: Transcript, hear: Callable[[Judged], None]) -> FullPass:
            return self._beside.full_pass(part, self._takes, hear=hear, keep=keep, memo=self._memo)

        def keep(judged: Judged) -> None:
            kept.extend(entry for entry in attested(judged) if entry.line > span[0])  # others are of the greeting

        done = judge_part(self.whole, *span, make)
        if done is None:
            return None
        counts: dict[str, int] = {}
        for finding in done.findings:
            counts[finding.level] = counts.get(finding.level, 0) + 1
        page = Page("" if self._render is None else "".join(self._render(done.findings)))
        findings = done.findings if self._render is None else ()
        return Part(findings, page, counts, done.requests, done.left_out, tuple(kept))


def _begins(whole: Transcript, size: int) -> list[int]:
    small = itertools.islice(cuts(whole, min(FIRST_BYTES, size)), 2)
    return sorted({*small, *cuts(whole, size)})


class _Pool:
    """Child processes that each judge one span after another; they end with the `with` block, whatever ends it."""

    def __init__(self, jobs: int, judged: Callable[[tuple[int, int]], Part | None]) -> None:
        self._jobs = jobs
        self._judged = judged
        self._children: list[tuple[Any, Connection]] = []
        self._before: Any = None

    def __enter__(self) -> _Pool:
        self._before = signal.signal(signal.SIGTERM, _stop)
        context = multiprocessing.get_context("fork")
        try:
            with _undisturbed() as mask:
                for _ in range(self._jobs):
                    ours, theirs = context.Pipe()
                    others = [connection for _, connection in self._children]
                    child = context.Process(target=_work, args=(theirs, [*others, ours], self._judged, mask), daemon=True)
                    child.start()
                    theirs.close()
                    self._children.append((child, ours))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *failure: object) -> None:
        for child, connection in self._children:
            child.kill()
            connection.close()
        for child, _ in self._children:
            child.join()
        signal.signal(signal.SIGTERM, self._before)

    def run(self, spans: list[tuple[int, int]]) -> Iterator[Part | None]:
        """The result for each span, in order; None for one whose process ended."""
        idle = deque(connection for _, connection in self._children)
        busy: dict[Connection, int] = {}
        done: dict[int, Part | None] = {}
        given = 0
        for place in range(len(spans)):
            while place not in done:
                while idle and given < min(len(spans), place + _AHEAD * self._jobs):
                    connection = idle.popleft()
                    busy[connection] = given
                    _send(connection, spans[given])
                    given += 1
                for ready in wait(list(busy)):
                    assert isinstance(ready, Connection)  # noqa: S101 -- nothing else was waited for
                    done[busy.pop(ready)] = _received(ready)
                    idle.append(ready)
            yield done.pop(place)


def _send(connection: Connection, span: tuple[int, int]) -> None:
    with contextlib.suppress(OSError):  # that a process is gone shows when its answer is awaited
        connection.send(span)


def _received(connection: Connection) -> Part | None:
    try:
        raw = connection.recv_bytes()
    except (EOFError, OSError):
        return None
    return msgspec.msgpack.decode(raw, type=Part | None)


@contextlib.contextmanager
def _undisturbed() -> Iterator[set[int]]:
    """Block the signals that interrupt us until the block ends; gives those that were blocked before. An exception raised
    while the interpreter forks is printed and dropped, so an interruption just then would be lost, and its child with it."""
    before = {int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)}
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(
    connection: Connection,
    others: list[Connection],
    judged: Callable[[tuple[int, int]], Part | None],
    mask: set[int],
) -> None:
    """What a child does. It closes the parent's ends of the pipes, as only then the parent's death ends this loop. `mask`
    are the signals to block."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for other in others:
        other.close()
    with contextlib.suppress(EOFError, OSError):
        while True:
            span = connection.recv()
            try:
                part = judged(span)
            except Exception:  # the pass over the whole file meets it again, and reports it
                part = None
            connection.send_bytes(msgspec.msgpack.encode(part))
    os._exit(0)


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
