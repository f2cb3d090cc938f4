"""The dialog shown when the user leaves a running evaluation."""

from __future__ import annotations

from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.screens.dialogs.leave_run import LeaveDialog


class LeaveEvalDialog(LeaveDialog):
    """Dismisses with the choice, or None to stay.

    Args:
        running: number of running samples.
        left: number of unfinished samples, including the running ones.
    """

    CSS = """
    LeaveEvalDialog .dialog { width: 64; }
    """

    def __init__(self, running: int, left: int) -> None:
        super().__init__(detachable=False)
        self._how_many_run = running
        self._left = left

    @property
    def title_words(self) -> str:
        """The title: what is still running."""
        return "the evaluation is still running"

    @property
    def question(self) -> str:
        """The question, and what each choice does."""
        return (
            "Keep it running in the background, or stop it? In the background it continues as "
            "long as this program runs, and can be opened again from the home screen. "
            + what_stops(self._how_many_run, self._left)
        )


def what_stops(running: int, left: int) -> str:
    """Return a sentence about what stopping does."""
    ended = {
        0: "Stopping starts no more samples",
        1: "Stopping ends the running sample and requeues it",
    }.get(running, f"Stopping ends the {running} running samples and requeues them")
    return f"{ended}; what is left ({numbers.counted(left, 'sample')}) can be resumed later."
