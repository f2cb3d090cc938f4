"""Messages that screens send to the app."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunWorker


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


class DetachRequested(Message):
    """A person wants runs to continue in programs of their own.

    Args:
        workers: which; none: all that can.
        then: called with whether no run is left in this program.
    """

    def __init__(self, workers: Sequence[RunWorker], then: Callable[[bool | None], None]) -> None:
        super().__init__()
        self.workers = workers
        self.then = then
