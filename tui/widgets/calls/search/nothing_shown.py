"""What the list of calls says about items that its filter would show and that come later."""

from __future__ import annotations

from collections.abc import Callable

from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.widgets.calls.search.call_filter import FILTER_WORDS, Filter


def nothing_shown(filter_: Filter, state: RunState, later: Callable[[], int]) -> tuple[str, ...]:
    """Return the lines of a list whose filter hides every item.

    Args:
        filter_: the filter.
        state: the run as displayed.
        later: returns the number of failures later in the recording.
    """
    so_far = "." if state.finished is not None else " so far."
    goes = (
        f"{words}: {hint('replay.failure')} goes to the next."
        for words in later_words(filter_, later)
    )
    return (
        f"No {FILTER_WORDS[filter_]}{so_far}",
        *goes,
        f"{hint('calls.filter')} changes the filter.",
    )


def later_words(filter_: Filter, later: Callable[[], int]) -> tuple[str, ...]:
    """Return the number of later items that the filter will show, if it is known."""
    count = later() if filter_ == "failed" else 0
    return (f"{count} later",) if count else ()
