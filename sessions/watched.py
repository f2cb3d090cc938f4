"""What a screen shows: a run with its record, in this program or in another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Protocol

from ..core import events as e
from ..core.controls import Controls
from ..core.errors import SandboxTuiError


class Watched(Protocol):
    """`Worker`, or `RemoteWorker`: a screen need not know which.

    Attributes:
        run_id: the session's id.
        failure: why it could not begin, or be watched on; None otherwise.
        ended: set when the run is over, its events stored and its sandbox gone.
    """

    run_id: str
    failure: SandboxTuiError | None
    ended: asyncio.Event

    @property
    def task(self) -> str:
        """What the model was asked."""
        ...

    @property
    def run(self) -> Controls | None:
        """The run, once it can be steered."""
        ...

    @property
    def steers(self) -> bool:
        """Whether this screen is the one that steers."""
        ...

    @property
    def company(self) -> str:
        """Who else is there, in a few words; empty when that goes without saying."""
        ...

    @property
    def trouble(self) -> str:
        """What keeps the run from being recorded, and so from going on, at the moment; or empty."""
        ...

    @property
    def exit_code(self) -> int:
        """Of the program, if this run is what it was started for."""
        ...

    def start(self) -> None:
        """Begin; also again after a `failure` to begin."""
        ...

    def watch(self) -> AsyncGenerator[e.AnyEvent]:
        """All events from the first on, those that are stored already and then each as it is."""
        ...

    def take_over(self) -> None:
        """Steer from now on; the screen that did only watches."""
        ...

    async def stop(self, because: str) -> None:
        """End the run and wait until everything is put away."""
        ...
