"""Formats the figures of a report: the same on the screen, in Markdown and in HTML."""

from __future__ import annotations

import datetime
import math

from sandbox_tui.core.evals.reporting.statistics import Estimate

NONE = "–"
"""Placeholder for a missing figure."""

NO_INTERVAL = "n too small"
"""Placeholder for an interval that cannot be estimated."""


def score(found: Estimate | None) -> str:
    """Format a mean score in percent with its interval: 62.5 [48.1, 76.0]."""
    return _with_interval(found, "")


def difference(found: Estimate | None) -> str:
    """Format a difference in percentage points with its interval: +12.5 [+3.0, +22.1]."""
    return _with_interval(found, "+")


def _with_interval(found: Estimate | None, sign: str) -> str:
    if found is None:
        return NONE
    if found.low is None or found.high is None:
        return f"{points(found.value, sign)} [{NO_INTERVAL}]"
    return f"{points(found.value, sign)} [{points(found.low, sign)}, {points(found.high, sign)}]"


def points(value: float, sign: str = "") -> str:
    """Format a score in percentage points with one decimal; 0 has no sign."""
    rounded = round(100 * value, 1)
    return f"{rounded:{sign}.1f}" if rounded else "0.0"


def ratio(value: float | None) -> str:
    """Format a ratio: 0.13×, 1.05×, 2.1×, 34×."""
    if value is None:
        return NONE
    return f"{value:.{0 if value >= 10 else 1 if value >= 2 else 2}f}×"


def share(value: float | None) -> str:
    """Format a share in percent: 8.1 %."""
    return NONE if value is None else f"{100 * value:.1f} %"


def mean(value: float | None) -> str:
    """Format a mean of small numbers, with one decimal below 100."""
    if value is None:
        return NONE
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def count(value: float | None) -> str:
    """Format a large count: 950, 12.3k, 1.2M."""
    if value is None:
        return NONE
    for unit in ("", "k", "M", "G"):
        if value < 999.5 or unit == "G":
            break
        value /= 1000
    return f"{value:.0f}{unit}" if not unit or value >= 99.95 else f"{value:.1f}{unit}"


def tokens(value: float | None, *, estimated: bool) -> str:
    """Format a number of tokens: 12.3k; ≈12.3k if some of it is an estimate."""
    return f"{'≈' if estimated and value is not None else ''}{count(value)}"


def megabytes(value: float | None) -> str:
    """Format bytes: 48 MB, 1.1 GB; units are powers of 1000."""
    if value is None:
        return NONE
    return f"{value / 1e9:.1f} GB" if value >= 1e9 else f"{value / 1e6:.0f} MB"


def dollars(value: float | None) -> str:
    """Format US dollars: $1.25; four decimals below a cent."""
    if value is None:
        return NONE
    return f"${value:.4f}" if 0 < value < 0.01 else f"${value:.2f}"


def duration(seconds: float) -> str:
    """Format a duration: 9.4 s, 42 s, 3 min, 2 h 5 min."""
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = math.ceil(seconds / 60)
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{minutes} min"


def counted_tokens(count: int) -> str:
    """Format a number of tokens with its noun: 1 token, 12,300 tokens."""
    return f"{count:,} {'token' if count == 1 else 'tokens'}"


def moment(when: float) -> str:
    """Format a time, to the minute: 2026-11-22 14:53 UTC."""
    if not 0 < when < 2**37:
        return NONE
    made = datetime.datetime.fromtimestamp(when, datetime.UTC)
    return f"{made:%Y-%m-%d %H:%M} UTC"


def counted(kinds: tuple[tuple[str, int], ...]) -> str:
    """Format kinds with their counts: 3 max steps, 1 no answer."""
    return ", ".join(f"{number} {kind}" for kind, number in kinds)
