"""The question that is asked before quitting."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.tui.terminal_io.notifications import waits


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
        end = "End it and quit?" if going == 1 else "End them all and quit?"
        return f"{_state_words(going, sum(map(waits, runs.running)))} {end}"
    unsaved = any(getattr(screen, "unsaved", None) for screen in screens)
    return "The new-run form has a task you have not started. Quit?" if unsaved else ""


def _state_words(going: int, waiting: int) -> str:
    """Return what the runs of this program do, as a sentence.

    Args:
        going: how many have not ended.
        waiting: how many of these wait for the user.
    """
    if not waiting:
        return "A run is still running." if going == 1 else f"{going} runs are still running."
    wait = "1 run waits for you" if waiting == 1 else f"{waiting} runs wait for you"
    others = going - waiting
    if not others:
        return f"{wait}."
    return f"{wait}, {others} {'is' if others == 1 else 'are'} still running."
