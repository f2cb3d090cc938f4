"""The question that is asked before quitting."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.tui.terminal_io.counted_runs import going_words


def quit_question(runs: RunRegistry, evals: EvalRegistry, screens: Iterable[object]) -> str:
    """Return a question that says what quitting would lose; empty if nothing.

    Args:
        runs: of this program.
        evals: of this program.
        screens: the open ones, one of which may hold a draft.
    """
    if evals.running:
        return (
            "An evaluation is still running. Stop it and quit? Running samples are ended and "
            "requeued; `sandbox-tui eval resume` runs what is left."
        )
    if going := len(runs.running):
        those = {1: "it", 2: "both"}.get(going, "them all")
        return f"{going_words([run.state for run in runs.running])}. End {those} and quit?"
    unsaved = any(getattr(screen, "unsaved", None) for screen in screens)
    return "The new-run form has a task you have not started. Quit?" if unsaved else ""
