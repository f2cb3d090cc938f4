"""The dialog shown while runs end, because copying their results can take a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message_pump import MessagePump
from textual.widgets import Static

from sandbox_tui.sessions.remote.run_handle import RunHandle
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.textual_support.typed_app import app_of

DELAY_SECONDS = 0.3
"""Seconds before the dialog appears: most runs have ended by then."""


class EndingRunsDialog(Dialog[None]):
    """Shows the progress, and how to quit without waiting.

    Args:
        workers: the runs.
    """

    CSS = """
    EndingRunsDialog .dialog { width: 64; }
    """

    def __init__(self, workers: Sequence[RunHandle]) -> None:
        super().__init__()
        self._run_workers = list(workers)

    def compose(self) -> ComposeResult:
        """Yield the progress, and the key that quits immediately."""
        with Vertical(classes="dialog") as box:
            several = len(self._run_workers) > 1
            box.border_title = f"ending {len(self._run_workers)} runs" if several else "ending"
            box.border_subtitle = f"{hint('app.quit')} quit without waiting"
            yield Static(id="how-far", markup=False)

    def on_mount(self) -> None:
        """Start updating the progress."""
        self._show_progress()
        self.set_interval(0.25, self._show_progress)

    def _show_progress(self) -> None:
        ended = sum(worker.ended.is_set() for worker in self._run_workers)
        several = len(self._run_workers) > 1
        done = f" {ended} of {len(self._run_workers)} runs are done." if several else ""
        self.query_one("#how-far", Static).update(
            f"Copying results …{done} If you quit now, results that are not copied yet are lost."
        )


@asynccontextmanager
async def closing_dialog(node: MessagePump, workers: Sequence[RunHandle]) -> AsyncGenerator[None]:
    """Show the dialog while the body ends runs, if that takes longer than `DELAY_SECONDS`."""
    app = app_of(node)
    screen, over = EndingRunsDialog(workers), False

    def show() -> None:
        if not over:
            app.push_screen(screen)

    later = asyncio.get_running_loop().call_later(DELAY_SECONDS, app.call_later, show)
    try:
        yield
    finally:
        over = True
        later.cancel()
        if screen in app.screen_stack:
            screen.dismiss_when_on_top(None)
