"""Shows an evaluation on the screen."""

from __future__ import annotations

import click

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.evaluation import Evaluation
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.show_app import show
from sandbox_tui.tui.format.outcome import without_score
from sandbox_tui.tui.lifecycle.first_screen import Evaluating, WatchEval


def show_work(evaluation: Evaluation, settings: Settings, store: Store) -> int:
    """Run an evaluation and show it; return the exit code of the program.

    Raises:
        SandboxTuiError: the evaluation cannot begin, or its samples cannot be stored.
    """
    ended = show(settings, store, Evaluating(evaluation))
    click.echo(_outcome(ledger.summary(store, evaluation.info.id)))
    return ended.code


def show_recorded(summary: ledger.EvalSummary, settings: Settings, store: Store) -> int:
    """Show an evaluation from the database; return the exit code of the program."""
    return show(settings, store, WatchEval(summary)).code


def _outcome(found: ledger.EvalSummary) -> str:
    line = f"evaluation {found.info.id}: {found.over} of {found.samples} samples done"
    if found.lost:
        line += f", {without_score(found.lost)}"
    if not found.can_resume:
        return line
    because = f" · {found.stopped_because}" if found.stopped_because else ""
    failed = " --failed" if found.lost else ""
    command = f"  sandbox-tui eval resume {found.info.id}{failed}"
    return f"{sanitize_line(line + because)}\n{command}"  # on a line of its own, to be copied
