"""Time slots.

A slot is a list [start, end] of two integers with start < end; it includes its start, not its end.

- merged(slots): the slots in order of their start, where slots that overlap, touch, or lie at most
  GAP apart have become one.
- free(slots, begin, end): what merged(slots) leaves free between begin and end, as a list of slots
  in order. Empty slots are left out.
- busiest(slots): the earliest time at which the largest number of the given slots (not merged) is
  running; None if there are no slots.
"""

from __future__ import annotations

GAP = 5


def merged(slots: list[list[int]]) -> list[list[int]]:
    result: list[list[int]] = []
    for start, end in sorted(slots):
        if result and start - result[-1][1] <= GAP:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([start, end])
    return result


def free(slots: list[list[int]], begin: int, end: int) -> list[list[int]]:
    gaps: list[list[int]] = []
    at = begin
    for start, stop in merged(slots):
        if start > at:
            gaps.append([at, min(start, end)])
        at = max(at, stop)
        if at >= end:
            break
    if at < end:
        gaps.append([at, end])
    return [gap for gap in gaps if gap[0] < gap[1]]


def busiest(slots: list[list[int]]) -> int | None:
    best, found = 0, None
    for time in sorted({start for start, _ in slots}):
        running = sum(1 for start, end in slots if start <= time < end)
        if running > best:
            best, found = running, time
    return found
