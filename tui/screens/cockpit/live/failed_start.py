"""What the screen of a run does if the run cannot start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from sandbox_tui.core.base.errors import (
    ImageMissing,
    RunsElsewhere,
    SandboxNotLeft,
    SandboxTuiError,
)
from sandbox_tui.core.config.settings import changed
from sandbox_tui.core.sandboxes.blocking_calls import in_thread
from sandbox_tui.sessions.recording.run_worker import RunWorker
from sandbox_tui.tui.screens.cockpit.interrupted_calls import InterruptedCalls
from sandbox_tui.tui.screens.cockpit.live.interrupted import request_resume
from sandbox_tui.tui.screens.dialogs.show_error import ErrorDialog, LostSandboxDialog
from sandbox_tui.tui.screens.home.missing_image import ImageAnswer, MissingImageDialog
from sandbox_tui.tui.screens.messages import ForkRequested
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar

if TYPE_CHECKING:
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen


def say_it_failed(screen: LiveScreen, error: SandboxTuiError) -> None:
    """Say why the run could not start, then leave its screen; others may lie on top of it. A run
    whose sandbox is gone can be forked; one that another program has resumed is watched."""
    app, run_id, seq = app_of(screen), screen.worker.run_id, screen.state.seq
    if isinstance(error, RunsElsewhere):  # another program was faster
        request_resume(screen)
        return
    has_begun = screen.state.started is not None
    InterruptedCalls(screen, *screen.session).show(screen.state, is_interrupted=has_begun)
    screen.refresh_now()
    if not isinstance(error, SandboxNotLeft) or not seq:
        app.push_screen(ErrorDialog(str(error)), lambda _: screen.dismiss_when_on_top(None))
        return

    screen.query_one(InjectBar).say_gone("This run cannot be resumed: its sandbox is gone.")

    def answered(forks: bool | None) -> None:
        if forks:
            screen.post_message(ForkRequested(run_id, seq, screen.dismiss_when_on_top))
        else:
            screen.dismiss_when_on_top(None)

    app.push_screen(LostSandboxDialog(str(error)), answered)


async def offer_image(screen: LiveScreen, error: ImageMissing, start: Callable[[], None]) -> None:
    """Offer the ways to get the image, and the other sandbox if it works here.

    The offer says why the run could not start, so a person who declines it is not told again: the
    run's screen is left.

    Args:
        screen: of the run.
        error: names the image.
        start: starts the run again.
    """
    worker = screen.worker

    def answered(answer: ImageAnswer | None) -> None:
        if answer is None:
            screen.dismiss_when_on_top(None)
            return
        if answer == "bubblewrap" and isinstance(worker, RunWorker):
            settings = changed(worker.request.settings, {"sandbox.kind": "bubblewrap"})
            worker.request = replace(worker.request, settings=settings)
        start()

    has_bubblewrap = type(worker) is RunWorker and await in_thread(_bubblewrap_works)
    dialog = MissingImageDialog(error.image, has_bubblewrap=has_bubblewrap)
    app_of(screen).push_screen(dialog, answered)


def _bubblewrap_works() -> bool:
    from sandbox_tui.core.sandboxes.bubblewrap.availability import bubblewrap_problem

    return not bubblewrap_problem()
