"""What to do if filter or search hide all runs."""

from __future__ import annotations

from sandbox_tui.tui.keys.hint import hint, hints


def no_match_words() -> str:
    """Return that no run matches, with the keys that change it."""
    return (
        f"No matching runs. {hint('wall.filter')} changes the filter, "
        f"{hint('wall.find')} searches again, {hints('wall.leave')} shows all."
    )
