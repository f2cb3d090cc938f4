"""Orderly exits: by the user, on a signal, or when the terminal is lost."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from textual.app import App

from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER, TERMINAL_CLOSED
from sandbox_tui.tui.terminal_io.external_editor import is_editor_open

SCREEN_TIMEOUT_SECONDS = 3.0
"""Timeout for restoring the terminal after everything is stored: writing to a dead terminal
blocks."""

SHUTDOWN_TIMEOUT_SECONDS = 10.0
"""Timeout for ending the runs if the user did not request the exit: after a signal, or when the
terminal or the browser is lost."""

SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGQUIT: 131}
"""Signals that would otherwise leave the terminal in disorder, with the exit code for each."""

_REASON = "The program was ended."


@runtime_checkable
class KeepsDraft(Protocol):
    """A form whose text outlives the program."""

    def keep_draft(self) -> None:
        """Keep what was typed for the next start of the program."""


class Shutdown:
    """Ends the runs, then the app.

    Args:
        app: the app.
        runs: its runs.
        evals: its evaluations.
        exit_code: computes the program's exit code after they have ended.

    Attributes:
        force_exit: called with an exit code and seconds, to end the process if it still exists by
            then; does nothing unless the process belongs to this app alone.
    """

    def __init__(
        self,
        app: App[int],
        runs: RunRegistry,
        evals: EvalRegistry,
        exit_code: Callable[[], int],
    ) -> None:
        self._app = app
        self._runs = runs
        self._evals = evals
        self._exit_code = exit_code
        self._forced = False
        self._is_disconnected = False
        self.has_begun = False
        self.force_exit: Callable[[int, float], None] = _keep_process

    def handle_signals(self) -> None:
        """Let each of `SIGNALS` end the program."""
        loop = asyncio.get_running_loop()
        for number, code in SIGNALS.items():
            loop.add_signal_handler(number, self._on_signal, code)

    def begin(self) -> None:
        """End the runs and exit. Waits for results, however long copying them takes."""
        self._app.run_worker(self._finish(), group="leaving")

    def force(self) -> None:
        """Exit at once; results that have not been copied are lost."""
        self._forced = True
        self._exit(self._exit_code())

    async def stop_runs(self) -> None:
        """End the runs within the time limit, however the exit was requested."""
        if self._forced:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SHUTDOWN_TIMEOUT_SECONDS):
                await self._stop()

    async def _finish(self) -> None:
        from sandbox_tui.tui.screens.cockpit.live.ending_runs import closing_dialog

        self.has_begun = True
        async with closing_dialog(self._app, self._runs.unfinished):
            await self._stop(ENDED_BY_USER)
        self._exit(self._exit_code())

    async def _stop(self, why: str = _REASON) -> None:
        """End the evaluations first: otherwise they would start new samples in place of the ended
        ones. After the terminal was closed, runs can be resumed."""
        if self._is_disconnected:
            await asyncio.gather(self._evals.stop(TERMINAL_CLOSED), self._runs.disconnect())
        else:
            await asyncio.gather(self._evals.stop(_REASON), self._runs.stop(why))

    def _on_signal(self, code: int) -> None:
        if code == SIGNALS[signal.SIGINT] and is_editor_open():
            return  # the terminal sends it to all programs running in it
        self._app.run_worker(self._exit_for_signal(code), exclusive=False)

    async def _exit_for_signal(self, code: int) -> None:
        if code == SIGNALS[signal.SIGHUP]:
            self._is_disconnected = True
        # the event loop itself may block, drawing on a lost terminal
        self.force_exit(code, SHUTDOWN_TIMEOUT_SECONDS + SCREEN_TIMEOUT_SECONDS)
        await self.stop_runs()
        self._exit(code)

    def _exit(self, code: int) -> None:
        for screen in self._app.screen_stack:
            if isinstance(screen, KeepsDraft):
                screen.keep_draft()
        self.force_exit(code, SCREEN_TIMEOUT_SECONDS)
        self._app.exit(result=code, return_code=code)


def exit_after(code: int, seconds: float) -> None:
    """End the process after this time if it still exists."""
    timer = threading.Timer(seconds, os._exit, [code])
    timer.daemon = True
    timer.start()


def _keep_process(code: int, seconds: float) -> None:
    """Do nothing: the process does not belong to the app alone."""
