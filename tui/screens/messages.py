"""Messages that screens send to the app."""

from __future__ import annotations

from textual.message import Message


class ForkRequested(Message):
    """A person wants to fork a session at some moment.

    Attributes:
        run_id: the session.
        seq: the event that is shown.
    """

    def __init__(self, run_id: str, seq: int) -> None:
        super().__init__()
        self.run_id = run_id
        self.seq = seq
