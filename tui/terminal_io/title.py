"""The terminal's title: what the screen shows, and its state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual.screen import Screen

from sandbox_tui.tui.format.status import status_of
from sandbox_tui.tui.terminal_io.notifications import cut

if TYPE_CHECKING:
    from sandbox_tui.core.events.run_state import RunState
    from sandbox_tui.sessions import RunWorker

NAME = "sandbox-tui"

_TOLD = ("waiting", "awaiting_input", "frozen")
"""Statuses that are shown in words, not by their sign alone."""


@runtime_checkable
class ShowsRun(Protocol):
    """A screen that shows one run, live or replayed."""

    state: RunState

    @property
    def is_live(self) -> bool:
        """Whether the run continues while it is shown."""
        ...

    @property
    def task_line(self) -> str:
        """The first line of the run's task."""
        ...


def title_of(screens: Sequence[Screen[object]], alive: Sequence[RunWorker]) -> str:
    """Return the title for a stack of screens while these runs are active."""
    for screen in reversed(screens):
        if isinstance(screen, ShowsRun):
            return f"{_sign(screen)} {cut(screen.task_line)} · {NAME}"
    waiting = sum(worker.state.pending is not None for worker in alive)
    if waiting:
        return f"◆ {waiting} wait for you · {NAME}"
    return f"● {len(alive)} running · {NAME}" if alive else NAME


def _sign(screen: ShowsRun) -> str:
    return sign_of(screen.state) if screen.is_live else "replay ·"


def sign_of(state: RunState) -> str:
    """Return the status of a run, as a sign and a few words."""
    sign, words, _ = status_of(state)
    return f"{sign} {words}" if state.status in _TOLD else sign
