"""A text of several lines, edited on one: line breaks are seen as ␊ and stay line breaks."""

from __future__ import annotations

from sandbox_tui.core.base.sanitize import sanitize

BREAK = "␊"


def with_its_lines(typed: str, before: str) -> str:
    """What was typed into a line that began as `before`.

    Unchanged it is `before` to the letter; else each sign for a break is one again, unless that
    very sign stood in `before`.
    """
    if typed.strip() == sanitize(before, newlines=False).strip():
        return before.strip()
    if "\n" in before and BREAK not in before:
        return typed.replace(BREAK, "\n")
    return typed
