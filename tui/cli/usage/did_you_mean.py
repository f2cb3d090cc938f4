"""The question that follows an unknown name."""

from __future__ import annotations

from collections.abc import Sequence


def did_you_mean(names: Sequence[str]) -> str:
    """Return the question whether one of these names is meant, of which there is at least one."""
    *others, last = map(repr, names)
    return f"Did you mean {', '.join(others)} or {last}?" if others else f"Did you mean {last}?"
