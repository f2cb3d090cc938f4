"""Where the samples of an evaluation run: in this program, or on the nodes of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.evals.sample import Sample
from sandbox_tui.core.evals.sandbox_memory import SandboxMemory
from sandbox_tui.core.evals.scorers.base import Scorer
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions.recording.run_worker import RunWorker


class SampleLost(SandboxTuiError):
    """A sample whose place is gone, which says nothing about the model: it is to be run again, and
    the attempt does not count."""


@dataclass(frozen=True, slots=True)
class SampleJob:
    """One attempt at a sample.

    Attributes:
        sample: what is attempted.
        run_id: the session that it becomes.
        request: what its run is asked.
        scorer: of its task.
    """

    sample: Sample
    run_id: str
    request: RunRequest
    scorer: Scorer


@dataclass(frozen=True, slots=True)
class SampleRun:
    """A sample at work.

    Attributes:
        worker: its run, which this program records; a `SampleLost` may be its failure.
        memory: of its sandbox, once it has been scored.
    """

    worker: RunWorker
    memory: Callable[[], SandboxMemory | None]


class SamplePlace(Protocol):
    """Room for one sample."""

    def begin(self, job: SampleJob) -> SampleRun:
        """Start the run of a sample in the background."""
        ...

    def release(self) -> None:
        """Make room for another sample."""
        ...


class SampleExecutor(Protocol):
    """Runs samples, a limited number at once."""

    @property
    def problem(self) -> str:
        """Why no sample can run at the moment; empty: they can."""
        ...

    async def open(self) -> None:
        """Get ready.

        Raises:
            SandboxTuiError: samples cannot run there.
        """
        ...

    async def place(self) -> SamplePlace:
        """Room for one more sample, once there is any."""
        ...

    async def close(self) -> None:
        """Let go of everything, once no sample runs any more."""
        ...
