"""The terminal's title: how what is on the screen stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual.screen import Screen

from .notices import cut

if TYPE_CHECKING:
    from ..core.state import RunState
    from ..sessions import Worker

NAME = "sandbox-tui"

_SIGNS = {
    "starting": "◌",
    "running": "●",
    "paused": "‖",
    "waiting": "◆ waits for you",
    "finished": "✓",
    "failed": "✗",
}


@runtime_checkable
class ShowsRun(Protocol):
    """A screen that shows one run, live or replayed."""

    state: RunState

    @property
    def is_live(self) -> bool:
        """Whether it goes on while it is shown."""
        ...

    @property
    def task_line(self) -> str:
        """The first line of its task."""
        ...


def title_of(screens: Sequence[Screen[object]], alive: Sequence[Worker]) -> str:
    """The title for a stack of screens, while these runs go on."""
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
    """How a run stands, in a sign and few words."""
    return _SIGNS.get(state.status, state.status)
