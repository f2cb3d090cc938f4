"""The phases of a run."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """A run's phase; it only ever advances.

    STARTING   the sandbox is starting; mode and messages are accepted, for the first step on
    RUNNING    the agent is working
    FINISHING  the agent has stopped, or was told to stop; results are copied out
    OVER       `RunFinished` is written
    """

    STARTING = "starting"
    RUNNING = "running"
    FINISHING = "finishing"
    OVER = "over"

    @property
    def steerable(self) -> bool:
        """Whether the user can still steer the run."""
        return self in (Phase.STARTING, Phase.RUNNING)
