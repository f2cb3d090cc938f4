"""The dialog shown when the user leaves a running evaluation."""

from __future__ import annotations

from sandbox_tui.tui.screens.dialogs.leave_run import LeaveDialog

STOPPING = (
    "Stopping ends its running samples. They and those that have not run can be resumed later."
)
"""What stopping does, however many samples run by the time of the answer."""


class LeaveEvalDialog(LeaveDialog):
    """Dismisses with the choice, or None to stay."""

    CSS = """
    LeaveEvalDialog .dialog { width: 64; }
    """

    def __init__(self) -> None:
        super().__init__((), detachable=False)

    @property
    def end_word(self) -> str:
        """What the key is called that ends what is running."""
        return "stop"

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
            f"{STOPPING}"
        )
