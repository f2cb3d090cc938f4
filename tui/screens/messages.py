"""Messages that screens send to the app."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.message import Message

from sandbox_tui.core.base.errors import SandboxTuiError

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunWorker
    from sandbox_tui.sessions.remote.run_handle import RunHandle


class ForkRequested(Message):
    """The user wants to fork a session at some event.

    Attributes:
        run_id: the session.
        at: the displayed event, or a position such as `step:5`, as `ForkPlan` takes it.
        then: called once the fork's screen is shown, or if it is not forked.
        started: called with the fork's id before its screen is shown.
    """

    def __init__(
        self,
        run_id: str,
        at: int | str,
        then: Callable[[None], object] = lambda _: None,
        started: Callable[[str], object] = lambda _: None,
    ) -> None:
        super().__init__()
        self.run_id = run_id
        self.at = at
        self.then = then
        self.started = started


class RunAgainRequested(Message):
    """The user wants to run the task of a session again, from the beginning.

    Args:
        run_id: the session.
    """

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self.run_id = run_id


class ResumeRequested(Message):
    """The user wants to resume a session whose program has ended.

    Args:
        run_id: the session.
        then: called when the screen of the resumed run has been left; None opens no screen, since
            the one that asks shows the run.
        refused: called with the reason if it cannot be resumed; without a screen of the resumed
            run, also if that turns out later.
        name: what to call the run.
    """

    def __init__(
        self,
        run_id: str,
        then: Callable[[None], None] | None,
        refused: Callable[[SandboxTuiError], None],
        name: str = "this run",
    ) -> None:
        super().__init__()
        self.name = name
        self.run_id = run_id
        self.then = then
        self.refused = refused


class GoesOnElsewhere(Message):
    """A run that a screen shows goes on in another program than before, or has ended there.

    Attributes:
        worker: the run from now on.
    """

    def __init__(self, worker: RunHandle) -> None:
        super().__init__()
        self.worker = worker


class DetachRequested(Message):
    """The user wants runs to continue in separate programs.

    Args:
        workers: the runs; empty for all that can be detached.
        then: called with whether no run is left in this program.
        quits: whether the program ends once all runs have moved, whatever it shows.
    """

    def __init__(
        self,
        workers: Sequence[RunWorker],
        then: Callable[[bool | None], None],
        *,
        quits: bool = False,
    ) -> None:
        super().__init__()
        self.quits = quits
        self.workers = workers
        self.then = then
