"""Opens evaluations on top of a screen, and resumes them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.screen import Screen

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.keys.key_sequencer import keys_for_dialog
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.source import EvalSource, LocalEval, RecordedEval, source_of
from sandbox_tui.tui.textual_support.typed_app import app_of

if TYPE_CHECKING:
    from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen

WARNING_SECONDS = 15

CLUSTER_LEFT = (
    "This evaluation ran on a cluster: `sandbox-tui eval resume {} --ray ADDRESS` joins it again."
)


async def open_list(
    app: App[int], evals: EvalRegistry, settings: LiveSettings, marked: EvalSummary | None = None
) -> EvalsScreen:
    """Open the list of all evaluations, perhaps with one marked to be compared, and return its
    screen."""
    from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen

    listed = EvalsScreen(evals, settings, marked)
    await app.push_screen(listed)
    return listed


class EvalOpener:
    """Opens evaluations on top of one screen.

    Args:
        screen: the screen below.
        evals: the evaluations of this program; the store has the others.
        settings: the current settings.
        on_again: opens the form for an evaluation like one; None if the screen below has no form:
            then it opens over the list of all evaluations.
        confirm_leave: whether leaving an evaluation of this program asks what to do with it.
    """

    def __init__(
        self,
        screen: Screen[Any],
        evals: EvalRegistry,
        settings: LiveSettings,
        on_again: Callable[[EvalInfo], None] | None = None,
        *,
        confirm_leave: bool = False,
    ) -> None:
        self._screen = screen
        self._evals = evals
        self._settings = settings
        self._on_again = on_again
        self._confirm_leave = confirm_leave
        self._resuming = ""

    def open(self, found: EvalSummary) -> None:
        """Open the screen of an evaluation."""
        self.show(source_of(found, self._evals))

    def show(self, source: EvalSource) -> None:
        """Show an evaluation."""
        app_of(self._screen).push_screen(self._screen_of(source))
        self._screen.run_worker(self._warn_of_budget(source.info), group="budget")

    async def _warn_of_budget(self, info: EvalInfo) -> None:
        """Say that a running evaluation has a budget that never stops it."""
        from sandbox_tui.sessions.evals.unenforceable_budget import unenforceable_budget

        store = self._evals.runs.store
        with suppress(SandboxTuiError):  # the screen says so
            words = await asyncio.to_thread(unenforceable_budget, store, info)
            if words and (await asyncio.to_thread(ledger.summary, store, info.id)).running:
                app_of(self._screen).notify(
                    sanitize_line(words), severity="warning", markup=False, timeout=WARNING_SECONDS
                )

    def resume(self, info: EvalInfo, shown: Screen[Any] | None = None) -> None:
        """Run what is left of an evaluation, or if nothing is, its samples without a score, and
        show it: in a program of its own, or in this one if that is where it has been running.

        Args:
            info: the evaluation.
            shown: its screen, which the new one replaces; it stays if the evaluation cannot be
                resumed. None if it is not shown.
        """
        if self._resuming != info.id:  # a second click
            self._resuming = info.id
            resuming = keys_for_dialog(self._screen, self._resume(info, shown))
            self._screen.run_worker(resuming, group="resume_eval")

    async def _resume(self, info: EvalInfo, shown: Screen[Any] | None) -> None:
        resuming = self._resume_here if info.id in self._evals.all else self._resume_outside
        try:
            await resuming(info, shown)
        except SandboxTuiError as error:
            words = sanitize_line(str(error))
            app_of(self._screen).notify(words, severity="error", markup=False)
        finally:
            self._resuming = ""

    async def _resume_here(self, info: EvalInfo, shown: Screen[Any] | None) -> None:
        from sandbox_tui.sessions.evals.evaluation import resume_evaluation

        if self._evals.all[info.id].is_on_cluster:
            raise ConfigError(CLUSTER_LEFT.format(info.id))
        store, settings = self._evals.runs.store, self._settings.now
        resuming = partial(resume_evaluation, store, info.id, settings, None)
        taken = await asyncio.to_thread(resuming, rerun_lost=await self._reruns(info))
        self._replace(shown, LocalEval(self._evals.begin(taken), self._evals))

    async def _resume_outside(self, info: EvalInfo, shown: Screen[Any] | None) -> None:
        """Show the evaluation at once: its program takes seconds to start."""
        from sandbox_tui.sessions.evals import detached

        store, url = self._evals.runs.store, self._settings.now.model.base_url
        reruns = await self._reruns(info)
        await asyncio.to_thread(detached.claim, store, info.id)
        claimed = await asyncio.to_thread(ledger.summary, store, info.id)
        self._replace(shown, RecordedEval(claimed, store))
        resuming = partial(detached.resume, store, info.id, url, rerun_lost=reruns)
        await asyncio.to_thread(resuming)

    async def _reruns(self, info: EvalInfo) -> bool:
        """Return whether nothing is left of an evaluation now, so that only a rerun makes sense."""
        now = await asyncio.to_thread(ledger.summary, self._evals.runs.store, info.id)
        return now.status == "finished"

    def _run_again(self, info: EvalInfo, shown: Screen[None]) -> None:
        if self._on_again is not None:
            shown.dismiss(None)
            self._on_again(info)
        else:
            shown.run_worker(keys_for_dialog(shown, self._run_again_over_list(info)))

    async def _run_again_over_list(self, info: EvalInfo) -> None:
        listed = await open_list(app_of(self._screen), self._evals, self._settings)
        listed.run_again(info)

    def _replace(self, shown: Screen[Any] | None, source: EvalSource) -> None:
        app = app_of(self._screen)
        if shown is not None and app.screen is shown:
            app.switch_screen(  # pyright: ignore[reportUnknownMemberType]
                self._screen_of(source)
            )
            self._screen.run_worker(self._warn_of_budget(source.info), group="budget")
        else:
            self.show(source)

    def _screen_of(self, source: EvalSource) -> EvalScreen:
        info = source.info
        return EvalScreen(
            source,
            self._evals.runs,
            partial(self.resume, info),
            partial(self._run_again, info),
            confirm_leave=self._confirm_leave,
        )
