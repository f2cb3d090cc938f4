"""Formats durations for sentences."""

from __future__ import annotations


def format_duration(seconds: float) -> str:
    """A duration in its largest useful unit: 12 s, 3 min, 2 h, 4 days."""
    if seconds < 90:
        return f"{max(0, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    hours = round(seconds / 3600)
    return f"{hours} h" if hours < 48 else f"{round(seconds / 86400)} days"
