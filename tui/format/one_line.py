"""Edits a text of several lines on one line, where line breaks appear as ␊."""

from __future__ import annotations

from sandbox_tui.core.base.sanitize import sanitize

BREAK = "␊"


def with_its_lines(typed: str, before: str) -> str:
    """Return the edited text, given the text `typed` into a line that showed `before`.

    If it is unchanged, `before` is returned exactly; otherwise each ␊ becomes a line break, unless
    `before` itself contained ␊.
    """
    if typed.strip() == sanitize(before, newlines=False).strip():
        return before.strip()
    if "\n" in before and BREAK not in before:
        return typed.replace(BREAK, "\n")
    return typed
