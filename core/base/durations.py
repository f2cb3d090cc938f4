"""Formats durations: rounded for sentences, exact for reports, short for screens."""

from __future__ import annotations


def format_duration(seconds: float) -> str:
    """Format a duration in its largest useful unit: 12 s, 3 min, 2 h, 4 days."""
    if seconds < 90:
        return f"{max(0, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    hours = round(seconds / 3600)
    return f"{hours} h" if hours < 48 else f"{round(seconds / 86400)} days"


def exact_duration(seconds: float) -> str:
    """Format a measured duration for prose: 0.02 s, 9.4 s, 42 s, 1 min 20 s, 2 h 3 min."""
    if seconds < 60:
        return f"{_below_a_minute(seconds)} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def short_duration(seconds: float) -> str:
    """Format a measured duration for little space: 0.02s, 9.4s, 42s, 01:05, 2:03:10."""
    return f"{_below_a_minute(seconds)}s" if seconds < 60 else clock(seconds)


def clock(seconds: float) -> str:
    """Format a position in time: 00:42, 1:02:03."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def _below_a_minute(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds:.2f}"
    return f"{seconds:.1f}" if seconds < 10 else str(int(seconds))
