"""Scores the recorded answers of an evaluation again, from its screen."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.evals.rescore import Rescored, rescore
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.format.evals.rescored import changed_verdicts
from sandbox_tui.tui.screens.evals.scoring.choose_scorer import ChooseScorerDialog
from sandbox_tui.tui.screens.evals.source import RecordedEval
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS, DedupedToasts
from sandbox_tui.tui.textual_support.typed_app import app_of

UNDER_WAY = "Scoring the recorded answers…"


async def score_again(screen: Screen[Any], runs: RunRegistry, eval_id: str) -> None:
    """Ask for a scorer, score the answers with it, say what changed, and show the evaluation with
    the new scores, if there is one.

    Args:
        screen: that of the evaluation.
        runs: the runs of this program, and the store with all sessions.
        eval_id: the evaluation.
    """
    from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen

    try:
        results = await asyncio.to_thread(ledger.results, runs.store, eval_id)
    except StoreError as error:
        screen.notify(sanitize_line(str(error)), severity="error", markup=False)
        return
    asking, found = ChooseScorerDialog(results), None
    while found is None:
        entry = await app_of(screen).push_screen_wait(asking)
        if entry is None:
            return
        found = await _scored(screen, runs.store, eval_id, entry.name)
        asking = ChooseScorerDialog(results, asking.typed, entry.name)
    screen.notify(_result(found), markup=False, timeout=RESULT_SECONDS)
    if found.info is not None:
        new = await asyncio.to_thread(ledger.summary, runs.store, found.info.id)
        app_of(screen).push_screen(EvalScreen(RecordedEval(new, runs.store), runs))


async def _scored(screen: Screen[Any], store: Store, eval_id: str, scorer: str) -> Rescored | None:
    """Return what scoring again has found; None if that cannot be done, which is said."""
    app = app_of(screen)
    screen.notify(UNDER_WAY, markup=False)
    try:
        return await asyncio.to_thread(_score, store, eval_id, scorer)
    except SandboxTuiError as error:
        screen.notify(sanitize_line(str(error)), severity="error", markup=False)
        return None
    finally:
        if isinstance(app, DedupedToasts):
            app.remove_notices_with(UNDER_WAY)


def _score(store: Store, eval_id: str, scorer: str) -> Rescored:
    return asyncio.run(rescore(store, eval_id, scorer))


def _result(found: Rescored) -> str:
    new = "This is a new evaluation; the old one stays" if found.info else "The evaluation stays"
    return sanitize_line(f"{changed_verdicts(found)} {new} as it is.")
