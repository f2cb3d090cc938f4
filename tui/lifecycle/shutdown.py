"""Orderly exits: by the user, on a signal, or when the terminal is lost."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from textual.app import App

from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER, TERMINAL_CLOSED
from sandbox_tui.tui.terminal_io.external_editor import is_editor_open

SCREEN_TIMEOUT_SECONDS = 10.0
"""Timeout for restoring the terminal after everything is stored: writing to a dead terminal
blocks. On a busy machine, closing the screen takes seconds."""

FORCED_TIMEOUT_SECONDS = 3.0
"""Timeout for storing how the runs ended if the user quits without waiting for them."""

NOTICE_SECONDS = 1.0
"""Seconds of cleaning up without a screen after which a line says so."""

POLL_SECONDS = 0.05
"""Pause between checks whether the ends of all runs are stored."""

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
    """Ends the runs, then the app; the sandboxes may be removed after the screen has closed.

    Args:
        app: the app.
        runs: its runs.
        evals: its evaluations.
        exit_code: computes the program's exit code after they have ended.

    Attributes:
        has_begun: whether the user has quit.
        owns_process: whether the process belongs to this app alone; then whoever shows the app
            calls `screen_closed` and `clean_up`.
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
        self._ending: asyncio.Task[None] | None = None
        self._screen_limit: threading.Timer | None = None
        self._interrupted: asyncio.Event | None = None
        self._on_signals: set[asyncio.Task[None]] = set()
        self.has_begun = False
        self.owns_process = False

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
        unfinished = self._runs.running or self._evals.running
        self._exit(SIGNALS[signal.SIGINT] if unfinished else self._exit_code())

    async def stop_runs(self) -> None:
        """End the runs within the time limit, however the exit was requested."""
        if not self._forced:
            await self._end_within(SHUTDOWN_TIMEOUT_SECONDS)

    # --- without the screen

    async def screen_closed(self) -> None:
        """Wait until it is stored how the runs ended, within a time limit."""
        self._interrupted = asyncio.Event()
        if self._screen_limit is not None:
            self._screen_limit.cancel()
        await self._end_within(FORCED_TIMEOUT_SECONDS if self._forced else SHUTDOWN_TIMEOUT_SECONDS)

    async def clean_up(self, say: Callable[[str], None]) -> None:
        """Wait until the sandboxes are removed; a signal ends the wait.

        Args:
            say: prints a line if it takes longer than `NOTICE_SECONDS`.
        """
        ending, interrupted = self._ending, self._interrupted
        if ending is None or interrupted is None or self._runs.running:
            return
        await asyncio.wait([ending], timeout=NOTICE_SECONDS)
        if not ending.done():
            say(removing_words([worker.request for worker in self._runs.unfinished]))
            signalled = asyncio.create_task(interrupted.wait())
            await asyncio.wait([ending, signalled], return_when=asyncio.FIRST_COMPLETED)
            signalled.cancel()

    # --- ending

    async def _finish(self) -> None:
        from sandbox_tui.tui.screens.cockpit.live.ending_runs import closing_dialog

        self.has_begun = True
        async with closing_dialog(self._app, self._runs.unfinished):
            await self._end(ENDED_BY_USER)
        self._exit(self._exit_code())

    async def _end_within(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._end(_REASON)

    async def _end(self, why: str) -> None:
        """End the runs, and wait until that is stored and, unless it can go on without the screen,
        everything is cleaned up."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._stop(why))
        while not (self._ending.done() or (self.owns_process and self._is_stored)):
            await asyncio.wait([self._ending], timeout=POLL_SECONDS)

    @property
    def _is_stored(self) -> bool:
        return not (self._runs.running or self._evals.running)

    async def _stop(self, why: str) -> None:
        """End the evaluations first: otherwise they would start new samples in place of the ended
        ones. After the terminal was closed, runs can be resumed."""
        if self._is_disconnected:
            await asyncio.gather(self._evals.stop(TERMINAL_CLOSED), self._runs.disconnect())
        else:
            await asyncio.gather(self._evals.stop(_REASON), self._runs.stop(why))

    def _on_signal(self, code: int) -> None:
        if self._interrupted is not None:
            self._interrupted.set()
            return
        if code == SIGNALS[signal.SIGINT] and is_editor_open():
            return  # the terminal sends it to all programs running in it
        if self._screen_limit is None:  # otherwise the screen already closes
            exiting = asyncio.create_task(self._exit_for_signal(code))
            self._on_signals.add(exiting)
            exiting.add_done_callback(self._on_signals.discard)

    async def _exit_for_signal(self, code: int) -> None:
        if code == SIGNALS[signal.SIGHUP]:
            self._is_disconnected = True
        if self.owns_process:  # the event loop itself may block, drawing on a lost terminal
            exit_after(code, SHUTDOWN_TIMEOUT_SECONDS + SCREEN_TIMEOUT_SECONDS)
        await self.stop_runs()
        self._exit(code)

    def _exit(self, code: int) -> None:
        for screen in self._app.screen_stack:
            if isinstance(screen, KeepsDraft):
                screen.keep_draft()
        if self.owns_process and self._screen_limit is None:
            self._screen_limit = exit_after(code, SCREEN_TIMEOUT_SECONDS)
        self._app.exit(result=code, return_code=code)


def exit_after(code: int, seconds: float) -> threading.Timer:
    """End the process after this time if it still exists, unless the timer is cancelled."""
    timer = threading.Timer(seconds, os._exit, [code])
    timer.daemon = True
    timer.start()
    return timer


def removing_words(requests: Sequence[RunRequest]) -> str:
    """Return what is still being removed after these runs."""
    in_docker = all(request.settings.sandbox.kind == "docker" for request in requests)
    what = "container" if in_docker else "sandbox"
    plural = f"{what}s" if in_docker else "sandboxes"
    return f"removing {len(requests)} {plural}…" if len(requests) > 1 else f"removing the {what}…"
