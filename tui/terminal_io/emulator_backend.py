"""Chooses the emulator that draws live terminals, before the screen begins."""

from __future__ import annotations

from typing import Literal

from sandbox_tui.core.terminal.base import Terminal
from sandbox_tui.core.terminal.emulator.screen import Screen

Engine = Literal["own", "native"]

_engine: Engine = "own"


def prepare(engine: Engine) -> None:
    """Use this emulator from now on, or ours if the native one does not work."""
    global _engine  # noqa: PLW0603
    if engine == "native":
        from sandbox_tui.core.terminal.ghostty import healthy  # takes a third of a second

        engine = "native" if healthy() else "own"
    _engine = engine


def live_terminal(columns: int, lines: int) -> Terminal:
    """Return a new terminal, drawn by the chosen emulator."""
    if _engine == "native":
        from sandbox_tui.core.terminal.ghostty import NativeScreen

        return NativeScreen(columns, lines)
    return Screen(columns, lines)
