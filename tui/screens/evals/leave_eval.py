"""What shall become of an evaluation whose screen is left."""

from __future__ import annotations

from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.screens.dialogs.leave_run import LeaveDialog


class LeaveEvalDialog(LeaveDialog):
    """Asks; dismisses with the choice, or None to stay.

    Args:
        running: samples that run.
        left: samples that are not over, those among them.
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
        """What goes on."""
        return "the evaluation is still running"

    @property
    def question(self) -> str:
        """What each choice does."""
        return (
            "Keep it running in the background, or stop it? In the background it continues as "
            "long as this program runs, and can be opened again from the home screen. "
            + what_stops(self._how_many_run, self._left)
        )


def what_stops(running: int, left: int) -> str:
    """What stopping does, in words."""
    ended = {
        0: "Stopping starts no more samples",
        1: "Stopping ends the running sample and requeues it",
    }.get(running, f"Stopping ends the {running} running samples and requeues them")
    return f"{ended}; what is left ({numbers.counted(left, 'sample')}) can be resumed later."
