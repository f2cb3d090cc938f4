"""The user's control of a run: modes, decisions on the waiting call, freezing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.core.events.run_state import CallItem, RunState
from sandbox_tui.core.events.types import Mode, RuleGranted
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.sessions.recording.run_worker import ProgramExited, RunWorker
from sandbox_tui.sessions.remote.run_handle import RunHandle
from sandbox_tui.tui.format.status import awaits_next_try, unfinished_reply
from sandbox_tui.tui.keys.unavailable_keys import say_reason
from sandbox_tui.tui.screens.cockpit.live.approving.allowed_rules import AllowedRulesDialog
from sandbox_tui.tui.screens.cockpit.live.approving.approve_always import (
    ApproveAlwaysDialog,
    OtherRuns,
)
from sandbox_tui.tui.screens.cockpit.live.approving.call_drafts import CallDrafts
from sandbox_tui.tui.screens.cockpit.live.approving.edit_waiting_call import (
    editor_of,
    same_arguments,
)
from sandbox_tui.tui.screens.cockpit.live.choose_mode import ALLOWED, ModeDialog, number_that_stays
from sandbox_tui.tui.screens.cockpit.live.waiting_toast import (
    passes_in_step,
    say_steps_now,
    still_waits,
    thawed_for,
)
from sandbox_tui.tui.screens.cockpit.not_shown_yet import NotShownYet
from sandbox_tui.tui.screens.cockpit.nothing_to_act_on import (
    ABOUT_WAITING_CALL,
    AFTER_THE_END,
    why_not_after_the_end,
    why_nothing_to_act_on,
)
from sandbox_tui.tui.screens.cockpit.outdated_notices import (
    CONTROL_TAKEN,
    asks_again_words,
    interrupt_words,
)
from sandbox_tui.tui.screens.cockpit.why_not_steered import (
    CONTROL,
    why_disconnected,
    why_not_steered,
)
from sandbox_tui.tui.screens.cockpit.why_only_watched import why_only_watched
from sandbox_tui.tui.textual_support.toasts import DedupedToasts
from sandbox_tui.tui.textual_support.typed_app import app_of

_STEERING_ACTIONS = frozenset(
    (
        *("approve", "approve_always", "edit", "reject", "answer", "skip"),
        *("pause", "step", "mode", "freeze", "inject", "message", "interrupt", "interrupt_reply"),
        *("take_over", "end", "push_file", "edit_file"),
    )
)
"""Actions that only the screen in control may use."""

GONE = "That call is no longer waiting; nothing was changed."

_DECIDED = {"approve": "approved", "edit": "edited", "reject": "rejected", "answer": "answered"}


class RunSteering:
    """Controls one run from one screen; tells the user why if that is not possible.

    Args:
        screen: shows the run; dialogs open over it.
        worker: the run.
        state: the run as far as the screen shows it.
    """

    def __init__(self, screen: Screen[None], worker: RunHandle, state: RunState) -> None:
        self._screen = screen
        self._worker = worker
        self._state = state
        self.not_shown_yet = NotShownYet(worker, state)
        self._freezing: bool | None = None
        self._drafts = CallDrafts(screen, worker)
        self._decided: CallItem | None = None

    @property
    def run(self) -> Controls | None:
        """The run, whoever controls it; None until it has been created."""
        return self._worker.run

    def steerable_run(self) -> Controls | None:
        """Return the run if it can still be controlled; otherwise None, and tell the user why."""
        if self._why_not_steered():
            say_reason(self._screen, self._why_not_steered)
            return None
        return self.run

    def _why_not_steered(self) -> str:
        has_ended = self._state.finished is not None
        return "this run has ended" if has_ended else why_not_steered(self._worker)

    @property
    def waiting(self) -> CallItem | None:
        """The call that waits for a decision: none once it is made here, though its event is yet
        to come."""
        pending = self._state.pending
        return None if pending is self._decided else pending

    def has_decided(self, item: CallItem) -> bool:
        """Whether this screen has decided on a call."""
        return item is self._decided

    def why_gone(self, item: CallItem) -> str:
        """Say why a call no longer waits, though it was not decided here; empty if it does."""
        if self._state.pending is item or self.has_decided(item):
            return ""
        if item.decided is None:
            return "this call no longer waits"
        return f"another terminal {_DECIDED.get(item.decided.verdict, 'skipped')} this call"

    def take_control(self) -> None:
        """Let this screen steer. A call that still waits was not decided here after all."""
        self._decided = None
        for words in (CONTROL, CONTROL_TAKEN):
            cast("DedupedToasts[int]", app_of(self._screen)).remove_notices_with(words)
        self._worker.take_over()

    def say_since_when(self, run: Controls) -> None:
        """Tell the user when an action takes effect if the run is still starting."""
        if run.phase is Phase.STARTING:
            self._screen.notify("The run is starting: your choice applies from its first step.")

    # --- availability and words of keys

    def why_unavailable(self, action: str) -> str:
        """Why an action is not available now; empty if it is."""
        return self.not_shown_yet.why_unavailable(action, self._why_unavailable)

    def _why_unavailable(self, action: str, state: RunState) -> str:
        if action in AFTER_THE_END:
            return why_not_after_the_end(action, state)
        waiting = None if state.pending is self._decided else state.pending
        if action == "allowed":  # the list can be read after the end, too
            return why_nothing_to_act_on(action, state, waiting)
        if action not in (*_STEERING_ACTIONS, *ABOUT_WAITING_CALL, "steer", "queue"):
            return ""
        if state.finished is not None:
            return "this run has ended"
        if isinstance(self._worker.failure, ProgramExited):
            return "the run's program has exited"
        if why := why_disconnected(self._worker):
            return why
        if action == "steer":
            in_control = "you are in control" if self._worker.steers else ""
            return why_only_watched(self._worker) or in_control
        is_known = self.run is not None or not self._worker.steers
        if action in _STEERING_ACTIONS and is_known and (why := why_not_steered(self._worker)):
            return why
        return why_nothing_to_act_on(action, state, waiting)

    def words_for(self, action: str) -> str | None:
        """Return the key bar's current words for an action; None for those of its binding."""
        if action == "pause":
            return pause_words(self.mode)
        if action == "interrupt_reply":
            return "retry now" if self.waits_to_retry else "ask again"
        return "interrupt" if action == "interrupt" else None

    @property
    def interruptible(self) -> tuple[bool, bool, bool]:
        """Whether a command runs, a reply is awaited, and the wait for it can be cut short."""
        return self._state.busy, unfinished_reply(self._state) is not None, self.waits_to_retry

    @property
    def waits_to_retry(self) -> bool:
        """Whether the last try to get a reply failed, and the next one is yet to come."""
        return awaits_next_try(self._state)

    @property
    def mode(self) -> Mode:
        """How the run proceeds; while it starts, no event tells that yet."""
        if self._state.started is not None:
            return self._state.mode
        if self.run is not None:
            return self.run.gate.mode
        if isinstance(self._worker, RunWorker):
            request = self._worker.request
            return request.mode or request.settings.agent.mode
        return self._state.mode

    # --- how the run proceeds

    def pause_or_resume(self) -> None:
        """Pause or resume the run."""
        run = self.steerable_run()
        if run is not None:
            pause_or_resume(run)
            self.say_since_when(run)
            self._say_what_still_waits(run)

    def step(self) -> None:
        """Run one more call."""
        run = self.steerable_run()
        if run is not None:
            mode = run.gate.resume_mode if run.gate.mode == "paused" else run.gate.mode
            run.step()
            self.say_since_when(run)
            say_steps_now(self._screen, mode, was_frozen=self._state.frozen)
            self._say_what_still_waits(run)

    def choose_mode(self) -> None:
        """Choose the mode of the run: a paused one stays paused, a waiting call keeps waiting."""
        run, pending = self.steerable_run(), self._state.pending
        if run is None:
            return

        def chosen(mode: Mode | Literal["allowed"] | None) -> None:
            if mode == ALLOWED:
                self.show_allowed()
            elif mode is not None:
                self.take_mode(mode)

        given = run.gate.resume_mode, number_that_stays(pending), len(self._state.granted)
        dialog = ModeDialog(*given, is_paused=run.gate.mode == "paused")
        app_of(self._screen).push_screen(dialog, chosen)

    def take_mode(self, mode: Mode) -> None:
        """Set the mode of the run, or that in which a paused one continues."""
        run = self.steerable_run()
        if run is not None:
            run.choose_mode(mode)
            self.say_since_when(run)
            self._say_what_still_waits(run)

    def show_allowed(self) -> None:
        """Show what the user has allowed in this run."""

        def revoke(granted: RuleGranted) -> None:
            run = self.steerable_run()
            if run is not None:
                run.revoke_rule(granted.tool, granted.pattern)

        app_of(self._screen).push_screen(AllowedRulesDialog(self._state, revoke))

    def _say_what_still_waits(self, run: Controls) -> None:
        pending = self._state.pending
        if pending is not None and not pending.waits_for_resume:
            self._screen.notify(still_waits(pending.call.number, run.gate.resume_mode), timeout=3)

    def freeze_or_thaw(self) -> None:
        """Pause the run and stop every process in the sandbox, or resume all of them."""
        self._screen.run_worker(self._freeze_or_thaw(), group="freezing")

    async def _freeze_or_thaw(self) -> None:
        run = self.steerable_run()
        if run is None:
            return
        frozen = run.frozen if self._freezing is None else self._freezing
        self._freezing = not frozen  # a second key press before this is done means the opposite
        try:
            await (run.thaw() if frozen else run.freeze())
        except SandboxTuiError as error:
            self._screen.notify(sanitize_line(str(error)), severity="error", markup=False)
        finally:
            if self._freezing is not frozen:
                self._freezing = None

    # --- the waiting call

    @property
    def has_draft(self) -> bool:
        """Whether the user has left an unfinished edit of the waiting call."""
        waiting = self.waiting
        return waiting is not None and self._drafts.of(waiting.call.number) is not None

    def forget_draft(self) -> None:
        """Forget the unfinished edit: no call of the run waits any more."""
        self._drafts.forget()

    def _decide(
        self, number: int, decide: Callable[[Controls], bool], *, lets_run: bool = False
    ) -> None:
        """Decide on a call, once; say so if it no longer waits, or thaws the sandbox."""
        run, item = self.steerable_run(), self.waiting
        if run is None:
            return
        if item is not None and item.call.number == number and decide(run):
            self._decided = item
            self._drafts.forget()
            if lets_run and self._state.frozen:
                self._screen.notify(thawed_for(number))
        else:
            self._screen.notify(GONE)

    def approve(self) -> None:
        """Approve the waiting call."""
        if self.waiting is not None:
            number = self.waiting.call.number
            self._drafts.approve_original(number, lambda: self._approve(number), self.edit)

    def _approve(self, number: int) -> None:
        self._decide(number, lambda run: run.approve(number), lets_run=True)

    def approve_always(self, others: OtherRuns | None = None) -> None:
        """Approve the waiting call and all similar ones for the rest of the run, and perhaps of
        others."""
        run, item = self.steerable_run(), self.waiting
        if run is None or item is None:
            return
        parts = run.gate.open_parts()
        if not parts:
            self._screen.notify("The arguments cannot be read: approve this call alone.")
            return
        number = item.call.number

        def ask() -> None:
            app_of(self._screen).push_screen(dialog, allowed)

        def allowed(chosen: tuple[str, ...] | None) -> None:
            if chosen:
                self._decide(number, lambda run: run.approve_always(number, chosen), lets_run=True)
            if chosen and self.has_decided(item):
                if others is not None and dialog.is_for_all:
                    others.allow(item.call.name, chosen)
                elif run.gate.mode == "step":
                    self._screen.notify(passes_in_step(), markup=False)

        runs = None if others is None else 1 + others.count
        of_run = None if others is None else others.number
        dialog = ApproveAlwaysDialog(item.call, parts, runs, of_run)
        self._drafts.approve_original(number, ask, self.edit)

    def edit(self) -> None:
        """Edit the waiting call before it runs."""
        run, item = self.steerable_run(), self.waiting
        if run is None or item is None:
            return
        number, before = item.call.number, item.call.arguments

        def edited(arguments: str | None) -> None:
            if arguments is None:
                if dialog.draft is not None and not run.over:
                    run.keep_waiting(number)
                self._drafts.keep(number, dialog.draft, waits=self.waiting is not None)
                return
            if same_arguments(arguments, before):
                self._approve(number)
            else:
                self._decide(number, lambda run: run.edit(number, arguments), lets_run=True)

        dialog = editor_of(self._screen, item, self._state, self.why_gone, self._drafts)
        app_of(self._screen).push_screen(dialog, edited)

    def decide_in_words(self, number: int, verdict: Literal["reject", "answer"], text: str) -> None:
        """Reject a waiting call with a reason, or answer it."""
        if verdict == "reject":
            self._decide(number, lambda run: run.reject(number, text))
        else:
            self._decide(number, lambda run: run.answer(number, text))

    def skip(self) -> None:
        """Skip the waiting call."""
        if self.waiting is not None:
            number = self.waiting.call.number
            self._decide(number, lambda run: run.skip(number))

    # --- interrupting

    async def interrupt(self) -> None:
        """Interrupt only the running command."""
        run = self.steerable_run() if self._state.busy else None
        if run is None:
            return
        was_frozen = self._state.frozen
        try:
            words = interrupt_words(interrupted=await run.interrupt(), was_frozen=was_frozen)
            if words:
                self._screen.notify(words, timeout=5 if was_frozen else 2)
        except SandboxTuiError as error:
            self._screen.notify(sanitize_line(str(error)), severity="error", markup=False)

    def interrupt_reply(self) -> None:
        """Interrupt only the reply, or the wait for the next attempt."""
        if self.run is not None and self._worker.steers and self.run.interrupt_reply():
            words = asks_again_words(self._state, self.mode)
            self._screen.notify(words, timeout=2, markup=False)


def pause_or_resume(run: Controls) -> None:
    """Pause a run, or let it continue in the mode before the pause."""
    run.resume() if run.gate.mode == "paused" else run.pause()


def pause_words(mode: Mode) -> str:
    """Return the key bar's words for the key that pauses and resumes."""
    return "resume" if mode == "paused" else "pause"
