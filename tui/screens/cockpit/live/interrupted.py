"""The dialog shown when a detached run's program has died while a screen watches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.sessions import RunRegistry, RunSummary, RunWorker, Store
from sandbox_tui.sessions.recording.give_way import was_refused
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.followed_run import FollowedRun, follow_elsewhere
from sandbox_tui.sessions.remote.resume_here import resume_here
from sandbox_tui.sessions.remote.sockets import is_served
from sandbox_tui.tui.format.outcome import outcome_words
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.cockpit.interrupted_calls import InterruptedCalls
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.screens.messages import ResumeRequested
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar

if TYPE_CHECKING:
    from sandbox_tui.sessions.remote.run_handle import RunHandle
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
    from sandbox_tui.tui.screens.cockpit.replay.replay_position import ReplayPosition


POLL_SECONDS = 1.0
"""Seconds between two looks whether another program has resumed the run."""


class InterruptedDialog(Dialog[bool]):
    """Says why the run goes no further; dismisses with whether to resume it, which also holds when
    another program has.

    Args:
        sentence: the reason.
        is_resumed: whether another program has resumed it; called in a thread.
    """

    CSS = """
    InterruptedDialog .dialog { width: 76; border: round $error; border-title-color: $error; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("failure.resume", "resume"),
        binding("failure.leave", "close"),
    ]

    def __init__(self, sentence: str, is_resumed: Callable[[], bool]) -> None:
        super().__init__()
        self._sentence = sentence
        self._is_resumed = is_resumed

    def on_mount(self) -> None:
        """Begin to look whether another program resumes the run."""
        self._look()

    @work(group="resumed elsewhere")
    async def _look(self) -> None:
        if await asyncio.to_thread(self._is_resumed):
            self.dismiss(True)
        else:
            self.set_timer(POLL_SECONDS, self._look)

    def compose(self) -> ComposeResult:
        """Yield the message."""
        with Vertical(classes="dialog") as box:
            box.border_title = "✗ the run was interrupted"
            keys = f"{hint('failure.resume')} resume · {hint('failure.leave')} close"
            box.border_subtitle = keys
            yield Static(sanitize(self._sentence), markup=False)

    def action_resume(self) -> None:
        """Close, and resume the run."""
        self.dismiss(True)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(False)


def offer_to_resume(screen: LiveScreen, error: SandboxTuiError) -> None:
    """Say why a run goes no further, and offer to resume it; the screen is closed afterwards."""

    def answered(resumes: bool | None) -> None:
        if resumes:
            request_resume(screen)
        else:
            screen.dismiss_when_on_top(None)

    interrupted_calls = InterruptedCalls(screen, *screen.session)
    interrupted_calls.show(screen.state, is_interrupted=True)
    keys = f"{hint('failure.resume')} resumes it, {hint('failure.leave')} closes"
    screen.query_one(InjectBar).say_gone(f"The run's program is gone: {keys}.")
    screen.refresh_soon()
    screen.refresh_bindings()
    is_resumed = partial(goes_on_elsewhere, *screen.session)
    app_of(screen).push_screen(InterruptedDialog(str(error), is_resumed), answered)


def request_resume(screen: LiveScreen) -> None:
    """Resume a run in place of the screen that showed it; if that is refused, say why there."""

    def refused(error: SandboxTuiError) -> None:
        offer_to_resume(screen, error)

    run_id = screen.worker.run_id
    screen.post_message(ResumeRequested(run_id, screen.dismiss_when_on_top, refused))


def goes_on_elsewhere(store: Store, run_id: str) -> bool:
    """Return whether another program runs a session, as far as its record can be read."""
    try:
        return store.run(run_id).outcome == "running"
    except StoreError:
        return False


def open_resumed(
    app: App[Any], event: ResumeRequested, settings: Settings, runs: RunRegistry
) -> RunHandle | None:
    """Resume a run in this program and show it, or the one that has been resumed by now: here, or
    in another program, where it can be watched; None if it cannot be resumed, or goes on elsewhere
    and is not to be shown."""
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
    from sandbox_tui.tui.screens.home.rows.session_opener import is_above_runs

    here = next((one for one in runs.unfinished if one.run_id == event.run_id), None)
    try:
        run = runs.store.run(event.run_id)
        is_elsewhere = here is None and not run.is_resumable and not run.imported
        if here is not None:
            worker = here
        elif is_elsewhere and event.then is None:
            app.notify(_resumed_words(run, event.name), markup=False, timeout=RESULT_SECONDS)
            return None
        elif is_elsewhere:
            worker = _attached_below(app, run.id) or follow_elsewhere(run, runs.store)
        else:
            worker = resume_here(run, settings, runs)
    except SandboxTuiError as error:
        event.refused(error)
        return None
    if event.then is None:
        app.run_worker(_notice_refusal(worker, event.refused))
        return worker
    asks = not is_elsewhere and not is_above_runs(app)
    screen = LiveScreen(worker, runs.store, confirm_leave=asks)
    app.push_screen(screen, event.then)
    if is_elsewhere:
        app.notify(_resumed_words(run, event.name), markup=False, timeout=RESULT_SECONDS)
    if isinstance(worker, FollowedRun):
        _steer_once_detached(screen)
    return worker


async def _notice_refusal(worker: RunHandle, refused: Callable[[SandboxTuiError], None]) -> None:
    """Wait until a run that was resumed without a screen of its own has ended, and call
    `refused` if it turns out that another program has it."""
    await worker.ended.wait()
    error = worker.failure
    if isinstance(worker, RunWorker) and was_refused(worker) and error is not None:
        refused(error)


def follow_on_screen(
    app: App[Any], run: RunSummary, store: Store, at: ReplayPosition | None = None
) -> None:
    """Show a run of a program that does not answer for it, to watch it.

    Args:
        app: shows it.
        run: the run.
        store: the store that contains it.
        at: the match to show; None shows the end.
    """
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen

    screen = LiveScreen(FollowedRun(run, store), store, confirm_leave=False)
    if at is not None:
        screen.open_at(at)
    app.push_screen(screen)
    _steer_once_detached(screen)


def _attached_below(app: App[Any], run_id: str) -> RunHandle | None:
    """Return the handle with which a wall below is attached to a run, None without one: with a
    second, this program would only watch what it steers."""
    from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
    from sandbox_tui.tui.widgets.wall.run_tile import RunTile

    walls = (screen for screen in app.screen_stack if isinstance(screen, WallScreen))
    runs = (tile.worker for wall in walls for tile in wall.query(RunTile))
    return next((run for run in runs if run.run_id == run_id and _is_attached(run)), None)


def _is_attached(run: RunHandle) -> bool:
    return isinstance(run, RunClient) and run.failure is None and not run.ended.is_set()


def _steer_once_detached(screen: LiveScreen) -> None:
    """Replace a screen that can only watch a run once its program detaches it: from then on it can
    be steered here too."""

    def look() -> None:
        if screen.is_current and is_served(screen.worker.run_id):
            timer.stop()
            request_resume(screen)

    timer = screen.set_interval(POLL_SECONDS, look)


def _resumed_words(run: RunSummary, name: str) -> str:
    """Say where a run was resumed that is not to be resumed here."""
    if run.outcome != "running":
        return f"Another terminal had resumed {name}; it has ended ({outcome_words(run)})."
    if is_served(run.id):
        which = "The run" if name == "this run" else f"{name[:1].upper()}{name[1:]}"
        return f"{which} goes on detached: it can be steered here, too."
    return resumed_elsewhere_words(name)


def resumed_elsewhere_words(name: str) -> str:
    """Say that another terminal, which alone can steer it, has resumed a run."""
    return f"Another terminal has resumed {name}; you can watch it here and steer it there."
