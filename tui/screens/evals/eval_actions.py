"""Actions on the evaluation under the cursor: resume, delete."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.screens.dialogs.delete_with_sessions import DeleteWithSessionsDialog
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.source import LocalEval
from sandbox_tui.tui.screens.free_space import free_space
from sandbox_tui.tui.textual_support.typed_app import app_of

MAX_NAME_CHARS = 80


class EvalActions:
    """The actions on an evaluation of a list.

    Args:
        screen: shows the list; dialogs and evaluations open over it.
        evals: the evaluations of this program; the store has the others.
        reload: reloads the list.
    """

    def __init__(
        self, screen: Screen[None], evals: EvalRegistry, reload: Callable[[], object]
    ) -> None:
        self._screen = screen
        self._evals = evals
        self._reload = reload

    async def resume(self, found: ledger.EvalSummary, settings: Settings) -> None:
        """Run the remaining samples of an interrupted evaluation, and show it."""
        from sandbox_tui.sessions.evals.evaluation import resume_evaluation

        runs = self._evals.runs
        try:
            taken = await asyncio.to_thread(
                resume_evaluation, runs.store, found.info.id, settings, None
            )
        except SandboxTuiError as error:
            self._complain(error)
            return
        runner = self._evals.begin(taken)
        app_of(self._screen).push_screen(EvalScreen(LocalEval(runner, self._evals), runs))

    async def delete(self, found: ledger.EvalSummary) -> None:
        """Delete an evaluation, with or without its sessions, after asking."""
        from sandbox_tui.sessions.evals.delete import (
            delete_evaluation,
            delete_with_sessions,
            refuse_running,
        )

        store, eval_id = self._evals.runs.store, found.info.id
        try:
            refuse_running(found)
            sessions = await asyncio.to_thread(ledger.sessions_of, store, eval_id)
            dialog = DeleteWithSessionsDialog(
                "delete an evaluation", _question(found, len(sessions))
            )
            choice = await app_of(self._screen).push_screen_wait(dialog)
            if choice == "alone":
                await asyncio.to_thread(delete_evaluation, store, eval_id)
                self._screen.notify("Deleted. Its sessions were kept.", markup=False)
            elif choice == "with_sessions":
                count = await asyncio.to_thread(delete_with_sessions, store, eval_id)
                await free_space(
                    self._screen,
                    store,
                    f"Deleted with {numbers.counted(count, 'session')}.",
                    is_recording=bool(self._evals.runs.unfinished),
                )
            if choice is not None:
                self._evals.forget(eval_id)
        except StoreError as error:
            self._complain(error)
        self._reload()

    def _complain(self, error: SandboxTuiError) -> None:
        words = sanitize_line(str(error))
        self._screen.notify(words, severity="error", markup=False, timeout=10)


def _question(found: ledger.EvalSummary, sessions: int) -> str:
    info = found.info
    name = sanitize_line(f"{info.suite} · {info.model}")[:MAX_NAME_CHARS]
    over = f"{found.over} of {numbers.counted(found.samples, 'sample')}"
    return (
        f"Delete “{name}” ({info.id}), {over} done? Its scores and report are deleted too; the "
        f"{numbers.counted(sessions, 'session')} of its samples are kept unless you delete them as "
        "well. This cannot be undone."
    )
