"""Actions on rollouts: replay one, compare two, export the good ones."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.rl.groups import RolloutGroup
from sandbox_tui.sessions.rl.sft_export import Selection, write_sft
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS, note_here
from sandbox_tui.tui.textual_support.typed_app import app_of


class RolloutActions:
    """The actions on rollouts of a training.

    Args:
        screen: shows the rollouts; other screens open over it.
        store: the store that contains their sessions.
    """

    def __init__(self, screen: Screen[Any], store: Store) -> None:
        self._screen = screen
        self._store = store

    def replay(self, rollout: Rollout) -> None:
        """Show the session of a rollout, as far as it is recorded."""
        from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen

        try:
            replay = ReplayScreen(self._store.run(rollout.run_id), self._store)
        except StoreError as error:  # deleted, or not started
            self._complain(error)
            return
        if not rollout.over:
            words = "It is still running; this is its recording so far."
            note_here(self._screen, words)
        app_of(self._screen).push_screen(replay)

    def compare(self, group: RolloutGroup) -> None:
        """Show the best and the worst rollout of a group side by side."""
        from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen

        best, worst = group.best, group.worst
        if best is None or worst is None or best.run_id == worst.run_id:
            self._screen.notify("Only two finished rollouts can be compared.", markup=False)
            return
        try:
            sides = self._store.run(best.run_id), self._store.run(worst.run_id)
        except StoreError as error:
            self._complain(error)
            return
        app_of(self._screen).push_screen(CompareScreen(*sides, self._store))

    async def export(self, training_id: str) -> None:
        """Ask for a minimum reward, and write the rollouts that reach it to a file."""
        question = "export rollouts with a reward of at least"
        answer = await app_of(self._screen).push_screen_wait(PromptDialog(question, "1"))
        if answer is None:
            return
        try:
            least = float(answer)
        except ValueError:
            self._screen.notify("Enter a number.", severity="error", markup=False)
            return
        path = Path(f"{training_id}-sft.jsonl").absolute()
        try:
            selection = Selection(min_reward=least)
            done = await asyncio.to_thread(write_sft, self._store, training_id, selection, path)
        except SandboxTuiError as error:
            self._complain(error)
            return
        words = f"{numbers.counted(done.rollouts, 'rollout')} written to {path}"
        self._screen.notify(sanitize_line(words), markup=False, timeout=RESULT_SECONDS)

    def _complain(self, error: SandboxTuiError) -> None:
        words = sanitize_line(str(error))
        self._screen.notify(words, severity="error", markup=False)
