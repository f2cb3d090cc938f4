"""The text in the lower border of the terminal pane."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.types import InputAwaited
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.widgets.terminal.input.input_bytes import RELEASE_SHOWN
from sandbox_tui.tui.widgets.terminal.used_rows import is_blank
from sandbox_tui.tui.widgets.terminal.view import TerminalView

BORDER_COLUMNS = 4
"""Columns of the border without text: corners and blanks."""

MAX_PROGRAM_CHARS = 20


def release_hints() -> tuple[str, ...]:
    """Return how to release the keyboard, from the longest wording to the shortest."""
    back = f"{RELEASE_SHOWN} releases it"
    return (
        f"keyboard goes to the sandbox · {back}",
        f"keys go in · {back}",
        f"{RELEASE_SHOWN} back",
    )


def awaited_words(awaited: InputAwaited, view: TerminalView) -> tuple[str, ...]:
    """Return which program waits for what, and the possible actions, longest wording first.

    Args:
        awaited: the awaited input.
        view: the terminal shown; without the focus, the key that focuses it is named too.
    """
    kind = "a password" if awaited.hidden else "input"
    keys = _interrupt_words(view)
    if awaited.answerable:
        focus_key = "" if view.has_focus else f"{hint('cockpit.terminal')}, "
        keys = f"{focus_key}{hint('terminals.type')} answers · {keys}"
    state = f"{sanitize_line(awaited.program)[:MAX_PROGRAM_CHARS]} waits for {kind}"
    return (f"{state} · {keys}", f"waits for {kind} · {keys}", keys)


def _interrupt_words(view: TerminalView) -> str:
    """Return what the key does that interrupts a command: outside the calls, it leads to them."""
    key, screen = hint("live.interrupt"), view.screen
    leads_back = isinstance(screen, ExplainsUnavailable) and not screen.why_unavailable(
        "to_calls", ()
    )
    return f"{key} calls" if leads_back and hint("live.to_calls") == key else f"{key} interrupts"


def reading_words(view: TerminalView, *, grows: bool) -> tuple[str, ...]:
    """Return whether the end is followed, and how to see the other columns, longest wording first.

    Args:
        view: the terminal shown; a blank one has no columns worth scrolling to.
        grows: whether output may still come; else there is nothing to follow.
    """
    if view.following:
        words = ("following ↓", "↓") if grows else ("",)
    else:
        words = ("↓ new below · end = follow" if grows else "↓ more below · end", "↓")
    if not view.is_wider or is_blank(view.emulator):
        return words
    if view.rows.wrapped:
        keys = hint("terminals.right")
        scroll_hints = (f"{keys} cuts long lines", keys)
    else:
        keys = f"{hint('terminals.left')} {hint('terminals.right')}"
        scroll_hints = (f"wider than this pane: {keys}", keys)
    return (*(" · ".join(filter(None, (hint_, words[0]))) for hint_ in scroll_hints), keys)


def longest_fitting(choices: Sequence[str], width: int) -> str:
    """Return the first choice that fits a border of this width, otherwise the last."""
    room = width - BORDER_COLUMNS
    return next((words for words in choices if len(words) <= room), choices[-1])
