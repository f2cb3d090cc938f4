"""The terminal's title: how what is on the screen stands."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from ..core.state import RunState
from ..sessions import Worker
from .notices import cut
from .screens.cockpit import Cockpit

NAME = "sandbox-tui"

_SIGNS = {
    "starting": "◌",
    "running": "●",
    "paused": "‖",
    "waiting": "◆ waits for you",
    "finished": "✓",
    "failed": "✗",
}


def title_of(screens: Sequence[Screen[object]], alive: Sequence[Worker]) -> str:
    """The title for a stack of screens, while these runs go on."""
    for screen in reversed(screens):
        if isinstance(screen, Cockpit):
            return f"{_sign(screen)} {cut(screen.task_line)} · {NAME}"
    waiting = sum(worker.state.pending is not None for worker in alive)
    if waiting:
        return f"◆ {waiting} wait for you · {NAME}"
    return f"● {len(alive)} running · {NAME}" if alive else NAME


def _sign(screen: Cockpit) -> str:
    return sign_of(screen.state) if screen.is_live else "replay ·"


def sign_of(state: RunState) -> str:
    """How a run stands, in a sign and few words."""
    return _SIGNS.get(state.status, state.status)
