"""The user's shells in the sandbox of a live run."""

from __future__ import annotations

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.keys.key_sequencer import ignore_burst
from sandbox_tui.tui.screens.cockpit.live.steering import RunSteering
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane

MIN_SIZE = (20, 5)
"""Minimum columns and rows of a shell, however small the pane is."""


class Shells:
    """Opens shells in the terminal pane of one screen and attaches the keyboard to them.

    Args:
        screen: contains the pane.
        steering: controls the run whose sandbox the shells run in.
    """

    def __init__(self, screen: Screen[None], steering: RunSteering) -> None:
        self._screen = screen
        self._steering = steering

    async def enter(self) -> None:
        """Attach the keyboard to a shell, preferably the visible one; open one if there is none."""
        shells = self._terminals.shells
        if shells:
            self._attach(shells[0])
        else:
            await self.open()

    async def open(self) -> None:
        """Open another shell and attach the keyboard to it."""
        run, terminals = self._steering.steerable_run(), self._terminals
        if run is None:
            ignore_burst(self._screen)
            return
        size = terminals.view.content_size
        columns, rows = max(MIN_SIZE[0], size.width), max(MIN_SIZE[1], size.height)
        try:
            name = await run.open_shell(columns, rows)
        except SandboxTuiError as error:
            ignore_burst(self._screen)
            self._screen.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        terminals.opened(name, columns, rows)
        self._screen.call_after_refresh(self._attach, name)

    def _attach(self, name: str) -> None:
        terminals = self._terminals
        terminals.visit(name)
        terminals.view.attached = True
        terminals.view.focus()
        terminals.refresh_subtitle()
        self._screen.refresh_bindings()

    @property
    def _terminals(self) -> TerminalPane:
        return self._screen.query_one(TerminalPane)
