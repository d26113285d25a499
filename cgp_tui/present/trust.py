"""Trusted keys as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cgp_tui.checks.signer import in_window
from cgp_tui.consent.receipt import Receipt
from cgp_tui.protocol.timestamp import Instant
from cgp_tui.store.trust import Trusted, TrustEntry
from cgp_tui.text import Shown, compose, join, own, show

WINDOW_OPEN = own("at any time")


def window_words(entry: TrustEntry) -> Shown:
    """From when until when a key vouches."""
    begin = None if entry.not_before is None else compose("from {time}", time=show(entry.not_before))
    end = None if entry.not_after is None else compose("until {time}", time=show(entry.not_after))
    return join(" ", [part for part in (begin, end) if part is not None]) or WINDOW_OPEN


def trust_lines(trusted: Trusted, records: Sequence[Receipt | None], now: Instant | None) -> list[Shown]:
    """The store's path, then for each key its signer, whom it may sign for and when, its fingerprint, how it came, and its
    record in the ledger."""
    lines = [compose("{path}: {count}", path=show(str(trusted.path)), count=_count(len(trusted.entries)))]
    for entry, record in zip(trusted.entries, records, strict=True):
        lines += entry_lines(entry, now)
        if record is None:
            lines.append(own("  NOT ON RECORD in the ledger: somebody else put it here, or brought an older store back"))
        else:
            lines.append(compose("  on record as #{seq}", seq=record.seq))
    return lines


def entry_lines(entry: TrustEntry, now: Instant | None) -> Iterable[Shown]:
    """One key, `now` being the time that its window is held against."""
    outside = own("") if in_window(entry.key, now) else own("  not now")
    names = join(", ", map(show, entry.provider_names))
    yield compose("{label}  for {names}", label=show(entry.label), names=names)
    yield compose("  {window}{outside}", window=window_words(entry), outside=outside)
    yield compose("  {fingerprint}", fingerprint=show(entry.fingerprint))
    yield compose("  added {when}: {how}", when=show(entry.added_at), how=show(entry.how))


def _count(number: int) -> Shown:
    if not number:
        return own("no key is trusted")
    return compose("{number} trusted {noun}", number=number, noun=own("key" if number == 1 else "keys"))
