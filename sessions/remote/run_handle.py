"""A run and its record as a screen sees them, in this program or in another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Protocol

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.human.run_controls import Controls


class RunHandle(Protocol):
    """Implemented by `RunWorker`, whose run is in this program or on a node of a cluster, and by
    `RunClient`.

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
    def can_be_steered(self) -> bool:
        """Whether a screen of this program may steer it at all."""
        ...

    @property
    def steers(self) -> bool:
        """Whether this screen is the one that steers."""
        ...

    @property
    def audience(self) -> str:
        """Who else is watching, in a few words; empty if no one is."""
        ...

    @property
    def storage_error(self) -> str:
        """Why the run cannot be recorded, and so waits, at the moment; empty when it can."""
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
        """Steer from now on; the screen that steered before only watches."""
        ...

    async def stop(self, because: str) -> None:
        """End the run and wait until everything is cleaned up."""
        ...
