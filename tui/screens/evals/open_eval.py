"""Opens an evaluation of a list, and resumes it from there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.source import EvalSource, LocalEval, RecordedEval, source_of
from sandbox_tui.tui.textual_support.typed_app import app_of


class EvalOpener:
    """Opens evaluations on top of one screen.

    Args:
        screen: the screen below.
        evals: the evaluations of this program; the store has the others.
        settings: the current settings.
        on_again: opens the form for an evaluation like one; None if the screen below has no form.
    """

    def __init__(
        self,
        screen: Screen[Any],
        evals: EvalRegistry,
        settings: LiveSettings,
        on_again: Callable[[EvalSummary], None] | None = None,
    ) -> None:
        self._screen = screen
        self._evals = evals
        self._settings = settings
        self._on_again = on_again

    def open(self, found: EvalSummary) -> None:
        """Open the screen of an evaluation."""
        self._show(source_of(found, self._evals), found)

    def resume(self, found: EvalSummary) -> None:
        """Run what is left of an evaluation, or if nothing is, its samples without a score, and
        show it: in a program of its own, or in this one if that is where it has been running."""
        self._screen.run_worker(self._resume(found), exclusive=True, group="resume_eval")

    async def _resume(self, found: EvalSummary) -> None:
        is_here = found.info.id in self._evals.all
        try:
            await (self._resume_here(found) if is_here else self._resume_outside(found))
        except SandboxTuiError as error:
            words = sanitize_line(str(error))
            app_of(self._screen).notify(words, severity="error", markup=False)

    async def _resume_here(self, found: EvalSummary) -> None:
        from sandbox_tui.sessions.evals.evaluation import resume_evaluation

        store, settings = self._evals.runs.store, self._settings.now
        resuming = partial(resume_evaluation, store, found.info.id, settings, None)
        taken = await asyncio.to_thread(resuming, rerun_lost=await self._reruns(found))
        self._show(LocalEval(self._evals.begin(taken), self._evals), found)

    async def _resume_outside(self, found: EvalSummary) -> None:
        """Show the evaluation at once: its program takes seconds to start."""
        from sandbox_tui.sessions.evals import detached

        store, url = self._evals.runs.store, self._settings.now.model.base_url
        reruns = await self._reruns(found)
        await asyncio.to_thread(detached.claim, store, found.info.id)
        claimed = await asyncio.to_thread(ledger.summary, store, found.info.id)
        self._show(RecordedEval(claimed, store), found)
        resuming = partial(detached.resume, store, found.info.id, url, rerun_lost=reruns)
        await asyncio.to_thread(resuming)

    async def _reruns(self, found: EvalSummary) -> bool:
        """Return whether nothing is left of an evaluation now, so that only a rerun makes sense."""
        now = await asyncio.to_thread(ledger.summary, self._evals.runs.store, found.info.id)
        return now.status == "finished"

    def _show(self, source: EvalSource, found: EvalSummary) -> None:
        again = None if self._on_again is None else partial(self._on_again, found)
        screen = EvalScreen(source, self._evals.runs, partial(self.resume, found), again)
        app_of(self._screen).push_screen(screen)
