"""What the user does to the chosen run of the wall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from textual.screen import Screen

from sandbox_tui.core.base.errors import RunsElsewhere, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER
from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import task_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.cockpit.live.approving.call_drafts import CallDrafts
from sandbox_tui.tui.screens.cockpit.live.interrupted import (
    follow_on_screen,
    resumed_elsewhere_words,
)
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.live.steering import GONE, RunSteering, pause_or_resume
from sandbox_tui.tui.screens.cockpit.live.waiting_toast import thawed_for
from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog, EndRunDialog
from sandbox_tui.tui.screens.home.rows.session_opener import SessionOpener
from sandbox_tui.tui.screens.messages import GoesOnElsewhere, ResumeRequested
from sandbox_tui.tui.screens.wall.allow_in_runs import AllowInRuns
from sandbox_tui.tui.screens.wall.dialogs.choose_one_or_all import Which
from sandbox_tui.tui.screens.wall.dialogs.decide_about_all import (
    DecideAboutAllDialog,
    Decision,
    WaitingCall,
)
from sandbox_tui.tui.screens.wall.dialogs.end_runs import (
    EndAllRunsDialog,
    EndOtherRunsDialog,
    EndRunsDialog,
)
from sandbox_tui.tui.screens.wall.dialogs.message_runs import MessageRunsDialog
from sandbox_tui.tui.screens.wall.dialogs.resume_runs import ResumeRunsDialog
from sandbox_tui.tui.screens.wall.steering.controlled_runs import (
    all_of,
    controls_of,
    is_steerable,
    others_for,
    some_elsewhere,
    waiting_here,
    why_not,
)
from sandbox_tui.tui.screens.wall.steering.key_answers import KeyAnswers
from sandbox_tui.tui.screens.wall.steering.mode_of_runs import (
    ask_for_mode,
    pauses_later,
    pausing_words,
)
from sandbox_tui.tui.screens.wall.steering.resumable_runs import resumable, to_resume
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.inject_bar import PLACEHOLDER
from sandbox_tui.tui.widgets.wall.run_tile import RunTile


class TileActions:
    """Acts on runs of the wall; dialogs open over it.

    Args:
        screen: the wall.
        workers: the runs of this program, and the store.
        decided: called after a decision about the waiting call of a run.
        answers: shows what the keys did.
    """

    def __init__(
        self,
        screen: Screen[None],
        workers: RunRegistry,
        decided: Callable[[RunTile], None],
        answers: KeyAnswers,
    ) -> None:
        self._screen = screen
        self._decided = decided
        self._store = workers.store
        self._unsent = ""
        self._opener = SessionOpener(screen, workers)
        self._answers = answers

    def open(self, tile: RunTile) -> None:
        """Open a run: live, also to watch one that another program runs or has run until it was
        killed; as a replay if it had ended before."""
        app, run = app_of(self._screen), tile.worker
        if not isinstance(run, RecordedRun):
            app.push_screen(LiveScreen(run, self._store, confirm_leave=False))
            return
        try:
            summary = self._store.run(run.run_id)
        except SandboxTuiError as error:
            self.complain(error)
            return
        if run.is_followed:
            follow_on_screen(app, summary, self._store)
        else:
            self._opener.open(summary)

    def approve(self, tile: RunTile) -> None:
        """Approve the waiting call of a run; ask first if an edit of it was left as a draft."""
        run, pending = tile.worker.run, tile.state.pending
        if run is None or pending is None:
            return
        number = pending.call.number

        def approve() -> None:
            was_frozen, decided = tile.state.frozen, run.approve(number)
            self._after(tile, decided=decided)
            if was_frozen and decided:
                self._answers.say("decision", thawed_for(number, f" of run {tile.number}"))

        drafts = CallDrafts(self._screen, tile.worker)
        drafts.approve_original(number, approve, self._steering(tile).edit)

    def resume(self, tile: RunTile, tiles: Sequence[RunTile]) -> None:
        """Resume a run, or all runs of these tiles that can be, after asking which; the tiles show
        them as they go on. If the run cannot be resumed, it is about the others."""
        first, count = to_resume(tile, tiles)

        def answered(which: Which | None) -> None:
            runs = resumable(tiles if which == "all" else [first]) if which else []
            for one in runs:
                refused = partial(self._say_refused, one.number, one.worker)
                name = f"run {one.number}"
                request = ResumeRequested(one.worker.run_id, None, refused, name)
                self._screen.post_message(request)

        if count > 1:
            app_of(self._screen).push_screen(ResumeRunsDialog(first.number, count), answered)
        else:
            answered("one")

    def _say_refused(self, number: int, before: FoldedRun, error: SandboxTuiError) -> None:
        """Say why a run is not resumed, which the tile shows from now on as it was `before`."""
        self._screen.post_message(GoesOnElsewhere(before))
        if isinstance(error, RunsElsewhere):
            words = resumed_elsewhere_words(f"run {number}")
            self._screen.notify(words, markup=False, timeout=RESULT_SECONDS)
        else:
            words = sanitize_line(f"Run {number}: {error}")
            self._screen.notify(words, severity="error", markup=False, timeout=RESULT_SECONDS)

    def approve_always(self, tile: RunTile, tiles: Sequence[RunTile]) -> None:
        """Approve the waiting call of a run and all similar ones for the rest of that run, or of
        all runs of these tiles with its task, whatever their models."""
        same = [one for one in tiles if one.worker.task == tile.worker.task]
        others = [one for one in same if one is not tile and controls_of([one])]
        self._steering(tile).approve_always(AllowInRuns(self._screen, tile.number, others))

    def decide_about_all(self, tiles: Sequence[RunTile]) -> None:
        """Show the waiting calls of these tiles, and decide about those that stay ticked: a call
        that begins to wait meanwhile is none of them."""
        waiting = [
            (tile, self._waiting_call(tile, item))
            for tile in waiting_here(tiles)
            if (item := tile.state.pending) is not None
        ]

        def decided(decision: Decision | None) -> None:
            if decision is None:
                return
            chosen = [(waiting[at][0], waiting[at][1].item) for at in decision.chosen]
            why = decision.why
            if decision.verdict == "approve":
                self._decide_all(chosen, "Approved", lambda run, number: run.approve(number))
            else:
                self._decide_all(chosen, "Rejected", lambda run, number: run.reject(number, why))

        dialog = DecideAboutAllDialog([call for _, call in waiting])
        app_of(self._screen).push_screen(dialog, decided)

    def _waiting_call(self, tile: RunTile, item: CallItem) -> WaitingCall:
        has_draft = CallDrafts(self._screen, tile.worker).of(item.call.number) is not None
        task = tile.differing_task or task_line(tile.worker.task)
        names = list(filter(None, tile.names)) or [task]
        return WaitingCall(tile.number, item, tile.preview, has_draft, names, task)

    def _decide_all(
        self,
        chosen: Sequence[tuple[RunTile, CallItem]],
        verb: str,
        decide: Callable[[Controls, int], bool],
    ) -> None:
        """Decide about calls, and say about how many; those decided elsewhere stay as they are."""
        done, thawed = 0, False
        for tile, item in chosen:
            run = tile.worker.run
            still_waits = tile.state.pending is item and tile.worker.steers
            if still_waits and is_steerable(run) and decide(run, item.call.number):
                CallDrafts(self._screen, tile.worker).forget()
                done += 1
                thawed = thawed or (tile.state.frozen and verb == "Approved")
        gone = len(chosen) - done
        words = f"{verb} {numbers.counted(done, 'call')}."
        words += f" {numbers.counted(gone, 'call')} no longer waited." if gone else ""
        words += " Frozen sandboxes run again; these runs stay paused." if thawed else ""
        self._answers.say("decision", words)

    def choose_mode(self, tile: RunTile, tiles: Sequence[RunTile]) -> None:
        """Choose the mode of a run, or of all runs of these tiles that can be controlled."""
        going = others_for(tile, tiles)
        shown = going[0] if going else tile
        ask_for_mode(
            *(self._screen, self._answers, shown, tiles, self._steering(shown)),
            is_about_others=bool(going),
        )

    def _steering(self, tile: RunTile) -> RunSteering:
        return RunSteering(self._screen, tile.worker, tile.state)

    def _after(self, tile: RunTile, *, decided: bool) -> None:
        if decided:
            CallDrafts(self._screen, tile.worker).forget()
            self._decided(tile)
        else:
            self._screen.notify(GONE)

    def reject(self, tile: RunTile) -> None:
        """Reject the waiting call of a run, with a reason for the model."""
        run, pending = tile.worker.run, tile.state.pending
        if run is None or pending is None:
            return
        self._ask_why(run, pending.call.number, tile)

    def _ask_why(self, run: Controls, call: int, tile: RunTile) -> None:
        def answered(why: str | None) -> None:
            if why is not None:
                self._after(tile, decided=run.reject(call, why))

        dialog = PromptDialog(
            f"reject call {call} of run {tile.number}",
            placeholder=PLACEHOLDER["reject"],
            enter_words="send",
        )
        app_of(self._screen).push_screen(dialog, answered)

    def pause(self, tile: RunTile) -> None:
        """Pause or resume a run."""
        run = tile.worker.run
        if run is not None and run.steerable:
            pause_or_resume(run)
            self._answers.put_away("mode")

    def pause_all(self, tiles: Sequence[RunTile]) -> None:
        """Pause the runs of these tiles; if all of them are paused, resume them."""
        runs = controls_of(tiles)
        going = [run for run in runs if run.gate.mode != "paused"]
        for run in going or runs:
            pause_or_resume(run)
        words = f"Resumed {numbers.counted(len(runs), 'run')}."
        if going:
            goes_on = {id(one.worker.run) for one in tiles if pauses_later(one.state)}
            later = sum(id(run) in goes_on for run in going)
            paused = len(runs) - len(going)
            words = pausing_words(len(going), later, paused, some_elsewhere=some_elsewhere(tiles))
        self._answers.say("mode", words)

    def message(self, tile: RunTile, tiles: Sequence[RunTile]) -> None:
        """Write to the model of a run, or to those of all runs of these tiles that can be
        controlled; what is typed and not sent is there the next time."""
        going = others_for(tile, tiles)
        tile = going[0] if going else tile

        def typed(text: str | None) -> None:
            self._unsent = dialog.typed if text is None else ""
            if text:
                runs = controls_of(tiles if dialog.is_for_all else [tile])
                self._send(text, tile, runs)

        number = None if len(going) > 1 else tile.number
        count = len(controls_of(tiles))
        dialog = MessageRunsDialog(number, count, all_of(count, tiles), self._unsent)
        app_of(self._screen).push_screen(dialog, typed)

    def _send(self, text: str, tile: RunTile, runs: Sequence[Controls]) -> None:
        """Queue a message in runs, and say in how many; without any, keep the text."""
        try:
            for run in runs:
                run.message(text)
        except SandboxTuiError as error:
            self._unsent = text
            self.complain(error)
            return
        if not runs:
            self._unsent = text
            key = hint("wall.message")
            words = f"Run {tile.number} takes no messages now; {key} shows what you typed."
        elif len(runs) > 1:
            words = f"Sent to {len(runs)} runs: each model reads it before its next reply."
        else:
            words = f"Sent to run {tile.number}: its model reads it before its next reply."
        self._answers.say("message", words)

    def end(self, tile: RunTile, tiles: Sequence[RunTile]) -> None:
        """End a run, or all runs of these tiles that can be controlled, after a confirmation."""
        all_active = [one for one in tiles if not why_not("end", one)]
        dialog: ConfirmDialog
        those = all_of(len(all_active), tiles)
        if others := others_for(tile, tiles):
            several = len(others) > 1
            those = those if several else f"run {others[0].number}"
            dialog = EndOtherRunsDialog(tile.number, those, is_for_all=several)
        elif len(all_active) > 1:
            dialog = EndRunsDialog(tile.number, those)
        else:
            dialog = EndRunDialog(f"run {tile.number}")

        def sure(yes: bool | None) -> None:
            is_for_all = isinstance(dialog, EndRunsDialog) and dialog.is_for_all
            if yes:
                self._end_each(others or (all_active if is_for_all else [tile]))

        app_of(self._screen).push_screen(dialog, sure)

    def end_all(self, tiles: Sequence[RunTile]) -> None:
        """End all runs of these tiles that can be controlled, after a confirmation."""
        active = [one for one in tiles if not why_not("end", one)]
        dialog = EndAllRunsDialog(all_of(len(active), tiles))

        def sure(yes: bool | None) -> None:
            if yes:
                self._end_each(active)

        app_of(self._screen).push_screen(dialog, sure)

    def _end_each(self, tiles: Sequence[RunTile]) -> None:
        for tile in tiles:
            if not why_not("end", tile):
                self._screen.run_worker(self._end(tile), group="ending")

    async def _end(self, tile: RunTile) -> None:
        try:
            await tile.worker.stop(ENDED_BY_USER)
        except SandboxTuiError as error:
            self.complain(error)

    def compare(self, left: RunTile, right: RunTile) -> None:
        """Show the comparison of two runs."""
        try:
            sides = [self._store.run(one.worker.run_id) for one in (left, right)]
        except SandboxTuiError as error:
            self.complain(error)
        else:
            tiles = {one.worker.run_id: one.number for one in (left, right)}
            screen = CompareScreen(sides[0], sides[1], self._store, tiles=tiles)
            app_of(self._screen).push_screen(screen)

    def complain(self, error: SandboxTuiError) -> None:
        """Tell the user what went wrong."""
        self._screen.notify(sanitize_line(str(error)), severity="error", markup=False)
