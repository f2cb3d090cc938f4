"""The actions of a live run's screen that control the run."""

from __future__ import annotations

from typing_extensions import override

from sandbox_tui.tui.keys.key_sequencer import is_repeated_escape
from sandbox_tui.tui.keys.leaving_word import go_back
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.cockpit.live.steering import RunSteering
from sandbox_tui.tui.textual_support.toasts import passing_toasts, put_toasts_away
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.call_list import Calls


class SteeringActions(Cockpit):
    """A cockpit with the actions of `RunSteering`; a subclass sets `_steering`."""

    _steering: RunSteering

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        if action == "put_away" and not (self.state.finished or passing_toasts(app_of(self))):
            return "there are none"
        return super().why_unavailable(action, parameters)

    def _would_fail(self) -> bool:
        """Return whether the waiting call would fail, as its preview tells."""
        files = self.query_one(Calls).edited_files
        preview = files.preview(self.state.pending, self.state.files)
        return preview is not None and bool(preview.problem)

    @property
    def _has_prompt(self) -> bool:
        """Whether the running command waits for input that can be typed in the terminal."""
        awaited = self.state.awaited
        return awaited is not None and awaited.answerable and self.state.finished is None

    def action_pause(self) -> None:
        """Pause or resume the run."""
        self._steering.pause_or_resume()

    def action_step(self) -> None:
        """Run one more call."""
        self._steering.step()

    def action_mode(self) -> None:
        """Choose how the run proceeds."""
        self._steering.choose_mode()

    def action_freeze(self) -> None:
        """Stop every process in the sandbox, or resume all of them."""
        self._steering.freeze_or_thaw()

    def action_waiting(self) -> None:
        """Open the whole waiting call, wherever the cursor is."""
        self.open_whole(self.state.pending)

    def action_allowed(self) -> None:
        """Show what the user has allowed in this run."""
        self._steering.show_allowed()

    def action_approve(self) -> None:
        """Approve the waiting call."""
        self._steering.approve()

    def action_approve_always(self) -> None:
        """Approve the waiting call and all similar ones."""
        self._steering.approve_always()

    def action_edit(self) -> None:
        """Edit the waiting call before it runs."""
        self._steering.edit()

    def action_skip(self) -> None:
        """Skip the waiting call."""
        self._steering.skip()

    def action_put_away(self) -> None:
        """Remove the notices from the screen; without any, go back once the run has ended, unless
        that ends the program."""
        if passing_toasts(app_of(self)):
            put_toasts_away(app_of(self))
        elif is_repeated_escape(self):
            return  # the first one closed something
        else:
            go_back(self, "live.leave", self.action_leave)

    def action_leave(self) -> None:
        """Leave the screen."""
        raise NotImplementedError

    async def action_interrupt(self) -> None:
        """Interrupt only the running command, unless the key was pressed twice to close
        something."""
        if not is_repeated_escape(self):
            await self._steering.interrupt()

    def action_interrupt_reply(self) -> None:
        """Interrupt only the reply, or the wait for the next attempt."""
        self._steering.interrupt_reply()
