"""What can be done with the session of a run, mostly once it has ended."""

from __future__ import annotations

from pathlib import Path

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.export_session import export_recorded
from sandbox_tui.tui.screens.messages import ForkRequested, ResumeRequested, RunAgainRequested
from sandbox_tui.tui.screens.show_folder import show_folder
from sandbox_tui.tui.textual_support.toasts import complain_here, note_here
from sandbox_tui.tui.textual_support.typed_app import app_of


class NextSteps(Cockpit):
    """A cockpit with the actions on the session that its run has left."""

    def action_fork(self) -> None:
        """Fork at the end of the finished run."""
        self.post_message(ForkRequested(self.session[1], self.state.seq))

    def action_run_again(self) -> None:
        """Run the task again, from the beginning."""
        self.post_message(RunAgainRequested(self.session[1]))

    def action_resume(self) -> None:
        """Resume the run, whose model was unavailable."""

        def refused(error: SandboxTuiError) -> None:
            complain_here(self, str(error))

        self.post_message(ResumeRequested(self.session[1], self.leave_when_on_top, refused))

    def leave_when_on_top(self, _: None) -> None:
        """Leave the screen, once no other lies on top of it."""
        raise NotImplementedError

    def action_replay(self) -> None:
        """Replay the run from its start, as far as it has been recorded."""
        from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen

        store, run_id = self.session
        try:
            run = store.run(run_id)
            replay = ReplayScreen(run, store)
        except StoreError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        app_of(self).push_screen(replay)
        if run.outcome == "running":
            words = "The run goes on; this is its recording so far."
            note_here(self, words)

    def action_export(self) -> None:
        """Export the session to files."""
        export_recorded(self, *self.session)

    def action_open_folder(self) -> None:
        """Show the results in the desktop's file manager, or warn if it cannot be opened."""
        finished = self.state.finished
        if finished is not None and finished.output:
            show_folder(self, Path(finished.output).absolute())
