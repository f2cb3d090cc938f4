"""The dialog shown when a detached run's program has died while a screen watches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.sessions import RunRegistry, RunWorker
from sandbox_tui.sessions.remote.resume_here import resume_here
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.cockpit.interrupted_calls import InterruptedCalls
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.screens.messages import ResumeRequested
from sandbox_tui.tui.textual_support.toasts import complain_here
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar

if TYPE_CHECKING:
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen


class InterruptedDialog(Dialog[bool]):
    """Says why the run goes no further; dismisses with whether to resume it."""

    CSS = """
    InterruptedDialog .dialog { width: 76; border: round $error; border-title-color: $error; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("failure.resume", "resume"),
        binding("failure.leave", "close"),
    ]

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self._sentence = sentence

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
            run_id = screen.worker.run_id
            screen.post_message(ResumeRequested(run_id, screen.dismiss_when_on_top))
        else:
            screen.dismiss_when_on_top(None)

    interrupted_calls = InterruptedCalls(screen, *screen.session)
    interrupted_calls.show(screen.state, is_interrupted=True)
    keys = f"{hint('failure.resume')} resumes it, {hint('failure.leave')} leaves"
    screen.query_one(InjectBar).say_gone(f"The run's program is gone: {keys}.")
    screen.refresh_soon()
    screen.refresh_bindings()
    app_of(screen).push_screen(InterruptedDialog(str(error)), answered)


def open_resumed(
    app: App[Any], event: ResumeRequested, settings: Settings, runs: RunRegistry
) -> RunWorker | None:
    """Resume a run in this program and show it; None if it cannot be resumed."""
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen

    try:
        worker = resume_here(runs.store.run(event.run_id), settings, runs)
    except SandboxTuiError as error:
        complain_here(app, str(error))
        event.then(None)
        return None
    app.push_screen(LiveScreen(worker, runs.store), event.then)
    return worker
