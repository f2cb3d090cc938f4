"""Where the samples of an evaluation run: in this program, or on the nodes of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sandbox_tui.core.evals.sample import Sample
from sandbox_tui.core.evals.sandbox_memory import SandboxMemory
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.core.evals.scoring import SampleScoring
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions.recording.run_worker import RunWorker


@dataclass(frozen=True, slots=True)
class SampleJob:
    """One attempt at a sample: data, which may travel.

    Attributes:
        sample: what is attempted.
        run_id: the session that it becomes.
        request: what its run is asked.
        scorer: name of the scorer of its task.
        scorer_options: its settings.
    """

    sample: Sample
    run_id: str
    request: RunRequest
    scorer: str
    scorer_options: Mapping[str, Any]

    def scoring(self) -> SampleScoring:
        """What scores it at the end of its run.

        Raises:
            ConfigError: its scorer cannot be used.
        """
        scorer = scorer_named(self.scorer, self.scorer_options)
        return SampleScoring(self.sample, scorer, self.request.settings.sandbox.kind)


@dataclass(frozen=True, slots=True)
class SampleRun:
    """A sample at work.

    Attributes:
        worker: its run, which this program records; a `RunLost` may be its failure: then it
            is to be run again, and the attempt does not count.
        memory: of its sandbox, once it has been scored.
    """

    worker: RunWorker
    memory: Callable[[], SandboxMemory | None]


class SamplePlace(Protocol):
    """Room for one sample."""

    def begin(self, job: SampleJob) -> SampleRun:
        """Start the run of a sample in the background.

        Raises:
            ConfigError: its scorer cannot be used.
        """
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
