"""What uses come to, in words."""

from __future__ import annotations

from cgp_tui.consent.usage import Sum
from cgp_tui.present.numbers import exact_bytes, plural
from cgp_tui.text import Shown, own


def sum_words(sum_: Sum, days: int, left_out: int) -> Shown:
    """`last 7 days: 12 sends, 2,566 bytes; 1 refused`."""
    said = f"last {days} days: {plural(sum_.sends, 'send')}, {exact_bytes(sum_.bytes)}; {sum_.refused} refused"
    return own(f"{said}; {plural(left_out, 'recording')} not read" if left_out else said)


def used_words(sum_: Sum) -> Shown:
    """`11-27, 12 sends` for a column, `never` where nothing was."""
    return own(f"{sum_.last[5:10]}, {plural(sum_.sends, 'send')}" if sum_.sends else "never")
