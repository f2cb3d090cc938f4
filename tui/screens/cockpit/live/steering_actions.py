"""The actions of a live run's screen that control the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from typing_extensions import override

from sandbox_tui.core.events.types import RESUMABLE, Mode
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.key_sequencer import is_repeated_escape
from sandbox_tui.tui.keys.leaving_word import leave_by_escape, leaving_word
from sandbox_tui.tui.screens.cockpit.live.steering import RunSteering
from sandbox_tui.tui.screens.cockpit.opens_at_match import OpensAtMatch
from sandbox_tui.tui.screens.cockpit.panes import CALLS_ACTION, TERMINALS_ACTION
from sandbox_tui.tui.textual_support.toasts import passing_toasts, put_toasts_away
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.approval_bar import ApprovalBar
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.queue_list import QueueList
from sandbox_tui.tui.widgets.drawn_call import DrawnCall


class SteeringActions(OpensAtMatch):
    """A cockpit with the actions of `RunSteering`; a subclass sets `_steering`."""

    _steering: RunSteering

    def __init__(
        self, title: str, *, task: str, live: bool, get_blob: Callable[[str], bytes | None]
    ) -> None:
        super().__init__(title, task=task, live=live, get_blob=get_blob)
        self._drawn_call = DrawnCall()
        self._was_behind = False

    @override
    def sync_bars(self) -> None:
        super().sync_bars()
        was_behind, self._was_behind = self._was_behind, self._steering.not_shown_yet.is_behind
        if was_behind != self._was_behind:
            self.refresh_bindings()
        self.call_after_refresh(self._drawn_call.note, self.state.pending)

    @property
    def _can_decide(self) -> bool:
        """Whether the key that is being handled was pressed with the waiting call in view."""
        is_shown = self._is_call_shown
        return is_shown and self._drawn_call.answers(self, self._steering.waiting)

    @property
    def _is_call_shown(self) -> bool:
        """Whether no call waits that is yet to be shown; if one does, say so."""
        return not self._steering.not_shown_yet.says_so(self)

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        if action == "put_away" and not (self.state.finished or passing_toasts(app_of(self))):
            return "no notice is shown"
        if action == "to_calls" and self.has_class("-on-calls"):
            return "the calls have the focus"
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

    @property
    def _escape_leads_to_calls(self) -> bool:
        """Whether escape leaves another pane for the calls, instead of interrupting the command."""
        is_elsewhere = not self.has_class("-on-calls") and self.state.finished is None
        return is_elsewhere and not passing_toasts(app_of(self))

    @property
    @override
    def urgent_actions(self) -> Sequence[str]:
        """What waits for the user now, and what ends a running command or reply; the keys come
        first in the bar, in this order. On a narrow screen, so do a few more."""
        if isinstance(self.focused, QueueList):
            return ("steer",)
        ways_back = ("to_calls", *super().urgent_actions) if super().urgent_actions else ()
        if self._has_prompt:
            prompts = (TERMINALS_ACTION, "attach", "steer", *ways_back)
            return (*prompts, "pause", "to_calls", "interrupt")
        is_busy = self._steering.waiting is None and any(self._steering.interruptible)
        ends = ("to_calls", "interrupt", "interrupt_reply") if is_busy else ()
        if is_busy and self.has_class("-narrow"):
            return ("steer", *ways_back, "pause", *ends, "message", "inject", "end")
        pauses = ("pause",) if is_busy else ()
        decides = ("approve", "edit", "reject")
        return ("steer", *decides, *pauses, *ends, *ways_back)

    @override
    def words_for(self, action: str) -> str | None:
        """The key bar's current words for an action; empty if a bar above already shows them."""
        decides = action in ("approve", "edit", "reject")
        if decides and (self.query_one(ApprovalBar).display or self._steering.waiting is None):
            return ""
        if action == TERMINALS_ACTION and self._has_prompt and not self._is_in_terminal:
            return "answer prompt"
        if action == CALLS_ACTION and self._escape_leads_to_calls:
            return ""
        if action == "put_away" and self.state.finished:
            return f"dismiss the notices, or {leaving_word(self)}"
        words = self._steering.words_for(action)
        if words and action == "interrupt_reply" and self.has_class("-narrow"):
            return words.removesuffix(" now")  # leaves room for another key
        return super().words_for(action) if words is None else words

    def action_to_calls(self) -> None:
        """Focus the calls."""
        self._panes.focus("calls")

    def action_pause(self) -> None:
        """Pause or resume the run."""
        self._steering.pause_or_resume()

    def action_step(self) -> None:
        """Run one more call."""
        self._steering.step()

    def action_mode(self) -> None:
        """Choose how the run proceeds."""
        self._steering.choose_mode()

    @property
    def mode(self) -> Mode | None:
        """The mode of the run, or that in which it continues after a pause; None until it runs."""
        run = self._steering.run
        return None if run is None else run.gate.resume_mode

    def take_mode(self, mode: Mode) -> None:
        """Set the mode of the run; a paused one stays paused."""
        self._steering.take_mode(mode)

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
        if self._can_decide:
            self._steering.approve()

    def action_approve_always(self) -> None:
        """Approve the waiting call and all similar ones."""
        if self._is_call_shown:
            self._steering.approve_always()

    def action_edit(self) -> None:
        """Edit the waiting call before it runs."""
        if self._is_call_shown:
            self._steering.edit()

    def action_skip(self) -> None:
        """Skip the waiting call."""
        if self._can_decide:
            self._steering.skip()

    def action_put_away(self) -> None:
        """Remove the notices from the screen; without any, leave once the run has ended, unless
        that ends the program while the run can be resumed: escape is too easy a slip."""
        finished = self.state.finished
        if put_toasts_away(app_of(self)) or finished is None:
            return
        if finished.reason in RESUMABLE and leaving_word(self) == "leave":
            keys = f"{hint('live.leave')} leaves; {hint('live.resume')} resumes the run."
            self.notify(keys, timeout=2, markup=False)
        else:
            leave_by_escape(self, self.action_leave)

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
