"""The application: its screens and the actions that work everywhere."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings, config_dir
from sandbox_tui.sessions import RunRegistry, RunSummary, Store
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.tui.keys.hint import use_keys
from sandbox_tui.tui.keys.key_sequencer import SequentialKeys, keys_for_dialog
from sandbox_tui.tui.keys.keymap_overlay import KeymapOverlay
from sandbox_tui.tui.keys.stale_clicks import IgnoresStaleClicks
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_keys import ExplainsUnavailableKeys
from sandbox_tui.tui.lifecycle.crash_report import report
from sandbox_tui.tui.lifecycle.detach_runs import detach_runs
from sandbox_tui.tui.lifecycle.first_screen import (
    Attach,
    Begin,
    Comparing,
    Evaluating,
    Forking,
    ReplayAt,
    Resume,
    WatchEval,
    WatchTraining,
)
from sandbox_tui.tui.lifecycle.follow_settings import FollowSettings
from sandbox_tui.tui.lifecycle.fork_session import SessionForks, replace_failed
from sandbox_tui.tui.lifecycle.news.other_sandbox_toast import OtherSandboxToast
from sandbox_tui.tui.lifecycle.news.other_waiting_runs import OtherWaitingRuns
from sandbox_tui.tui.lifecycle.news.run_news_toast import RunNewsToast
from sandbox_tui.tui.lifecycle.news.run_poll import poll_runs
from sandbox_tui.tui.lifecycle.preload_screens import preload_screens
from sandbox_tui.tui.lifecycle.quit_question import quit_question
from sandbox_tui.tui.lifecycle.resume_first import resume_first
from sandbox_tui.tui.lifecycle.shutdown import Shutdown
from sandbox_tui.tui.lifecycle.unlisted_models import begin_first
from sandbox_tui.tui.lifecycle.watch_detached import in_place, watch_detached
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.messages import (
    DetachRequested,
    ForkRequested,
    GoesOnElsewhere,
    ResumeRequested,
    RunAgainRequested,
)
from sandbox_tui.tui.terminal_io.output_sanitizer import SanitizingFilter
from sandbox_tui.tui.terminal_io.run_announcer import RunAnnouncer
from sandbox_tui.tui.textual_support.exit_races import IgnoresLookupsAtExit
from sandbox_tui.tui.textual_support.last_screen import NoticesLastScreen
from sandbox_tui.tui.textual_support.private_api import keep_alt_of_punctuation, unhandled_error
from sandbox_tui.tui.textual_support.toasts import DedupedToasts
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.theming.live_themes import LiveThemes
from sandbox_tui.tui.theming.theme_files import ThemeFiles

if TYPE_CHECKING:  # screens are imported when first shown, so that the first appears soon
    from sandbox_tui.sessions.remote.run_handle import RunHandle
    from sandbox_tui.tui.screens.dialogs.leave_run import QuitQuestion
    from sandbox_tui.tui.screens.evals.source import EvalSource
    from sandbox_tui.tui.screens.new_run.run_again import RunAgain
    from sandbox_tui.tui.screens.palette.palette import Palette

PRELOAD_DELAY_SECONDS = 0.3
"""Delay after the first screen before others are imported; its lists are filled by then."""


class SandboxTui(  # pyright: ignore[reportIncompatibleVariableOverride] # one has a property
    SequentialKeys[int],
    KeymapOverlay[int],
    ExplainsUnavailableKeys[int],
    DedupedToasts[int],
    IgnoresStaleClicks[int],
    IgnoresLookupsAtExit[int],
    NoticesLastScreen[int],
):
    """The sandbox-tui app.

    Args:
        settings: the initial settings.
        store: the session database.
        begin: what to show first; None for the home screen.

    Attributes:
        output_filter: filter for every drawn line.
        shutdown: ends the runs and the program.
    """

    TITLE = "sandbox-tui"
    ENABLE_COMMAND_PALETTE = False  # Textual's own; ours is bound below

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("app.quit", "quit", show=False, priority=True),
        binding(
            "app.palette",
            "command_palette",
            show=False,
            priority=True,
            tooltip="Every action by name",
        ),
        binding("app.jump", "jump", show=False),
        binding("app.help", "app.help", show=False),
    ]

    def __init__(
        self,
        settings: Settings,
        store: Store,
        begin: Begin | None = None,
    ) -> None:
        keep_alt_of_punctuation()
        super().__init__()
        self.settings = LiveSettings(settings)
        self.output_filter = SanitizingFilter()
        self._session_store = store
        self._begin = begin
        self._run_workers = RunRegistry(store)
        self._evals = EvalRegistry(self._run_workers)
        self._forks = SessionForks(self, self.settings, self._run_workers)
        self._begun: list[RunHandle] = []
        self._quit_dialog: QuitQuestion | None = None
        self._announcer = RunAnnouncer(self, self.settings, self._run_workers)
        self.shutdown = Shutdown(self, self._run_workers, self._evals, lambda: self._exit_code)
        files = ThemeFiles(config_dir() / "themes")
        self._themes = LiveThemes(self, files, lambda: self.settings.now.ui.theme)
        self._follower = FollowSettings(self, self.settings, self._themes)

    def on_mount(self) -> None:
        """Apply the settings, then show the first screen."""
        self._themes.choose()
        self._follower.begin()
        self.shutdown.handle_signals()
        self._show_first()
        self._themes.follow()
        sandbox_toast = OtherSandboxToast(self, self._run_workers)
        news = RunNewsToast(self, self._run_workers)
        news.begin()
        others = OtherWaitingRuns(self, self._run_workers)
        looks = (self._announcer.look, sandbox_toast.look, news.look, others.look)
        poll_runs(self, *looks, self._follower.look)
        if not self.is_headless:
            self.set_timer(PRELOAD_DELAY_SECONDS, preload_screens)

    def on_unmount(self) -> None:
        """Reset hints to the default keys: another app may run in this process."""
        use_keys({})

    def _show_first(self) -> None:
        store, workers = self._session_store, self._run_workers
        match self._begin:
            case None:
                self._show_home()
            case RunSummary():
                from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen

                self.push_screen(ReplayScreen(self._begin, store))
            case ReplayAt(run=run, place=place, in_film=in_film):
                from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen

                self.push_screen(ReplayScreen(run, store, at=place, in_film=in_film))
            case Resume(run=run):
                self._begun = resume_first(self, run, self.settings.now, workers)
            case Attach(runs=runs):
                self._begun = watch_detached(self, runs, workers, self._complain)
            case Forking(plan=plan, request=request):
                self._begun = [workers.fork(plan, request)]
                self._show_live(self._begun[0])
            case Evaluating(evaluation=evaluation):
                from sandbox_tui.tui.screens.evals.source import LocalEval

                self._show_eval(LocalEval(self._evals.begin(evaluation), self._evals))
            case WatchEval(summary=summary):
                from sandbox_tui.tui.screens.evals.source import RecordedEval

                self._show_eval(RecordedEval(summary, store))
            case Comparing(left=left, right=right):
                from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen

                self.push_screen(CompareScreen(left, right, store))
            case WatchTraining(summary=training):
                from sandbox_tui.tui.screens.training.training_screen import TrainingScreen

                self.push_screen(TrainingScreen(training, store))
            case requests:
                self._begun = begin_first(self, requests, workers, self._complain)
                if len(self._begun) > 1:
                    from sandbox_tui.tui.screens.wall.wall_screen import WallScreen

                    self.push_screen(WallScreen(workers, confirm_leave=True))
                else:
                    self._show_live(self._begun[0])

    def _show_home(self) -> None:
        from sandbox_tui.tui.screens.home.home import HomeScreen

        self.push_screen(HomeScreen(self.settings, self._run_workers, self._evals))

    def _show_live(self, worker: RunHandle) -> None:
        from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen

        self.push_screen(LiveScreen(worker, self._session_store))

    def _show_eval(self, source: EvalSource) -> None:
        from sandbox_tui.tui.screens.evals.open_eval import EvalOpener

        EvalOpener(self.screen, self._evals, self.settings, confirm_leave=True).show(source)

    # --- new runs from sessions

    @on(ForkRequested)
    def _fork_requested(self, event: ForkRequested) -> None:
        asking = keys_for_dialog(self, self._fork(event))
        self.run_worker(asking, exclusive=True, group="fork")

    async def _fork(self, event: ForkRequested) -> None:
        worker = await self._forks.fork(event)
        self._begun = replace_failed(self._begun, event.run_id, worker)

    @on(RunAgainRequested)
    def _run_again_requested(self, event: RunAgainRequested) -> None:
        asking = keys_for_dialog(self, self._run_again.ask(event.run_id))
        self.run_worker(asking, exclusive=True, group="fork")

    @cached_property
    def _run_again(self) -> RunAgain:
        from sandbox_tui.tui.screens.new_run.run_again import RunAgain

        return RunAgain(self, self.settings, self._run_workers)

    @property
    def restore_sequence(self) -> str:
        """Bytes to send to the terminal after the screen has closed; empty for none."""
        return self._announcer.restore_sequence

    def _complain(self, words: str) -> None:
        self.notify(sanitize_line(words), severity="warning", markup=False)

    @cached_property
    def _palette(self) -> Palette:
        from sandbox_tui.tui.screens.palette.palette import Palette

        return Palette(self, self.settings, self._themes, self._evals)

    def action_command_palette(self) -> None:
        """Open the palette."""
        self._palette.open()

    def action_settings(self) -> None:
        """Open the settings."""
        from sandbox_tui.tui.screens.settings import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            reread_settings(self, self.settings)
            self.push_screen(SettingsScreen(self.settings, self._themes))

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return Textual's filters, followed by our sanitizer."""
        return [*super().get_line_filters(), self.output_filter]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return colours for the roles, which Textual's own themes do not define."""
        return derived_roles(self.current_theme)

    def action_help(self) -> None:
        """Show the keys of the top screen."""
        from sandbox_tui.tui.screens.help.help_screen import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    def action_jump(self) -> None:
        """Show a letter on every focusable widget; pressing one focuses its widget."""
        from sandbox_tui.tui.screens.dialogs.jump import JumpScreen

        below = self.screen
        targets = [widget for widget in below.focus_chain if widget.region.area]

        def chosen(target: Widget | None) -> None:
            if target is not None:
                below.set_focus(target)

        if targets:
            self.push_screen(JumpScreen(targets), chosen)

    async def action_quit(self) -> None:
        """End the runs and quit after asking; when called again, quit without waiting for them."""
        if self.shutdown.has_begun:
            self.shutdown.force()
            return
        question = quit_question(
            self._run_workers, self._evals, [*self.screen_stack, self._run_again]
        )
        if not question:
            self.shutdown.begin()
            return
        from sandbox_tui.tui.screens.dialogs.leave_run import DraftDialog, QuitDialog, QuitQuestion

        def sure(yes: bool | None) -> None:
            if yes:
                self.shutdown.begin()

        open_one = self._quit_dialog
        if open_one is not None and self.screen is open_one:  # another screen may cover it
            open_one.ask_again()
            return
        if self._evals.running:
            dialog = QuitQuestion(question, "stop and quit", "stay")
        elif going := len(self._run_workers.running):
            dialog = QuitDialog(question, going, self._detach_and_quit)
        else:
            dialog = DraftDialog(question, "quit", "stay")
        self._quit_dialog = dialog
        self.push_screen(dialog, sure)

    @on(ResumeRequested)
    def _resume_requested(self, event: ResumeRequested) -> None:
        from sandbox_tui.tui.screens.cockpit.live.interrupted import open_resumed

        worker = open_resumed(self, event, self.settings.now, self._run_workers)
        self._begun = in_place(self._begun, worker)

    @on(GoesOnElsewhere)
    def _goes_on_elsewhere(self, event: GoesOnElsewhere) -> None:
        self._begun = in_place(self._begun, event.worker)

    @on(DetachRequested)
    def _detach_requested(self, event: DetachRequested) -> None:
        detach_runs(self, event, self._run_workers, self._evals, self.shutdown)

    def _detach_and_quit(self) -> None:
        def moved(all_moved: bool | None) -> None:
            if all_moved:
                self.shutdown.begin()

        self.post_message(DetachRequested((), moved, quits=True))

    def _fatal_error(self) -> None:
        """Report a crash without the values of all variables, which Textual would show."""
        error = sys.exc_info()[1] or unhandled_error(self)
        self.bell()
        if error is not None:
            self.panic(Text(report(error)))

    # --- closing

    @override
    def last_screen_closed(self) -> None:
        """End the program, unless runs continue: those are available from the home screen."""
        if self._run_workers.running or self._evals.running:
            self.call_later(self._show_home)
        elif not self.shutdown.has_begun:
            self.shutdown.begin()

    @property
    def started_ids(self) -> list[str]:
        """Ids of the runs the program was started for."""
        return [worker.run_id for worker in self._begun]

    @property
    def seen(self) -> list[str]:
        """Ids of all runs that this program has started or watched, in order."""
        runs = self._run_workers
        return list(dict.fromkeys([*self.started_ids, *runs.detached, *runs.all]))

    @property
    def _exit_code(self) -> int:
        """Exit code of the first run that failed among those the program was started for."""
        codes = (worker.exit_code for worker in self._begun)
        return next((code for code in codes if code), self._evals.exit_code)

    @property
    def runs(self) -> RunRegistry:
        """The runs of this program."""
        return self._run_workers

    @property
    def failures(self) -> Mapping[str, SandboxTuiError]:
        """Why runs that the program was started for could not start or were cut off, by id; then
        why evaluations failed."""
        of_runs = {run.run_id: why for run in self._begun if (why := run.failure) is not None}
        return of_runs | self._evals.failures

    async def on_exit_app(self) -> None:
        """Stop the runs on any kind of exit, for example when a browser tab is closed."""
        await self.shutdown.stop_runs()
